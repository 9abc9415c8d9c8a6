// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/sums.h"
#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

LoweredResults LowerCumProd(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> exclusive, op.TakeInt("exclusive"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> reverse, op.TakeInt("reverse"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  const std::optional<std::vector<std::int64_t>> given = op.builder.KnownInts(op.operand(1));
  if (!given || given->size() != 1) return op.Unsupported("operand 1 (axis) must be known");
  OpComposer f(op);
  if (rank == 0) return op.Invalid("its operand has no axis");
  const int axis = f.Axis(given->front(), rank);
  Value* products = RunningProducts(f, f.Widen(op.operand(0)), axis, exclusive.value_or(0) != 0,
                                    reverse.value_or(0) != 0);
  const DType dtype = f.dtype(op.operand(0));
  return f.Finish({f.NamedCast(products, dtype, op.ResultName(0))});
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/sums.h"
#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/around_axis.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
LoweredResults LowerCumProd(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> exclusive, op.TakeInt("exclusive"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> reverse, op.TakeInt("reverse"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  if (rank == 0) return op.Invalid("its operand has no axis");
  const std::optional<std::vector<std::int64_t>> given = op.builder.KnownInts(op.operand(1));
  if (given && given->size() != 1) return op.Invalid("operand 1 (axis) is not a scalar");
  OpComposer f(op);
  Value* x = op.operand(0);
  Value* terms = f.Widen(given ? x : SplitAroundAxis(f, x, op.operand(1), rank).parts);
  Value* products = RunningProducts(f, terms, given ? f.Axis(given->front(), rank) : 1,
                                    exclusive.value_or(0) != 0, reverse.value_or(0) != 0);
  if (!given) products = f.Reshape(products, f.Shape(x));
  return f.Finish({f.NamedCast(products, f.dtype(x), op.ResultName(0))});
}

}  // namespace dragoman

#include <utility>

#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

// Each element is the product of a row in which what does not count is 1.
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
  Value* rows = f.SwapAxes(f.Widen(op.operand(0)), axis, rank - 1);
  Value* places = f.Iota(f.Size(rows, rank - 1));
  Value* own = f.Unsqueeze(places, {1});
  if (reverse.value_or(0) != 0) std::swap(places, own);
  Value* counts = exclusive.value_or(0) != 0 ? f.Less(places, own) : f.LessOrEqual(places, own);
  Value* wide = f.Unsqueeze(rows, {rank - 1});
  Value* products = f.Reduce("ReduceProd", f.Where(counts, wide, 1), {rank}, false);
  products = f.SwapAxes(products, axis, rank - 1);
  const DType dtype = f.dtype(op.operand(0));
  return f.Finish({f.NamedCast(products, dtype, op.ResultName(0))});
}

}  // namespace dragoman

#include <numeric>

#include "importers/onnx/ops/formula.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

// Axes that are too long are cut at both ends, axes that are too short get zeros at both, the odd
// one at the end.
LoweredResults LowerCenterCropPad(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> named, op.TakeInts("axes"));
  DRAGOMAN_TRY(op.Require({0, 1}));
  const std::optional<int> rank = op.builder.rank(op.operand(0));
  if (!named && !rank) return op.EmitForeign();
  if (!named) {
    named.emplace(static_cast<std::size_t>(*rank));
    std::iota(named->begin(), named->end(), 0);
  }
  Formula f(op);
  Value* axes = f.Ints(*named);
  Value* zero = f.Int(0);
  Value* two = f.Int(2);
  Value* wanted = f.Cast(op.operand(1), DType::kI64);
  Value* sizes = f.Add("Gather", {f.Add("Shape", {op.operand(0)}), axes});
  Value* missing = f.Add("Sub", {wanted, sizes});
  Value* added = f.Add("Max", {missing, zero});
  Value* start = f.Add("Div", {f.Add("Max", {f.Add("Neg", {missing}), zero}), two});
  Value* end = f.Add("Add", {start, f.Add("Min", {wanted, sizes})});
  Value* middle = f.Add("Slice", {op.operand(0), start, end, axes});
  Value* before = f.Add("Div", {added, two});
  Value* pads = f.Joined({before, f.Add("Sub", {added, before})});
  return f.Finish({f.Add("Pad", {middle, pads, nullptr, axes}, {}, op.ResultName(0))});
}

}  // namespace dragoman

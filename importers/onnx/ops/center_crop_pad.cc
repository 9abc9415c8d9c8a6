// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "importers/onnx/op_composer.h"
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
  OpComposer f(op);
  Value* axes = f.Ints(*named);
  Value* zero = f.Int(0);
  Value* two = f.Int(2);
  Value* wanted = f.Cast(op.operand(1), DType::kI64);
  Value* sizes = f.Op("Gather", {f.Op("Shape", {op.operand(0)}), axes});
  Value* missing = f.Op("Sub", {wanted, sizes});
  Value* added = f.Op("Max", {missing, zero});
  Value* start = f.Op("Div", {f.Op("Max", {f.Op("Neg", {missing}), zero}), two});
  Value* end = f.Op("Add", {start, f.Op("Min", {wanted, sizes})});
  Value* middle = f.Op("Slice", {op.operand(0), start, end, axes});
  Value* before = f.Op("Div", {added, two});
  Value* pads = f.Concat({before, f.Op("Sub", {added, before})}, 0);
  return f.Finish({f.Op("Pad", {middle, pads, nullptr, axes}, {}, op.ResultName(0))});
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

// Rows of an update go to a cache from a place on that each example of the batch has of its own; in
// a circular one what reaches beyond the end goes to the beginning.
LoweredResults LowerTensorScatter(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> given, op.TakeInt("axis"));
  DRAGOMAN_ASSIGN(const std::optional<std::string> mode, op.TakeString("mode"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  OpComposer f(op);
  const int axis = f.Axis(given.value_or(-2), rank);
  if (axis < 1) return op.Invalid("axis " + std::to_string(axis) + " is not after the batch");
  if (mode && *mode != "linear" && *mode != "circular")
    return op.Invalid("mode '" + *mode + "' is neither linear nor circular");
  Value* cache = op.operand(0);
  Value* update = op.operand(1);
  const auto aligned = [&](Value* x, int at) {
    std::vector<std::int64_t> axes;
    for (int i = at + 1; i < rank; ++i) axes.push_back(i - at);
    return axes.empty() ? x : f.Unsqueeze(x, axes);
  };
  Value* places = aligned(f.Iota(f.Size(update, axis)), axis);
  if (op.operand(2) != nullptr)
    places = f.Add(places, aligned(f.Cast(op.operand(2), DType::kI64), 0));
  if (mode == "circular") places = f.Op("Mod", {places, f.Size(cache, axis)});
  places = f.Expand(places, f.Shape(update));
  return f.Finish({f.Op("ScatterElements", {cache, places, update}, {{"axis", std::int64_t{axis}}},
                        op.ResultName(0))});
}

}  // namespace dragoman

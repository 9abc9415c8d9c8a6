// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/ops/heads.h"

#include <cmath>

namespace dragoman {

Value* SplitHeads(OpComposer& f, Value* x, std::int64_t heads) {
  return f.Transpose(f.Op("Reshape", {x, f.Ints({0, 0, heads, -1})}), {0, 2, 1, 3});
}

Value* JoinHeads(OpComposer& f, Value* x, std::string_view name) {
  return f.Op("Reshape", {f.Transpose(x, {0, 2, 1, 3}), f.Ints({0, 0, -1})}, {}, name);
}

Value* RepeatHeads(OpComposer& f, Value* x, std::int64_t heads, std::int64_t times) {
  if (times == 1) return x;
  Value* apart = f.Op("Unsqueeze", {x, f.Ints({2})});
  Value* repeated = f.Op("Expand", {apart, f.Ints({1, 1, times, 1, 1})});
  Value* sizes = f.Concat(
      {f.Ints({0, heads * times}), f.SizeVector(x, kSteps, 1), f.SizeVector(x, kFeatures, 1)}, 0);
  return f.Op("Reshape", {repeated, sizes});
}

std::optional<std::int64_t> KnownSize(const Value* x, int axis) {
  const Shape* shape = x != nullptr ? x->type().shape() : nullptr;
  if (shape == nullptr || shape->size() != 4) return std::nullopt;
  const Dim size = (*shape)[static_cast<std::size_t>(axis)];
  return size.known() ? std::optional(size.value()) : std::nullopt;
}

Result<std::optional<float>> TakeScale(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<float> scale, op.TakeFloat("scale"));
  return scale == 0.0f ? std::nullopt : scale;
}

Value* Products(OpComposer& f, Value* query, Value* key) {
  return f.Op("MatMul", {query, f.Transpose(key, {0, 1, 3, 2})});
}

Value* Scaled(OpComposer& f, Value* products, Value* query, std::optional<float> scale) {
  const std::optional<std::int64_t> features = KnownSize(query, kFeatures);
  if (scale) return f.Op("Mul", {products, f.Number(*scale, query)});
  if (features)
    return f.Op("Mul", {products, f.Number(1 / std::sqrt(static_cast<double>(*features)), query)});
  const DType dtype = query != nullptr ? query->type().dtype() : DType::kUnknown;
  Value* size = f.Cast(f.Size(query, kFeatures), dtype);
  return f.Op("Div", {products, f.Op("Sqrt", {size})});
}

Value* QueryPlaces(OpComposer& f, Value* query, Value* past) {
  Value* places = f.Unsqueeze(f.Iota(f.Size(query, kSteps)), {1});
  return past != nullptr ? f.Add(places, past) : places;
}

Value* CausalMask(OpComposer& f, Value* query, Value* key, Value* past) {
  return f.LessOrEqual(f.Iota(f.Size(key, kSteps)), QueryPlaces(f, query, past));
}

}  // namespace dragoman

#include "importers/onnx/ops/heads.h"

#include <cmath>

namespace dragoman {

Value* SplitHeads(Formula& f, Value* x, std::int64_t heads) {
  return f.Transposed(f.Add("Reshape", {x, f.Ints({0, 0, heads, -1})}), {0, 2, 1, 3});
}

Value* JoinHeads(Formula& f, Value* x, std::string_view name) {
  return f.Add("Reshape", {f.Transposed(x, {0, 2, 1, 3}), f.Ints({0, 0, -1})}, {}, name);
}

Value* RepeatHeads(Formula& f, Value* x, std::int64_t heads, std::int64_t times) {
  if (times == 1) return x;
  Value* apart = f.Add("Unsqueeze", {x, f.Ints({2})});
  Value* repeated = f.Add("Expand", {apart, f.Ints({1, 1, times, 1, 1})});
  Value* sizes =
      f.Joined({f.Ints({0, heads * times}), f.SizeVector(x, kSteps), f.SizeVector(x, kFeatures)});
  return f.Add("Reshape", {repeated, sizes});
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

Value* Products(Formula& f, Value* query, Value* key) {
  return f.Add("MatMul", {query, f.Transposed(key, {0, 1, 3, 2})});
}

Value* Scaled(Formula& f, Value* products, Value* query, std::optional<float> scale) {
  const std::optional<std::int64_t> features = KnownSize(query, kFeatures);
  if (scale) return f.Add("Mul", {products, f.Scalar(*scale, query)});
  if (features)
    return f.Add("Mul", {products, f.Scalar(1 / std::sqrt(static_cast<double>(*features)), query)});
  const DType dtype = query != nullptr ? query->type().dtype() : DType::kUnknown;
  Value* size = f.Cast(f.Size(query, kFeatures), dtype);
  return f.Add("Div", {products, f.Add("Sqrt", {size})});
}

Value* CausalMask(Formula& f, Value* query, Value* key, Value* past) {
  Value* rows = f.Add("Unsqueeze", {f.Iota(f.Size(query, kSteps)), f.Ints({1})});
  if (past != nullptr) rows = f.Add("Add", {rows, past});
  return f.Add("LessOrEqual", {f.Iota(f.Size(key, kSteps)), rows});
}

}  // namespace dragoman

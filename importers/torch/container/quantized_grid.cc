// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/quantized_grid.h"

#include <utility>
#include <vector>

#include "core/ir/find_as.h"

namespace dragoman::torch {
namespace {

template <class T>
Tensor OfInts(const Tensor& numbers) {
  std::vector<T> values;
  for (std::int64_t i = 0; i < numbers.size(); ++i) {
    values.push_back(static_cast<T>(numbers.IntAt(i)));
  }
  return Tensor::Of<T>(numbers.sizes(), values);
}

Result<Tensor> AsStored(const Tensor& zero_points, DType stored) {
  switch (stored) {
    case DType::kI8:
      return OfInts<std::int8_t>(zero_points);
    case DType::kU8:
      return OfInts<std::uint8_t>(zero_points);
    case DType::kI32:
      return OfInts<std::int32_t>(zero_points);
    default:
      return Unsupported("a quantised tensor of " + std::string(Name(stored)));
  }
}

Tensor AsFloats(const Tensor& numbers) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < numbers.size(); ++i) {
    values.push_back(static_cast<float>(numbers.FloatAt(i)));
  }
  return Tensor::Of<float>(numbers.sizes(), values);
}

const Tensor* GetTensor(const Attribute::Dict& entries, std::string_view name) {
  const Attribute* found = Find(entries, name);
  return found == nullptr ? nullptr : found->tensor();
}

}  // namespace

Result<std::optional<QuantizedGrid>> GridOf(const Attribute::Dict& tensor) {
  if (Find(tensor, "scheme") == nullptr) return std::optional<QuantizedGrid>();
  const Tensor* stored = GetTensor(tensor, "tensor");
  const auto* scale = FindAs<double>(tensor, "scale");
  const auto* zero_point = FindAs<std::int64_t>(tensor, "zero_point");
  const Tensor* scales = GetTensor(tensor, "scales");
  const Tensor* zero_points = GetTensor(tensor, "zero_points");
  const auto* axis = FindAs<std::int64_t>(tensor, "axis");
  QuantizedGrid grid;
  if (stored != nullptr && scale != nullptr && zero_point != nullptr) {
    grid.scale = Tensor::Float(static_cast<float>(*scale));
    DRAGOMAN_ASSIGN(grid.zero_point, AsStored(Tensor::Int(*zero_point), stored->dtype()));
  } else if (stored != nullptr && scales != nullptr && zero_points != nullptr && axis != nullptr) {
    if (IsFloating(zero_points->dtype())) {
      return Unsupported("a quantised tensor with zero points that are not integers");
    }
    grid.scale = AsFloats(*scales);
    DRAGOMAN_ASSIGN(grid.zero_point, AsStored(*zero_points, stored->dtype()));
    grid.axis = *axis;
  } else {
    return InvalidInput("a quantised tensor without scale and zero point");
  }
  return std::optional(std::move(grid));
}

}  // namespace dragoman::torch

// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/sparse_parts.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/densify.h"

namespace dragoman::torch {

Result<Tensor> ExpandParts(const Attribute::Dict& tensor) {
  const Attribute* layout = Find(tensor, "layout");
  const Attribute* parts = Find(tensor, "parts");
  const Attribute* sizes = Find(tensor, "sizes");
  const auto* form = layout != nullptr ? layout->As<std::string>() : nullptr;
  const auto* tensors = parts != nullptr ? parts->As<Attribute::Tensors>() : nullptr;
  const auto* dims = sizes != nullptr ? sizes->As<Attribute::Ints>() : nullptr;
  if (form == nullptr || tensors == nullptr || dims == nullptr)
    return InvalidInput("a sparse tensor lacks its layout, parts or sizes");
  if (*form != "coo" || tensors->size() != 2)
    return Unsupported("a sparse tensor of layout " + *form);
  const Tensor& indices = (*tensors)[0];
  const Tensor& values = (*tensors)[1];
  if (values.rank() != 1) return Unsupported("a sparse tensor whose values are tensors");
  const std::size_t rank = dims->size();
  const auto count = static_cast<std::size_t>(values.size());
  const std::vector<std::int64_t> by_axis = indices.ToInts();
  if (by_axis.size() != rank * count)
    return InvalidInput("a sparse tensor has another number of indices than of values");
  std::vector<std::int64_t> by_value;
  std::set<std::vector<std::int64_t>> places;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::int64_t> place;
    for (std::size_t axis = 0; axis < rank; ++axis) place.push_back(by_axis[axis * count + i]);
    by_value.insert(by_value.end(), place.begin(), place.end());
    if (!places.insert(std::move(place)).second)
      return Unsupported("a sparse tensor with an index that occurs twice");
  }
  const Tensor rows = Tensor::Of<std::int64_t>(
      {static_cast<std::int64_t>(count), static_cast<std::int64_t>(rank)}, by_value);
  return Densify({values, rows, *dims});
}

}  // namespace dragoman::torch

// SPDX-License-Identifier: Apache-2.0
#include "core/ir/densify.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "core/support/count_elements.h"
#include "core/support/size_budget.h"

namespace dragoman {
namespace {

bool HasTwins(std::vector<std::int64_t> positions) {
  std::ranges::sort(positions);
  return std::ranges::adjacent_find(positions) != positions.end();
}

// The row-major positions of the stored values.
Result<std::vector<std::int64_t>> LinearPositions(const SparseTensor& sparse, std::int64_t total) {
  const std::int64_t count = sparse.values.size();
  const auto rank = static_cast<std::int64_t>(sparse.sizes.size());
  const std::vector<std::int64_t> indices = sparse.indices.ToInts();
  const bool linear = sparse.indices.rank() == 1;
  if (static_cast<std::int64_t>(indices.size()) != (linear ? count : count * rank)) {
    return InvalidInput("a sparse tensor has " + std::to_string(indices.size()) + " indices for " +
                        std::to_string(count) + " values");
  }
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t position = linear ? indices[static_cast<std::size_t>(i)] : 0;
    for (std::int64_t axis = 0; axis < rank && !linear; ++axis) {
      const std::int64_t index = indices[static_cast<std::size_t>(i * rank + axis)];
      const std::int64_t size = sparse.sizes[static_cast<std::size_t>(axis)];
      if (index < 0 || index >= size)
        return InvalidInput("an index of a sparse tensor is out of range");
      position = position * size + index;
    }
    if (position < 0 || position >= total)
      return InvalidInput("an index of a sparse tensor is out of range");
    positions.push_back(position);
  }
  if (HasTwins(positions)) return InvalidInput("two values of a sparse tensor have one index");
  return positions;
}

}  // namespace

Result<Tensor> Densify(const SparseTensor& sparse) {
  const std::optional<std::int64_t> total = CountElements(sparse.sizes);
  if (!total) return InvalidInput("the sizes of a sparse tensor are negative or overflow");
  const DType dtype = sparse.values.dtype();
  const std::optional<std::size_t> bytes = PackedBytes(dtype, *total);
  if (!bytes || Info(dtype).bits < 8) {
    return Unsupported("a sparse tensor of " + std::to_string(*total) + " elements of type " +
                       std::string(Name(dtype)) + " is not expanded");
  }
  DRAGOMAN_TRY(TakeExpanded(sparse.values.bytes().size(), *bytes));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> positions, LinearPositions(sparse, *total));
  const auto width = static_cast<std::size_t>(Info(dtype).bits) / 8;
  std::string dense(*bytes, '\0');
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::memcpy(dense.data() + static_cast<std::size_t>(positions[i]) * width,
                sparse.values.bytes().data() + i * width, width);
  }
  return Tensor::Make(dtype, sparse.sizes, Buffer::Own(std::move(dense)));
}

}  // namespace dragoman

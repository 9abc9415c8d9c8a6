// SPDX-License-Identifier: Apache-2.0
// Elements that GatherND takes by their places along several axes.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/spelling_patterns.h"

namespace dragoman {
namespace {

// The places along one axis of x, in the order in which they lie along an axis of the indices.
struct PlacesAlong {
  int axis = -1;  // of the indices; -1: one place for all
  std::vector<std::int64_t> places;
};

// Place `component` of each index, which are rows of `depth` numbers; nullopt: it varies along
// several axes.
std::optional<PlacesAlong> ReadPlaces(std::span<const std::int64_t> indices,
                                      std::span<const std::int64_t> sizes, std::int64_t depth,
                                      std::int64_t component) {
  const auto at = [&](std::int64_t row) {
    return indices[static_cast<std::size_t>(row * depth + component)];
  };
  const auto rows = static_cast<std::int64_t>(indices.size()) / depth;
  PlacesAlong along{-1, {at(0)}};
  std::int64_t stride = rows;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    stride /= sizes[axis];
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < sizes[axis]; ++i) places.push_back(at(i * stride));
    if (std::ranges::count(places, places.front()) == std::ssize(places)) continue;
    if (along.axis >= 0) return std::nullopt;
    along = {static_cast<int>(axis), std::move(places)};
  }
  // What differs along the axis only when others do, too.
  const std::int64_t size = along.axis < 0 ? 1 : std::ssize(along.places);
  std::int64_t inner = 1;
  for (std::size_t axis = static_cast<std::size_t>(along.axis + 1); axis < sizes.size(); ++axis)
    inner *= sizes[axis];
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t place = along.axis < 0 ? 0 : row / inner % size;
    if (at(row) != along.places[static_cast<std::size_t>(place)]) return std::nullopt;
  }
  return along;
}

// The places along each axis, if each varies along an axis of its own, in their order, and no other
// axis of the indices has several elements.
std::optional<std::vector<PlacesAlong>> ReadGrid(const Tensor& indices) {
  if (indices.rank() == 0 || indices.size() == 0) return std::nullopt;
  const std::vector<std::int64_t> numbers = indices.ToInts();
  const std::span<const std::int64_t> sizes =
      std::span(indices.sizes()).first(static_cast<std::size_t>(indices.rank() - 1));
  std::vector<PlacesAlong> grid;
  std::int64_t count = 1;
  int last = -1;
  for (std::int64_t i = 0; i < indices.sizes().back(); ++i) {
    auto along = ReadPlaces(numbers, sizes, indices.sizes().back(), i);
    if (!along || (along->axis >= 0 && along->axis <= last)) return std::nullopt;
    last = std::max(last, along->axis);
    count *= std::ssize(along->places);
    grid.push_back(*std::move(along));
  }
  return count * indices.sizes().back() == indices.size() ? std::optional(std::move(grid))
                                                          : std::nullopt;
}

// GatherND(x, i) = Gather(x, i[…, 0]), where the indices have one number each
Result<bool> ReadSinglePlaces(Node& node, PassContext& context) {
  if (!node.Is("GatherND") || IntAttribute(node, "batch_dims") != 0) return false;
  Value* indices = node.operand(1);
  const std::optional<int> rank = indices->type().rank();
  if (!rank || SizeAlong(*indices, *rank - 1) != 1) return false;
  const std::int64_t taken[] = {*rank - 1};
  Value* axes = context.AddConstant(*node.graph(), Tensor::Ints(taken), "axes", node.origin());
  DRAGOMAN_ASSIGN(Value * places, context.Insert(node, "Squeeze", {{indices, axes}}));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Gather", {{node.operand(0), places}},
                                            {{"axis", std::int64_t{0}}}));
  return context.ReplaceIfAllowed(node, y);
}

// GatherND(x, i) = Reshape(Gather(…Gather(x, i₀, axis 0)…, iₙ, axis n)), where constant indices are
// all pairs, or more, of places along each axis
Result<bool> ReadGridOfPlaces(Node& node, PassContext& context) {
  if (!node.Is("GatherND") || IntAttribute(node, "batch_dims") != 0) return false;
  const Tensor* indices = ConstantOf(node.operand(1));
  const Shape* shape = node.result()->type().shape();
  const auto sizes = shape != nullptr ? KnownShape(*shape) : std::nullopt;
  if (indices == nullptr || !sizes || std::ranges::count(*sizes, 0) > 0) return false;
  const auto grid = ReadGrid(*indices);
  if (!grid) return false;
  const auto constant = [&](std::span<const std::int64_t> ints, const char* name) {
    return context.AddConstant(*node.graph(), Tensor::Ints(ints), name, node.origin());
  };
  Value* y = node.operand(0);
  for (std::size_t axis = 0; axis < grid->size(); ++axis) {
    Value* places = constant((*grid)[axis].places, "places");
    DRAGOMAN_ASSIGN(y, context.Insert(node, "Gather", {{y, places}},
                                      {{"axis", static_cast<std::int64_t>(axis)}}));
  }
  DRAGOMAN_ASSIGN(y, context.Insert(node, "Reshape", {{y, constant(*sizes, "sizes")}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> IndexPatterns() {
  static constexpr Pattern kPatterns[] = {{"read-single-places", ReadSinglePlaces},
                                          {"read-grid-of-places", ReadGridOfPlaces}};
  return kPatterns;
}

}  // namespace dragoman

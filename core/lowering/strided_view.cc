// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/strided_view.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/support/count_elements.h"

namespace dragoman {
namespace {

// The most places that a list of them may have.
constexpr std::int64_t kMaxPlaces = std::int64_t{1} << 24;

std::int64_t CountOf(const Placement& placement) {
  return CountElements(placement.sizes).value_or(0);
}

// The axes from the one whose elements lie farthest apart on, if they lie side by side so.
std::optional<std::vector<std::int64_t>> DenseOrder(const Placement& placement) {
  std::vector<std::int64_t> order = AllAxes(static_cast<int>(placement.sizes.size()));
  const auto at = [](const std::vector<std::int64_t>& numbers, std::int64_t axis) {
    return numbers[static_cast<std::size_t>(axis)];
  };
  // Axes of size 1 lie anywhere: they stay where they are, as far as the others allow.
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const bool both = at(placement.sizes, a) > 1 && at(placement.sizes, b) > 1;
    return both ? at(placement.strides, a) > at(placement.strides, b)
                : at(placement.sizes, a) <= 1 && at(placement.sizes, b) > 1;
  });
  std::int64_t expected = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    if (at(placement.sizes, order[i]) == 1) continue;
    if (at(placement.strides, order[i]) != expected) return std::nullopt;
    expected *= at(placement.sizes, order[i]);
  }
  return order;
}

std::vector<std::int64_t> Inverse(const std::vector<std::int64_t>& order) {
  std::vector<std::int64_t> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  return inverse;
}

Value* FlatOf(Composer& c, Value* base) { return c.MaybeRank(base) == 1 ? base : c.Flatten(base); }

// The places as a constant.
Value* ListPlaces(Composer& c, const Placement& placement) {
  if (CountOf(placement) > kMaxPlaces) return c.Fail("sizes and strides of so many elements");
  std::vector<std::int64_t> places;
  ForEachPlace(placement, [&](std::int64_t place) { places.push_back(place); });
  return c.Ints(std::move(places));
}

// `flat` with `value`, which is flat, in place of its elements from `begin` on.
Value* ReplaceRange(Composer& c, Value* flat, std::int64_t begin, Value* value,
                    std::int64_t count) {
  const std::optional<std::int64_t> size = c.KnownSize(flat, 0);
  std::vector<Value*> parts;
  if (begin > 0) parts.push_back(c.Slice(flat, 0, 0, begin));
  parts.push_back(value);
  if (size != begin + count) parts.push_back(c.Slice(flat, 0, begin + count, kEnd));
  return parts.size() == 1 ? value : c.Concat(std::move(parts), 0);
}

}  // namespace

std::optional<std::int64_t> EndOf(const Placement& placement) {
  std::int64_t last = placement.offset;
  bool is_empty = false;
  if (last < 0) return std::nullopt;
  for (std::size_t axis = 0; axis < placement.sizes.size(); ++axis) {
    const std::int64_t size = placement.sizes[axis];
    std::int64_t reach = 0;
    if (size < 0 || placement.strides[axis] < 0) return std::nullopt;
    is_empty = is_empty || size == 0;
    if (size > 0 && (__builtin_mul_overflow(size - 1, placement.strides[axis], &reach) ||
                     __builtin_add_overflow(last, reach, &last)))
      return std::nullopt;
  }
  if (is_empty) return 0;
  if (!CountElements(placement.sizes) || __builtin_add_overflow(last, 1, &last))
    return std::nullopt;
  return last;
}

void ForEachPlace(const Placement& placement, const std::function<void(std::int64_t)>& visit) {
  std::vector<std::int64_t> index(placement.sizes.size());
  std::int64_t place = placement.offset;
  for (std::int64_t left = CountOf(placement); left > 0; --left) {
    visit(place);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      place += placement.strides[axis];
      if (++index[axis] < placement.sizes[axis]) break;
      place -= placement.strides[axis] * placement.sizes[axis];
      index[axis] = 0;
    }
  }
}

bool MayOverlap(const Placement& placement) {
  // Each axis may step over all that the narrower ones reach.
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride and last index
  for (std::size_t axis = 0; axis < placement.sizes.size(); ++axis) {
    if (placement.sizes[axis] == 0) return false;
    if (placement.sizes[axis] > 1)
      axes.emplace_back(placement.strides[axis], placement.sizes[axis] - 1);
  }
  std::ranges::sort(axes);
  std::int64_t reach = 0;
  const bool is_apart = std::ranges::all_of(axes, [&](const auto& axis) {
    const bool steps_over = axis.first > reach;
    reach += axis.first * axis.second;
    return steps_over;
  });
  if (is_apart) return false;
  if (CountOf(placement) > kMaxPlaces) return true;
  std::vector<std::int64_t> places;
  ForEachPlace(placement, [&](std::int64_t place) { places.push_back(place); });
  std::ranges::sort(places);
  return std::ranges::adjacent_find(places) != places.end();
}

Value* ReadPlaced(Composer& c, Value* base, const Placement& placement) {
  Value* flat = FlatOf(c, base);
  const std::optional<std::vector<std::int64_t>> order = DenseOrder(placement);
  if (!order) return c.Reshape(c.Gather(flat, ListPlaces(c, placement), 0), placement.sizes);
  const std::int64_t count = CountOf(placement);
  if (c.failed()) return nullptr;
  if (placement.offset != 0 || c.KnownSize(flat, 0) != count)
    flat = c.Slice(flat, 0, placement.offset, placement.offset + count);
  std::vector<std::int64_t> sizes;
  for (const std::int64_t axis : *order)
    sizes.push_back(placement.sizes[static_cast<std::size_t>(axis)]);
  return c.Transpose(c.Reshape(flat, std::move(sizes)), Inverse(*order));
}

Value* WritePlaced(Composer& c, Value* base, const Placement& placement, Value* value) {
  Value* flat = FlatOf(c, base);
  Value* written = nullptr;
  if (const auto order = DenseOrder(placement)) {
    Value* updates = c.Flatten(c.Transpose(value, *order));
    if (c.failed()) return nullptr;
    written = ReplaceRange(c, flat, placement.offset, updates, CountOf(placement));
  } else {
    Value* places = ListPlaces(c, placement);
    if (c.failed()) return nullptr;
    if (MayOverlap(placement))
      return c.Fail("a write to a tensor of which several elements lie in one place");
    written = c.Op("ScatterElements", {flat, places, c.Flatten(value)});
  }
  return c.Reshape(written, c.Shape(base));
}

}  // namespace dragoman

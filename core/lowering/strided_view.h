// SPDX-License-Identifier: Apache-2.0
// A tensor that sizes and strides place on the elements of another one, its base, which are counted
// in row-major order.
#ifndef DRAGOMAN_CORE_LOWERING_STRIDED_VIEW_H_
#define DRAGOMAN_CORE_LOWERING_STRIDED_VIEW_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/lowering/composer.h"

namespace dragoman {

// In elements, none negative; sizes and strides are equally many.
struct Placement {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};

// One after the last place that is reached; 0 if there are no elements. nullopt: numbers that do
// not belong to any base.
std::optional<std::int64_t> EndOf(const Placement& placement);
// Calls `visit` with the place of each element, row-major. EndOf(placement) is known.
void ForEachPlace(const Placement& placement, const std::function<void(std::int64_t)>& visit);

// Whether two elements may lie in one place.
bool MayOverlap(const Placement& placement);

// The view of `base`, all of whose elements lie in it. Fails for so many elements that their places
// cannot be listed, unless they lie side by side, the axes in any order.
Value* ReadPlaced(Composer& c, Value* base, const Placement& placement);
// `base` with the elements of the view replaced by those of `value`. Also fails if two of them lie
// in one place.
Value* WritePlaced(Composer& c, Value* base, const Placement& placement, Value* value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_STRIDED_VIEW_H_

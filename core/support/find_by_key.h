// SPDX-License-Identifier: Apache-2.0
// Constant tables that are searched by bisection. Each proves beside it that it can be:
//
//     constexpr Row kRows[] = {{"Abs", EmitAbs}, …};
//     static_assert(IsSortedBy(kRows, &Row::label));
//
//     const Row* row = FindByKey(kRows, label, &Row::label);
#ifndef DRAGOMAN_CORE_SUPPORT_FIND_BY_KEY_H_
#define DRAGOMAN_CORE_SUPPORT_FIND_BY_KEY_H_

#include <algorithm>
#include <functional>
#include <ranges>

namespace dragoman {

// Whether the keys are in order, and all different.
template <std::ranges::random_access_range Rows, class Projection = std::identity>
constexpr bool IsSortedBy(const Rows& rows, Projection key_of = {}) {
  return std::ranges::adjacent_find(rows, std::ranges::greater_equal(), key_of) ==
         std::ranges::end(rows);
}

// The row with that key, nullptr if there is none.
template <std::ranges::contiguous_range Rows, class Key, class Projection = std::identity>
constexpr const std::ranges::range_value_t<Rows>* FindByKey(const Rows& rows, const Key& key,
                                                            Projection key_of = {}) {
  const auto found = std::ranges::lower_bound(rows, key, {}, key_of);
  return found != std::ranges::end(rows) && std::invoke(key_of, *found) == key ? &*found : nullptr;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_FIND_BY_KEY_H_

// SPDX-License-Identifier: Apache-2.0
// How large types are that share their parts: tuples of tuples double what they are written out.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_TYPE_PARTS_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_TYPE_PARTS_H_

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "importers/torch/script/script_type.h"

namespace dragoman::torch {

inline constexpr std::int64_t kMaxTypeParts = 1 << 16;

// Of the parts of a type, each as often as it is written: by the elements that types share.
using TypeParts = std::unordered_map<const void*, std::int64_t>;

// The number of all elements of `type` and itself; more than kMaxTypeParts need not be exact.
// Nesting is bounded.
inline std::int64_t CountParts(const ScriptType& type, TypeParts& known) {
  if (type.elements().empty()) return 1;
  const auto [found, is_new] = known.emplace(type.elements().data(), 1);
  if (!is_new) return found->second;
  std::int64_t parts = 1;
  for (const ScriptType& element : type.elements())
    parts = std::min(parts + CountParts(element, known), 2 * kMaxTypeParts);
  return known[type.elements().data()] = parts;
}

// Whether a type may be written out.
inline bool IsBounded(const ScriptType& type) {
  TypeParts known;
  return type.nesting() <= Type::kMaxNesting && CountParts(type, known) <= kMaxTypeParts;
}

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_TYPE_PARTS_H_

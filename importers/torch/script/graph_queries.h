// SPDX-License-Identifier: Apache-2.0
// Questions that passes over source graphs of TorchScript ask.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_GRAPH_QUERIES_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_GRAPH_QUERIES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/ir/graph.h"

namespace dragoman::torch {

inline bool IsPrim(const Node& node, std::string_view type) {
  return node.op().type == type && node.op().dialect == "prim";
}

// Whether `value` is a prim.Constant.
inline bool IsKnown(const Value* value) {
  return value != nullptr && value->producer() != nullptr && IsPrim(*value->producer(), "Constant");
}

// What a prim.Constant holds; nullptr: it is none, or None.
inline const Attribute* KnownValue(const Value* value) {
  return IsKnown(value) ? value->producer()->attribute("value") : nullptr;
}

template <class T>
std::optional<T> KnownAs(const Value* value) {
  const Attribute* known = KnownValue(value);
  const T* exact = known == nullptr ? nullptr : known->As<T>();
  if (exact == nullptr) return std::nullopt;
  return *exact;
}

inline std::optional<std::int64_t> KnownInt(const Value* value) {
  return KnownAs<std::int64_t>(value);
}

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_GRAPH_QUERIES_H_

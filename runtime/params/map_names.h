// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the two tensors are called that a model has in place of a map (runtime/program/map.h).
#ifndef DRAGOMAN_RUNTIME_PARAMS_MAP_NAMES_H_
#define DRAGOMAN_RUNTIME_PARAMS_MAP_NAMES_H_

#include <cstring>
#include <string>
#include <string_view>

namespace dragoman::rt {

// After the name of the map.
inline constexpr char kMapKeys[] = ".map_keys";
inline constexpr char kMapValues[] = ".map_values";

// The map of which `name` calls the keys; empty: none.
inline std::string MapOfKeys(std::string_view name) {
  const std::size_t length = std::strlen(kMapKeys);
  if (name.size() <= length || name.substr(name.size() - length) != kMapKeys) return "";
  return std::string(name.substr(0, name.size() - length));
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_MAP_NAMES_H_

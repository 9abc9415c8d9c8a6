// SPDX-License-Identifier: Apache-2.0
// Entries of dicts, extras and attributes of nodes by their name, and by their kind.
#ifndef DRAGOMAN_CORE_IR_FIND_AS_H_
#define DRAGOMAN_CORE_IR_FIND_AS_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/attribute.h"

namespace dragoman {

// The first entry called `name`; nullptr: there is none, or there are no `entries`.
inline const Attribute* FindIn(const Extra* entries, std::string_view name) {
  return entries != nullptr ? Find(*entries, name) : nullptr;
}

// The same as a T; nullptr as well if it is of another kind.
template <class T>
const T* FindAs(const Extra* entries, std::string_view name) {
  const Attribute* found = FindIn(entries, name);
  return found != nullptr ? found->As<T>() : nullptr;
}
template <class T>
const T* FindAs(const Extra& entries, std::string_view name) {
  return FindAs<T>(&entries, name);
}

// The same as a string; "" in place of nullptr.
inline std::string FindText(const Extra* entries, std::string_view name) {
  const auto* text = FindAs<std::string>(entries, name);
  return text != nullptr ? *text : std::string();
}
inline std::string FindText(const Extra& entries, std::string_view name) {
  return FindText(&entries, name);
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_FIND_AS_H_

// SPDX-License-Identifier: Apache-2.0
// Names of tensors as users of TensorFlow spell them: "x:0" is result 0 of node "x".
#ifndef DRAGOMAN_CORE_SUPPORT_PORT_NAME_H_
#define DRAGOMAN_CORE_SUPPORT_PORT_NAME_H_

#include <algorithm>
#include <span>
#include <string>

namespace dragoman {

// Which of `names` a user means by `name`: "x" by "x:0" where nothing is called that; else `name`.
inline std::string WithoutPort(const std::string& name, std::span<const std::string> names) {
  if (!name.ends_with(":0") || std::ranges::count(names, name) > 0) return name;
  std::string node = name.substr(0, name.size() - 2);
  return std::ranges::count(names, node) > 0 ? node : name;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_PORT_NAME_H_

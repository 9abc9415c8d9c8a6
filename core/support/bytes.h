// SPDX-License-Identifier: Apache-2.0
// Bytes as text.
#ifndef DRAGOMAN_CORE_SUPPORT_BYTES_H_
#define DRAGOMAN_CORE_SUPPORT_BYTES_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace dragoman {

inline std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_BYTES_H_

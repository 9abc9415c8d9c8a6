// SPDX-License-Identifier: Apache-2.0
// Bytes as a file of rules.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/rewrite/match/read_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static_cast<void>(
      dragoman::ReadRules(std::string_view(reinterpret_cast<const char*>(data), size)).ok());
  return 0;
}

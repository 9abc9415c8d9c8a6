// SPDX-License-Identifier: Apache-2.0
// What generated programs read of .npy files.
#include "runtime/program/npy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dragoman::rt {
namespace {

NpyArray Parse(std::string header, const std::string& data) {
  header += std::string(64 - header.size() % 64, ' ');
  const std::string start("\x93NUMPY\x01\x00", 8);
  return ParseNpy(start + static_cast<char>(header.size()) + '\0' + header + data);
}

// Not all bytes are UTF-8; a zero inside stays.
TEST(ProgramNpy, BytesAreTexts) {
  const std::string data("\xff\0\x01\0b\0\0\0", 8);
  const NpyArray array = Parse("{'descr': '|S4', 'fortran_order': False, 'shape': (2,), }", data);
  EXPECT_EQ(array.kind, 'U');
  EXPECT_EQ(array.tensor.strings, (std::vector<std::string>{std::string("\xff\0\x01", 3), "b"}));
}

}  // namespace
}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0
// What runtime/program/closeness.h says of pairs of elements, for tests/e2e/closeness_test.py.
//
// Reads lines "TYPE FOUND EXPECTED RELATIVE ABSOLUTE expected|larger", both elements as their bytes
// in hexadecimal digits ("-" for none), and prints "CLOSE CHANGED DISTANCE" for each, the distance
// as C prints the bits of a double (%a).
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/program/any_tensor.h"
#include "runtime/program/closeness.h"

namespace {

using dragoman::rt::Closeness;
using dragoman::rt::ElementDifferences;
using dragoman::rt::ElementType;
using dragoman::rt::Scale;

std::string Bytes(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

ElementDifferences Judge(const ElementType& type, const std::string& found,
                         const std::string& expected, const Closeness& closeness) {
  const void* a = found.data();
  const void* b = expected.data();
  if (type.bytes == 0) {
    a = &found;
    b = &expected;
  }
  return FindDifferences(type, a, b, 1, closeness);
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string type, found, expected, relative, absolute, scale;
    words >> type >> found >> expected >> relative >> absolute >> scale;
    const ElementType* element = dragoman::rt::FindElementType(type);
    if (element == nullptr || scale.empty()) {
      std::cerr << "not a question: " << line << '\n';
      return 1;
    }
    const Closeness closeness = {std::stod(relative), std::stod(absolute),
                                 scale == "larger" ? Scale::kLarger : Scale::kExpected};
    const ElementDifferences answer = Judge(*element, Bytes(found), Bytes(expected), closeness);
    std::printf("%d %d %a\n", answer.outside == 0, answer.changed != 0, answer.largest);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of characters that Unicode names, as tables.
#ifndef DRAGOMAN_RUNTIME_KERNELS_UNICODE_CLASS_H_
#define DRAGOMAN_RUNTIME_KERNELS_UNICODE_CLASS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dragoman::rt::internal {

// The characters first, first + stride, … last.
struct UnicodeRange {
  std::int32_t first, last, stride = 1;
};

struct UnicodeClass {
  std::string_view name;
  const UnicodeRange* ranges;
  std::size_t count;
};

}  // namespace dragoman::rt::internal

#endif  // DRAGOMAN_RUNTIME_KERNELS_UNICODE_CLASS_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text between UTF-8 and the 32-bit characters of .npy files. A byte that is not UTF-8 is the lone
// surrogate U+DC80 ... U+DCFF there, as in Python's "surrogateescape".
#ifndef DRAGOMAN_RUNTIME_PROGRAM_UTF8_H_
#define DRAGOMAN_RUNTIME_PROGRAM_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::rt {

// Without trailing NULs. Throws Error: no character.
std::string Utf8FromUcs4(std::string_view little_endian);
// Filled up with NULs to `width` characters, of which there are not more.
std::string Ucs4FromUtf8(std::string_view text, std::size_t width);
// The number of characters of the longest text; at least 1.
std::size_t LongestUcs4(const std::vector<std::string>& texts);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_UTF8_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and texts of a model on a terminal, which they cannot steer.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_PRINTABLE_H_
#define DRAGOMAN_RUNTIME_PROGRAM_PRINTABLE_H_

#include <string>
#include <string_view>

namespace dragoman::rt {

// `text` in one line: control characters, what is not UTF-8, and characters that change how text is
// displayed (bidirectional marks, invisible ones) byte by byte as \xNN or as \n, \r, \t.
std::string Printable(std::string_view text);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_PRINTABLE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Patterns of RE2's syntax as programs.
#ifndef DRAGOMAN_RUNTIME_KERNELS_REGEX_PARSER_H_
#define DRAGOMAN_RUNTIME_KERNELS_REGEX_PARSER_H_

#include <string_view>

#include "runtime/kernels/regex.h"

namespace dragoman::rt::internal {

// Errors: as Regex::Compile.
Status ParseRegex(std::string_view pattern, RegexProgram* program);

}  // namespace dragoman::rt::internal

#endif  // DRAGOMAN_RUNTIME_KERNELS_REGEX_PARSER_H_

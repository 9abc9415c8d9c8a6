// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scripts of Unicode, for \p{Greek} in regular expressions.
#ifndef DRAGOMAN_RUNTIME_KERNELS_UNICODE_SCRIPT_H_
#define DRAGOMAN_RUNTIME_KERNELS_UNICODE_SCRIPT_H_

#include <string_view>

#include "runtime/kernels/unicode_class.h"

namespace dragoman::rt::internal {

// The script of that name ("Greek", "Old_Italic"); nullptr: there is none.
const UnicodeClass* FindScript(std::string_view name) noexcept;

}  // namespace dragoman::rt::internal

#endif  // DRAGOMAN_RUNTIME_KERNELS_UNICODE_SCRIPT_H_

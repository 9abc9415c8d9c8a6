// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The classes \p{…} of regular expressions.
#ifndef DRAGOMAN_RUNTIME_KERNELS_UNICODE_CATEGORY_H_
#define DRAGOMAN_RUNTIME_KERNELS_UNICODE_CATEGORY_H_

#include <string_view>

#include "runtime/kernels/regex.h"

namespace dragoman::rt::internal {

// The characters of a general category ("Lu"), of all that begin with a letter ("L"), of a script
// ("Greek"), or all ("Any"); in no order. Empty: there is none of that name.
CharacterSet UnicodeSet(std::string_view name);

}  // namespace dragoman::rt::internal

#endif  // DRAGOMAN_RUNTIME_KERNELS_UNICODE_CATEGORY_H_

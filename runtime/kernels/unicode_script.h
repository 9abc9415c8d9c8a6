// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// UnicodeScript: the script of a character; for \p{Greek} in regular expressions, too.
#ifndef DRAGOMAN_RUNTIME_KERNELS_UNICODE_SCRIPT_H_
#define DRAGOMAN_RUNTIME_KERNELS_UNICODE_SCRIPT_H_

#include <cstdint>
#include <string_view>

#include "runtime/kernels/tensor_view.h"
#include "runtime/kernels/unicode_class.h"

namespace dragoman::rt::internal {

// The script of that name ("Greek", "Old_Italic"); nullptr: there is none.
const UnicodeClass* FindScript(std::string_view name) noexcept;

// The number that ICU gives to the script of a character (UScriptCode), 103 for one that Unicode 14
// does not assign; -1: it is not a character.
std::int32_t ScriptNumber(std::int32_t character) noexcept;

}  // namespace dragoman::rt::internal

namespace dragoman::rt {

template <class T>
void UnicodeScript(TensorView<const T> x, TensorView<T> y) {
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i) y[i] = internal::ScriptNumber(x[i]);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_UNICODE_SCRIPT_H_

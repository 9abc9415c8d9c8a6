// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Letters in the other case, whatever the locale.
#ifndef DRAGOMAN_RUNTIME_KERNELS_LETTER_CASE_H_
#define DRAGOMAN_RUNTIME_KERNELS_LETTER_CASE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/letter_case.h"

namespace dragoman::rt {

// UTF-8 text with each letter in the given case, as Unicode's simple mappings have it: one
// character for one. A byte that is not UTF-8 stays.
std::string InLetterCase(std::string_view text, bool upper);

}  // namespace dragoman::rt

namespace dragoman::rt::internal {

// Letters that differ only in their case, by Unicode's simple case folding.
const std::vector<std::vector<std::int32_t>>& LettersByFolding();

}  // namespace dragoman::rt::internal

namespace dragoman::rt {

template <class T>
void LetterCase(const LetterCaseParams& p, TensorView<const T> x, TensorView<T> y) {
  const std::int64_t n = y.size();
  for (std::int64_t i = 0; i < n; ++i) y[i] = InLetterCase(x[i], p.upper);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_LETTER_CASE_H_

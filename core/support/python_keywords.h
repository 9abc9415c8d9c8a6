// SPDX-License-Identifier: Apache-2.0
#ifndef DRAGOMAN_CORE_SUPPORT_PYTHON_KEYWORDS_H_
#define DRAGOMAN_CORE_SUPPORT_PYTHON_KEYWORDS_H_

#include <string_view>

#include "core/support/find_by_key.h"

namespace dragoman {

// keyword.kwlist of Python 3. Sorted.
inline constexpr std::string_view kPythonKeywords[] = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",
};
static_assert(IsSortedBy(kPythonKeywords));

constexpr bool IsPythonKeyword(std::string_view word) {
  return FindByKey(kPythonKeywords, word) != nullptr;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_PYTHON_KEYWORDS_H_

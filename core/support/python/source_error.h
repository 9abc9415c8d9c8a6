// Findings that point into source text.
#ifndef DRAGOMAN_CORE_SUPPORT_PYTHON_SOURCE_ERROR_H_
#define DRAGOMAN_CORE_SUPPORT_PYTHON_SOURCE_ERROR_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "core/support/result.h"

namespace dragoman::python {

// "code/__torch__/net.py:3:10" as the place (line and column from 1), and below the message the
// source line with a caret.
Finding FindingAt(ErrorKind kind, std::string_view file, std::string_view text, std::size_t offset,
                  std::string message);

// From 1.
int LineOf(std::string_view text, std::size_t offset);

}  // namespace dragoman::python

#endif  // DRAGOMAN_CORE_SUPPORT_PYTHON_SOURCE_ERROR_H_

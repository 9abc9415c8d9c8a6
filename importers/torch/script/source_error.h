// Findings that point into serialized source text.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SOURCE_ERROR_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SOURCE_ERROR_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "core/support/result.h"

namespace dragoman::torch {

// "code/__torch__/net.py:3:10" as the place (line and column from 1), and below the message the
// source line with a caret.
Finding FindingAt(ErrorKind kind, std::string_view file, std::string_view text, std::size_t offset,
                  std::string message);

// From 1.
int LineOf(std::string_view text, std::size_t offset);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SOURCE_ERROR_H_

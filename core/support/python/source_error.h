// SPDX-License-Identifier: Apache-2.0
// Findings that point into source text.
#ifndef DRAGOMAN_CORE_SUPPORT_PYTHON_SOURCE_ERROR_H_
#define DRAGOMAN_CORE_SUPPORT_PYTHON_SOURCE_ERROR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace dragoman::python {

// "code/__torch__/net.py:3:10" as the place (line and column from 1), or "line 3:10" of a text that
// is the file itself, and below the message the source line with a caret.
Finding FindingAt(ErrorKind kind, std::string_view file, std::string_view text, std::size_t offset,
                  std::string message);

// The lines of a text, for many questions.
class LineTable {
 public:
  explicit LineTable(std::string_view text = {});

  // Both from 1.
  struct Place {
    std::size_t line;
    std::size_t column;
  };
  Place At(std::size_t offset) const;

 private:
  std::vector<std::uint32_t> begins_;  // of lines
};

}  // namespace dragoman::python

#endif  // DRAGOMAN_CORE_SUPPORT_PYTHON_SOURCE_ERROR_H_

// SPDX-License-Identifier: Apache-2.0
// A remark on calls that compute one operator (composed_part.h) as a text.
#ifndef DRAGOMAN_CORE_COMPARE_COMPOSED_TEXT_H_
#define DRAGOMAN_CORE_COMPARE_COMPOSED_TEXT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

// Values by their names, constants as PrintAttribute writes them, "" for what is omitted.
struct ComposedText {
  std::vector<std::string> results;
  std::string label;
  std::vector<std::string> operands;
  std::string attributes;
  std::string digest;
};

// "y|Clip|x;f32[] 0.0;|{}|5c0a…", for formats whose strings know no quotation marks: those of
// constants and attributes are apostrophes.
std::string JoinComposed(const ComposedText& text);
// nullopt: it is no such text.
std::optional<ComposedText> SplitComposed(std::string_view joined);

// The text with what `rename` makes of each result, and of each operand.
std::string RenameComposed(std::string_view joined,
                           const std::function<std::string(const std::string&)>& rename);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_COMPARE_COMPOSED_TEXT_H_

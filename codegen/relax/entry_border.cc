// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/entry_border.h"

#include <fmt/format.h>

#include "codegen/relax/relax_text.h"

namespace dragoman::relax {
namespace {

std::string DrawnText(const DrawnInput& drawn) {
  std::string text = fmt::format("[{}, {}", drawn.input, QuotedText(drawn.distribution));
  for (const float parameter : drawn.parameters) text += ", " + PythonFloat(parameter, false);
  return text + "]";
}

}  // namespace

std::size_t EntryBorder::OutputPlace(std::size_t i) const {
  for (const ListOutput& list : lists) {
    if (list.first >= i) break;
    i = i + list.count - 1;
  }
  return i;
}

std::string AttributesOf(const EntryBorder& border) {
  std::string text;
  std::vector<std::string> drawn;
  for (const DrawnInput& input : border.drawn) drawn.push_back(DrawnText(input));
  if (!drawn.empty()) text += fmt::format(", \"random\": [{}]", fmt::join(drawn, ", "));
  if (!border.complex_inputs.empty() || !border.complex_outputs.empty()) {
    text += fmt::format(", \"complex\": [[{}], [{}]]", fmt::join(border.complex_inputs, ", "),
                        fmt::join(border.complex_outputs, ", "));
  }
  std::vector<std::string> lists;
  for (const ListOutput& list : border.lists)
    lists.push_back(fmt::format("[{}, {}, {}]", list.first, list.count,
                                list.is_optional ? "\"optional\"" : "\"sequence\""));
  if (!lists.empty()) text += fmt::format(", \"lists\": [{}]", fmt::join(lists, ", "));
  return text;
}

}  // namespace dragoman::relax

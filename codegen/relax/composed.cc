// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/composed.h"

#include <fmt/format.h>

#include "codegen/relax/function_writer.h"
#include "codegen/relax/relax_text.h"
#include "core/ir/print.h"

namespace dragoman::relax {
namespace {

std::string ListOf(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(QuotedText(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string Assembled(const FunctionText& function, const std::vector<std::string>& remarks) {
  std::string attributes = function.attributes;
  if (!remarks.empty())
    attributes += fmt::format("{}\"composed\": [{}]", attributes.empty() ? "" : ", ",
                              fmt::join(remarks, ", "));
  const std::string line =
      attributes.empty() ? "" : fmt::format("        R.func_attr({{{}}})\n", attributes);
  return function.head + line + function.body;
}

}  // namespace

std::string FunctionText::Text(const std::vector<std::string>& digests) const {
  std::vector<std::string> remarks;
  for (std::size_t i = 0; i < composed.size() && i < digests.size(); ++i) {
    if (!digests[i].empty())
      remarks.push_back(fmt::format("[{}, {}]", composed[i], QuotedText(digests[i])));
  }
  return Assembled(*this, remarks);
}

std::string FunctionText::TextWithoutDigests() const {
  std::vector<std::string> remarks;
  for (const std::string& remark : composed) remarks.push_back("[" + remark + "]");
  return Assembled(*this, remarks);
}

std::string RemarkText(const ComposedNode& node,
                       const std::function<std::string(const Value*)>& name_of) {
  std::vector<std::string> operands, results;
  for (const Value* value : node.operands) {
    const bool is_literal = value != nullptr && value->is_constant() && IsLiteral(*value);
    operands.push_back(value == nullptr ? ""
                       : is_literal     ? PrintAttribute(Attribute(*value->tensor()))
                                        : name_of(value));
  }
  for (const Value* value : node.results) results.push_back(value != nullptr ? name_of(value) : "");
  return fmt::format("{}, {}, {}, {}", ListOf(results), QuotedText(node.label), ListOf(operands),
                     QuotedText(PrintAttribute(Attribute(node.attributes))));
}

}  // namespace dragoman::relax

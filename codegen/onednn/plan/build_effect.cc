// SPDX-License-Identifier: Apache-2.0
// Assert and Print.
#include <string>
#include <string_view>

#include "codegen/onednn/plan/build.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::onednn {

void PlanBuilder::BuildAssert(const Node& node, Step& step) {
  step.inputs = {Get(node.operand(0))};
  step.action = AssertStep{AddLine(node, 1, step)};
}

void PlanBuilder::BuildPrint(const Node& node, Step& step) {
  step.action = PrintStep{AddLine(node, 0, step)};
}

// The node's message, each {} of which stands for the next of the operands from `first` on; those
// that are left over follow.
std::vector<LinePart> PlanBuilder::AddLine(const Node& node, std::size_t first, Step& step) {
  plan_.headers.insert(std::string(kLineHeader));
  const std::string message = TextAttribute(node, "message");
  std::string_view rest = message;
  std::vector<LinePart> line;
  for (std::size_t i = first; i < node.num_operands(); ++i) {
    const std::size_t hole = rest.find("{}");
    LinePart part{std::string(rest.substr(0, hole)), static_cast<int>(step.inputs.size())};
    rest = hole != std::string_view::npos ? rest.substr(hole + 2) : std::string_view();
    const bool first_part = part.text.empty() && line.empty();
    if (hole == std::string_view::npos && !first_part) part.text += ' ';
    step.inputs.push_back(Get(node.operand(i)));
    line.push_back(std::move(part));
  }
  if (!rest.empty()) line.push_back({std::string(rest)});
  return line;
}

}  // namespace dragoman::onednn

// SPDX-License-Identifier: Apache-2.0

#include "core/interpreter/handlers.h"
#include "core/interpreter/operands.h"
#include "core/ir/element_text.h"
#include "core/ops/declared_attributes.h"

namespace dragoman {
namespace {

constexpr std::int64_t kMaxPrinted = 1000;

// "f32[2, 2] 1 2 3 4", rank 0 by its element alone; sequences in brackets.
void AppendText(const RuntimeValue& value, std::string& text) {
  if (value.kind == RuntimeValue::Kind::kNone) {
    text += "none";
    return;
  }
  if (value.kind == RuntimeValue::Kind::kSequence) {
    text += '[';
    for (std::size_t i = 0; i < value.sequence.size(); ++i) {
      if (i > 0) text += ", ";
      AppendText(value.sequence[i], text);
    }
    text += ']';
    return;
  }
  const Tensor tensor = value.array.ToTensor();
  if (tensor.rank() > 0) text += tensor.type().ToString();
  for (std::int64_t i = 0; i < tensor.size() && i < kMaxPrinted; ++i) {
    if (tensor.rank() > 0) text += ' ';
    text += FormatElement(tensor, i);
  }
  if (tensor.size() > kMaxPrinted) text += " ...";
}

// The node's message, each {} replaced by one of `data`, and the rest of `data` after it.
std::string Line(const Node& node, std::span<const RuntimeValue> data) {
  const std::string message = TextAttribute(node, "message");
  std::string_view rest = message;
  std::string line;
  for (const RuntimeValue& value : data) {
    const std::size_t hole = rest.find("{}");
    line += rest.substr(0, hole);
    rest = hole != std::string_view::npos ? rest.substr(hole + 2) : std::string_view();
    if (hole == std::string_view::npos && !line.empty()) line += ' ';
    AppendText(value, line);
  }
  line += rest;
  return line;
}

void Write(const Execution& execution, const std::string& line) {
  if (execution.sink != nullptr && *execution.sink) (*execution.sink)(line);
}

}  // namespace

Result<std::vector<RuntimeValue>> RunAssert(const Node& node,
                                            std::span<const RuntimeValue> operands,
                                            const Execution& execution, const Frame&) {
  DRAGOMAN_ASSIGN(std::int64_t condition, IntOperand(operands, 0));
  if (condition != 0) return std::vector<RuntimeValue>();
  const std::string line = Line(node, operands.subspan(1));
  Write(execution, line);
  return InvalidInput("assertion failed" + (line.empty() ? "" : ": " + line));
}

Result<std::vector<RuntimeValue>> RunPrint(const Node& node, std::span<const RuntimeValue> operands,
                                           const Execution& execution, const Frame&) {
  Write(execution, Line(node, operands));
  return std::vector<RuntimeValue>();
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_steps.h"
#include "core/ir/dtype.h"

namespace dragoman::onednn {

void StepEmitter::Emit(const Step& step, const AssertStep& assertion) {
  code_.Open("if (!" + Name(step.inputs.front()) + "[0]) {");
  EmitLine(assertion.line.empty() ? "assertion failed" : "assertion failed: ", assertion.line,
           step);
  code_.Line("return line_.Fail();");
  code_.Close();
}

void StepEmitter::Emit(const Step& step, const PrintStep& print) {
  EmitLine("", print.line, step);
  Try("line_.Print()");
}

void StepEmitter::EmitLine(std::string_view prefix, const std::vector<LinePart>& line,
                           const Step& step) {
  code_.Line("line_.Start();");
  if (!prefix.empty()) code_.Line("line_.Add(" + Literal(prefix) + ");");
  for (const LinePart& part : line) {
    if (!part.text.empty()) code_.Line("line_.Add(" + Literal(part.text) + ");");
    if (part.input < 0) continue;
    const BufferId id = step.inputs[static_cast<std::size_t>(part.input)];
    if (id == kAbsent) {
      code_.Line("line_.Add(\"none\");");
      continue;
    }
    code_.Line("line_.Add(" + Literal(dragoman::Name(plan_.buffer(id).dtype)) + ", " + Name(id) +
               ");");
  }
}

}  // namespace dragoman::onednn

// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "codegen/onednn/emit/emit_steps.h"

namespace dragoman::onednn {

// Copies at the end of a body.
void StepEmitter::EmitYields(const Block& block) {
  for (const Copy& copy : block.yields) {
    const Buffer& to = plan_.buffer(copy.to);
    const bool view = copy.from_saved && to.IsTensor();
    const std::string from = view ? plan_.buffer(copy.from).holder + ".view()" : Name(copy.from);
    if (copy.assigns || !to.IsTensor()) {
      Try(to.holder + ".Assign(" + from + ")");
      continue;
    }
    if (to.storage != Storage::kArena)
      Try(Holder(copy.to) + ".Place(" + from + ".shape, &" + to.name + ")");
    code_.Line("rt::Copy<" + ElementText(plan_, copy.to) + ">(" + from + ", " + to.name + ");");
  }
}

void StepEmitter::Emit(const Step& step, const IfStep& either) {
  for (BufferId id : step.results) {
    if (plan_.buffer(id).storage == Storage::kArena) {
      EmitPlace(id, "");
    } else if (!members_.buffers.contains(id) && plan_.buffer(id).IsTensor()) {
      code_.Line(Declared(id, false) + Name(id) + ";");
    }
  }
  code_.Open("if (" + Name(step.inputs.front()) + "[0]) {");
  EmitBlock(either.branches[0]);
  EmitYields(either.branches[0]);
  code_.Else();
  EmitBlock(either.branches[1]);
  EmitYields(either.branches[1]);
  code_.Close();
}

// Carried values take their initial values, and what is collected is emptied.
void StepEmitter::EmitCarriedStart(const Repetition& loop) {
  for (const Copy& copy : loop.carried)
    Try(plan_.buffer(copy.to).holder + ".Assign(" + Name(copy.from) + ")");
  for (const ScanAxis& axis : loop.collected) {
    code_.Line(Holder(axis.stack) + ".Start(" +
               (axis.empty ? ShapeText(plan_, *axis.empty) : EmptyPart(axis)) + ");");
  }
}

// The sizes of a part that nobody knows: none.
std::string StepEmitter::EmptyPart(const ScanAxis& axis) const {
  const Buffer& part = plan_.buffer(axis.part);
  std::string text;
  for (std::size_t i = 0; part.shape && i < part.shape->size(); ++i)
    text += (text.empty() ? "" : ", ") +
            ((*part.shape)[i].known() ? (*part.shape)[i].ToString() : std::string("0"));
  return "{" + text + "}";
}

// A view of what is carried, which nothing may read.
void StepEmitter::EmitView(BufferId id, const std::string& holder) {
  const std::string declared = Declared(id);
  code_.Line((declared.empty() ? "" : "[[maybe_unused]] ") + declared + Name(id) + " = " + holder +
             ".view();");
}

void StepEmitter::EmitIteration(const Repetition& loop) {
  for (const Copy& copy : loop.carried) {
    const Buffer& carried = plan_.buffer(copy.to);
    if (carried.IsTensor()) EmitView(copy.to, carried.holder);
  }
  EmitBlock(loop.body);
  code_.Line();
  for (const ScanAxis& axis : loop.collected)
    Try(Holder(axis.stack) + ".Push(" + Name(axis.part) + ")");
}

void StepEmitter::EmitCarriedResults(const Step& step, const Repetition& loop) {
  for (BufferId id : step.results) {
    const Buffer& buffer = plan_.buffer(id);
    if (buffer.storage == Storage::kAlias) EmitView(id, plan_.buffer(buffer.alias).holder);
  }
  for (const ScanAxis& axis : loop.collected) {
    const Buffer& stack = plan_.buffer(axis.stack);
    if (!members_.buffers.contains(axis.stack))
      code_.Line(Declared(axis.stack, false) + stack.name + ";");
    Try(stack.holder + ".View(&" + stack.name + ")");
    if (axis.whole == axis.stack) continue;
    const std::string at = std::to_string(axis.axis);
    EmitPlace(axis.whole, "rt::WithAxis(rt::WithoutAxis(" + stack.name + ".shape, 0), " + at +
                              ", " + stack.name + ".shape[0])");
    code_.Line("rt::PlaceStack<" + ElementText(plan_, axis.whole) + ">(" + stack.name + ", " + at +
               ", " + (axis.reversed ? "true" : "false") + ", " + Name(axis.whole) + ");");
  }
}

void StepEmitter::Emit(const Step& step, const LoopStep& loop) {
  const std::string &trips = loop.trips, &iteration = loop.iteration, &more = loop.more;
  EmitCarriedStart(loop);
  code_.Line("const std::int64_t " + trips + " = " +
             (step.inputs[0] == kAbsent ? "std::numeric_limits<std::int64_t>::max()"
                                        : Name(step.inputs[0]) + "[0]") +
             ";");
  code_.Line("bool " + more + " = " +
             (step.inputs[1] == kAbsent ? "true" : Name(step.inputs[1]) + "[0]") + ";");
  code_.Open("for (std::int64_t " + iteration + " = 0; " + iteration + " < " + trips + " && " +
             more + "; ++" + iteration + ") {");
  code_.Line("[[maybe_unused]] const rt::TensorView<const std::int64_t> " + Name(loop.counter) +
             " = {&" + iteration + ", {}};");
  code_.Line("[[maybe_unused]] const rt::TensorView<const bool> " + Name(loop.condition) + " = {&" +
             more + ", {}};");
  EmitIteration(loop);
  code_.Line("const bool " + loop.next_more + " = " + Name(loop.next) + "[0];");
  EmitYields(loop.body);
  code_.Line(more + " = " + loop.next_more + ";");
  code_.Close();
  EmitCarriedResults(step, loop);
}

void StepEmitter::Emit(const Step& step, const ScanStep& scan) {
  const std::string &trips = scan.trips, &iteration = scan.iteration;
  EmitCarriedStart(scan);
  auto length = [&](const ScanAxis& axis) {
    return Name(axis.whole) + ".shape[" + std::to_string(axis.axis) + "]";
  };
  code_.Line("const std::int64_t " + trips + " = " + length(scan.scanned.front()) + ";");
  for (std::size_t i = 1; i < scan.scanned.size(); ++i) {
    code_.Line("if (" + length(scan.scanned[i]) + " != " + trips +
               ") return rt::Status::Error(\"the scanned operands differ in length\");");
  }
  code_.Open("for (std::int64_t " + iteration + " = 0; " + iteration + " < " + trips + "; ++" +
             iteration + ") {");
  for (const ScanAxis& axis : scan.scanned) {
    const std::string at = std::to_string(axis.axis);
    const std::string index = axis.reversed ? trips + " - 1 - " + iteration : iteration;
    EmitPlace(axis.part, "rt::WithoutAxis(" + Name(axis.whole) + ".shape, " + at + ")");
    code_.Line("rt::TakeSlice<" + ElementText(plan_, axis.part) + ">(" + Name(axis.whole) + ", " +
               at + ", " + index + ", " + Name(axis.part) + ");");
  }
  EmitIteration(scan);
  EmitYields(scan.body);
  code_.Close();
  EmitCarriedResults(step, scan);
}

}  // namespace dragoman::onednn

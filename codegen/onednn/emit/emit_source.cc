// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_source.h"

#include <algorithm>
#include <set>

#include "codegen/onednn/emit/emit_impl.h"
#include "codegen/onednn/emit/emit_info.h"
#include "codegen/onednn/emit/emit_public.h"
#include "codegen/onednn/emit/emit_steps.h"
#include "codegen/onednn/emit/split.h"
#include "codegen/onednn/emit/text.h"

namespace dragoman::onednn {
namespace {

// The weights file in the object file, for compilers with GNU's inline assembler.
constexpr std::string_view kEmbeddedWeights = R"(// The weights, as @NAME@.weights has them.
__asm__(
    ".section .rodata\n"
    ".balign 64\n"
    ".global @NAME@_weights_begin\n"
    ".hidden @NAME@_weights_begin\n"
    "@NAME@_weights_begin:\n"
    ".incbin \"" MODEL_WEIGHTS "\"\n"
    ".previous\n");

extern "C" __attribute__((visibility("hidden"))) const unsigned char @NAME@_weights_begin[];

namespace @NAME@ {

const void* EmbeddedWeights() noexcept;
const void* EmbeddedWeights() noexcept { return @NAME@_weights_begin; }

}  // namespace @NAME@
)";

// The worker behind EmitSources. A program with an entry of more than steps_per_file steps is
// split: what its parts have in common stands in a header of its own.
class SourceEmitter {
 public:
  SourceEmitter(const Plan& plan, bool embed_weights) : plan_(plan), embed_weights_(embed_weights) {
    for (const Step& step : plan.constants.steps)
      members_.buffers.insert(step.results.begin(), step.results.end());
    for (const PlanEntry& entry : plan.entries) {
      split_ = split_ || CountParts(entry, plan_.steps_per_file) > 1;
      AddSharedValues(plan, entry, plan_.steps_per_file, members_);
    }
  }

  std::vector<GeneratedFile> Emit();

 private:
  std::string SharedHeader();
  void Includes(CodeWriter& code);
  void Entry(const PlanEntry& entry, CodeWriter& code);
  void SplitEntry(const PlanEntry& entry, CodeWriter& code);
  void EntryStart(const PlanEntry& entry, StepEmitter& steps, CodeWriter& code);
  void EntryEnd(const PlanEntry& entry, CodeWriter& code);
  std::string Part(const PlanEntry& entry, std::size_t part);
  std::string Scope() const { return plan_.class_name + "::Impl::"; }

  const Plan& plan_;
  bool embed_weights_;
  Members members_;
  bool split_ = false;
};

void SourceEmitter::EntryStart(const PlanEntry& entry, StepEmitter& steps, CodeWriter& code) {
  std::set<std::string> bound;
  for (const PlanInput& input : entry.inputs) steps.EmitInput(input, bound);
  for (const PlanState& state : entry.states) {
    const Buffer& buffer = plan_.buffer(state.current);
    if (!buffer.IsTensor()) continue;
    const bool member = members_.buffers.contains(state.current);
    code.Line((member ? "" : UnusedMark(buffer) + "const " + ViewText(plan_, state.current) + " ") +
              buffer.name + " = state_." + plan_.states[state.state].name + ".view();");
  }
  steps.EmitBinds(entry.body.binds);
}

void SourceEmitter::EntryEnd(const PlanEntry& entry, CodeWriter& code) {
  code.Line();
  for (const PlanOutput& output : entry.outputs) {
    if (output.direct) continue;
    const Buffer& buffer = plan_.buffer(output.value);
    const std::string element = ElementText(plan_, output.value);
    if (buffer.IsStatic()) {
      code.Line("rt::Copy<" + element + ">(" + buffer.name + ", " + output.name + ");");
    } else {
      code.Line("DRAGOMAN_RT_TRY(" + output.name + "->Assign(" + buffer.name + "));");
    }
  }
  for (const PlanState& state : entry.states) {
    code.Line("DRAGOMAN_RT_TRY(next_state_." + plan_.states[state.state].name + ".Assign(" +
              plan_.buffer(state.next).name + "));");
  }
  for (const PlanState& state : entry.states) {
    const std::string& name = plan_.states[state.state].name;
    code.Line("std::swap(state_." + name + ", next_state_." + name + ");");
  }
  code.Line("return rt::Status();");
}

void SourceEmitter::Entry(const PlanEntry& entry, CodeWriter& code) {
  code.Open("DRAGOMAN_RT_GLUE rt::Status " + Scope() + entry.method + ImplParameters(plan_, entry) +
            " {");
  StepEmitter steps(plan_, members_, code);
  EntryStart(entry, steps, code);
  steps.EmitSteps(entry.body.steps);
  EntryEnd(entry, code);
  code.Close();
  code.Line();
}

// The parts are functions of their own, in files of their own.
void SourceEmitter::SplitEntry(const PlanEntry& entry, CodeWriter& code) {
  code.Open("DRAGOMAN_RT_GLUE rt::Status " + Scope() + entry.method + ImplParameters(plan_, entry) +
            " {");
  for (const PlanInput& input : entry.inputs) {
    const Buffer& buffer = plan_.buffer(input.buffer);
    const std::string& name = buffer.name;
    code.Line(buffer.IsTensor() ? "this->" + name + " = " + name + ";"
                                : "DRAGOMAN_RT_TRY(this->" + name + ".Assign(" + name + "));");
  }
  for (const PlanOutput& output : entry.outputs) {
    if (output.direct) code.Line("this->" + output.name + " = " + output.name + ";");
  }
  StepEmitter steps(plan_, members_, code);
  EntryStart(entry, steps, code);
  for (std::size_t part = 1; part <= CountParts(entry, plan_.steps_per_file); ++part)
    code.Line("DRAGOMAN_RT_TRY(" + entry.method + "_part_" + std::to_string(part) + "());");
  EntryEnd(entry, code);
  code.Close();
  code.Line();
}

std::string SourceEmitter::Part(const PlanEntry& entry, std::size_t part) {
  CodeWriter code;
  code.Line("#include \"" + plan_.name + "_impl.h\"");
  code.Line();
  code.Line("namespace " + plan_.name + " {");
  code.Line();
  code.Open("DRAGOMAN_RT_GLUE rt::Status " + Scope() + entry.method + "_part_" +
            std::to_string(part + 1) + "() {");
  const std::size_t first = part * plan_.steps_per_file;
  const std::size_t last = std::min(first + plan_.steps_per_file, entry.body.steps.size());
  StepEmitter(plan_, members_, code)
      .EmitSteps(std::span(entry.body.steps).subspan(first, last - first));
  code.Line("return rt::Status();");
  code.Close();
  code.Line();
  code.Line("}  // namespace " + plan_.name);
  return code.Take();
}

// What the parts of a program that is divided among files have in common.
std::string SourceEmitter::SharedHeader() {
  CodeWriter code;
  code.Line("#pragma once");
  code.Line("#include \"" + plan_.name + ".h\"");
  code.Line();
  EmitImplIncludes(plan_, code);
  code.Line();
  code.Line("namespace " + plan_.name + " {");
  code.Line();
  code.Line("extern const char* const kSteps[];");
  code.Line();
  StepEmitter(plan_, members_, code).EmitLoops();
  EmitImplStruct(plan_, members_, code);
  code.Line();
  code.Line("}  // namespace " + plan_.name);
  return code.Take();
}

void SourceEmitter::Includes(CodeWriter& code) {
  code.Line("#include \"" + plan_.name + (split_ ? "_impl.h\"" : ".h\""));
  if (split_) return;
  code.Line();
  EmitImplIncludes(plan_, code);
}

std::vector<GeneratedFile> SourceEmitter::Emit() {
  std::vector<GeneratedFile> files = {{plan_.name + ".h", EmitHeader(plan_, embed_weights_)}};
  if (split_) files.push_back({plan_.name + "_impl.h", SharedHeader()});
  CodeWriter code;
  Includes(code);
  code.Line();
  code.Line("namespace " + plan_.name + " {");
  code.Line();
  EmitConstants(plan_, split_, code);
  if (!split_) {
    StepEmitter(plan_, members_, code).EmitLoops();
    EmitImplStruct(plan_, members_, code);
    code.Line();
  }
  EmitImplConstruction(plan_, members_, code);
  int part_file = 2;
  for (const PlanEntry& entry : plan_.entries) {
    const std::size_t parts = CountParts(entry, plan_.steps_per_file);
    if (parts == 1) {
      Entry(entry, code);
      continue;
    }
    SplitEntry(entry, code);
    for (std::size_t part = 0; part < parts; ++part)
      files.push_back({plan_.name + "_" + std::to_string(part_file++) + ".cc", Part(entry, part)});
  }
  EmitPublicMethods(plan_, embed_weights_, code);
  EmitInfo(plan_, code);
  code.Line();
  code.Line("}  // namespace " + plan_.name);
  files.push_back({plan_.name + ".cc", code.Take()});
  if (embed_weights_) {
    files.push_back(
        {plan_.name + "_weights.cc", Filled(std::string(kEmbeddedWeights), "@NAME@", plan_.name)});
  }
  return files;
}

}  // namespace

std::vector<GeneratedFile> EmitSources(const Plan& plan, bool embed_weights) {
  return SourceEmitter(plan, embed_weights).Emit();
}

}  // namespace dragoman::onednn

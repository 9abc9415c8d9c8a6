// SPDX-License-Identifier: Apache-2.0
// The part of StepEmitter for loops over elements and for tensors in blocks of channels.
#include <algorithm>
#include <cmath>

#include "codegen/onednn/emit/emit_steps.h"
#include "codegen/onednn/plan/scalar_ops.h"

namespace dragoman::onednn {
namespace {

std::string FloatLiteral(float value) {
  if (std::isinf(value))
    return std::string(value < 0 ? "-" : "") + "std::numeric_limits<float>::infinity()";
  return FormatFloat(value) + "f";
}

}  // namespace

std::string StepEmitter::BlockText(BufferId id) const {
  const int group = plan_.buffer(id).group;
  return group == kRowMajor ? "rt::kRowMajor" : plan_.groups[static_cast<std::size_t>(group)].name;
}

void StepEmitter::EmitLoops() {
  for (const ElementLoop& loop : plan_.loops) {
    Names names;
    std::vector<std::string> parameters;
    auto name = [&](const char* prefix, BufferId id) {
      return names.try_emplace(id, prefix + std::to_string(names.size())).first->second;
    };
    for (BufferId id : loop.inputs) parameters.push_back("float " + name("x", id));
    for (BufferId id : loop.results) parameters.push_back("float& " + name("y", id));
    code_.Open("constexpr auto " + loop.name + " = [](" + Join(parameters) + ") {");
    for (const MapTerm& term : loop.terms) {
      const bool is_result = std::ranges::find(loop.results, term.result) != loop.results.end();
      const std::string result = name("t", term.result);
      code_.Line((is_result ? "" : "const float ") + result + " = " + TermText(term, names) + ";");
    }
    code_.Close("};");
  }
  if (!plan_.loops.empty()) code_.Line();
}

void StepEmitter::Emit(const Step& step, const MapStep& map) {
  EmitPlaces(step);
  std::vector<std::string> operands, results;
  for (BufferId id : step.inputs) operands.push_back(Name(id));
  for (BufferId id : step.results) results.push_back(Name(id));
  const bool blocked = plan_.buffer(step.results.front()).group != kRowMajor;
  const std::string call =
      blocked ? "rt::MapBlocked(" + BlockText(step.results.front()) + ", " : "rt::Map(";
  code_.Line(call + plan_.loops[map.loop].name + ", rt::Operands(" + Join(operands) +
             "), rt::Results(" + Join(results) + "));");
}

std::string StepEmitter::TermText(const MapTerm& term, const Names& names) {
  std::string text(term.op->text);
  for (std::size_t i = 0; i < term.arguments.size(); ++i) {
    const MapArgument& argument = term.arguments[i];
    const std::string value =
        argument.buffer == kAbsent ? FloatLiteral(argument.number) : names.at(argument.buffer);
    const std::string place = "{" + std::to_string(i) + "}";
    for (std::size_t at = text.find(place); at != std::string::npos;
         at = text.find(place, at + value.size())) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

void StepEmitter::Emit(const Step& step, const LaidOutStep& call) {
  EmitPlaces(step);
  std::vector<std::string> operands;
  for (BufferId id : step.inputs) operands.push_back(Name(id));
  std::string operand = operands.front();
  if (call.concatenates) {
    operand = "rt::ViewArray<const " + ElementText(plan_, step.results.front()) + ", " +
              std::to_string(operands.size()) + ">{{" + Join(operands) + "}}";
  }
  code_.Line("rt::" + call.function + "(" + BlockText(step.inputs.front()) + ", " + operand + ", " +
             Name(step.results.front()) + ");");
}

}  // namespace dragoman::onednn

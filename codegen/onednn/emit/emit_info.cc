// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_info.h"

#include <fmt/format.h>

#include "codegen/onednn/emit/emit_weights.h"

namespace dragoman::onednn {
namespace {

std::string SizesText(const std::optional<Shape>& shape) {
  std::string text;
  for (const Dim& dim : shape.value_or(Shape())) {
    text += (text.empty() ? "" : ", ") + (dim.known() ? dim.ToString() : std::string("rt::Any"));
  }
  return "{" + text + "}";
}

std::string_view KindText(Buffer::Form form) {
  switch (form) {
    case Buffer::Form::kTensor:
      return "rt::ValueKind::kTensor";
    case Buffer::Form::kSequence:
      return "rt::ValueKind::kSequence";
    case Buffer::Form::kOptional:
      return "rt::ValueKind::kOptional";
    case Buffer::Form::kOptionalSequence:
      break;
  }
  return "rt::ValueKind::kOptionalSequence";
}

// `buffer` with the names that it has outside.
std::string TensorText(const std::string& label, const std::string& identifier,
                       const Buffer& buffer) {
  const std::string type = Type::Tensor(buffer.dtype, buffer.shape).ToString();
  return "{" + Literal(label) + ", " + Literal(identifier) + ", " +
         Literal(NumpyName(buffer.dtype)) + ", " + Literal(type.substr(type.find('['))) + ", " +
         (buffer.shape ? "true" : "false") + ", " + SizesText(buffer.shape) + ", " +
         std::string(KindText(buffer.form)) + "},";
}

// A static array, which C++ does not allow to be empty; gives the List of it.
std::string ListText(const std::string& name, std::size_t count, const std::string& type,
                     const std::vector<std::string>& rows, CodeWriter& code) {
  if (count == 0) return "{}";
  code.Open("static const rt::" + type + " " + name + "[] = {");
  for (const std::string& row : rows) code.Line(row);
  code.Close("};");
  return "{" + name + ", " + std::to_string(count) + "}";
}

}  // namespace

void EmitConstants(const Plan& plan, bool shared, CodeWriter& code) {
  if (!shared) {
    code.Line("namespace {");
    code.Line();
  }
  code.Open(shared ? "const char* const kSteps[] = {" : "constexpr const char* kSteps[] = {");
  for (const std::string& name : plan.step_names) code.Line(Literal(name) + ",");
  if (plan.step_names.empty()) code.Line("\"\",");
  code.Close("};");
  code.Line(
      fmt::format("constexpr std::uint64_t kWeightsIdentity = {:#018x};", WeightsIdentity(plan)));
  code.Line("constexpr std::int64_t kWeightsBytes = " + std::to_string(plan.weights_bytes) + ";");
  code.Line();
  if (!shared) {
    code.Line("}  // namespace");
    code.Line();
  }
}

void EmitInfo(const Plan& plan, CodeWriter& code) {
  code.Open("const rt::ModelInfo& " + plan.class_name + "::" + plan.own_methods.info +
            "() noexcept {");
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < plan.entries.size(); ++i) {
    const PlanEntry& entry = plan.entries[i];
    std::vector<std::string> inputs, outputs;
    for (const PlanInput& input : entry.inputs) {
      const Buffer& buffer = plan.buffer(input.buffer);
      inputs.push_back(TensorText(buffer.label, buffer.name, buffer));
    }
    for (const PlanOutput& output : entry.outputs) {
      const Buffer& buffer = plan.buffer(output.value);
      outputs.push_back(TensorText(output.label, output.name, buffer));
    }
    const std::string number = std::to_string(i);
    const std::string input_list =
        ListText("kInputs" + number, inputs.size(), "TensorInfo", inputs, code);
    const std::string output_list =
        ListText("kOutputs" + number, outputs.size(), "TensorInfo", outputs, code);
    entries.push_back("{" + Literal(entry.label) + ", " + Literal(entry.method) + ", " +
                      input_list + ", " + output_list + "},");
  }
  std::vector<std::string> states;
  for (const StateMember& state : plan.states) {
    Buffer buffer;
    buffer.form = FormOf(state.type);
    buffer.dtype = ElementTypeOf(state.type);
    if (state.IsTensor() && state.type.shape() != nullptr) buffer.shape = *state.type.shape();
    states.push_back(TensorText(state.label, state.name, buffer));
  }
  const std::string entry_list = ListText("kEntries", entries.size(), "EntryInfo", entries, code);
  const std::string state_list = ListText("kStates", states.size(), "TensorInfo", states, code);
  code.Line("static const rt::ModelInfo kInfo = {" + Literal(plan.name) + ", " + entry_list + ", " +
            state_list + "};");
  code.Line("return kInfo;");
  code.Close();
}

}  // namespace dragoman::onednn

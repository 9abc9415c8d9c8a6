// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_infer.h"

#include <string_view>

#include "codegen/onednn/emit/emit_impl.h"
#include "codegen/onednn/emit/text.h"
#include "core/ops/kernel_name.h"

namespace dragoman::onednn {
namespace {

constexpr std::string_view kText = R"(// @WHAT@
#include <cstdint>
#include <utility>

#include "@NAME@.h"
@PRECISION_HEADER@#include "runtime/program/@HEADER@.h"

namespace @NAME@ {
namespace {

class Target final : public rt::@TARGET@ {
 public:
  explicit Target(const Options& options) : model_(options) {}
  rt::Status Call(int entry, std::vector<rt::AnyValue>& inputs,
                  std::vector<rt::AnyValue>& outputs) override {
    static_cast<void>(inputs);
    static_cast<void>(outputs);
    switch (entry) {
@CASES@    }
    return rt::Status::Error("no such entry");
  }
  void SaveState() override { saved_ = model_.@state@(); }
  rt::Status RestoreState() override { return model_.@set_state@(saved_); }
@SEED@@STATES@  rt::Trace& trace() override { return model_.@trace@(); }

 private:
  @MODEL@ model_;
  State saved_;
@OUTPUTS@};

std::unique_ptr<rt::@TARGET@> Make(const std::string& weights, int threads) {
  Options options;
  options.weights = weights;
  options.threads = threads;
@WARNING@  return std::make_unique<Target>(options);
}

}  // namespace
}  // namespace @NAME@

@END@)";

constexpr std::string_view kMain = R"(int main(int argc, char** argv) {
  return dragoman::rt::InferMain(@NAME@::@MODEL@::@info@(), &@NAME@::Make, argc, argv);
}
)";

constexpr std::string_view kExport =
    R"(extern "C" __attribute__((visibility("default"))) const dragoman::rt::LoadedModel*
DragomanLoadedModel() {
  static const dragoman::rt::LoadedModel model = {&@NAME@::@MODEL@::@info@(), &@NAME@::Make};
  return &model;
}
)";

constexpr std::string_view kSetSeed =
    "  void SetSeed(std::uint64_t seed) override { model_.@set_seed@(seed); }\n";

constexpr std::string_view kAccessStates = R"(  States GetStates() override {
    States states;
    const State& now = model_.@state@();
    static_cast<void>(now);
@GET@    return states;
  }
  rt::Status SetStates(States& states) override {
    State next = model_.@state@();
    for (auto& [name, tensor] : states) {
      static_cast<void>(tensor);
@SET@    }
    return model_.@set_state@(next);
  }
)";

std::string IndexText(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

// An input as an argument; one that is not a tensor is a variable, which `code` gets.
std::string InputText(const Plan& plan, const PlanInput& input, std::size_t index,
                      CodeWriter& code) {
  const std::string at = IndexText("inputs", index);
  const Buffer& buffer = plan.buffer(input.buffer);
  const std::string element = ElementText(plan, input.buffer);
  if (buffer.IsTensor()) return "{" + at + "[0].data<" + element + ">(), " + at + "[0].shape}";
  const std::string name = "input_" + std::to_string(index);
  code.Line("rt::Sequence<" + element + "> " + name + ";");
  if (buffer.form == Buffer::Form::kOptionalSequence)
    code.Line("if (" + at + ".empty()) " + name + ".Clear(false);");
  code.Line("for (rt::AnyTensor& item : " + at + ")");
  code.Line("  DRAGOMAN_RT_TRY(" + name + ".Append({item.data<" + element + ">(), item.shape}));");
  return name;
}

// A tensor of sizes known at run time only is a member, which keeps its memory from call to call.
bool IsMember(const Buffer& buffer) { return buffer.IsTensor() && !buffer.IsStatic(); }

// Of a member or a variable.
std::string OutputName(const Buffer& buffer, std::size_t entry, std::size_t index) {
  const std::string name = "output_" + std::to_string(index);
  return IsMember(buffer) ? name + "_of_" + std::to_string(entry) + "_" : name;
}

// The same of an output.
std::string OutputText(const Plan& plan, const PlanOutput& output, std::size_t entry,
                       std::size_t index, CodeWriter& code) {
  const std::string at = IndexText("outputs", index) + "[0]";
  const Buffer& buffer = plan.buffer(output.value);
  const std::string name = OutputName(buffer, entry, index);
  if (buffer.IsTensor()) code.Line(IndexText("outputs", index) + ".resize(1);");
  if (IsMember(buffer)) return name;
  if (!buffer.IsStatic()) {
    code.Line(HolderText(plan, output.value) + " " + name + ";");
    return name;
  }
  code.Line(at + ".Resize(\"" + std::string(NumpyName(buffer.dtype)) + "\", " +
            ShapeText(plan, *buffer.shape) + ");");
  return "{" + at + ".data<" + ElementText(plan, output.value) + ">(), " + at + ".shape}";
}

// Hands the member or variable of an output on.
void EmitOutput(const Plan& plan, const PlanOutput& output, std::size_t entry, std::size_t index,
                CodeWriter& code) {
  const Buffer& buffer = plan.buffer(output.value);
  if (buffer.IsStatic()) return;
  const std::string at = IndexText("outputs", index);
  const std::string name = OutputName(buffer, entry, index);
  const std::string set = ".Set<" + ElementText(plan, output.value) + ">(\"" +
                          std::string(NumpyName(buffer.dtype)) + "\", ";
  if (buffer.IsTensor()) {
    code.Line(at + "[0]" + set + "std::as_const(" + name + ").view());");
    return;
  }
  code.Line(at + ".clear();");
  code.Open("for (std::int64_t i = 0; i < " + name + ".size(); ++i) {");
  code.Line(at + ".emplace_back();");
  code.Line(at + ".back()" + set + name + "[i]);");
  code.Close();
}

void EmitCase(const Plan& plan, std::size_t index, CodeWriter& code) {
  const PlanEntry& entry = plan.entries[index];
  code.Open("case " + std::to_string(index) + ": {");
  std::string arguments;
  auto add = [&](const std::string& argument) {
    arguments += (arguments.empty() ? "" : ", ") + argument;
  };
  for (std::size_t i = 0; i < entry.inputs.size(); ++i)
    add(InputText(plan, entry.inputs[i], i, code));
  for (std::size_t i = 0; i < entry.outputs.size(); ++i)
    add(OutputText(plan, entry.outputs[i], index, i, code));
  code.Line("const rt::Status status = model_." + entry.method + "(" + arguments + ");");
  code.Line("if (!status.ok()) return status;");
  for (std::size_t i = 0; i < entry.outputs.size(); ++i)
    EmitOutput(plan, entry.outputs[i], index, i, code);
  code.Line("return status;");
  code.Close();
}

std::string OutputMembers(const Plan& plan) {
  CodeWriter members;
  members.Indent();
  for (std::size_t entry = 0; entry < plan.entries.size(); ++entry) {
    const auto& outputs = plan.entries[entry].outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Buffer& buffer = plan.buffer(outputs[i].value);
      if (!IsMember(buffer)) continue;
      members.Line(HolderText(plan, outputs[i].value) + " " + OutputName(buffer, entry, i) + ";");
    }
  }
  return members.Take();
}

std::string_view PrecisionHeader(const Plan& plan) {
  return plan.precision == rt::Precision::kF32 ? "" : "#include \"runtime/fast/precision.h\"\n";
}

std::string_view PrecisionWarning(const Plan& plan) {
  switch (plan.precision) {
    case rt::Precision::kF32:
      return "";
    case rt::Precision::kBF16:
      return "  rt::WarnWithoutArithmetic(rt::Precision::kBF16);\n";
    case rt::Precision::kF16:
      break;
  }
  return "  rt::WarnWithoutArithmetic(rt::Precision::kF16);\n";
}

std::string AccessStates(const Plan& plan) {
  CodeWriter get;
  CodeWriter set;
  for (int level = 0; level < 2; ++level) get.Indent();
  for (int level = 0; level < 3; ++level) set.Indent();
  for (const StateMember& state : plan.states) {
    if (!state.IsTensor()) continue;
    const DType dtype = ElementTypeOf(state.type);
    const std::string element(CppType(dtype));
    get.Line("states.emplace_back(" + Literal(state.label) + ", rt::AnyTensor());");
    get.Line("states.back().second.Set<" + element + ">(\"" + std::string(NumpyName(dtype)) +
             "\", now." + state.name + ".view());");
    set.Line("if (name == " + Literal(state.label) + ")");
    set.Line("  DRAGOMAN_RT_TRY(next." + state.name + ".Assign({tensor.data<" + element +
             ">(), tensor.shape}));");
  }
  return Filled(Filled(std::string(kAccessStates), "@GET@", get.Take()), "@SET@", set.Take());
}

// What a program and a library differ in.
struct TargetForm {
  std::string_view what;    // the comment at the top
  std::string_view header;  // of runtime/program
  std::string_view target;  // the class that is implemented
  std::string states;       // methods that read and set them
  std::string_view end;     // after the class
};

// The class Target without the model's types, and what stands behind it.
std::string FillTarget(const Plan& plan, const TargetForm& form) {
  CodeWriter cases;
  for (int level = 0; level < 3; ++level) cases.Indent();
  for (std::size_t i = 0; i < plan.entries.size(); ++i) EmitCase(plan, i, cases);
  std::string text = Filled(std::string(kText), "@CASES@", cases.Take());
  text = Filled(std::move(text), "@OUTPUTS@", OutputMembers(plan));
  text = Filled(std::move(text), "@WHAT@", form.what);
  text = Filled(std::move(text), "@HEADER@", form.header);
  text = Filled(std::move(text), "@TARGET@", form.target);
  text = Filled(std::move(text), "@STATES@", form.states);
  text = Filled(std::move(text), "@END@", form.end);
  text = Filled(std::move(text), "@PRECISION_HEADER@", PrecisionHeader(plan));
  text = Filled(std::move(text), "@WARNING@", PrecisionWarning(plan));
  text = Filled(std::move(text), "@SEED@", DrawsRandomNumbers(plan) ? kSetSeed : "");
  return FilledNames(plan, std::move(text));
}

}  // namespace

std::string InferFile(const Plan& plan) {
  return plan.name == "infer" ? "infer_main.cc" : "infer.cc";
}

std::string LoadableFile(const Plan& plan) { return plan.name + "_loadable.cc"; }

std::string EmitInfer(const Plan& plan) {
  return FillTarget(plan, {"Runs the model from the command line; see --help.", "infer_main",
                           "InferTarget", "", kMain});
}

std::string EmitLoadedModel(const Plan& plan) {
  return FillTarget(plan, {"Gives the model to the program that loads this library.",
                           "loaded_model", "LoadedTarget", AccessStates(plan), kExport});
}

}  // namespace dragoman::onednn

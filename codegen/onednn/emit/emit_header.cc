// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "codegen/onednn/emit/emit_impl.h"
#include "codegen/onednn/emit/emit_source.h"
#include "codegen/onednn/emit/text.h"
#include "core/ops/kernel_name.h"
#include "runtime/params/map_names.h"

namespace dragoman::onednn {
namespace {

// "rt::View<const float, 1, rt::Any>".
std::string PublicView(const Plan& plan, BufferId id, bool is_const) {
  if (!plan.buffer(id).IsTensor()) return ViewText(plan, id);
  std::string text = "rt::View<" + std::string(is_const ? "const " : "") + ElementText(plan, id);
  for (const Dim& dim : *plan.buffer(id).shape)
    text += ", " + (dim.known() ? dim.ToString() : std::string("rt::Any"));
  return text + ">";
}

// Headers of the types that the elements of inputs, outputs and states have, and as which kernels
// that only move them take them.
std::vector<std::string> ElementHeaders(const Plan& plan) {
  bool element = false, complex = false, string = false;
  auto add = [&](DType dtype) {
    element =
        element || CppType(dtype).starts_with("rt::") || CppBitsType(dtype).starts_with("rt::");
    complex = complex || IsComplex(dtype);
    string = string || dtype == DType::kString;
  };
  for (const Buffer& buffer : plan.buffers) add(buffer.dtype);
  for (const StateMember& state : plan.states) add(ElementTypeOf(state.type));
  std::vector<std::string> headers;
  if (complex) headers.push_back("#include <complex>");
  headers.push_back("#include <cstdint>");
  headers.push_back("#include <memory>");
  headers.push_back("#include <string>");
  headers.push_back("");
  if (element) headers.push_back("#include \"runtime/kernels/element.h\"");
  return headers;
}

// Whether outputs are the two tensors of a map, or inputs.
bool HasMaps(const Plan& plan) {
  return std::ranges::any_of(plan.entries, [&](const PlanEntry& entry) {
    const auto is_map = [](const std::string& label) { return !rt::MapOfKeys(label).empty(); };
    return std::ranges::any_of(entry.outputs, is_map, &PlanOutput::label) ||
           std::ranges::any_of(entry.inputs, [&](const PlanInput& input) {
             return is_map(plan.buffer(input.buffer).label);
           });
  });
}

std::string PrecisionText(const Plan& plan) {
  if (plan.precision == rt::Precision::kF32) return "";
  const std::string precision = rt::Name(plan.precision);
  const std::string tensors =
      plan.precision == rt::Precision::kBF16 ? ", and tensors between steps that handle it," : "";
  return " Weights of products, those of last layers excepted" + tensors + " are kept in " +
         precision + "; where the processor has " + precision +
         " arithmetic, these products are computed in it, sums in f32.";
}

void EmitIncludes(const Plan& plan, CodeWriter& code) {
  for (const std::string& header : ElementHeaders(plan)) code.Line(header);
  if (plan.headers.contains(std::string(kSequenceHeader)))
    code.Line("#include \"" + std::string(kSequenceHeader) + "\"");
  if (HasMaps(plan)) code.Line("#include \"runtime/program/map.h\"");
  for (std::string_view header : {"params/status.h", "program/error.h", "program/info.h",
                                  "program/tensor.h", "program/trace.h", "program/view.h"}) {
    code.Line("#include \"runtime/" + std::string(header) + "\"");
  }
}

void EmitOptions(const Plan& plan, bool embed_weights, CodeWriter& code) {
  code.Open("struct Options {");
  code.Line(embed_weights
                ? "std::string weights;  // a file in place of the weights in the program"
                : "std::string weights;  // the weights file; empty: where it was installed, or "
                  "when this was built");
  code.Line("int threads = 1;");
  if (!embed_weights)
    code.Line("const char* package = " + WeightsMacro(plan) +
              ";  // where the installed package has the weights");
  code.Close("};");
}

void EmitState(const Plan& plan, CodeWriter& code) {
  code.Comment("What lives from one call to the next.");
  code.Open("struct State {");
  for (const StateMember& state : plan.states) {
    code.Comment("'" + state.label + "' " + state.type.ToString());
    code.Line((state.IsTensor() ? "rt::Tensor<" : "rt::Sequence<") +
              std::string(CppType(ElementTypeOf(state.type))) + "> " + state.name + ";");
  }
  code.Close("};");
}

void EmitPublic(const Plan& plan, CodeWriter& code) {
  const std::string& model = plan.class_name;
  const OwnMethods& own = plan.own_methods;
  code.Line(" public:");
  code.Indent();
  code.Comment(
      "An object, or null and why: the weights are missing or another program's, memory runs out. "
      "The message lives until this thread's next such failure.");
  code.Line("static std::unique_ptr<" + model +
            "> Create(const Options& options, rt::Status* status) noexcept;");
  code.Comment(
      "A further object with the same weights; its states start from their initial values.");
  code.Line("std::unique_ptr<" + model + "> Fork(rt::Status* status) const noexcept;");
  code.Raw("#if defined(__cpp_exceptions)\n");
  code.Comment("The same with exceptions: rt::Error, std::bad_alloc.");
  code.Line("explicit " + model + "(const Options& options = {});");
  code.Line("std::unique_ptr<" + model + "> Fork() const;");
  code.Raw("#endif\n");
  code.Line("~" + model + "();");
  code.Line(model + "(const " + model + "&) = delete;");
  code.Line(model + "& operator=(const " + model + "&) = delete;");
  for (const PlanEntry& entry : plan.entries) {
    code.Line();
    code.Comment(Signature(plan, entry));
    if (entry.label != entry.method) code.Comment("The model's entry '" + entry.label + "'.");
    code.Line("[[nodiscard]] rt::Status " + entry.method + PublicParameters(plan, entry) +
              " noexcept;");
  }
  code.Line();
  code.Comment(
      "All states take the values that the model file has. After an error of any other "
      "method, states are what they were before it.");
  code.Line("void " + own.reset + "() noexcept;");
  code.Line("const State& " + own.state + "() const noexcept;");
  code.Line("[[nodiscard]] rt::Status " + own.set_state + "(const State& state) noexcept;");
  if (DrawsRandomNumbers(plan)) {
    code.Line();
    code.Comment("Random numbers start over from `seed`, which is 0 at first; " + own.reset +
                 "() starts over from the same one. Nodes with a seed of their own keep it.");
    code.Line("void " + own.set_seed + "(std::uint64_t seed) noexcept;");
  }
  code.Line();
  code.Line("static const rt::ModelInfo& " + own.info + "() noexcept;");
  code.Line("rt::Trace& " + own.trace + "() noexcept;  // which step runs, and profiles");
  code.Outdent();
}

void EmitPrivate(const Plan& plan, CodeWriter& code) {
  code.Line(" private:");
  code.Indent();
  code.Line("struct Impl;");
  code.Line("explicit " + plan.class_name + "(std::unique_ptr<Impl> impl);");
  code.Line("static std::unique_ptr<" + plan.class_name + "> Wrap(std::unique_ptr<Impl> impl);");
  code.Line("std::unique_ptr<Impl> impl_;");
}

// "MODEL_MLP" and what follows.
std::string MacroName(const Plan& plan, std::string_view suffix) {
  std::string name = plan.name;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return "MODEL_" + name + std::string(suffix);
}

std::string Guard(const Plan& plan) { return MacroName(plan, "_H_"); }

}  // namespace

std::string WeightsMacro(const Plan& plan) { return MacroName(plan, "_WEIGHTS"); }

std::string PublicParameters(const Plan& plan, const PlanEntry& entry) {
  std::string text;
  auto add = [&](const std::string& type, const std::string& name) {
    text += (text.empty() ? "" : ", ") + type + name;
  };
  for (const PlanInput& input : entry.inputs)
    add(PublicView(plan, input.buffer, true) + " ", plan.buffer(input.buffer).name);
  for (const PlanOutput& output : entry.outputs) {
    if (plan.buffer(output.value).IsStatic()) {
      add(PublicView(plan, output.value, false) + " ", output.name);
    } else {
      add(HolderText(plan, output.value) + "& ", output.name);
    }
  }
  return "(" + text + ")";
}

std::string Signature(const Plan& plan, const PlanEntry& entry) {
  std::string text = entry.method + "(";
  for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
    const Buffer& buffer = plan.buffer(entry.inputs[i].buffer);
    text += (i == 0 ? "" : ", ") + buffer.label + ": " + TypeText(buffer);
  }
  text += ") -> ";
  if (entry.outputs.size() != 1) text += "(";
  for (std::size_t i = 0; i < entry.outputs.size(); ++i) {
    text += (i == 0 ? "" : ", ") + entry.outputs[i].label + ": " +
            TypeText(plan.buffer(entry.outputs[i].value));
  }
  return text + (entry.outputs.size() != 1 ? ")" : "");
}

std::string EmitHeader(const Plan& plan, bool embed_weights) {
  CodeWriter code;
  code.Comment("The model '" + plan.name +
               "'. Sizes known only at run time are rt::Any; outputs of such sizes are tensors, "
               "which keep their capacity. Input and output memory must not overlap." +
               PrecisionText(plan));
  code.Line("#ifndef " + Guard(plan));
  code.Line("#define " + Guard(plan));
  code.Line();
  EmitIncludes(plan, code);
  code.Line();
  if (!embed_weights) {
    code.Line("#ifndef " + WeightsMacro(plan));
    code.Line("#define " + WeightsMacro(plan) + " \"\"");
    code.Line("#endif");
    code.Line();
  }
  code.Line("namespace " + plan.name + " {");
  code.Line();
  code.Line("namespace rt = ::dragoman::rt;");
  code.Line();
  EmitOptions(plan, embed_weights, code);
  code.Line();
  EmitState(plan, code);
  code.Line();
  code.Comment(
      "One object is used by one thread at a time. Methods neither lock nor throw, nor do "
      "they allocate once they have run with the largest sizes.");
  code.Line("class " + plan.class_name + " {");
  EmitPublic(plan, code);
  code.Line();
  EmitPrivate(plan, code);
  code.Close("};");
  code.Line();
  code.Line("}  // namespace " + plan.name);
  code.Line();
  code.Line("#endif  // " + Guard(plan));
  return code.Take();
}

}  // namespace dragoman::onednn

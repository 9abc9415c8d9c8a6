#include "codegen/onednn/emit/emit_source.h"

#include <algorithm>
#include <set>

#include "codegen/onednn/emit/emit_info.h"
#include "codegen/onednn/emit/emit_steps.h"
#include "codegen/onednn/emit/emit_weights.h"
#include "codegen/onednn/emit/split.h"
#include "codegen/onednn/emit/text.h"
#include "core/ops/kernel_name.h"

namespace dragoman::onednn {
namespace {

// What stands before a value that is given, whether or not a step reads it.
std::string UnusedMark(const Buffer& buffer) {
  return buffer.last > buffer.first ? "" : "[[maybe_unused]] ";
}

// The worker behind EmitSources.
class SourceEmitter {
 public:
  explicit SourceEmitter(const Plan& plan) : plan_(plan) {
    for (const Step& step : plan.constants.steps)
      members_.buffers.insert(step.results.begin(), step.results.end());
    for (const PlanEntry& entry : plan.entries) {
      split_ = split_ || CountParts(entry, plan_.steps_per_file) > 1;
      AddSharedValues(plan, entry, plan_.steps_per_file, members_);
    }
  }

  std::vector<GeneratedFile> Emit();

 private:
  void Includes(CodeWriter& code);
  void ImplStruct(CodeWriter& code);
  void ImplMembers(CodeWriter& code);
  void Constructor(CodeWriter& code);
  void BindWeights(CodeWriter& code);
  void Prepare(CodeWriter& code);
  void Entry(const PlanEntry& entry, CodeWriter& code);
  void SplitEntry(const PlanEntry& entry, CodeWriter& code);
  void EntryStart(const PlanEntry& entry, StepEmitter& steps, CodeWriter& code);
  void EntryEnd(const PlanEntry& entry, CodeWriter& code);
  void PublicMethods(CodeWriter& code);
  void PublicEntry(const PlanEntry& entry, CodeWriter& code);
  std::string ImplParameters(const PlanEntry& entry) const;
  std::string Part(const PlanEntry& entry, std::size_t part);
  bool HasStrings() const;
  bool UsesOneDnn() const { return !plan_.prepared.empty(); }
  // Loops of runtime/fast run on as many threads as its primitives.
  bool UsesThreads() const {
    return std::ranges::any_of(plan_.headers, [](const std::string& header) {
      return header.starts_with("runtime/fast/");
    });
  }
  std::string Scope() const { return plan_.class_name + "::Impl::"; }

  const Plan& plan_;
  Members members_;
  bool split_ = false;
};

bool SourceEmitter::HasStrings() const {
  return std::ranges::any_of(plan_.buffers,
                             [](const Buffer& buffer) { return buffer.dtype == DType::kString; });
}

void SourceEmitter::Includes(CodeWriter& code) {
  std::set<std::string> headers = plan_.headers;
  for (std::string_view header :
       {"kernels/copy.h", "program/glue.h", "program/loop.h", "program/memory.h",
        "program/operands.h", "program/sizes.h", "program/weights.h"}) {
    headers.insert("runtime/" + std::string(header));
  }
  if (UsesOneDnn()) headers.insert("runtime/fast/context.h");
  if (UsesThreads()) headers.insert("runtime/fast/threads.h");
  code.Line("#include <cstdint>");
  code.Line("#include <limits>");
  code.Line("#include <new>");
  code.Line("#include <utility>");
  code.Line();
  for (const std::string& header : headers) code.Line("#include \"" + header + "\"");
}

std::string SourceEmitter::ImplParameters(const PlanEntry& entry) const {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const PlanInput& input : entry.inputs) {
    const Buffer& buffer = plan_.buffer(input.buffer);
    add(UnusedMark(buffer) + ViewText(plan_, input.buffer) + " " + buffer.name);
  }
  for (const PlanOutput& output : entry.outputs) {
    add(plan_.buffer(output.value).IsStatic()
            ? "rt::TensorView<" + ElementText(plan_, output.value) + "> " + output.name
            : HolderText(plan_, output.value) + "* " + output.name);
  }
  return "(" + text + ")";
}

void SourceEmitter::ImplMembers(CodeWriter& code) {
  code.Line("rt::Trace trace_{kSteps};");
  code.Line("std::shared_ptr<const rt::Weights> weights_;");
  code.Line("int threads_ = 1;");
  code.Line("State state_;");
  code.Line("State next_state_;  // takes the place of state_ when an entry has succeeded");
  code.Line("rt::Memory arena_;");
  code.Line("rt::Memory scratch_;");
  if (plan_.num_slots > 0) code.Line("rt::Memory slots_[" + std::to_string(plan_.num_slots) + "];");
  if (plan_.headers.contains(std::string(kLineHeader))) code.Line("rt::Line line_;");
  if (UsesOneDnn()) code.Line("rt::FastContext context_;");
  for (BufferId id = 0; id < static_cast<BufferId>(plan_.buffers.size()); ++id) {
    const Buffer& buffer = plan_.buffer(id);
    const std::string element = ElementText(plan_, id);
    if (buffer.storage == Storage::kWeights) {
      code.Line("rt::TensorView<const " + element + "> " + buffer.name + ";  // '" +
                CommentText(buffer.label) + "' " + TypeText(buffer));
      if (buffer.dtype == DType::kString)
        code.Line("rt::Tensor<std::string> " + buffer.name + "_text;");
    }
    if (buffer.storage == Storage::kOwn)
      code.Line(HolderText(plan_, id) + " " + buffer.holder + ";");
    if (buffer.storage == Storage::kStack)
      code.Line("rt::Stack<" + element + "> " + buffer.holder + ";");
    if (!members_.buffers.contains(id) || buffer.storage == Storage::kWeights) continue;
    if (buffer.IsTensor()) {
      code.Line(ViewText(plan_, id) + " " + buffer.name + ";");
    } else if (buffer.storage == Storage::kInput) {
      code.Line(HolderText(plan_, id) + " " + buffer.name + ";");
    }
  }
  for (const std::string& symbol : members_.symbols)
    code.Line("std::int64_t " + plan_.symbols.at(symbol) + " = 0;");
  for (const LayoutGroup& group : plan_.groups) {
    code.Line("std::int64_t " + group.name + " = 0;  // layout group, chosen by " +
              CommentText(group.anchor));
  }
  for (const Prepared& prepared : plan_.prepared)
    code.Line(prepared.type + " " + prepared.name + ";");
}

void SourceEmitter::ImplStruct(CodeWriter& code) {
  code.Open("struct " + plan_.class_name + "::Impl {");
  code.Line("Impl(std::shared_ptr<const rt::Weights> weights, int threads);");
  code.Line("rt::Status Prepare();");
  code.Line("rt::Status Reset() noexcept;");
  for (const PlanEntry& entry : plan_.entries) {
    code.Line("rt::Status " + entry.method + ImplParameters(entry) + ";");
    for (std::size_t part = 1; part <= CountParts(entry, plan_.steps_per_file) && split_; ++part)
      code.Line("rt::Status " + entry.method + "_part_" + std::to_string(part) + "();");
    for (const PlanOutput& output : entry.outputs) {
      if (CountParts(entry, plan_.steps_per_file) == 1 || !output.direct ||
          plan_.buffer(output.value).IsStatic()) {
        continue;
      }
      code.Line("rt::Tensor<" + ElementText(plan_, output.value) + ">* " + output.name +
                " = nullptr;");
    }
  }
  code.Line();
  ImplMembers(code);
  code.Close("};");
}

void SourceEmitter::Constructor(CodeWriter& code) {
  code.Line(Scope() + "Impl(std::shared_ptr<const rt::Weights> weights, int threads)");
  code.Open("    : weights_(std::move(weights)), threads_(threads) {");
  code.Line("rt::ThrowIfError(trace_.Finish(Prepare()));");
  code.Line("rt::ThrowIfError(Reset());");
  code.Close();
  code.Line();
}

// Where the weights lie.
void SourceEmitter::BindWeights(CodeWriter& code) {
  for (const Buffer& buffer : plan_.buffers) {
    if (buffer.storage != Storage::kWeights) continue;
    const std::string place =
        "(" + std::to_string(buffer.at) + ", " + ShapeText(plan_, *buffer.shape) + ")";
    if (buffer.dtype == DType::kString) {
      code.Line(buffer.name + "_text = weights_->StringsAt" + place + ";");
      code.Line(buffer.name + " = " + buffer.name + "_text.view();");
    } else {
      code.Line(buffer.name + " = weights_->At<" + std::string(CppType(buffer.dtype)) + ">" +
                place + ";");
    }
  }
}

void SourceEmitter::Prepare(CodeWriter& code) {
  code.Open("DRAGOMAN_RT_GLUE_ONCE rt::Status " + Scope() + "Prepare() {");
  BindWeights(code);
  code.Line("DRAGOMAN_RT_TRY(arena_.Reserve(" + std::to_string(plan_.arena_bytes) + "));");
  code.Line("DRAGOMAN_RT_TRY(scratch_.Reserve(0));");
  if (UsesThreads()) code.Line("rt::SetThreads(threads_);");
  if (UsesOneDnn()) code.Line("DRAGOMAN_RT_TRY(context_.Init());");
  for (const Buffer& buffer : plan_.buffers) {
    if (buffer.storage != Storage::kOwn || !buffer.IsStatic()) continue;
    code.Line("DRAGOMAN_RT_TRY(" + buffer.holder + ".Resize(" + ShapeText(plan_, *buffer.shape) +
              "));");
  }
  StepEmitter(plan_, members_, code).EmitPreparations();
  code.Line("return rt::Status();");
  code.Close();
  code.Line();
  code.Open("rt::Status " + Scope() + "Reset() noexcept {");
  for (const StateMember& state : plan_.states) {
    for (std::string_view member : {"state_.", "next_state_."}) {
      const std::string name = std::string(member) + state.name;
      if (!state.IsTensor()) code.Line(name + ".Clear();");
      for (std::size_t i = 0; i < state.initial.size(); ++i) {
        code.Line("DRAGOMAN_RT_TRY(" + name + (state.IsTensor() ? ".Assign" : ".Append") +
                  "(weights_->At<" + std::string(CppType(ElementTypeOf(state.type))) + ">(" +
                  std::to_string(state.offsets[i]) + ", " +
                  ShapeText(plan_, *state.initial[i].type().shape()) + ")));");
      }
    }
  }
  code.Line("return rt::Status();");
  code.Close();
  code.Line();
}

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
  code.Open("DRAGOMAN_RT_GLUE rt::Status " + Scope() + entry.method + ImplParameters(entry) + " {");
  StepEmitter steps(plan_, members_, code);
  EntryStart(entry, steps, code);
  steps.EmitSteps(entry.body.steps);
  EntryEnd(entry, code);
  code.Close();
  code.Line();
}

// The parts are functions of their own, in files of their own.
void SourceEmitter::SplitEntry(const PlanEntry& entry, CodeWriter& code) {
  code.Open("DRAGOMAN_RT_GLUE rt::Status " + Scope() + entry.method + ImplParameters(entry) + " {");
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

void SourceEmitter::PublicEntry(const PlanEntry& entry, CodeWriter& code) {
  const std::string& model = plan_.class_name;
  code.Comment(Signature(plan_, entry));
  code.Open("rt::Status " + model + "::" + entry.method + PublicParameters(plan_, entry) +
            " noexcept {");
  std::string arguments;
  for (const PlanInput& input : entry.inputs) {
    const Buffer& buffer = plan_.buffer(input.buffer);
    arguments += (arguments.empty() ? "" : ", ") + buffer.name;
    if (!buffer.IsTensor()) continue;
    code.Open("if (!" + buffer.name + ".Fits()) {");
    code.Line("return rt::Status::Error(" +
              Literal("input '" + buffer.label + "' is not " + TypeText(buffer)) + ");");
    code.Close();
  }
  for (const PlanOutput& output : entry.outputs) {
    const Buffer& buffer = plan_.buffer(output.value);
    const bool is_static = buffer.IsStatic();
    arguments += (arguments.empty() ? "" : ", ") + std::string(is_static ? "" : "&") + output.name;
    if (!is_static) continue;
    code.Open("if (!" + output.name + ".Fits()) {");
    code.Line("return rt::Status::Error(" +
              Literal("output '" + output.label + "' is not " + TypeText(buffer)) + ");");
    code.Close();
  }
  if (UsesThreads()) code.Line("rt::SetThreads(impl_->threads_);");
  const std::string call = "impl_->trace_.Finish(impl_->" + entry.method + "(" + arguments + "));";
  if (HasStrings()) {
    code.Open("try {");
    code.Line("return " + call);
    code.Else("} catch (const std::bad_alloc&) {");
    code.Line("return impl_->trace_.Finish(rt::Status::Error(\"out of memory\"));");
    code.Close();
  } else {
    code.Line("return " + call);
  }
  code.Close();
  code.Line();
}

void SourceEmitter::PublicMethods(CodeWriter& code) {
  const std::string& model = plan_.class_name;
  code.Line(model + "::" + model + "(const Options& options)");
  code.Line("    : impl_(std::make_unique<Impl>(");
  code.Line(
      "          rt::Weights::Open(options.weights.empty() ? MODEL_WEIGHTS : options.weights,");
  code.Line("                            kWeightsIdentity, kWeightsBytes),");
  code.Line("          options.threads)) {}");
  code.Line();
  code.Line(model + "::" + model + "(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}");
  code.Line(model + "::~" + model + "() = default;");
  code.Line();
  code.Open("std::unique_ptr<" + model + "> " + model + "::Fork() const {");
  code.Line("auto impl = std::make_unique<Impl>(impl_->weights_, impl_->threads_);");
  code.Line("return std::unique_ptr<" + model + ">(new " + model + "(std::move(impl)));");
  code.Close();
  code.Line();
  for (const PlanEntry& entry : plan_.entries) PublicEntry(entry, code);
  code.Comment("States have had their initial sizes, so nothing is allocated that could fail.");
  code.Line("void " + model + "::reset() noexcept { static_cast<void>(impl_->Reset()); }");
  code.Line();
  code.Line("const State& " + model + "::state() const noexcept { return impl_->state_; }");
  code.Line();
  code.Open("rt::Status " + model + "::set_state(const State& state) noexcept {");
  code.Line("static_cast<void>(state);");
  for (const StateMember& state : plan_.states) {
    const std::optional<std::vector<std::int64_t>> sizes =
        state.type.shape() != nullptr ? KnownShape(*state.type.shape()) : std::nullopt;
    if (!sizes) continue;
    code.Line("DRAGOMAN_RT_TRY(rt::CheckSizes(state." + state.name + ".shape(), " +
              ShapeText(plan_, *state.type.shape()) + "));");
  }
  for (const StateMember& state : plan_.states)
    code.Line("DRAGOMAN_RT_TRY(impl_->next_state_." + state.name + ".Assign(state." + state.name +
              (state.IsTensor() ? ".view()" : "") + "));");
  code.Line("std::swap(impl_->state_, impl_->next_state_);");
  for (const StateMember& state : plan_.states) {
    if (!state.IsTensor()) continue;
    code.Line("DRAGOMAN_RT_TRY(impl_->next_state_." + state.name + ".Resize(state." + state.name +
              ".shape()));");
  }
  code.Line("return rt::Status();");
  code.Close();
  code.Line();
  code.Line("rt::Trace& " + model + "::trace() noexcept { return impl_->trace_; }");
  code.Line();
}

std::vector<GeneratedFile> SourceEmitter::Emit() {
  std::vector<GeneratedFile> files = {{plan_.name + ".h", EmitHeader(plan_)}};
  CodeWriter code;
  const std::string open = "namespace " + plan_.name + " {";
  const std::string close = "}  // namespace " + plan_.name;
  if (split_) {
    CodeWriter impl;
    impl.Line("#pragma once");
    impl.Line("#include \"" + plan_.name + ".h\"");
    impl.Line();
    Includes(impl);
    impl.Line();
    impl.Line(open);
    impl.Line();
    impl.Line("extern const char* const kSteps[];");
    impl.Line();
    StepEmitter(plan_, members_, impl).EmitLoops();
    ImplStruct(impl);
    impl.Line();
    impl.Line(close);
    files.push_back({plan_.name + "_impl.h", impl.Take()});
    code.Line("#include \"" + plan_.name + "_impl.h\"");
  } else {
    code.Line("#include \"" + plan_.name + ".h\"");
    code.Line();
    Includes(code);
  }
  code.Line();
  code.Line(open);
  code.Line();
  EmitConstants(plan_, split_, code);
  if (!split_) {
    StepEmitter(plan_, members_, code).EmitLoops();
    ImplStruct(code);
    code.Line();
  }
  Constructor(code);
  Prepare(code);
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
  PublicMethods(code);
  EmitInfo(plan_, code);
  code.Line();
  code.Line(close);
  files.push_back({plan_.name + ".cc", code.Take()});
  return files;
}

}  // namespace

std::vector<GeneratedFile> EmitSources(const Plan& plan) { return SourceEmitter(plan).Emit(); }

}  // namespace dragoman::onednn

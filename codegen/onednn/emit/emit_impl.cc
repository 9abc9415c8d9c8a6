// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_impl.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "codegen/onednn/emit/split.h"
#include "core/ops/kernel_name.h"

namespace dragoman::onednn {
namespace {

constexpr std::string_view kMakeImpl =
    R"(// Null, and why.
std::unique_ptr<@Impl@> @Impl@::Make(
    std::shared_ptr<const rt::Weights> weights, int threads, rt::Status* status) {
  auto impl = std::make_unique<Impl>(std::move(weights), threads);
  *status = impl->trace_.Finish(impl->Prepare());
  if (status->ok()) *status = impl->Reset();
  if (status->ok()) return impl;
  *status = rt::KeepError(status->message());
  return nullptr;
}

)";

// What holds a buffer beyond the arena, and its view if several functions use it.
void EmitMember(const Plan& plan, const Members& members, BufferId id, CodeWriter& code) {
  const Buffer& buffer = plan.buffer(id);
  const std::string element = ElementText(plan, id);
  if (buffer.storage == Storage::kWeights) {
    code.Line("rt::TensorView<const " + element + "> " + buffer.name + ";  // '" +
              CommentText(buffer.label) + "' " + TypeText(buffer));
    if (buffer.dtype == DType::kString)
      code.Line("rt::Tensor<std::string> " + buffer.name + "_text;");
  }
  if (buffer.storage == Storage::kOwn) code.Line(HolderText(plan, id) + " " + buffer.holder + ";");
  if (buffer.storage == Storage::kStack)
    code.Line("rt::Stack<" + element + "> " + buffer.holder + ";");
  if (!members.buffers.contains(id) || buffer.storage == Storage::kWeights) return;
  if (buffer.IsTensor()) {
    code.Line(ViewText(plan, id) + " " + buffer.name + ";");
  } else if (buffer.storage == Storage::kInput) {
    code.Line(HolderText(plan, id) + " " + buffer.name + ";");
  }
}

void EmitMembers(const Plan& plan, const Members& members, CodeWriter& code) {
  code.Line("rt::Trace trace_{kSteps};");
  code.Line("std::shared_ptr<const rt::Weights> weights_;");
  code.Line("int threads_ = 1;");
  code.Line("State state_;");
  code.Line("State next_state_;  // takes the place of state_ when an entry has succeeded");
  code.Line("rt::Memory arena_;");
  code.Line("rt::Memory scratch_;");
  if (plan.num_slots > 0) code.Line("rt::Memory slots_[" + std::to_string(plan.num_slots) + "];");
  if (plan.headers.contains(std::string(kLineHeader))) code.Line("rt::Line line_;");
  if (DrawsRandomNumbers(plan)) code.Line("rt::RandomSource random_;");
  if (UsesOneDnn(plan)) code.Line("rt::FastContext context_;");
  for (BufferId id = 0; id < static_cast<BufferId>(plan.buffers.size()); ++id)
    EmitMember(plan, members, id, code);
  for (const std::string& symbol : members.symbols)
    code.Line("std::int64_t " + plan.symbols.at(symbol) + " = 0;");
  for (const LayoutGroup& group : plan.groups) {
    code.Line("std::int64_t " + group.name + " = 0;  // layout group, chosen by " +
              CommentText(group.anchor));
  }
  for (const Prepared& prepared : plan.prepared)
    code.Line(prepared.type + " " + prepared.name + ";");
}

// Where the weights lie.
void EmitWeights(const Plan& plan, CodeWriter& code) {
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.storage != Storage::kWeights) continue;
    const std::string place =
        "(" + std::to_string(buffer.at) + ", " + ShapeText(plan, *buffer.shape) + ")";
    if (buffer.dtype == DType::kString) {
      code.Line("DRAGOMAN_RT_TRY(weights_->StringsAt(" + std::to_string(buffer.at) + ", " +
                ShapeText(plan, *buffer.shape) + ", &" + buffer.name + "_text));");
      code.Line(buffer.name + " = " + buffer.name + "_text.view();");
    } else {
      code.Line(buffer.name + " = weights_->At<" + std::string(CppType(buffer.dtype)) + ">" +
                place + ";");
    }
  }
}

void EmitPrepare(const Plan& plan, const Members& members, CodeWriter& code) {
  code.Open("DRAGOMAN_RT_GLUE_ONCE rt::Status " + plan.class_name + "::Impl::Prepare() {");
  EmitWeights(plan, code);
  code.Line("DRAGOMAN_RT_TRY(arena_.Reserve(" + std::to_string(plan.arena_bytes) + "));");
  code.Line("DRAGOMAN_RT_TRY(scratch_.Reserve(0));");
  if (UsesThreads(plan)) code.Line("rt::SetThreads(threads_);");
  if (UsesOneDnn(plan)) code.Line("context_.Init(weights_);");
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.storage != Storage::kOwn || !buffer.IsStatic()) continue;
    code.Line("DRAGOMAN_RT_TRY(" + buffer.holder + ".Resize(" + ShapeText(plan, *buffer.shape) +
              "));");
  }
  StepEmitter(plan, members, code).EmitPreparations();
  code.Line("return rt::Status();");
  code.Close();
  code.Line();
}

// States get the values that the model file has.
void EmitReset(const Plan& plan, CodeWriter& code) {
  code.Open("rt::Status " + plan.class_name + "::Impl::Reset() noexcept {");
  for (const StateMember& state : plan.states) {
    for (std::string_view member : {"state_.", "next_state_."}) {
      const std::string name = std::string(member) + state.name;
      if (!state.IsTensor()) code.Line(name + ".Clear();");
      for (std::size_t i = 0; i < state.initial.size(); ++i) {
        code.Line("DRAGOMAN_RT_TRY(" + name + (state.IsTensor() ? ".Assign" : ".Append") +
                  "(weights_->At<" + std::string(CppType(ElementTypeOf(state.type))) + ">(" +
                  std::to_string(state.offsets[i]) + ", " +
                  ShapeText(plan, *state.initial[i].type().shape()) + ")));");
      }
    }
  }
  if (DrawsRandomNumbers(plan)) code.Line("random_.Restart();");
  code.Line("return rt::Status();");
  code.Close();
  code.Line();
}

}  // namespace

bool UsesOneDnn(const Plan& plan) { return !plan.prepared.empty(); }

bool UsesThreads(const Plan& plan) {
  return std::ranges::any_of(
      plan.headers, [](const std::string& header) { return header.starts_with("runtime/fast/"); });
}

bool DrawsRandomNumbers(const Plan& plan) {
  return plan.headers.contains("runtime/kernels/random.h") ||
         plan.headers.contains("runtime/kernels/dropout.h");
}

std::string UnusedMark(const Buffer& buffer) {
  return buffer.last > buffer.first ? "" : "[[maybe_unused]] ";
}

std::string ImplParameters(const Plan& plan, const PlanEntry& entry) {
  std::string text;
  auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const PlanInput& input : entry.inputs) {
    const Buffer& buffer = plan.buffer(input.buffer);
    add(UnusedMark(buffer) + ViewText(plan, input.buffer) + " " + buffer.name);
  }
  for (const PlanOutput& output : entry.outputs) {
    add(plan.buffer(output.value).IsStatic()
            ? "rt::TensorView<" + ElementText(plan, output.value) + "> " + output.name
            : HolderText(plan, output.value) + "* " + output.name);
  }
  return "(" + text + ")";
}

void EmitImplIncludes(const Plan& plan, CodeWriter& code) {
  std::set<std::string> headers = plan.headers;
  for (std::string_view header :
       {"kernels/copy.h", "program/glue.h", "program/loop.h", "program/memory.h",
        "program/operands.h", "program/sizes.h", "program/weights.h"}) {
    headers.insert("runtime/" + std::string(header));
  }
  if (UsesOneDnn(plan)) headers.insert("runtime/fast/context.h");
  if (UsesThreads(plan)) headers.insert("runtime/fast/threads.h");
  code.Line("#include <cstdint>");
  code.Line("#include <limits>");
  code.Line("#include <new>");
  code.Line("#include <utility>");
  code.Line();
  for (const std::string& header : headers) code.Line("#include \"" + header + "\"");
}

void EmitImplStruct(const Plan& plan, const Members& members, CodeWriter& code) {
  code.Open("struct " + plan.class_name + "::Impl {");
  code.Line("Impl(std::shared_ptr<const rt::Weights> weights, int threads)");
  code.Line("    : weights_(std::move(weights)), threads_(threads) {}");
  code.Line(
      "static std::unique_ptr<Impl> Make(std::shared_ptr<const rt::Weights> weights, int threads,");
  code.Line("                                  rt::Status* status);");
  code.Line("static std::unique_ptr<Impl> Load(const Options& options, rt::Status* status);");
  code.Line("rt::Status Prepare();");
  code.Line("rt::Status Reset() noexcept;");
  for (const PlanEntry& entry : plan.entries) {
    code.Line("rt::Status " + entry.method + ImplParameters(plan, entry) + ";");
    const std::size_t parts = CountParts(entry, plan.steps_per_file);
    if (parts == 1) continue;
    for (std::size_t part = 1; part <= parts; ++part)
      code.Line("rt::Status " + entry.method + "_part_" + std::to_string(part) + "();");
    for (const PlanOutput& output : entry.outputs) {
      if (!output.direct || plan.buffer(output.value).IsStatic()) continue;
      code.Line("rt::Tensor<" + ElementText(plan, output.value) + ">* " + output.name +
                " = nullptr;");
    }
  }
  code.Line();
  EmitMembers(plan, members, code);
  code.Close("};");
}

void EmitImplConstruction(const Plan& plan, const Members& members, CodeWriter& code) {
  code.Raw(Filled(std::string(kMakeImpl), "@Impl@", plan.class_name + "::Impl"));
  EmitPrepare(plan, members, code);
  EmitReset(plan, code);
}

}  // namespace dragoman::onednn

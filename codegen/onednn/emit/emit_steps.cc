// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/emit_steps.h"

#include <algorithm>
#include <iterator>

#include "codegen/onednn/emit/int8_text.h"
#include "core/ops/op_def.h"

namespace dragoman::onednn {
namespace {

bool AllStatic(const Plan& plan, const std::vector<Argument>& arguments) {
  return std::ranges::all_of(arguments, [&](const Argument& argument) {
    return std::ranges::all_of(
        argument.buffers, [&](BufferId id) { return id == kAbsent || plan.buffer(id).IsStatic(); });
  });
}

// Whether it calls the kernel of an operator that does; kernels are called as their operators.
bool DrawsRandomNumbers(const KernelStep& call) {
  const OpDef* def = FindOp(call.function.substr(0, call.function.find('<')));
  return def != nullptr && def->random;
}

// Scratch memory whose size the constructor knows.
bool HasKnownScratch(const Plan& plan, const Step& step, const KernelStep& call) {
  return call.scratch && step.sizes.kind == SizeRule::Kind::kNone &&
         AllStatic(plan, call.operands) && AllStatic(plan, call.outputs);
}

}  // namespace

// A comma between template arguments would end the argument of a macro.
void StepEmitter::Try(const std::string& expression) {
  const bool has_types = expression.find('<') != std::string::npos;
  code_.Line(has_types ? "DRAGOMAN_RT_TRY((" + expression + "));"
                       : "DRAGOMAN_RT_TRY(" + expression + ");");
}

std::string StepEmitter::Holder(BufferId id) const {
  const Buffer& buffer = plan_.buffer(id);
  if (buffer.storage == Storage::kSlot) return "slots_[" + std::to_string(buffer.at) + "]";
  return buffer.holder;
}

std::string StepEmitter::Declared(BufferId id, bool constant) const {
  if (members_.buffers.contains(id)) return "";
  return (constant ? "const " : "") + ViewText(plan_, id) + " ";
}

std::string StepEmitter::ViewArgument(BufferId id, const std::string& as, bool is_result,
                                      bool sizes_only) const {
  if (id == kAbsent) return "{}";
  const Buffer& buffer = plan_.buffer(id);
  const std::string element = as.empty() ? ElementText(plan_, id) : as;
  if (sizes_only && buffer.storage != Storage::kWeights) {
    return "rt::Sized<" + std::string(is_result ? "" : "const ") + element + ">(" +
           ShapeText(plan_, *buffer.shape) + ")";
  }
  if (as.empty()) return buffer.name;
  return "rt::As<" + std::string(is_result ? "" : "const ") + as + ">(" + buffer.name + ")";
}

std::string StepEmitter::ArgumentText(const Argument& argument, bool is_result,
                                      bool sizes_only) const {
  if (!argument.variadic)
    return ViewArgument(argument.buffers.front(), argument.as, is_result, sizes_only);
  if (argument.buffers.empty()) return "{}";
  std::vector<std::string> views;
  for (BufferId id : argument.buffers)
    views.push_back(ViewArgument(id, argument.as, is_result, sizes_only));
  return "rt::ViewArray<" + std::string(is_result ? "" : "const ") + argument.element + ", " +
         std::to_string(views.size()) + ">{{" + Join(views) + "}}";
}

std::string StepEmitter::CallArguments(const Step& step, const KernelStep& call,
                                       bool sizes_only) const {
  std::vector<std::string> arguments;
  if (!step.params.empty()) arguments.push_back(step.params);
  for (const Argument& operand : call.operands)
    arguments.push_back(ArgumentText(operand, false, sizes_only));
  for (const Argument& output : call.outputs)
    arguments.push_back(ArgumentText(output, true, sizes_only));
  return Join(arguments);
}

void StepEmitter::EmitBlock(const Block& block) {
  EmitBinds(block.binds);
  EmitSteps(block.steps);
}

void StepEmitter::EmitSteps(std::span<const Step> steps) {
  for (const Step& step : steps) EmitStep(step);
}

void StepEmitter::EmitStep(const Step& step) {
  code_.Line();
  code_.Comment(step.comment);
  for (const std::string& comment : step.fused) code_.Comment(comment);
  code_.Line("trace_.At(" + std::to_string(step.number) + ");");
  EmitChecks(step);
  EmitSizeFunction(step);
  std::visit([&](const auto& action) { Emit(step, action); }, step.action);
  if (step.sizes.kind != SizeRule::Kind::kFunction) EmitBinds(step.binds);
}

// As much as `Softmax<float>(arguments)` wants: SoftmaxScratchBytes<float>(arguments).
void StepEmitter::ReserveScratch(const KernelStep& call, const std::string& arguments) {
  const std::size_t types = std::min(call.function.find('<'), call.function.size());
  Try("scratch_.Reserve(rt::" + call.function.substr(0, types) + "ScratchBytes" +
      call.function.substr(types) + "(" + arguments + "))");
}

void StepEmitter::Emit(const Step& step, const KernelStep& call) {
  EmitPlaces(step);
  const std::string arguments = CallArguments(step, call, false);
  std::string text = "rt::" + call.function + "(" + arguments;
  if (call.scratch) {
    if (!HasKnownScratch(plan_, step, call)) ReserveScratch(call, arguments);
    text += ", scratch_.data()";
  }
  if (DrawsRandomNumbers(call)) text += ", random_";
  text += ")";
  if (call.fallible) {
    Try(text);
  } else {
    code_.Line(text + ";");
  }
}

void StepEmitter::Emit(const Step& step, const PreparedStep& call) {
  EmitPlaces(step);
  const Prepared& prepared = plan_.prepared[call.prepared];
  std::vector<std::string> arguments;
  auto data = [&](BufferId id) { return id == kAbsent ? "nullptr" : Name(id) + ".data"; };
  const bool takes_views = prepared.is_dynamic && call.sizes.empty();
  auto operand = [&](BufferId id) { return takes_views ? Name(id) : data(id); };
  if (!call.sizes.empty()) arguments.push_back(call.sizes);
  for (BufferId id : step.inputs) {
    // Of integers, only the first shows by its sizes what is to be prepared.
    const bool is_plain = prepared.int8 && !arguments.empty();
    arguments.push_back(is_plain ? data(id) : operand(id));
  }
  if (prepared.takes_post) arguments.push_back(data(call.residual));
  for (BufferId id : call.places.empty() ? step.results : call.places)
    arguments.push_back(operand(id));
  arguments.push_back(prepared.is_dynamic ? "scratch_" : "scratch_.data()");
  if (prepared.is_dynamic) AddBlocks(step, prepared, arguments);
  Try(prepared.name + ".Run(" + Join(arguments) + ")");
}

void StepEmitter::Emit(const Step& step, const AliasStep&) {
  const BufferId id = step.results.front();
  const Buffer& buffer = plan_.buffer(id);
  const std::string sizes =
      step.sizes.kind == SizeRule::Kind::kNone ? ShapeText(plan_, *buffer.shape) : SizesOf(step, 0);
  const bool idle = buffer.has_parts && !members_.buffers.contains(id);
  code_.Line((idle ? "[[maybe_unused]] " : "") + Declared(id) + buffer.name + " = {" +
             Name(step.inputs.front()) + ".data, " + sizes + "};");
}

void StepEmitter::PrepareSteps(std::span<const Step> steps) {
  for (const Step& step : steps) {
    for (const Block& body : step.bodies()) PrepareSteps(body.steps);
    if (const Prepared* prepared = plan_.PreparedOf(step)) EmitPreparation(step, *prepared);
    const auto* call = step.As<KernelStep>();
    if (call != nullptr && HasKnownScratch(plan_, step, *call))
      ReserveScratch(*call, CallArguments(step, *call, true));
  }
}

// The layouts of a prepared operator's operand and result, unless both are row-major and nothing
// follows.
void StepEmitter::AddBlocks(const Step& step, const Prepared& prepared,
                            std::vector<std::string>& arguments) const {
  const BufferId x = step.inputs.front(), y = step.results.front();
  const bool y_grouped = plan_.buffer(y).group != kRowMajor;
  const bool is_last = prepared.is_dynamic || (prepared.method.empty() && !HasHalf(step));
  const bool grouped = y_grouped || plan_.buffer(x).group != kRowMajor;
  if (!prepared.takes_blocks || (!grouped && is_last)) return;
  arguments.push_back("rt::Blocks{" + BlockText(x) + ", " +
                      (y_grouped ? "&" + BlockText(y) : std::string("nullptr")) + "}");
}

// Whether a prepared operator's operand or result is in bf16.
bool StepEmitter::HasHalf(const Step& step) const {
  const auto is_half = [&](BufferId id) { return plan_.buffer(id).dtype == DType::kBF16; };
  return is_half(step.inputs.front()) || is_half(step.results.front());
}

// The element types of both, unless they are f32 and nothing follows.
void StepEmitter::AddTypes(const Step& step, const Prepared& prepared,
                           std::vector<std::string>& arguments) const {
  if (!HasHalf(step) && prepared.method.empty()) return;
  const auto text = [&](BufferId id) {
    return plan_.buffer(id).dtype == DType::kBF16 ? "rt::Precision::kBF16" : "rt::Precision::kF32";
  };
  arguments.push_back("rt::ElementTypes{" + std::string(text(step.inputs.front())) + ", " +
                      text(step.results.front()) + "}");
}

void StepEmitter::EmitPreparation(const Step& step, const Prepared& prepared) {
  std::vector<std::string> arguments = {"context_"};
  if (!prepared.init.empty()) arguments.push_back(prepared.init);
  for (BufferId id : prepared.constants)
    arguments.push_back(id == kAbsent ? "nullptr" : Name(id) + ".data");
  if (prepared.takes_post && !prepared.int8) arguments.push_back(PostOpsText(prepared.post));
  std::ranges::copy(Int8Arguments(plan_, step, prepared), std::back_inserter(arguments));
  if (!prepared.is_dynamic) {
    AddBlocks(step, prepared, arguments);
    AddTypes(step, prepared, arguments);
  }
  if (!prepared.method.empty()) arguments.push_back(prepared.method);
  code_.Line("trace_.At(" + std::to_string(step.number) + ");");
  Try(prepared.name + ".Init(" + Join(arguments) + ")");
  if (prepared.reads_constants) return;
  if (!prepared.is_dynamic) Try("scratch_.Reserve(" + prepared.name + ".ScratchBytes())");
  for (BufferId id : prepared.constants) {
    if (id != kAbsent && plan_.buffer(id).storage == Storage::kWeights)
      code_.Line("weights_->Release(" + Name(id) + ");");
  }
  code_.Line("trace_.Describe(" + std::to_string(step.number) + ", " + prepared.name +
             ".Implementation(), " + BlockText(step.results.front()) + ");");
}

void StepEmitter::EmitPreparations() {
  PrepareSteps(plan_.constants.steps);
  EmitSteps(plan_.constants.steps);
  for (const PlanEntry& entry : plan_.entries) PrepareSteps(entry.body.steps);
}

}  // namespace dragoman::onednn

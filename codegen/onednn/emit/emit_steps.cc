#include "codegen/onednn/emit/emit_steps.h"

#include <algorithm>
#include <iterator>

#include "codegen/onednn/emit/int8_text.h"

namespace dragoman::onednn {
namespace {

bool AllStatic(const Plan& plan, const std::vector<Argument>& arguments) {
  return std::ranges::all_of(arguments, [&](const Argument& argument) {
    return std::ranges::all_of(
        argument.buffers, [&](BufferId id) { return id == kAbsent || plan.buffer(id).IsStatic(); });
  });
}

// Scratch memory whose size the constructor can tell.
bool HasKnownScratch(const Plan& plan, const Step& step) {
  return step.scratch && step.sizes.kind == SizeRule::Kind::kNone &&
         AllStatic(plan, step.operands) && AllStatic(plan, step.outputs);
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

std::string StepEmitter::CallArguments(const Step& step, bool sizes_only) const {
  std::vector<std::string> arguments;
  if (!step.params.empty()) arguments.push_back(step.params);
  for (const Argument& operand : step.operands)
    arguments.push_back(ArgumentText(operand, false, sizes_only));
  for (const Argument& output : step.outputs)
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
  switch (step.kind) {
    case Step::Kind::kKernel:
      EmitPlaces(step);
      EmitKernel(step);
      break;
    case Step::Kind::kPrepared:
      EmitPlaces(step);
      EmitPrepared(step);
      break;
    case Step::Kind::kMap:
      EmitPlaces(step);
      EmitMap(step);
      break;
    case Step::Kind::kLaidOut:
      EmitPlaces(step);
      EmitLaidOut(step);
      break;
    case Step::Kind::kInPlace:
      EmitPlaces(step);
      break;
    case Step::Kind::kAlias:
      EmitAlias(step);
      break;
    case Step::Kind::kIf:
      EmitIf(step);
      break;
    case Step::Kind::kLoop:
      EmitLoop(step);
      break;
    case Step::Kind::kScan:
      EmitScan(step);
      break;
    case Step::Kind::kAssert:
      EmitAssert(step);
      break;
    case Step::Kind::kPrint:
      EmitLine("", step);
      Try("line_.Print()");
      break;
  }
  if (step.sizes.kind != SizeRule::Kind::kFunction) EmitBinds(step.binds);
}

// As much as `Softmax<float>(arguments)` wants: SoftmaxScratchBytes<float>(arguments).
void StepEmitter::ReserveScratch(const Step& step, const std::string& arguments) {
  const std::size_t types = std::min(step.function.find('<'), step.function.size());
  Try("scratch_.Reserve(rt::" + step.function.substr(0, types) + "ScratchBytes" +
      step.function.substr(types) + "(" + arguments + "))");
}

void StepEmitter::EmitKernel(const Step& step) {
  const std::string arguments = CallArguments(step, false);
  std::string call = step.member.empty() ? "rt::" + step.function + "("
                                         : step.member + ".Run(context_, scratch_, ";
  call += arguments;
  if (step.scratch) {
    if (!HasKnownScratch(plan_, step)) ReserveScratch(step, arguments);
    call += ", scratch_.data()";
  }
  call += ")";
  if (step.fallible) {
    Try(call);
  } else {
    code_.Line(call + ";");
  }
}

void StepEmitter::EmitPrepared(const Step& step) {
  const Prepared& prepared = plan_.prepared[static_cast<std::size_t>(step.prepared)];
  std::vector<std::string> arguments;
  auto data = [&](BufferId id) { return id == kAbsent ? "nullptr" : Name(id) + ".data"; };
  for (BufferId id : step.inputs) arguments.push_back(data(id));
  if (prepared.takes_post) arguments.push_back(data(step.residual));
  for (BufferId id : step.places.empty() ? step.results : step.places)
    arguments.push_back(data(id));
  arguments.push_back("scratch_.data()");
  Try(prepared.name + ".Run(" + Join(arguments) + ")");
}

void StepEmitter::EmitAlias(const Step& step) {
  const BufferId id = step.results.front();
  const Buffer& buffer = plan_.buffer(id);
  const std::string sizes =
      step.sizes.kind == SizeRule::Kind::kNone ? ShapeText(plan_, *buffer.shape) : SizesOf(step, 0);
  code_.Line(Declared(id) + buffer.name + " = {" + Name(step.inputs.front()) + ".data, " + sizes +
             "};");
}

void StepEmitter::PrepareSteps(std::span<const Step> steps) {
  for (const Step& step : steps) {
    for (const Block& body : step.bodies) PrepareSteps(body.steps);
    if (step.kind == Step::Kind::kPrepared) EmitPreparation(step);
    if (HasKnownScratch(plan_, step)) ReserveScratch(step, CallArguments(step, true));
  }
}

void StepEmitter::EmitPreparation(const Step& step) {
  const Prepared& prepared = plan_.prepared[static_cast<std::size_t>(step.prepared)];
  std::vector<std::string> arguments = {"context_", prepared.init};
  for (BufferId id : prepared.constants)
    arguments.push_back(id == kAbsent ? "nullptr" : Name(id) + ".data");
  if (prepared.takes_post && !prepared.int8) arguments.push_back(prepared.post);
  std::ranges::copy(Int8Arguments(plan_, step), std::back_inserter(arguments));
  const BufferId x = step.inputs.front(), y = step.results.front();
  const bool y_grouped = plan_.buffer(y).group != kRowMajor;
  if (prepared.takes_blocks && (y_grouped || plan_.buffer(x).group != kRowMajor)) {
    arguments.push_back("rt::Blocks{" + BlockText(x) + ", " +
                        (y_grouped ? "&" + BlockText(y) : std::string("nullptr")) + "}");
    if (!prepared.method.empty()) arguments.push_back(prepared.method);
  }
  code_.Line("trace_.At(" + std::to_string(step.number) + ");");
  Try(prepared.name + ".Init(" + Join(arguments) + ")");
  Try("scratch_.Reserve(" + prepared.name + ".ScratchBytes())");
  for (BufferId id : prepared.constants) {
    if (id != kAbsent && plan_.buffer(id).storage == Storage::kWeights)
      code_.Line("weights_->Release(" + Name(id) + ");");
  }
  code_.Line("trace_.Describe(" + std::to_string(step.number) + ", " + prepared.name +
             ".Implementation(), " + BlockText(y) + ");");
}

void StepEmitter::EmitPreparations() {
  PrepareSteps(plan_.constants.steps);
  EmitSteps(plan_.constants.steps);
  for (const PlanEntry& entry : plan_.entries) PrepareSteps(entry.body.steps);
}

}  // namespace dragoman::onednn

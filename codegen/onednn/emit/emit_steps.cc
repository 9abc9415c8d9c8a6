#include "codegen/onednn/emit/emit_steps.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "codegen/onednn/emit/int8_text.h"
#include "codegen/onednn/plan/scalar_ops.h"

namespace dragoman::onednn {
namespace {

// Not every size that has a name is asked for.
constexpr const char* kSizeDeclaration = "[[maybe_unused]] const std::int64_t ";

std::string Join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

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

std::string FloatLiteral(float value) {
  if (std::isinf(value))
    return std::string(value < 0 ? "-" : "") + "std::numeric_limits<float>::infinity()";
  return FormatFloat(value) + "f";
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

void StepEmitter::EmitBinds(const std::vector<SymbolBinding>& binds) {
  for (const SymbolBinding& bind : binds) {
    const std::string& name = plan_.symbols.at(bind.symbol);
    code_.Line(std::string(members_.symbols.contains(bind.symbol) ? "" : kSizeDeclaration) + name +
               " = " + Name(bind.buffer) + ".shape[" + std::to_string(bind.axis) + "];");
  }
}

void StepEmitter::EmitInput(const PlanInput& input, std::set<std::string>& bound) {
  EmitBinds(input.binds);
  for (const SymbolBinding& bind : input.binds) bound.insert(bind.symbol);
  const Buffer& buffer = plan_.buffer(input.buffer);
  for (std::size_t i = 0; buffer.shape && i < buffer.shape->size(); ++i) {
    const Dim& dim = (*buffer.shape)[i];
    const auto binds_it = [&](const SymbolBinding& bind) {
      return bind.axis == static_cast<int>(i);
    };
    if (dim.known() || std::ranges::any_of(input.binds, binds_it)) continue;
    code_.Open("if (" + buffer.name + ".shape[" + std::to_string(i) +
               "] != " + SizeText(plan_, dim) + ") {");
    code_.Line("return rt::Status::Error(" +
               Literal("input '" + buffer.label + "': size " + std::to_string(i) +
                       " differs from " + dim.ToString() + " of other inputs") +
               ");");
    code_.Close();
  }
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

void StepEmitter::EmitChecks(const Step& step) {
  for (const OperandCheck& check : step.checks) {
    std::string arguments = Name(check.buffer) + ".shape";
    if (check.sizes) arguments += ", " + ShapeText(plan_, *check.sizes);
    if (check.like != kAbsent) arguments += ", " + Name(check.like) + ".shape";
    if (check.rank != 0) arguments += ", " + std::to_string(check.rank);
    Try("rt::" + std::string(check.function) + "(" + arguments + ")");
  }
}

std::string StepEmitter::SizeArgumentText(const Step& step, const SizeArgument& argument) const {
  using Kind = SizeArgument::Kind;
  const BufferId id = argument.buffers.empty() ? kAbsent : argument.buffers.front();
  auto shape = [&](BufferId each) {
    return each == kAbsent ? std::string("rt::Shape()") : Name(each) + ".shape";
  };
  switch (argument.kind) {
    case Kind::kParams:
      return step.params;
    case Kind::kShape:
      return shape(id);
    case Kind::kInts:
      return id == kAbsent ? "rt::IntSpan()" : "rt::IntValues(" + Name(id) + ")";
    case Kind::kFloats:
      return id == kAbsent ? "rt::FloatSpan()" : "rt::FloatValues(" + Name(id) + ")";
    case Kind::kView:
      return ViewArgument(id, argument.as, false, false);
    case Kind::kScratch:
      return "scratch_";
    case Kind::kShapes:
    case Kind::kGroup:
      break;
  }
  std::vector<std::string> shapes;
  for (BufferId each : argument.buffers) shapes.push_back(shape(each));
  if (argument.kind == Kind::kGroup) return "{" + Join(shapes) + "}";
  const std::string count = std::to_string(shapes.size());
  return "rt::ShapeArray<" + count + ">{{" + Join(shapes) + "}}, " + count;
}

void StepEmitter::EmitSizeFunction(const Step& step) {
  if (step.sizes.kind != SizeRule::Kind::kFunction) return;
  const std::string sizes = SizesVariable(step);
  const std::size_t count = step.sizes.num_sizes;
  code_.Line("rt::Shape " + sizes + (count == 1 ? "" : "[" + std::to_string(count) + "]") + ";");
  std::vector<std::string> arguments;
  for (const SizeArgument& argument : step.sizes.arguments)
    arguments.push_back(SizeArgumentText(step, argument));
  if (step.sizes.counted) {
    arguments.push_back(count == 1 ? "&" + sizes : sizes);
    arguments.push_back(std::to_string(count));
  } else if (count == 1) {
    arguments.push_back("&" + sizes);
  } else {
    for (std::size_t i = 0; i < count; ++i)
      arguments.push_back("&" + sizes + "[" + std::to_string(i) + "]");
  }
  Try("rt::" + step.sizes.function + "(" + Join(arguments) + ")");
  EmitSizeChecks(step);
}

// The sizes of result `result` of a step that learns them at run time.
std::string StepEmitter::SizesOf(const Step& step, std::size_t result) const {
  switch (step.sizes.kind) {
    case SizeRule::Kind::kSame:
      return Name(step.sizes.same) + ".shape";
    case SizeRule::Kind::kFunction: {
      if (step.sizes.num_sizes == 1) return SizesVariable(step);
      const std::size_t index = result < step.sizes.num_sizes ? result : 0;
      return SizesVariable(step) + "[" + std::to_string(index) + "]";
    }
    default:
      break;
  }
  return ShapeText(plan_, *plan_.buffer(step.results[result]).shape);
}

void StepEmitter::EmitPlace(BufferId id, const std::string& sizes, const std::string& mark) {
  const Buffer& buffer = plan_.buffer(id);
  if (buffer.storage == Storage::kOutput && buffer.IsStatic()) return;
  if (buffer.storage == Storage::kArena) {
    code_.Line(mark + Declared(id) + buffer.name + " = arena_.At<" + ElementText(plan_, id) + ">(" +
               std::to_string(buffer.at) + ", " + ShapeText(plan_, *buffer.shape) + ");");
    return;
  }
  if (!members_.buffers.contains(id)) code_.Line(Declared(id, false) + buffer.name + ";");
  const std::string_view access = buffer.storage == Storage::kOutput ? "->" : ".";
  Try(Holder(id) + std::string(access) + "Place(" + sizes + ", &" + buffer.name + ")");
}

void StepEmitter::EmitPlaces(const Step& step) {
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const Buffer& buffer = plan_.buffer(step.results[i]);
    if (!buffer.IsTensor()) continue;
    // Perhaps only the whole is read.
    const bool idle = step.kind == Step::Kind::kInPlace && buffer.is_part &&
                      !members_.buffers.contains(step.results[i]);
    EmitPlace(step.results[i], SizesOf(step, i), idle ? "[[maybe_unused]] " : "");
  }
}

// Whether the run came to the sizes on which the program relies, before anything is computed.
void StepEmitter::EmitSizeChecks(const Step& step) {
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const Buffer& buffer = plan_.buffer(step.results[i]);
    if (!buffer.shape) continue;
    const std::string sizes = SizesOf(step, i);
    for (const SymbolBinding& bind : step.binds) {
      if (bind.buffer != step.results[i]) continue;
      code_.Line(std::string(members_.symbols.contains(bind.symbol) ? "" : kSizeDeclaration) +
                 plan_.symbols.at(bind.symbol) + " = " + sizes + "[" + std::to_string(bind.axis) +
                 "];");
    }
    Try("rt::CheckSizes(" + sizes + ", " + ShapeText(plan_, *buffer.shape) + ")");
  }
}

void StepEmitter::EmitKernel(const Step& step) {
  const std::string arguments = CallArguments(step, false);
  std::string call = step.member.empty() ? "rt::" + step.function + "("
                                         : step.member + ".Run(context_, scratch_, ";
  call += arguments;
  if (step.scratch) {
    const std::size_t types = std::min(step.function.find('<'), step.function.size());
    if (!HasKnownScratch(plan_, step)) {
      Try("scratch_.Reserve(rt::" + step.function.substr(0, types) + "ScratchBytes" +
          step.function.substr(types) + "(" + arguments + "))");
    }
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

void StepEmitter::EmitMap(const Step& step) {
  std::vector<std::string> operands, results;
  for (BufferId id : step.inputs) operands.push_back(Name(id));
  for (BufferId id : step.results) results.push_back(Name(id));
  const bool blocked = plan_.buffer(step.results.front()).group != kRowMajor;
  const std::string call =
      blocked ? "rt::MapBlocked(" + BlockText(step.results.front()) + ", " : "rt::Map(";
  code_.Line(call + plan_.loops[static_cast<std::size_t>(step.loop)].name + ", rt::Operands(" +
             Join(operands) + "), rt::Results(" + Join(results) + "));");
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

void StepEmitter::EmitLaidOut(const Step& step) {
  std::vector<std::string> operands;
  for (BufferId id : step.inputs) operands.push_back(Name(id));
  std::string operand = operands.front();
  if (step.function == "ConcatChannels") {
    operand = "rt::ViewArray<const float, " + std::to_string(operands.size()) + ">{{" +
              Join(operands) + "}}";
  }
  code_.Line("rt::" + step.function + "(" + BlockText(step.inputs.front()) + ", " + operand + ", " +
             Name(step.results.front()) + ");");
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
    if (HasKnownScratch(plan_, step)) {
      const std::size_t types = std::min(step.function.find('<'), step.function.size());
      Try("scratch_.Reserve(rt::" + step.function.substr(0, types) + "ScratchBytes" +
          step.function.substr(types) + "(" + CallArguments(step, true) + "))");
    }
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

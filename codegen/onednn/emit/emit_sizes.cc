// SPDX-License-Identifier: Apache-2.0
// The part of StepEmitter that writes sizes: what is known of them, what must hold, where results
// lie.
#include <algorithm>
#include <optional>

#include "codegen/onednn/emit/emit_steps.h"

namespace dragoman::onednn {
namespace {

// Not every size that has a name is asked for.
constexpr const char* kSizeDeclaration = "[[maybe_unused]] const std::int64_t ";

// Which of the node's results buffer `id` is, omitted ones counted; nullopt if the step lists none.
std::optional<std::size_t> PlaceOf(const Step& step, BufferId id) {
  const auto* call = step.As<KernelStep>();
  if (call == nullptr) return std::nullopt;
  std::size_t place = 0;
  for (const Argument& output : call->outputs) {
    for (const BufferId each : output.buffers) {
      if (each == id) return place;
      ++place;
    }
  }
  return std::nullopt;
}

}  // namespace

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
      std::size_t index = PlaceOf(step, step.results[result]).value_or(result);
      if (index >= step.sizes.num_sizes) index = 0;
      return SizesVariable(step) + "[" + std::to_string(index) + "]";
    }
    default:
      break;
  }
  return ShapeText(plan_, *plan_.buffer(step.results[result]).shape);
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
  const std::string place = buffer.group == kRowMajor ? "Place(" : "PlaceInBlocks(rt::kMaxBlock, ";
  Try(Holder(id) + std::string(access) + place + sizes + ", &" + buffer.name + ")");
}

void StepEmitter::EmitPlaces(const Step& step) {
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const Buffer& buffer = plan_.buffer(step.results[i]);
    if (!buffer.IsTensor()) continue;
    // Perhaps only the whole is read.
    const bool idle =
        step.Is<InPlaceStep>() && buffer.is_part && !members_.buffers.contains(step.results[i]);
    EmitPlace(step.results[i], SizesOf(step, i), idle ? "[[maybe_unused]] " : "");
  }
}

}  // namespace dragoman::onednn

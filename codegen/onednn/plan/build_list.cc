// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals: each step calls a function of runtime/program/sequence.h.
#include <algorithm>
#include <string>
#include <string_view>

#include "codegen/onednn/plan/build.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/kernel_name.h"

namespace dragoman::onednn {
namespace {

using Form = Buffer::Form;

struct Row {
  std::string_view op;
  int position = -1;         // the operand whose element type is a template argument
  bool gives_sizes = false;  // the result is a tensor whose sizes depend on the elements
};

constexpr Row kRows[] = {{"ConcatFromSequence", -1, true},
                         {"Optional"},
                         {"OptionalGetElement", -1, true},
                         {"OptionalHasElement"},
                         {"SequenceAt", 1, true},
                         {"SequenceConstruct"},
                         {"SequenceEmpty"},
                         {"SequenceErase", 1},
                         {"SequenceInsert", 2},
                         {"SequenceLength"},
                         {"SplitToSequence", 1}};

const Row* FindRow(const Node& node) {
  const Row* row = std::ranges::find_if(kRows, [&](const Row& r) { return node.Is(r.op); });
  return row != std::end(kRows) ? row : nullptr;
}

bool IsList(const Value* value) {
  return value != nullptr && FormOf(value->type()) != Form::kTensor;
}

// The operand or result that is a sequence or an optional.
const Value* ListOf(const Node& node) {
  if (IsList(node.operand(0))) return node.operand(0);
  return IsList(node.result()) ? node.result() : nullptr;
}

std::string FunctionOf(const Node& node, Form form) {
  if (node.Is("Identity")) return "CopySequence";
  if (node.Is("Optional") && node.operand(0) == nullptr) return "OptionalNone";
  if (node.Is("Optional")) return IsList(node.operand(0)) ? "CopySequence" : "SequenceConstruct";
  if (node.Is("OptionalGetElement") && form == Form::kSequence) return "CopySequence";
  if (node.Is("OptionalGetElement") && form == Form::kOptionalSequence)
    return "OptionalGetSequence";
  return node.op().type;
}

// Arguments before the operands.
std::string ParamsOf(const Node& node, std::string_view function, Form form) {
  auto text = [](bool flag) { return std::string(flag ? "true" : "false"); };
  const std::string axis = std::to_string(IntAttribute(node, "axis")) + ", ";
  if (function == "ConcatFromSequence") return axis + text(IntAttribute(node, "new_axis") != 0);
  if (function == "SplitToSequence") return axis + text(IntAttribute(node, "keepdims") != 0);
  if (function == "OptionalNone" || function == "OptionalHasElement")
    return text(form == Form::kOptionalSequence);
  return "";
}

// "<float, std::int64_t>".
std::string TypesOf(const Node& node, const Value& list) {
  std::string text = "<" + std::string(CppType(ElementTypeOf(list.type())));
  if (const Row* row = FindRow(node); row != nullptr && row->position >= 0) {
    const Value* operand = node.operand(static_cast<std::size_t>(row->position));
    text += ", " + std::string(CppType(operand != nullptr ? operand->type().dtype() : DType::kI64));
  }
  return text + ">";
}

}  // namespace

bool HandlesLists(const Node& node) {
  return FindRow(node) != nullptr || (node.Is("Identity") && IsList(node.operand(0)));
}

Status PlanBuilder::BuildList(const Node& node, Step& step) {
  const Value* list = ListOf(node);
  if (list == nullptr) return Unsupported("no C++ for it: the operand is not an optional");
  const Form form = FormOf(list->type());
  const std::string function = FunctionOf(node, form);
  const std::string types = TypesOf(node, *list);
  KernelStep& call = step.action.emplace<KernelStep>();
  call.header = kSequenceHeader;
  call.function = function + types;
  call.fallible = true;
  step.params = ParamsOf(node, function, form);
  AddListOperands(node, function == "SequenceConstruct", call);
  call.outputs.emplace_back().buffers = {Make(*node.result())};
  const Row* row = FindRow(node);
  if (row == nullptr || !row->gives_sizes || IsList(node.result())) return {};
  step.sizes.kind = SizeRule::Kind::kFunction;
  step.sizes.function = function + "Shape" + types;
  if (!step.params.empty()) step.sizes.arguments.push_back({});
  for (const Argument& operand : call.operands)
    step.sizes.arguments.push_back({SizeArgument::Kind::kView, operand.buffers, {}});
  return {};
}

void PlanBuilder::AddListOperands(const Node& node, bool variadic, KernelStep& call) {
  if (variadic) {
    Argument& argument = call.operands.emplace_back();
    argument.variadic = true;
    argument.element = CppType(ElementTypeOf(node.result()->type()));
    for (const Use& use : node.operands()) argument.buffers.push_back(Get(use.value()));
    return;
  }
  const std::size_t formals = FindOp(node)->signature.operands.size();
  for (std::size_t i = 0; i < formals; ++i) {
    if (node.Is("Optional") && node.operand(i) == nullptr) continue;
    call.operands.emplace_back().buffers = {Get(node.operand(i))};
  }
}

}  // namespace dragoman::onednn

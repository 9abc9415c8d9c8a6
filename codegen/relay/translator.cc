// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/translator.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/relay/composed.h"
#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/relay_op.h"
#include "codegen/relay/relay_text.h"
#include "core/ir/node_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman::relay::emit {
namespace {

// Scalars have literals; small integers (sizes, axes, indices) stand in the metadata.
bool IsInText(const Tensor& tensor) {
  constexpr std::int64_t kMaxElements = 64;
  if (RelayDType(tensor.dtype()).empty()) return true;
  return tensor.rank() == 0 || (!IsFloating(tensor.dtype()) && tensor.size() <= kMaxElements) ||
         tensor.size() == 0;
}

bool HasType(const Type& type) {
  return type.is_tensor() && type.shape() != nullptr && !RelayDType(type.dtype()).empty();
}

bool IsOfUnknownElements(const Use& use) {
  if (use.value() == nullptr) return false;
  const Type& type = use.value()->type();
  return type.kind() == Type::Kind::kUnknown ||
         (type.is_tensor() && type.dtype() == DType::kUnknown);
}

}  // namespace

Type RelayType(const Type& type) {
  if (type.shape() == nullptr) return type;
  Shape shape = *type.shape();
  for (Dim& dim : shape) dim = dim.known() ? dim : Dim::Unknown();
  return Type::Tensor(type.dtype(), std::move(shape));
}

Translator::Translator(const Graph& entry, const Inference& inference, Graph& target)
    : entry_(entry), inference_(inference), target_(target), builder_(target) {}

void Translator::Refuse(const std::string& place, const std::string& what) {
  findings_.push_back({ErrorKind::kUnsupported, {}, place, what});
}

void Translator::AddInputs() {
  NameScope names;
  for (const auto& input : entry_.inputs()) {
    if (input->type().is_tensor() && input->type().shape() == nullptr) {
      Refuse("input '" + input->name() + "'",
             "its rank is not known, which Relay needs; state its sizes with --shape");
    } else if (!HasType(input->type())) {
      Refuse("input '" + input->name() + "'", "Relay has no type " + input->type().ToString());
    }
    values_[input.get()] =
        target_.AddInput(names.Unique(LocalName(input->name())), RelayType(input->type()));
  }
}

void Translator::AddWeights() {
  NameScope names;
  for (const auto& input : target_.inputs()) names.Reserve(input->name());
  const auto add = [&](const Value* value) {
    if (value == nullptr || !value->is_constant() || values_.contains(value)) return;
    const Tensor* tensor = value->tensor();
    if (tensor == nullptr || IsInText(*tensor)) return;
    Value* input = target_.AddInput(names.Unique(LocalName(value->name())), tensor->type());
    input->set_data(Attribute(*tensor));
    values_[value] = input;
  };
  ForEachGraph(entry_, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (const Use& operand : node.operands()) add(operand.value());
    }
    for (const Use& output : graph.outputs()) add(output.value());
  });
}

Value* Translator::Of(const Value* value) {
  if (value == nullptr) return nullptr;
  const auto found = values_.find(value);
  if (found != values_.end()) return found->second;
  const Tensor* tensor = value->tensor();
  const std::string_view dtype = RelayDType(value->type().dtype());
  if (tensor != nullptr && !dtype.empty() && tensor->size() == 0) {
    // TVM writes constants without elements into files that it cannot read.
    return builder_.Call("zeros", {}, {{"shape", tensor->sizes()}, {"dtype", std::string(dtype)}});
  }
  if (tensor != nullptr && !dtype.empty()) return builder_.Constant(*tensor);
  if (value->is_constant())
    Refuse("constant '" + value->name() + "'",
           "Relay has no constants of type " + value->type().ToString());
  // Of a node that was refused: nothing is written.
  return builder_.Constant(Tensor::Int(0));
}

void Translator::Set(const Value* value, Value* made) {
  if (value == nullptr) return;
  values_[value] = made;
  if (made->producer() != nullptr && HasType(value->type()))
    made->set_type(RelayType(value->type()));
}

namespace {

// `x`, which is result `i`, as a value of which TVM knows the sizes that inference does: those of
// its operators for sizes of run time are all open.
Value* WithKnownSizes(RelayOp& op, Value* x, std::size_t i) {
  const Node* call = x->producer();
  const Shape* sizes = op.result_type(i).shape();
  if (call == nullptr || sizes == nullptr) return x;
  const bool is_open = call->op().domain.starts_with("dyn") || call->op().type == "arange";
  return is_open ? State(op, x, *sizes) : x;
}

}  // namespace

Status Translator::TranslateOperator(const Node& node) {
  const OpDef* def = FindOp(node);
  const Row* row = def != nullptr ? FindRow(def->Label()) : nullptr;
  if (row == nullptr) return Unsupported("Relay has no such operator").At(node.Describe());
  std::unordered_set<const Value*> asked;
  const auto of = [this, &asked](const Value* value) {
    asked.insert(value);
    return Of(value);
  };
  const Node* before = target_.last_node();
  RelayOp op{{node, inference_, "Relay", bounded_}, row->target, builder_, of};
  if (std::ranges::any_of(node.operands(), IsOfUnknownElements))
    return op.Refuse("an element type is not known");
  if (!tvm::Takes(*row, node)) return op.Refuse(tvm::kNoForm);
  DRAGOMAN_ASSIGN(const Values results, row->emit(op));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) Set(node.result(i), WithKnownSizes(op, results[i], i));
  }
  if (IsComposed(node, before, asked)) composed_.push_back(*AsComposed(node));
  return {};
}

// Whether the calls after `before` say less than the node: several of them, one of another
// operator, or one that does not read every operand. Rewrites find linear layers again, whoever
// wrote them.
bool Translator::IsComposed(const Node& node, const Node* before,
                            const std::unordered_set<const Value*>& asked) {
  if (&builder_.graph() != &target_ || node.IsDragoman("Linear")) return false;
  const Node* last = target_.last_node();
  const bool is_one = last != before && last->prev() == before;
  const auto goes_unsaid = [&](const Use& use) {
    return use.value() != nullptr && !use.value()->is_constant() && !asked.contains(use.value());
  };
  return !is_one || FindRow(FindOp(node)->Label())->says_otherwise ||
         std::ranges::any_of(node.operands(), goes_unsaid) ||
         node.attribute("output_shape") != nullptr || IntAttribute(node, "ceil_mode", 0) != 0 ||
         TextAttribute(node, "auto_pad", "NOTSET") != "NOTSET";
}

// First those that others are parts of.
void Translator::AddRemarks(const std::vector<ComposedNode>& changed) {
  Attribute::Strings remarks;
  std::size_t names = 0;
  const auto add = [&](const ComposedNode& node) {
    const auto is_known = [this](const Value* value) {
      return value == nullptr || value->tensor() != nullptr || values_.contains(value);
    };
    const auto of = [this](const Value* value) {
      const auto found = values_.find(value);
      return found != values_.end() ? found->second : nullptr;
    };
    if (!std::ranges::all_of(node.operands, is_known) ||
        !std::ranges::all_of(node.results, is_known))
      return;
    std::string text = RemarkText(node, of, [&] { return std::to_string(names++); });
    if (!text.empty()) remarks.push_back(std::move(text));
  };
  std::ranges::for_each(changed, add);
  std::ranges::for_each(composed_, add);
  SetRemarks(target_, std::move(remarks));
}

Status Translator::TranslateNode(const Node& node) {
  builder_.set_span(node.name().empty() ? "" : SpanText(node.name()) + ":0:0");
  if (node.Is("If")) return TranslateIf(node);
  if (node.Is("Loop")) return TranslateLoop(node);
  if (node.IsDragoman("Fused")) return TranslateFused(node);
  return TranslateOperator(node);
}

// Every node that Relay cannot express is reported, so it goes on after a refusal.
void Translator::TranslateNodes(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    Status status = TranslateNode(node);
    builder_.set_span("");
    if (status.ok()) continue;
    for (Finding& finding : status.error().findings()) findings_.push_back(std::move(finding));
  }
}

Status Translator::Run(const std::vector<ComposedNode>& changed) {
  bounded_ = tvm::BoundedOf(changed);
  AddInputs();
  AddWeights();
  TranslateNodes(entry_);
  Values results;
  for (const Use& output : entry_.outputs()) {
    const Type& type = output.value()->type();
    if (!type.is_tensor() || RelayDType(type.dtype()).empty())
      Refuse("output '" + output.value()->name() + "'", "Relay has no type " + type.ToString());
    results.push_back(Of(output.value()));
  }
  if (!findings_.empty()) return Error(std::move(findings_));
  target_.AddOutput(Joined(results));
  AddRemarks(changed);
  return {};
}

}  // namespace dragoman::relay::emit

// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/translate_graph.h"

#include <fmt/format.h>

#include <utility>

#include "core/compare/composed_node.h"
#include "core/ir/origin.h"
#include "core/ops/op_def.h"
#include "exporters/pt2/origin_metadata.h"

namespace dragoman::pt2 {
namespace {

// What keeps values of `type` out of a program of torch; empty: nothing. Constants of less than 8
// bits are stored in bytes.
std::string WhyNot(const Type& type, bool is_constant) {
  if (!type.is_tensor()) return fmt::format("PyTorch has no type {}", type.ToString());
  const DType dtype = type.dtype();
  const bool is_packed = is_constant && IsInteger(dtype) && Info(dtype).bits < 8;
  if (!NumberOfDType(dtype) && !is_packed)
    return fmt::format("PyTorch has no element type {}", Name(dtype));
  if (type.shape() == nullptr) return "a rank is not known; state the inputs' sizes with --shape";
  return "";
}

}  // namespace

void GraphTranslator::Refuse(const std::string& place, const std::string& what) {
  findings_.push_back({ErrorKind::kUnsupported, {}, place, what});
}

bool GraphTranslator::CheckInput(const Value& input) {
  const std::string why = WhyNot(input.type(), false);
  if (why.empty()) return true;
  Refuse("input '" + input.name() + "'", why);
  failed_.insert(&input);
  return false;
}

bool GraphTranslator::HasOperands(const Node& node, AtenGraph& to) {
  for (const Use& use : node.operands()) {
    const Value* value = use.value();
    if (value == nullptr) continue;
    if (failed_.contains(value)) return false;
    const std::string why = WhyNot(value->type(), value->is_constant());
    if (!why.empty() || !to.Find(value)) {
      Refuse(node.Describe(), why.empty() ? "an operand has no elements" : why);
      return false;
    }
  }
  return true;
}

Emitted GraphTranslator::Emit(const Node& node, AtenGraph& to) {
  const OpDef* def = FindOp(node);
  const Row* row = def != nullptr ? FindRow(def->Label()) : nullptr;
  if (row == nullptr)
    return Unsupported("PyTorch cannot express it: no translation to operators of ATen")
        .At(node.Describe());
  AtenOp op = {node,
               to,
               inference_,
               program_,
               [this](const Graph& body, AtenGraph& inner) { return Translate(body, inner); },
               row->target};
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) == nullptr) continue;
    const std::string why = WhyNot(node.result(i)->type(), false);
    if (!why.empty()) return Unsupported(why).At(node.Describe());
  }
  return row->emit(op);
}

void GraphTranslator::BindResults(const Node& node, const Terms& terms, AtenGraph& to) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr) continue;
    if (i >= terms.size() || terms[i].dtype != result->type().dtype() ||
        terms[i].shape.size() != result->type().shape()->size()) {
      findings_.push_back({ErrorKind::kInternal,
                           {},
                           node.Describe(),
                           fmt::format("its result {} became another type in PyTorch", i)});
      return BindStandIns(node, to);
    }
    to.Bind(result, terms[i]);
  }
}

void GraphTranslator::BindStandIns(const Node& node, AtenGraph& to) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr) continue;
    failed_.insert(result);
    const Shape* shape = result->type().shape();
    to.Bind(result, {"", result->type().dtype(), shape != nullptr ? *shape : Shape()});
  }
}

void GraphTranslator::TranslateNode(const Node& node, AtenGraph& to) {
  if (!HasOperands(node, to)) return BindStandIns(node, to);
  const std::size_t before = findings_.size();
  const std::size_t first = to.num_calls();
  to.SetOrigin(MetadataOf(node.origin()));
  Emitted terms = Emit(node, to);
  if (!terms.ok()) {
    for (Finding& finding : terms.error().findings()) findings_.push_back(std::move(finding));
  }
  if (!terms.ok() || findings_.size() != before) return BindStandIns(node, to);
  BindResults(node, *terms, to);
  // An operator that is one of ATen says all that the node did.
  std::optional<ComposedNode> composed = AsComposed(node);
  const bool says_all = composed && !FindRow(composed->label)->target.empty() &&
                        composed->attributes.empty() && to.IsOneCall(first, composed->operands);
  if (!composed && (node.Is("Loop") || node.Is("Scan")) && !HasEffect(node)) {
    std::vector<const Value*> results;
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr) results.push_back(node.result(i));
    }
    composed = AsComposedGraph({&node}, results);
  }
  if (composed && !says_all) to.Remark(*std::move(composed), first, &node);
}

Terms GraphTranslator::Translate(const Graph& graph, AtenGraph& to) {
  for (const Node& node : graph.nodes()) TranslateNode(node, to);
  Terms outputs;
  for (const Use& output : graph.outputs()) {
    const Value* value = output.value();
    std::optional<Term> term = to.Find(value);
    const std::string why = WhyNot(value->type(), value->is_constant());
    if ((!term || !why.empty()) && !failed_.contains(value))
      Refuse("output '" + value->name() + "'", why.empty() ? "it has no elements" : why);
    outputs.push_back(term.value_or(Term()));
  }
  return outputs;
}

}  // namespace dragoman::pt2

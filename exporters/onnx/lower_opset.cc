// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/lower_opset.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "core/ir/domain.h"
#include "core/ir/dtype_kinds.h"
#include "core/ir/model.h"
#include "core/support/find_by_key.h"

namespace dragoman {
namespace {

struct TypeSince {
  std::string_view type;
  std::int64_t opset;
};
// Most operators took bf16 in opset 13, those that changed last in the common opset in that.
constexpr TypeSince kBF16Since[] = {
    {"BatchNormalization", 14},
    {"ConstantOfShape", 21},
    {"CumSum", 14},
    {"DequantizeLinear", 19},
    {"Dropout", 13},
    {"GreaterOrEqual", 16},
    {"If", 16},
    {"IsInf", 20},
    {"LeakyRelu", 16},
    {"LessOrEqual", 16},
    {"Loop", 16},
    {"PRelu", 16},
    {"QuantizeLinear", 19},
    {"Scan", 16},
    {"Where", 16},
};
// Others took them with their newest form.
constexpr TypeSince kFloat8Since[] = {
    {"Cast", 19},           {"DequantizeLinear", 19}, {"Identity", 19}, {"If", 19},    {"Loop", 19},
    {"QuantizeLinear", 19}, {"Reshape", 19},          {"Scan", 19},     {"Shape", 19}, {"Size", 19},
};

std::int64_t Since(std::span<const TypeSince> table, std::string_view type,
                   std::int64_t otherwise) {
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const TypeSince& since) { return since.type == type; });
  return row == table.end() ? otherwise : row->opset;
}

// The opset that operators need for an element type that they came to admit over time: the newest
// form is sure to have it.
std::int64_t NeededForYoung(std::string_view type, const OpVersions& versions, DType dtype) {
  if (dtype == DType::kBF16) {
    const bool changed_last = versions.newest == kCommonOpset;
    return Since(kBF16Since, type, changed_last ? kCommonOpset : 13);
  }
  if (dtype >= DType::kF8E4M3FN && dtype <= DType::kF8E5M2FNUZ)
    return Since(kFloat8Since, type, versions.newest);
  return dtype > DType::kBF16 ? versions.newest : 1;
}

// Arithmetic that took integers, and small ones, only from some opset on.
struct IntegerSince {
  std::string_view type;
  std::int64_t integers;
  std::int64_t small_integers;
};
constexpr IntegerSince kIntegerSince[] = {
    {"Add", 7, 14},  {"Clip", 12, 12},     {"CumSum", 11, 11},   {"Div", 7, 14},
    {"Gemm", 9, 9},  {"Greater", 9, 9},    {"Less", 9, 9},       {"MatMul", 9, 9},
    {"Max", 12, 12}, {"Min", 12, 12},      {"Mul", 7, 14},       {"PRelu", 9, 9},
    {"Pow", 12, 12}, {"ReduceMax", 1, 12}, {"ReduceMin", 1, 12}, {"Relu", 14, 14},
    {"Sub", 7, 14},
};

std::int64_t NeededForIntegers(std::string_view type, DType dtype) {
  if (!IsInteger(dtype)) return 1;
  const auto* row = std::find_if(std::begin(kIntegerSince), std::end(kIntegerSince),
                                 [&](const IntegerSince& r) { return r.type == type; });
  if (row == std::end(kIntegerSince)) return 1;
  return IsShortInteger(dtype) ? row->small_integers : row->integers;
}

// The opset that `node` needs for the types of its operands and results.
std::int64_t NeededForTypes(const Node& node, const OpVersions& versions) {
  const std::string_view type = node.op().type;
  std::int64_t needed = 1;
  const auto consider = [&](const Value* value) {
    if (value == nullptr || !value->type().known()) return;
    const DType dtype = value->type().dtype();
    needed = std::max(needed, NeededForYoung(type, versions, dtype));
    const bool tensors_only = versions.first < 10;  // but for bodies and Identity, later
    if (!value->type().is_tensor() && tensors_only) needed = std::max<std::int64_t>(needed, 16);
    needed = std::max(needed, NeededForIntegers(type, dtype));
    if (dtype == DType::kString && type == "Equal") needed = std::max<std::int64_t>(needed, 19);
  };
  for (const Use& use : node.operands()) consider(use.value());
  for (std::size_t i = 0; i < node.num_results(); ++i) consider(node.result(i));
  return needed;
}

// Empty, or what stands in the way.
std::string LowerNode(Node& node, std::int64_t opset, std::optional<std::int64_t> own) {
  const OpVersions* versions = FindOpVersions(node);
  if (versions == nullptr)
    return opset == own ? "" : "its forms in other operator sets are not known";
  if (versions->first > opset) {
    return "the operator exists from opset " + std::to_string(versions->first) + " on";
  }
  if (versions->newest <= opset) return "";
  if (const std::int64_t needed = NeededForTypes(node, *versions); needed > opset) {
    return "its element types need opset " + std::to_string(needed);
  }
  const std::string type = node.op().type;  // a change of form may give it another
  for (std::span<const FormChange> changes : {LateFormChanges(), EarlyFormChanges()}) {
    for (const FormChange& change : changes) {
      if (change.type != type || change.since <= opset) continue;
      std::string refusal = change.downgrade(node);
      if (!refusal.empty()) return refusal + ", which needs opset " + std::to_string(change.since);
    }
  }
  return "";
}

// Puts a node without its optional results that nothing uses in the place of `node`, which goes:
// older forms may lack them.
Node& OmitUnusedResults(Node& node) {
  const OpDef* def = FindOp(node);
  std::size_t kept = node.num_results();
  const auto spare = [&](std::size_t i) {
    const Formal* formal = def->signature.ResultAt(i);
    const Value* result = node.result(i);
    return formal != nullptr && formal->optional && (result == nullptr || !result->used());
  };
  while (def != nullptr && kept > 1 && spare(kept - 1)) --kept;
  if (kept == node.num_results() || !node.subgraphs().empty()) return node;
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) operands.push_back(use.value());
  Node* lean = node.graph()->Insert(&node, &node.op(), operands, node.name());
  lean->attributes() = std::move(node.attributes());
  lean->set_origin(node.origin());
  for (std::size_t i = 0; i < kept; ++i) {
    Value* old = node.result(i);
    if (old == nullptr) {
      lean->AddOmittedResult();
    } else {
      old->ReplaceAllUsesWith(lean->AddResult(old->name(), old->type()));
    }
  }
  node.graph()->Erase(&node);
  return *lean;
}

// Operators of text of which the common dialect has forms of its own, and which their expansions
// are made of.
struct TextVersions {
  std::string_view type;
  OpVersions versions;
};
constexpr TextVersions kTextVersions[] = {
    {"RegexFullMatch", {20, 20}}, {"StringNormalizer", {10, 10}}, {"StringSplit", {20, 20}}};

}  // namespace

const OpVersions* FindOpVersions(const Node& node) {
  if (const OpDef* def = FindOp(node)) return &def->versions;
  const TextVersions* row =
      FindByKey(kTextVersions, std::string_view(node.op().type), &TextVersions::type);
  return row != nullptr ? &row->versions : nullptr;
}

Status CheckOpset(std::int64_t opset) {
  if (opset >= kMinExportOpset && opset <= kMaxExportOpset) return {};
  return Unsupported("--opset " + std::to_string(opset) + " is not between " +
                     std::to_string(kMinExportOpset) + " and " + std::to_string(kMaxExportOpset));
}

void LowerOpset(Graph& graph, std::int64_t opset, std::optional<std::int64_t> own,
                std::vector<Finding>& findings) {
  const auto lower = [&](Node& node) {
    const std::string refusal = LowerNode(node, opset, own);
    if (refusal.empty()) return;
    findings.push_back({ErrorKind::kUnsupported,
                        {},
                        node.Describe(),
                        "cannot be written for opset " + std::to_string(opset) + ": " + refusal});
  };
  // A node that a change of form puts after the one at hand is lowered next.
  for (Node* node = graph.first_node(); node != nullptr; node = node->next()) {
    for (Graph* body : node->subgraphs()) LowerOpset(*body, opset, own, findings);
    if (node->op().dialect != "onnx" || !IsDefaultDomain(node->op().domain)) continue;
    node = &OmitUnusedResults(*node);
    Node* const before = node->prev();
    lower(*node);
    // Those that it puts in front.
    Node* added = before != nullptr ? before->next() : graph.first_node();
    for (; added != node; added = added->next()) {
      for (Graph* body : added->subgraphs()) LowerOpset(*body, opset, own, findings);
      lower(*added);
    }
  }
  graph.EraseConstantsIf([](const Value& constant) { return !constant.used(); });
}

}  // namespace dragoman

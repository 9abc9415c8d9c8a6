// SPDX-License-Identifier: Apache-2.0
#include "core/compare/composed_part.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/compare/fingerprint.h"
#include "core/ir/print.h"
#include "core/ir/type_algebra.h"
#include "core/support/sha256.h"

namespace dragoman {
namespace {

using compare::AppendInt;
using compare::AppendOp;
using compare::AppendText;

std::string Digest(const std::string& key) {
  constexpr std::size_t kDigits = 16;
  return Sha256Hex(std::as_bytes(std::span(key))).substr(0, kDigits);
}

// Everything that nodes say, as bytes, with values as numbers in the order in which they are met.
class PartKey {
 public:
  explicit PartKey(const NodeRemark& remark) : remark_(remark) {}

  bool Knows(const Value* value) const { return value == nullptr || numbers_.contains(value); }
  bool IsTaken(const Value* value) const { return taken_.contains(value); }
  void Number(const Value* value) { numbers_.emplace(value, numbers_.size() + 1); }
  void AppendValue(const Value* value) {
    const auto found = numbers_.find(value);
    AppendInt(key, found != numbers_.end() ? found->second : 0);
  }
  // Calls may be right for these sizes alone.
  void AppendType(const Type& type) { AppendText(key, type.ToString()); }

  void AppendSize(const Value& value, const std::string& expression) {
    AppendText(key, expression);
    Number(&value);
  }

  void AppendConstant(const Value& constant) {
    AppendText(key, PrintAttribute(Attribute(*constant.tensor())));
    Number(&constant);
  }

  void AppendNode(const Node& node) {
    const std::optional<std::string> remark = remark_(node);
    if (!remark) return;
    AppendOp(key, node.op());
    AppendText(key, *remark);
    for (const NamedAttribute& attribute : node.attributes()) {
      AppendText(key, attribute.name);
      if (const Graph* body = attribute.value.graph()) {
        AppendGraph(*body);
      } else {
        AppendText(key, PrintAttribute(attribute.value));
      }
    }
    AppendInt(key, node.num_operands());
    for (const Use& use : node.operands()) AppendValue(use.value());
    for (const Value* value : TakenBy(node)) taken_.insert(value);
    AppendInt(key, node.num_results());
    for (std::size_t i = 0; i < node.num_results(); ++i) Number(node.result(i));
  }

  // Bodies nest as deep as the reader of the format permits.
  void AppendGraph(const Graph& graph) {
    AppendInt(key, graph.num_inputs());
    for (const auto& input : graph.inputs()) {
      Number(input.get());
      AppendType(input->type());
    }
    for (const Node& node : graph.nodes()) AppendNode(node);
    AppendInt(key, graph.num_outputs());
    for (const Use& output : graph.outputs()) AppendValue(output.value());
  }

  std::string key;

 private:
  const NodeRemark& remark_;
  std::unordered_map<const Value*, std::uint64_t> numbers_;
  std::unordered_set<const Value*> taken_;
};

// Of programs whose sizes are nodes. Appends what the calls may hold of an operand as literals: the
// bytes of a constant that they do not take, and of small ones, which they may hold beside taking
// them. False: they take nothing of a value that is computed, or that a graph around this one
// gives, which they may hold too.
bool AppendHeld(const Value& operand, PartKey& key) {
  constexpr std::size_t kMostHeldBytes = 4096;
  const Tensor* constant = operand.tensor();
  const bool is_taken = key.IsTaken(&operand);
  if (constant != nullptr && (!is_taken || constant->bytes().size() <= kMostHeldBytes))
    key.AppendConstant(operand);
  const bool is_of_entry = operand.producer() == nullptr && !operand.is_constant() &&
                           operand.graph()->parent() == nullptr;
  return is_taken || constant != nullptr || is_of_entry;
}

// Appends the nodes that `result` takes, operands first. False: one of them does not belong.
bool AppendNodesOf(const Value* result, const SizeRemark& of_sizes, PartKey& key,
                   std::vector<const Node*>& nodes) {
  struct Open {
    const Node* node;
    std::vector<const Value*> taken;
    std::size_t next = 0;
  };
  std::vector<Open> open;
  const auto enter = [&](const Value* value) {
    if (key.Knows(value)) return true;
    if (const auto size = of_sizes ? of_sizes(*value) : std::nullopt) {
      key.AppendSize(*value, *size);
      return true;
    }
    const Node* node = value->producer();
    if (node != nullptr) open.push_back({node, TakenBy(*node)});
    if (value->tensor() != nullptr) key.AppendConstant(*value);
    return node != nullptr || value->tensor() != nullptr;
  };
  if (!enter(result)) return false;
  while (!open.empty()) {
    Open& last = open.back();
    if (last.next < last.taken.size()) {
      if (!enter(last.taken[last.next++])) return false;
      continue;
    }
    const Node* done = last.node;
    open.pop_back();
    if (done->num_results() > 0 && key.Knows(done->result(0))) continue;
    key.AppendNode(*done);
    nodes.push_back(done);
  }
  return true;
}

}  // namespace

std::vector<const Value*> TakenBy(const Node& node) {
  std::vector<const Value*> taken;
  for (const Use& use : node.operands()) taken.push_back(use.value());
  std::unordered_set<const Graph*> inside;
  const auto see = [&](const Use& use) {
    const bool is_own = use.value() == nullptr || inside.contains(use.value()->graph());
    if (!is_own) taken.push_back(use.value());
  };
  for (const NamedAttribute& attribute : node.attributes()) {
    const Graph* body = attribute.value.graph();
    if (body == nullptr) continue;
    ForEachGraph(*body, [&](const Graph& graph) { inside.insert(&graph); });
    ForEachGraph(*body, [&](const Graph& graph) {
      for (const Node& inner : graph.nodes()) std::ranges::for_each(inner.operands(), see);
      std::ranges::for_each(graph.outputs(), see);
    });
  }
  return taken;
}

std::optional<ComposedPart> FindComposedPart(const ComposedOperator& composed,
                                             const NodeRemark& remark, const SizeRemark& of_sizes) {
  PartKey key(remark);
  AppendText(key.key, composed.label);
  AppendText(key.key, composed.attributes);
  AppendInt(key.key, composed.operands.size());
  for (const ComposedOperator::Operand& operand : composed.operands) {
    AppendText(key.key, operand.constant);
    if (operand.value == nullptr) continue;
    if (!key.Knows(operand.value)) key.Number(operand.value);
    key.AppendValue(operand.value);
    key.AppendType(operand.value->type());
  }
  ComposedPart part;
  for (const Value* result : composed.results) {
    if (result != nullptr && !AppendNodesOf(result, of_sizes, key, part.nodes)) return std::nullopt;
    key.AppendValue(result);
  }
  if (part.nodes.empty()) return std::nullopt;
  for (const ComposedOperator::Operand& operand : composed.operands) {
    const bool may_be_held = of_sizes && operand.value != nullptr;
    if (may_be_held && !AppendHeld(*operand.value, key)) return std::nullopt;
  }
  part.digest = Digest(key.key);
  return part;
}

std::string DigestOfFunction(const Graph& function, const NodeRemark& remark) {
  PartKey key(remark);
  key.AppendGraph(function);
  return Digest(key.key);
}

}  // namespace dragoman

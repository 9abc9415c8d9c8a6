// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/weight_role.h"
#include "core/ops/op_def.h"
#include "core/rewrite/passes.h"
#include "core/rewrite/stated_default.h"
#include "core/support/flat_map.h"
#include "core/support/hash.h"

namespace dragoman {
namespace {

constexpr std::size_t kMaxMergedBytes = std::size_t{64} << 10;  // of a constant

std::size_t HashOf(const Node& node, bool commutative) {
  std::size_t hash = std::hash<const void*>()(&node.op());
  std::size_t front = 0;
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    const std::size_t operand = std::hash<const void*>()(node.operand(i));
    if (commutative && i < 2) {
      front += operand;
    } else {
      hash = HashCombine(hash, operand);
    }
  }
  for (const NamedAttribute& attribute : node.attributes()) {
    if (!SaysDefault(node, attribute)) hash += std::hash<std::string>()(attribute.name);
  }
  return HashCombine(hash, front);
}

bool SameOperands(const Node& a, const Node& b, bool commutative) {
  if (a.num_operands() != b.num_operands()) return false;
  for (std::size_t i = 2; i < a.num_operands(); ++i) {
    if (a.operand(i) != b.operand(i)) return false;
  }
  if (a.operand(0) == b.operand(0) && a.operand(1) == b.operand(1)) return true;
  return commutative && a.operand(0) == b.operand(1) && a.operand(1) == b.operand(0);
}

// An attribute that is not there has its default.
bool HasAttributesOf(const Node& a, const Node& b) {
  return std::ranges::all_of(b.attributes(), [&](const NamedAttribute& attribute) {
    const Attribute* own = a.attribute(attribute.name);
    return own != nullptr ? Identical(*own, attribute.value) : SaysDefault(b, attribute);
  });
}

bool SameAttributes(const Node& a, const Node& b) {
  return HasAttributesOf(a, b) && HasAttributesOf(b, a);
}

// `keeper` has every result that `node` has.
bool HasResults(const Node& keeper, const Node& node) {
  if (keeper.num_results() != node.num_results()) return false;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && keeper.result(i) == nullptr) return false;
  }
  return true;
}

// Readers of the results of `node` may read those of `keeper`, which has them all.
bool CanStandFor(const Node& keeper, const Node& node) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result != nullptr && !PassContext::CanReplace(*result, *keeper.result(i))) return false;
  }
  return true;
}

// The one element that a value of known sizes repeats; nullopt: it is no such value.
std::optional<Tensor> FillOf(const Node& node) {
  const Shape* shape = node.num_results() == 1 ? node.result(0)->type().shape() : nullptr;
  if (shape == nullptr) return std::nullopt;
  const Tensor* fill = nullptr;
  if (node.Is("ConstantOfShape")) {
    const Attribute* value = node.attribute("value");
    fill = value != nullptr ? value->tensor() : nullptr;
  } else if (node.Is("Expand") && node.operand(0)->is_constant()) {
    fill = node.operand(0)->tensor();
  }
  if (fill == nullptr || fill->size() != 1) return std::nullopt;
  return fill->Reshaped({});
}

// The nodes and constants that are visible where the walk stands. What a body adds goes when the
// body ends.
class Merging {
 public:
  explicit Merging(PassContext& context) : context_(context) {}

  void Visit(Graph& graph) {
    const std::size_t mark = items_.size();
    for (const auto& constant : graph.constants()) VisitConstant(*constant);
    for (Node& node : graph.nodes()) {
      if (node.IsDragoman("Fused")) continue;
      for (Graph* body : node.subgraphs()) Visit(*body);
      VisitNode(node);
    }
    while (items_.size() > mark) Remove(items_.back());
  }
  bool changed() const { return changed_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Item {
    Value* constant = nullptr;
    Node* node = nullptr;
    std::optional<Tensor> fill;  // what the node repeats
    std::uint64_t hash = 0;
    // Those of equal hash, in the order in which they were added.
    std::uint32_t previous = kNone, next = kNone;
  };

  // The first item of that hash, or kNone.
  std::uint32_t First(std::uint64_t hash) const {
    const std::uint32_t* first = first_.Find(hash);
    return first == nullptr ? kNone : *first;
  }

  void Add(Item item) {
    const auto added = static_cast<std::uint32_t>(items_.size());
    for (std::uint32_t i = First(item.hash); i != kNone; i = items_[i].next) item.previous = i;
    if (item.previous == kNone) {
      *first_.TryEmplace(item.hash, added).first = added;
    } else {
      items_[item.previous].next = added;
    }
    items_.push_back(item);
  }

  // The one that was added last.
  void Remove(const Item& item) {
    if (item.previous == kNone) {
      *first_.Find(item.hash) = kNone;
    } else {
      items_[item.previous].next = kNone;
    }
    items_.pop_back();
  }

  void VisitConstant(Value& constant) {
    const Tensor* tensor = constant.tensor();
    if (tensor == nullptr || !constant.used() || tensor->bytes().size() > kMaxMergedBytes) return;
    const std::uint64_t hash = tensor->Hash() | 1;  // 0 is not a key
    for (std::uint32_t i = First(hash); i != kNone; i = items_[i].next) {
      const Item& item = items_[i];
      if (item.constant == nullptr || !(*item.constant->tensor() == *tensor) ||
          IsBuffer(*item.constant) != IsBuffer(constant))
        continue;
      if (!PassContext::CanReplace(constant, *item.constant)) {
        if (item.constant->graph() == constant.graph()) return;
        continue;
      }
      AddOrigin(*item.constant, constant.origin());
      constant.ReplaceAllUsesWith(item.constant);
      changed_ = true;
      return;
    }
    Add({.constant = &constant, .hash = hash});
  }

  // Equal elements in equal sizes, however these are computed.
  void VisitFill(Node& node, const Tensor& fill) {
    const std::uint64_t hash = (fill.Hash() + 2) | 1;
    for (std::uint32_t i = First(hash); i != kNone; i = items_[i].next) {
      const Item& item = items_[i];
      if (!item.fill || !(*item.fill == fill)) continue;
      if (!SameShape(*item.node->result(0), *node.result(0))) continue;
      if (CanStandFor(*item.node, node)) return Merge(node, *item.node);
    }
    Add({.node = &node, .fill = fill, .hash = hash});
  }

  void VisitNode(Node& node) {
    const OpDef* def = FindOp(node);
    if (def == nullptr || def->effect || def->random || !node.subgraphs().empty()) return;
    // An Identity stands where an output needs a value of its own.
    if (node.Is("Identity")) return;
    if (const std::optional<Tensor> fill = FillOf(node)) return VisitFill(node, *fill);
    const std::uint64_t hash = HashOf(node, def->commutative) | 1;
    for (std::uint32_t i = First(hash); i != kNone; i = items_[i].next) {
      const Item& item = items_[i];
      if (item.node == nullptr || &item.node->op() != &node.op()) continue;
      if (!SameOperands(*item.node, node, def->commutative)) continue;
      if (!SameAttributes(*item.node, node) || !HasResults(*item.node, node)) continue;
      if (CanStandFor(*item.node, node)) return Merge(node, *item.node);
      if (item.node->graph() == node.graph()) return;  // both name outputs: one is enough to find
    }
    Add({.node = &node, .hash = hash});
  }

  void Merge(Node& node, Node& keeper) {
    context_.Explain(node, "computes the same as " + keeper.Describe());
    std::vector<Value*> results;
    for (std::size_t i = 0; i < keeper.num_results(); ++i) results.push_back(keeper.result(i));
    context_.Replace(node, results);
    changed_ = true;
  }

  PassContext& context_;
  std::vector<Item> items_;  // what is visible, in the order in which it was added
  FlatMap<std::uint64_t, std::uint32_t> first_;  // of each hash
  bool changed_ = false;
};

}  // namespace

Result<bool> MergeCommonSubexpressions(Graph& graph, PassContext& context) {
  // Bodies are walked from the outermost graph, since they see its nodes; that of a Fused sees
  // none.
  if (graph.parent() != nullptr && !graph.parent()->IsDragoman("Fused")) return false;
  Merging merging(context);
  merging.Visit(graph);
  return merging.changed();
}

}  // namespace dragoman

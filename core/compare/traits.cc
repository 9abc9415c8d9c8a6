#include "core/compare/traits.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "core/ir/domain.h"

namespace dragoman::compare {
namespace {

bool HasDefault(const NamedAttribute& attribute, const OpDef& definition) {
  for (const AttributeDef& known : definition.attributes) {
    if (known.name != attribute.name) continue;
    return known.default_value.kind() != Attribute::Kind::kNone &&
           Identical(known.default_value, attribute.value);
  }
  return false;
}

}  // namespace

const OpTraits& TraitTable::Of(const Node& node) {
  auto [found, added] = traits_.try_emplace(&node.op());
  if (!added) return found->second;
  OpTraits& traits = found->second;
  const std::span<const std::string_view> ordered = options_.ordered_dialects;
  traits.ordered = std::ranges::find(ordered, node.op().dialect) != ordered.end();
  traits.definition = FindOp(node.op());
  if (const OpDef* definition = traits.definition) {
    traits.ordered |= definition->effect;
    traits.random = definition->random;
    traits.commutative = definition->commutative;
  }
  return traits;
}

bool SameOp(const OpName& a, const OpName& b) {
  return &a == &b || (a.type == b.type && a.dialect == b.dialect && a.overload == b.overload &&
                      CanonicalDomain(a.domain) == CanonicalDomain(b.domain));
}

std::vector<const NamedAttribute*> CountedAttributes(const Node& node, const OpTraits& traits,
                                                     Level level) {
  std::vector<const NamedAttribute*> counted;
  counted.reserve(node.attributes().size());
  for (const NamedAttribute& attribute : node.attributes()) {
    const bool may_drop = level == Level::kCommon && traits.definition != nullptr;
    if (may_drop && HasDefault(attribute, *traits.definition)) continue;
    counted.push_back(&attribute);
  }
  std::stable_sort(
      counted.begin(), counted.end(),
      [](const NamedAttribute* x, const NamedAttribute* y) { return x->name < y->name; });
  return counted;
}

std::size_t CountedOperands(const Node& node, Level level) {
  std::size_t count = node.num_operands();
  if (level == Level::kSource) return count;
  while (count > 0 && node.operand(count - 1) == nullptr) --count;
  return count;
}

std::size_t CountedResults(const Node& node, Level level) {
  std::size_t count = node.num_results();
  if (level == Level::kSource) return count;
  while (count > 0 && node.result(count - 1) == nullptr) --count;
  return count;
}

OrderedNodes::OrderedNodes(const Graph& root, TraitTable& traits) {
  std::unordered_set<const Node*> ordered;
  std::vector<const Graph*> graphs;
  ForEachGraph(root, [&](const Graph& graph) {
    graphs.push_back(&graph);
    for (const Node& node : graph.nodes()) {
      if (!traits.Of(node).ordered) continue;
      const Node* at = &node;
      while (at != nullptr && ordered.insert(at).second) at = at->graph()->parent();
    }
  });
  if (ordered.empty()) return;
  for (const Graph* graph : graphs) {
    for (const Node& node : graph->nodes()) {
      if (ordered.contains(&node)) nodes_[graph].push_back(&node);
    }
  }
}

std::span<const Node* const> OrderedNodes::Of(const Graph& graph) const {
  auto found = nodes_.find(&graph);
  if (found == nodes_.end()) return {};
  return found->second;
}

}  // namespace dragoman::compare

// SPDX-License-Identifier: Apache-2.0
#include "core/compare/graph_side.h"

#include <utility>

#include "core/compare/fingerprint.h"
#include "core/support/hash.h"

namespace dragoman::compare {
namespace {

class SideBuilder {
 public:
  SideBuilder(const Graph& root, const SideContext& context, GraphSide& side)
      : root_(root), context_(context), side_(side), ordered_(root, context.traits) {}

  void Build() {
    NameScopes();
    CollectNodes();
    LinkProducers();
    LinkReaders();
    for (GraphSide::Entry& entry : side_.entries) {
      entry.scope = side_.ScopeOf(*entry.node->graph());
      entry.local = HashCombine(HashLocally(*entry.node), entry.scope);
      entry.up = HashUpstream(entry);
    }
    HashUses();
  }

 private:
  void NameScopes() {
    side_.scopes[&root_] = 1;
    ForEachGraph(root_, [&](const Graph& graph) {
      side_.graphs.push_back(&graph);
      const std::uint64_t scope = side_.ScopeOf(graph);
      for (const Node& node : graph.nodes()) {
        std::uint64_t number = 0;
        for (const Graph* below : node.subgraphs()) {
          side_.scopes[below] = HashCombine(scope, ++number);
        }
      }
    });
  }

  // Depth first from outputs; at the source level then from every node.
  void CollectNodes() {
    Collect(root_);
    if (context_.options.level == Level::kCommon) return;
    for (const Graph* graph : side_.graphs) {
      for (const Node& node : graph->nodes()) Visit(&node);
    }
  }

  void Collect(const Graph& graph) {
    for (const Node* node : ordered_.Of(graph)) Visit(node);
    for (const Use& output : graph.outputs()) {
      if (output.value() != nullptr) Visit(output.value()->producer());
    }
  }

  void Visit(const Node* start) {
    if (start == nullptr || side_.index.contains(start)) return;
    std::vector<std::pair<const Node*, bool>> stack = {{start, false}};
    while (!stack.empty()) {
      const auto [node, expanded] = stack.back();
      stack.pop_back();
      if (expanded) {
        *side_.index.Find(node) = static_cast<std::int64_t>(side_.entries.size());
        side_.entries.push_back({.node = node});
      } else if (side_.index.TryEmplace(node, -1).second) {
        stack.emplace_back(node, true);
        PushNeeded(*node, stack);
      }
    }
  }

  void PushNeeded(const Node& node, std::vector<std::pair<const Node*, bool>>& stack) const {
    const auto push = [&](const Node* needed) {
      if (needed != nullptr && !side_.index.contains(needed)) stack.emplace_back(needed, false);
    };
    for (const Use& use : node.operands()) {
      if (use.value() != nullptr) push(use.value()->producer());
    }
    for (const Graph* graph : node.subgraphs()) {
      for (const Node* ordered : ordered_.Of(*graph)) push(ordered);
      for (const Use& output : graph->outputs()) {
        if (output.value() != nullptr) push(output.value()->producer());
      }
    }
  }

  void LinkProducers() {
    for (GraphSide::Entry& entry : side_.entries) {
      entry.first_producer = side_.producers.size();
      for (const Use& use : entry.node->operands()) {
        side_.producers.push_back(side_.IndexOf(ProducerOf(use.value())));
      }
    }
  }

  void LinkReaders() {
    for (const std::int64_t producer : side_.producers) {
      if (producer >= 0) ++At(producer).num_readers;
    }
    std::size_t total = 0;
    for (GraphSide::Entry& entry : side_.entries) {
      entry.first_reader = total;
      total += std::exchange(entry.num_readers, 0);
    }
    side_.readers.resize(total);
    for (std::uint32_t i = 0; i < side_.entries.size(); ++i) {
      std::uint32_t operand = 0;
      for (const std::int64_t producer : side_.ProducersOf(side_.entries[i])) {
        if (producer >= 0) {
          GraphSide::Entry& read = At(producer);
          side_.readers[read.first_reader + read.num_readers++] = {i, operand};
        }
        ++operand;
      }
    }
  }

  GraphSide::Entry& At(std::int64_t i) { return side_.entries[static_cast<std::size_t>(i)]; }

  static const Node* ProducerOf(const Value* value) {
    return value == nullptr ? nullptr : value->producer();
  }

  std::uint64_t HashLocally(const Node& node) {
    AttributeEncoder encoder(context_.constants);
    encoder.type = [](const Type& type) { return std::to_string(static_cast<int>(type.dtype())); };
    std::string bytes;
    AppendOp(bytes, context_.canonical_op(node.op()));
    for (const NamedAttribute* attribute : CountedAttributes(node, context_.traits.Of(node))) {
      AppendText(bytes, attribute->name);
      encoder.Append(attribute->value, bytes);
    }
    return HashString(bytes);
  }

  // `producer` is the entry that gives it, or -1.
  std::uint64_t CodeOf(const Value* value, std::int64_t producer) {
    if (value == nullptr) return 1;
    if (value->is_constant()) return HashCombine(2, context_.constants.ClassOf(value->data()));
    if (value->kind() == Value::Kind::kInput) {
      const bool of_root = value->graph() == &root_;
      const std::uint64_t code = of_root ? context_.input_code(value->index()) : value->index();
      return HashCombine(3 + code, side_.ScopeOf(*value->graph()));
    }
    return HashCombine(producer < 0 ? 4 : At(producer).up, value->index());
  }

  std::uint64_t HashUpstream(const GraphSide::Entry& entry) {
    std::uint64_t hash = entry.local;
    const std::span<const std::int64_t> producers = side_.ProducersOf(entry);
    for (const Use& use : entry.node->operands()) {
      hash = HashCombine(hash, CodeOf(use.value(), producers[use.index()]));
    }
    for (const Graph* graph : entry.node->subgraphs()) {
      for (const Use& output : graph->outputs()) {
        const std::int64_t producer = side_.IndexOf(ProducerOf(output.value()));
        hash = HashCombine(hash, CodeOf(output.value(), producer));
      }
    }
    return hash;
  }

  void AddUse(const Value* value, std::int64_t producer, std::uint64_t user, std::uint64_t index) {
    if (producer < 0) return;
    At(producer).uses += HashCombine(user, HashCombine(index, value->index()));
  }

  void AddOutputUses(const Graph& graph, std::uint64_t user) {
    for (const Use& output : graph.outputs()) {
      AddUse(output.value(), side_.IndexOf(ProducerOf(output.value())), user, output.index());
    }
  }

  void HashUses() {
    AddOutputUses(root_, 5);
    for (auto entry = side_.entries.rbegin(); entry != side_.entries.rend(); ++entry) {
      const std::uint64_t down = HashCombine(entry->local, entry->uses);
      const std::span<const std::int64_t> producers = side_.ProducersOf(*entry);
      for (const Use& use : entry->node->operands()) {
        AddUse(use.value(), producers[use.index()], down, use.index());
      }
      std::uint64_t number = 0;
      for (const Graph* graph : entry->node->subgraphs()) {
        AddOutputUses(*graph, HashCombine(down, ++number));
      }
    }
  }

  const Graph& root_;
  const SideContext& context_;
  GraphSide& side_;
  OrderedNodes ordered_;
};

}  // namespace

GraphSide::GraphSide(const Graph& root, const SideContext& context) {
  SideBuilder(root, context, *this).Build();
}

std::int64_t GraphSide::IndexOf(const Node* node) const {
  const std::int64_t* found = index.Find(node);
  return found == nullptr ? -1 : *found;
}

}  // namespace dragoman::compare

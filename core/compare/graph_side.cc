// SPDX-License-Identifier: Apache-2.0
#include "core/compare/graph_side.h"

#include <utility>

#include "core/compare/fingerprint.h"
#include "core/support/hash.h"

namespace dragoman::compare {
namespace {

constexpr int kNearEdges = 2, kFarEdges = 6;

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
      HashLocally(entry);
      HashUpstream(entry);
    }
    HashUses();
    HashSurroundings();
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
        const auto ordered = [this](const Graph& graph) { return ordered_.Of(graph); };
        ForEachNeeded(*node, ordered, [&](const Node* needed) {
          if (needed != nullptr && !side_.index.contains(needed)) stack.emplace_back(needed, false);
        });
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
    side_.leaves.resize(side_.producers.size());
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

  void HashLocally(GraphSide::Entry& entry) {
    const Node& node = *entry.node;
    AttributeEncoder exact(context_.constants), form(context_.forms);
    exact.type = [](const Type& type) { return std::to_string(static_cast<int>(type.dtype())); };
    form.type = exact.type;
    std::string bytes;
    AppendOp(bytes, context_.canonical_op(node.op()));
    entry.op = HashString(bytes, entry.scope);
    std::string bytes_of_form = bytes;
    for (const NamedAttribute* attribute : CountedAttributes(node, context_.traits.Of(node))) {
      AppendText(bytes, attribute->name);
      exact.Append(attribute->value, bytes);
      AppendText(bytes_of_form, attribute->name);
      form.Append(attribute->value, bytes_of_form);
    }
    entry.local = HashCombine(HashString(bytes), entry.scope);
    entry.shape = HashCombine(HashString(bytes_of_form), entry.scope);
  }

  GraphSide::Leaf LeafOf(const Value* value) {
    if (value == nullptr) return {1, 1};
    if (value->is_constant()) {
      return {HashCombine(2, context_.constants.ClassOf(value->data())),
              HashCombine(2, context_.forms.ClassOf(value->data()))};
    }
    std::uint64_t code = 4;
    if (value->kind() == Value::Kind::kInput) {
      const bool of_root = value->graph() == &root_;
      code = HashCombine(3 + (of_root ? context_.input_code(value->index()) : value->index()),
                         side_.ScopeOf(*value->graph()));
    }
    return {code, code};
  }

  // Appends to what a node computes the value with index `index` of another, or a leaf.
  void AddRead(GraphSide::Entry& entry, std::int64_t producer, const GraphSide::Leaf& leaf,
               std::size_t index) {
    if (producer < 0) {
      entry.up = HashCombine(entry.up, leaf.exact);
      entry.form = HashCombine(entry.form, leaf.form);
    } else {
      entry.up = HashCombine(entry.up, HashCombine(At(producer).up, index));
      entry.form = HashCombine(entry.form, HashCombine(At(producer).form, index));
    }
  }

  void HashUpstream(GraphSide::Entry& entry) {
    entry.up = entry.own = entry.local;
    entry.form = entry.shape;
    bool reads_weight = false;
    const std::span<const std::int64_t> producers = side_.ProducersOf(entry);
    for (const Use& use : entry.node->operands()) {
      const std::int64_t producer = producers[use.index()];
      GraphSide::Leaf& leaf = side_.leaves[entry.first_producer + use.index()];
      if (producer < 0) leaf = LeafOf(use.value());
      AddRead(entry, producer, leaf, producer < 0 ? 0 : use.value()->index());
      entry.shape = HashCombine(entry.shape, leaf.form);
      entry.own = HashCombine(entry.own, leaf.exact);
      reads_weight |= leaf.exact != leaf.form;
    }
    if (!reads_weight) entry.own = 0;
    for (const Graph* graph : entry.node->subgraphs()) {
      for (const Use& output : graph->outputs()) {
        const Value* value = output.value();
        const std::int64_t producer = side_.IndexOf(ProducerOf(value));
        AddRead(entry, producer, producer < 0 ? LeafOf(value) : GraphSide::Leaf(),
                producer < 0 ? 0 : value->index());
      }
    }
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

  void HashSurroundings() {
    std::vector<std::uint64_t> before(side_.entries.size()), after(before);
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = side_.entries[i].shape;
    for (int edges = 1; edges <= kFarEdges; ++edges) {
      for (std::size_t i = 0; i < before.size(); ++i) after[i] = SurroundedBy(i, before);
      before.swap(after);
      for (std::size_t i = 0; edges == kNearEdges && i < before.size(); ++i)
        side_.entries[i].near = before[i];
    }
    for (std::size_t i = 0; i < before.size(); ++i) side_.entries[i].far = before[i];
  }

  std::uint64_t SurroundedBy(std::size_t i, const std::vector<std::uint64_t>& hashes) const {
    const GraphSide::Entry& entry = side_.entries[i];
    std::uint64_t hash = hashes[i];
    for (const std::int64_t producer : side_.ProducersOf(entry)) {
      hash = HashCombine(hash, producer < 0 ? 0 : hashes[static_cast<std::size_t>(producer)]);
    }
    std::uint64_t readers = 0;
    for (const GraphSide::Reader& reader : side_.ReadersOf(entry)) {
      readers += HashCombine(hashes[reader.entry], reader.operand);
    }
    return HashCombine(hash, readers);
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

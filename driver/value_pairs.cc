// SPDX-License-Identifier: Apache-2.0
#include "driver/value_pairs.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <unordered_map>
#include <unordered_set>

#include "core/compare/diff_trace.h"

namespace dragoman {
namespace {

void VisitResults(const Node& node, const std::function<void(const Value&)>& visit) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) visit(*node.result(i));
  }
}

// What `node` and its bodies read of the graph that `node` is in.
void VisitReadValues(const Node& node, const std::function<void(const Value&)>& visit) {
  const auto visit_operands = [&](const Node& reader) {
    for (const Use& use : reader.operands()) {
      if (use.value() != nullptr && use.value()->graph() == node.graph()) visit(*use.value());
    }
  };
  visit_operands(node);
  for (const Graph* body : node.subgraphs()) {
    ForEachGraph(*body, [&](const Graph& graph) {
      for (const Node& inner : graph.nodes()) visit_operands(inner);
      for (const Use& output : graph.outputs()) {
        if (output.value()->graph() == node.graph()) visit(*output.value());
      }
    });
  }
}

// By node of `a`, its partner in `b`, both in the graphs of the default entries.
std::unordered_map<const Node*, const Node*> Partners(const Session& session, const Model& a,
                                                      const Model& b) {
  DiffTrace trace;
  CompareOptions options;
  options.level = Level::kCommon;
  if (!session.Diff(a, b, options, &trace).ok()) return {};
  std::unordered_map<const Node*, const Node*> partners;
  for (const auto& [x, y] : trace.matched) {
    if (x->graph() == &a.main() && y->graph() == &b.main()) partners.emplace(x, y);
  }
  return partners;
}

class Pairing {
 public:
  Pairing(const Model& a, const Model& b, std::unordered_map<const Node*, const Node*> partners)
      : a_(a), partners_(std::move(partners)) {
    std::unordered_set<const Node*> taken;
    for (const auto& [x, y] : partners_) taken.insert(y);
    for (const Node& node : b.main().nodes()) {
      if (taken.contains(&node)) continue;
      VisitResults(node, [&](const Value& value) { by_name_.emplace(value.name(), &value); });
    }
  }

  std::vector<ValuePair> Run() {
    for (const Node& node : a_.main().nodes()) {
      const auto partner = partners_.find(&node);
      VisitResults(node, [&](const Value& value) {
        if (partner == partners_.end()) {
          const auto namesake = by_name_.find(value.name());
          Add(value, namesake == by_name_.end() ? nullptr : namesake->second);
        } else {
          Add(value, partner->second->result(value.index()));
        }
      });
    }
    return std::move(pairs_);
  }

 private:
  void Add(const Value& a, const Value* b) {
    if (b != nullptr && a.type().is_tensor() && b->type().is_tensor()) pairs_.push_back({&a, b});
  }

  const Model& a_;
  std::unordered_map<const Node*, const Node*> partners_;
  std::unordered_map<std::string, const Value*> by_name_;  // of nodes without a partner
  std::vector<ValuePair> pairs_;
};

// Nodes above `value` up to those of `known`.
std::vector<std::string> NodesAbove(const Value& value,
                                    const std::unordered_set<const Node*>& known) {
  std::vector<std::string> found;
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> open = {value.producer()};
  while (!open.empty()) {
    const Node* const node = open.back();
    open.pop_back();
    VisitReadValues(*node, [&](const Value& read) {
      const Node* const producer = read.producer();
      if (producer == nullptr || known.contains(producer) || !seen.insert(producer).second) return;
      found.push_back(producer->Describe());
      open.push_back(producer);
    });
  }
  return found;
}

using Positions = std::unordered_map<const Value*, std::size_t>;

Positions PositionsOf(const std::vector<ValuePair>& pairs) {
  Positions positions;
  for (std::size_t i = 0; i < pairs.size(); ++i) positions.emplace(pairs[i].a, i);
  return positions;
}

}  // namespace

std::vector<ValuePair> PairValues(const Session& session, const Model& a, const Model& b) {
  return Pairing(a, b, Partners(session, a, b)).Run();
}

std::vector<bool> DifferencesAtOutputs(const std::vector<ValuePair>& pairs,
                                       const std::vector<bool>& differs) {
  if (pairs.empty()) return differs;
  const Graph& graph = *pairs.front().a->graph();
  const Positions positions = PositionsOf(pairs);
  std::unordered_set<const Value*> read;  // by what leads to an output that may differ
  for (const Use& output : graph.outputs()) read.insert(output.value());
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes()) nodes.push_back(&node);
  std::vector<bool> left(differs.size(), false);
  for (const Node* const node : nodes | std::views::reverse) {
    bool leads_on = false;
    VisitResults(*node, [&](const Value& value) {
      if (!read.contains(&value)) return;
      const auto at = positions.find(&value);
      if (at != positions.end()) left[at->second] = differs[at->second];
      leads_on = leads_on || at == positions.end() || differs[at->second];
    });
    if (leads_on) VisitReadValues(*node, [&](const Value& value) { read.insert(&value); });
  }
  return std::ranges::find(left, true) == left.end() ? differs : left;
}

std::vector<std::size_t> FirstDifferences(const std::vector<ValuePair>& pairs,
                                          const std::vector<bool>& differs) {
  const Positions positions = PositionsOf(pairs);
  std::vector<std::size_t> first;
  std::unordered_set<const Value*> spoilt;  // a difference leads to them
  if (pairs.empty()) return first;
  for (const Node& node : pairs.front().a->graph()->nodes()) {
    bool reads_spoilt = false;
    VisitReadValues(
        node, [&](const Value& read) { reads_spoilt = reads_spoilt || spoilt.contains(&read); });
    VisitResults(node, [&](const Value& value) {
      const auto at = positions.find(&value);
      const bool is_compared = at != positions.end();
      if (is_compared ? differs[at->second] : reads_spoilt) spoilt.insert(&value);
      if (is_compared && differs[at->second] && !reads_spoilt) first.push_back(at->second);
    });
  }
  return first;
}

Between NodesBetween(const std::vector<ValuePair>& pairs, std::size_t position) {
  std::unordered_set<const Node*> known;
  for (const ValuePair& pair : pairs) known.insert({pair.a->producer(), pair.b->producer()});
  return {NodesAbove(*pairs[position].a, known), NodesAbove(*pairs[position].b, known)};
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// A group that a program has made hides the cells in it. It is taken apart where a recurrence
// becomes an operator without it: that is found out on a copy of the entry without groups.
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/rewrite/inline_body.h"
#include "core/rewrite/passes.h"

namespace dragoman {
namespace {

constexpr std::string_view kGroupOrigin = "group";

const Graph& BodyOf(const Node& group) { return *group.subgraphs().front(); }

// Those that carry what a program said of them: the others are of our own making. An inner one
// stands after that around it.
std::vector<Node*> FindGroups(Graph& entry) {
  std::vector<Node*> groups;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      const bool is_group = node.IsDragoman("Fused") && node.extra_if_any() != nullptr;
      if (is_group && HasTensorsAlone(BodyOf(node))) groups.push_back(&node);
    }
  });
  return groups;
}

Status Open(Node& group, PassContext& context) {
  ValueMap inputs;
  const Graph& body = BodyOf(group);
  for (std::size_t i = 0; i < body.inputs().size(); ++i) {
    inputs[body.inputs()[i].get()] = group.operand(i);
  }
  return InlineBody(group, body, std::move(inputs), context);
}

// Records for the nodes of `groups` in their Origins, and nothing else, in which groups they are.
void MarkMembers(Graph& entry, const std::vector<Node*>& groups) {
  ForEachGraph(entry, [](Graph& graph) {
    for (Node& node : graph.nodes()) node.set_origin(nullptr);
  });
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const OriginPtr mark =
        Origin::Leaf({.op = std::string(kGroupOrigin), .name = std::to_string(i)});
    for (Graph* body : groups[i]->subgraphs()) {
      ForEachGraph(*body, [&](Graph& graph) {
        for (Node& node : graph.nodes()) node.set_origin(Origin::Merge(node.origin(), mark));
      });
    }
  }
}

Status RunOnAll(Result<bool> (*pass)(Graph&, PassContext&), Graph& graph, PassContext& context) {
  DRAGOMAN_TRY(pass(graph, context));
  for (Node& node : graph.nodes()) {
    for (Graph* body : node.subgraphs()) DRAGOMAN_TRY(RunOnAll(pass, *body, context));
  }
  return {};
}

// The numbers of the groups whose nodes recurrent operators come from.
std::set<std::size_t> GroupsInOperators(const Graph& entry) {
  std::set<std::size_t> numbers;
  ForEachGraph(entry, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (!node.Is("LSTM") && !node.Is("GRU") && !node.Is("RNN") && !node.IsDragoman("LSTM")) {
        continue;
      }
      for (const SourceOp* source : Flatten(node.origin())) {
        if (source->op == kGroupOrigin) numbers.insert(std::stoul(source->name));
      }
    }
  });
  return numbers;
}

// Which groups of `entry`, by their numbers, hide recurrences.
Result<std::set<std::size_t>> FindHiding(const Graph& entry) {
  Graph copy;
  ValueMap map;
  CloneInto(entry, copy, map);
  const std::vector<Node*> groups = FindGroups(copy);
  MarkMembers(copy, groups);
  DRAGOMAN_ASSIGN(PassContext opening, PassContext::Make(copy, nullptr));
  for (std::size_t i = groups.size(); i-- > 0;) DRAGOMAN_TRY(Open(*groups[i], opening));
  DRAGOMAN_ASSIGN(PassContext fusing, PassContext::Make(copy, nullptr));
  DRAGOMAN_TRY(RunOnAll(FuseRecurrences, copy, fusing));
  DRAGOMAN_TRY(RunOnAll(FuseLoopCells, copy, fusing));
  return GroupsInOperators(copy);
}

}  // namespace

Result<bool> OpenGroups(Graph& graph, PassContext& context) {
  if (graph.parent() != nullptr) return false;  // the entry has found those in its bodies
  const std::vector<Node*> groups = FindGroups(graph);
  if (groups.empty()) return false;
  DRAGOMAN_ASSIGN(const std::set<std::size_t> hiding, FindHiding(graph));
  for (auto number = hiding.rbegin(); number != hiding.rend(); ++number) {
    Node& group = *groups[*number];
    context.Explain(group, "taken apart, since it hides a recurrence");
    DRAGOMAN_TRY(Open(group, context));
  }
  return !hiding.empty();
}

}  // namespace dragoman

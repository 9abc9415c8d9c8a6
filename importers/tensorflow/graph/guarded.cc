// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/guarded.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "importers/tensorflow/graph/graph_names.h"

namespace dragoman::tf_reader {
namespace {

// Graphs that are not well-formed would nest without end.
constexpr int kMostNested = 64;

const Node* ProducerOf(const Use& operand) {
  return operand.value() != nullptr ? operand.value()->producer() : nullptr;
}

// By how much a node lies deeper than what it reads: the switches and merges of a loop stand
// between what enters and leaves its frame.
int Deeper(const Node& node) {
  const std::string_view type = tf::PlainType(node);
  if (type == "Enter") return 1;
  if (type == "Exit") return -1;
  const auto reads = [&](std::string_view what) {
    const auto& operands = node.operands();
    return std::any_of(operands.begin(), operands.end(), [&](const Use& operand) {
      const Node* producer = ProducerOf(operand);
      return producer != nullptr && tf::PlainType(*producer) == what;
    });
  };
  if (type == "Switch") return reads("LoopCond") ? 0 : 1;
  if (type == "Merge") return reads("Enter") ? 0 : -1;
  return 0;
}

}  // namespace

std::unordered_set<const Node*> GuardedNodes(const Graph& graph) {
  std::unordered_map<const Node*, std::vector<const Node*>> readers;
  std::vector<const Node*> pending;
  for (const Node& node : graph.nodes()) {
    if (Deeper(node) > 0) pending.push_back(&node);
    for (const Use& operand : node.operands()) {
      if (const Node* producer = ProducerOf(operand)) readers[producer].push_back(&node);
    }
  }
  std::unordered_map<const Node*, int> depths;
  while (!pending.empty()) {
    const Node* node = pending.back();
    pending.pop_back();
    int depth = 0;
    for (const Use& operand : node->operands()) {
      const auto known = depths.find(ProducerOf(operand));
      if (known != depths.end()) depth = std::max(depth, known->second);
    }
    depth += Deeper(*node);
    int& before = depths[node];
    if (depth <= before || depth > kMostNested) continue;
    before = depth;
    const auto found = readers.find(node);
    if (found != readers.end())
      pending.insert(pending.end(), found->second.begin(), found->second.end());
  }
  std::unordered_set<const Node*> guarded;
  for (const auto& [node, depth] : depths) {
    if (depth > 0) guarded.insert(node);
  }
  return guarded;
}

}  // namespace dragoman::tf_reader

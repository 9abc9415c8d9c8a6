// SPDX-License-Identifier: Apache-2.0
// The order in which a graph of TensorFlow runs, with its control flow of version 1 as regions.
//
// A graph has no order but its edges, and says conditions and loops by nodes that let tensors pass
// or not (Switch, Merge) and by frames of iterations (Enter, NextIteration, Exit). Here each node
// gets a context, the frames and the sides of conditions that it runs in:
//
//     cond:   x ─ Switch(p) ┬ 1 ─ … ┐            loop:  Enter ─ Merge ─ Switch(LoopCond) ─ 0 ─ Exit
//                           └ 0 ─ … ┴ Merge                      └────── NextIteration ─ … ─ 1 ┘
//
// A _SwitchN, which TensorFlow makes of Case, has a side for each number that its predicate can be.
//
// Nodes of one context are a Region: a list of steps, of which one may be a whole condition or a
// whole loop. Sides of one predicate that no edge joins are conditions of their own.
//
// Only what the asked values depend on, along control edges too, is in the regions.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_REGIONS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_REGIONS_H_

#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::tf {

struct CondStep;
struct LoopStep;

// A node to run.
struct NodeStep {
  const Node* node = nullptr;
  // A Merge of which one operand can arrive only, or a Switch that decides nothing here: gives that
  // operand. -1: a node like any other.
  int passes = -1;
};

using Step =
    std::variant<NodeStep, std::shared_ptr<const CondStep>, std::shared_ptr<const LoopStep>>;

struct Region {
  std::vector<Step> steps;
};

// A Merge after all sides of a condition.
struct CondResult {
  const Node* merge = nullptr;
  std::vector<int> operands;  // of the merge, by the side that they arrive from
  bool gives_place = false;   // whether the number of the operand that arrived is read
};

struct CondStep {
  const Value* predicate = nullptr;
  std::vector<const Node*> switches;
  // Two: if the predicate is false, and true; more: by the number that it is, the last of them also
  // for those out of range.
  std::vector<Region> sides;
  std::vector<CondResult> results;
};

// A value that passes from iteration to iteration.
struct LoopVariable {
  const Node* enter = nullptr;
  const Node* merge = nullptr;
  const Value* next = nullptr;  // in the body
};

struct LoopStep {
  std::string name;                 // of the frame
  std::vector<const Node*> enters;  // those of no variable are the same in all iterations
  std::vector<LoopVariable> variables;
  std::vector<std::pair<const Node*, std::size_t>> exits;  // and the variable that each gives
  Region condition;
  const Value* continues = nullptr;  // the operand of LoopCond
  Region body;                       // with what it needs of the condition's nodes
};

// The regions of `graph` for `wanted`, values of it. What computes `fed` values is not needed.
// Errors: a cycle that is not a loop; switches and merges that are neither conditions nor loops.
Result<Region> BuildRegions(const Graph& graph, std::span<const Value* const> wanted,
                            const std::unordered_set<const Value*>& fed);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_LOWER_REGIONS_H_

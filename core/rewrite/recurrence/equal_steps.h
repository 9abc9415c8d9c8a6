// SPDX-License-Identifier: Apache-2.0
// Finds what an unrolled loop left: runs of equal groups of nodes, one per step, of which each
// reads the next slice of a tensor and what the group before it computed.
//
// The *level* of a node is the latest slice that it depends on, counted in the order in which the
// recurrence runs; nodes of one level make one step, but for the last level, which also has what
// follows the loop. Two neighbouring levels that are equal node by node show what differs from step
// to step: slices, and states. From there each next step is found by what its nodes must read. All
// of it takes time linear in the size of the graph.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_EQUAL_STEPS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_EQUAL_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Fewer equal steps stay as they are.
inline constexpr std::size_t kMinRolledSteps = 4;

// Element `index` of `source` along `axis`, with that axis of size 1 or without it.
struct StepSlice {
  Value* source = nullptr;
  std::int64_t axis = 0;
  std::int64_t index = 0;
  bool keeps_axis = false;
};

// The slice that `value` is, if it is one.
std::optional<StepSlice> SliceOf(const Value& value, const PassContext& context);

// Whether two nodes differ in their operands at most.
bool SameForm(const Node& a, const Node& b);

// What a node of a step reads.
struct StepOperand {
  enum class Kind { kOuter, kConstant, kAlike, kSlice, kInner, kState };

  Kind kind = Kind::kOuter;
  // kOuter: the same in all steps; kConstant, kAlike (step_constants.h): that of the first step.
  Value* value = nullptr;
  StepSlice slice;       // kSlice: that of the first step
  std::size_t node = 0;  // kInner, kState: which node's result, of this step or the one before
  std::size_t result = 0;

  bool is_own() const { return kind == Kind::kConstant || kind == Kind::kAlike; }
};

struct EqualSteps {
  bool backwards = false;  // the first step reads the last slice
  // All of equal size, in corresponding order. Of the last step those nodes may be missing
  // (nullptr) that only a further step would need.
  std::vector<std::vector<Node*>> steps;
  std::vector<std::vector<StepOperand>> operands;  // of each node of a step
  std::string end;  // why no further step is equal, if there was one; else empty

  // Node and result of each state, in the order in which they are first read.
  std::vector<std::pair<std::size_t, std::size_t>> states;
  // What the first step reads for it.
  std::vector<Value*> initial;

  // What operand `operand` of node `node`, of kind kConstant or kAlike, is in each step that has
  // the node.
  std::vector<Value*> Own(std::size_t node, std::size_t operand) const;
  // Result `result` of node `node` in step `step`, or nullptr.
  Value* At(std::size_t step, std::size_t node, std::size_t result) const {
    const Node* found = steps[step][node];
    return found != nullptr ? found->result(result) : nullptr;
  }
};

// The first run of at least kMinRolledSteps in `graph`, in that direction, that carries a state.
// Steps are marked by the slices that they read, or by a product with one weight in each.
std::optional<EqualSteps> FindEqualSteps(Graph& graph, const PassContext& context, bool backwards);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_EQUAL_STEPS_H_

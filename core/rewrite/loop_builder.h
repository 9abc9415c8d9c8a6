// SPDX-License-Identifier: Apache-2.0
// A Loop that is being made, whose condition is always true.
#ifndef DRAGOMAN_CORE_REWRITE_LOOP_BUILDER_H_
#define DRAGOMAN_CORE_REWRITE_LOOP_BUILDER_H_

#include <memory>
#include <vector>

#include "core/rewrite/unrolled_cell.h"

namespace dragoman {

class LoopBuilder {
 public:
  // It goes before `position` and makes `count` (i64[]) iterations over `initial` states.
  LoopBuilder(Node& position, PassContext& context, Value* count, std::vector<Value*> initial);

  Graph& body() { return *body_; }
  Value* index() { return body_->input(0); }
  Value* state(std::size_t i) { return body_->input(i + 2); }
  // Inserts nodes into the body.
  StepNodes& nodes() { return nodes_; }
  // The results of the Loop: the final states, then what `collected` was in every iteration,
  // stacked.
  Result<std::vector<Value*>> Finish(const std::vector<Value*>& states,
                                     const std::vector<Value*>& collected);

 private:
  Node& position_;
  PassContext& context_;
  std::vector<Value*> operands_;
  std::shared_ptr<Graph> body_;
  Node* end_;  // gives the condition; nodes go before it
  StepNodes nodes_;
};

// The size of an axis as a 0-d tensor.
Value* CountOf(StepNodes& nodes, Value* x, std::int64_t axis);
// `x` with its first axis at place `axis`.
Value* MoveFirstTo(StepNodes& nodes, Value* x, std::int64_t axis);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_LOOP_BUILDER_H_

// SPDX-License-Identifier: Apache-2.0
// The sequence operators, and one that is about to be replaced by cells: its sizes, and what one
// direction of it works with.
#ifndef DRAGOMAN_CORE_REWRITE_SEQUENCE_NODE_H_
#define DRAGOMAN_CORE_REWRITE_SEQUENCE_NODE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rewrite/unrolled_cell.h"

namespace dragoman {

// Whether it is an LSTM (dragoman.LSTM as well), a GRU or an RNN.
bool IsRecurrent(const Node& node);

struct SequenceNode {
  Node& node;
  RecurrentForm form;
  bool batch_first = false;
  Dim steps;
  std::int64_t hidden = 0;
  std::int64_t output = 0;  // of the hidden state as it is given: its projection, if there is one

  // Errors: unsupported, if the hidden size is not known, or the ranks.
  static Result<SequenceNode> Read(Node& node);
  // Every such operator of `entry`, bodies of inner graphs first.
  static std::vector<Node*> All(Graph& entry);

  std::int64_t time_axis() const { return batch_first ? 1 : 0; }
  std::int64_t batch_axis() const { return batch_first ? 0 : 1; }
  const Value* lengths() const { return node.operand(4); }

  // The node's operand slots of direction `d`, as StepNodes before the node.
  UnrolledWeights WeightsOf(StepNodes& nodes, int d) const;
  // (B, size), 0 if there is no such operand.
  Value* Initial(StepNodes& nodes, std::size_t operand, int d, std::int64_t size) const;
  UnrolledState InitialState(StepNodes& nodes, int d) const;
  // The products of all steps' inputs with the weights: (T, B, G·H) or (B, T, G·H).
  Value* Inputs(StepNodes& nodes, const UnrolledWeights& weights) const;
  // The state after step `t` (0-d, of the lengths' element type), and what the step gives: beyond a
  // row's length the state stays, and 0 is given.
  UnrolledState Masked(StepNodes& nodes, Value* t, const UnrolledState& before,
                       const UnrolledState& after, Value*& given) const;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_SEQUENCE_NODE_H_

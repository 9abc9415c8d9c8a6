// SPDX-License-Identifier: Apache-2.0
// Nodes that give a sequence in the other order, and the way back through what moves axes.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_REVERSAL_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_REVERSAL_H_

#include <cstdint>
#include <optional>

#include "core/rewrite/pass_context.h"

namespace dragoman {

// All elements along `axis` from the last to the first; or, of sequences that lie along `batch`,
// only the first lengths[i] of the i-th, while those after stay where they are.
struct Reversal {
  std::int64_t axis = 0;
  std::int64_t batch = -1;
  Value* lengths = nullptr;  // of any integers; nullptr: all elements
};

// Whether lengths of sequences of `steps` elements are known to be all of these.
bool AreWhole(const Value* lengths, const Dim& steps, const PassContext& context);

// Of operand 0: by a Slice with step -1 of all elements, a Gather of all from the last to the
// first, or ReverseSequence; nullopt for any other node.
std::optional<Reversal> ReadReversal(const Node& node, const PassContext& context);

// Whether both do the same to a value that has `steps` elements along the axis.
bool SameReversal(const Reversal& a, const Reversal& b, const Dim& steps,
                  const PassContext& context);

// The same reversal of operand 0 of a node that only moves axes, or of a Linear after it; nullopt:
// it is no such node.
std::optional<Reversal> ReversalBefore(const Node& node, const Reversal& reversal,
                                       const PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_REVERSAL_H_

// SPDX-License-Identifier: Apache-2.0
// Well-formedness of models, by level.
#ifndef DRAGOMAN_CORE_IR_VERIFY_H_
#define DRAGOMAN_CORE_IR_VERIFY_H_

#include <cstddef>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

inline constexpr std::size_t kMaxVerifyFindings = 100;

// What both levels promise:
//  - use lists are consistent: each operand and output is in the list of its value, and nothing
//    else is;
//  - a used value is defined in the graph of its user or in a graph around it;
//  - a subgraph knows its node, a node its graph, a value its producer and index;
//  - no size of a tensor is known to be negative;
//  - graphs nest at most kMaxGraphNesting, types at most Type::kMaxNesting deep;
//  - there is an entry, entries have different names; calling conventions, bindings name existing
//    states, inputs and outputs, a binding each at most once in an entry; the inputs and outputs of
//    states come after all others.
// The common level promises further:
//  - topological order: a value is defined before it is used, a captured one before the node
//    that uses it;
//  - names of values are not empty, and no two visible values have the same;
//  - dialects are `onnx` (any domain: an operator of an unknown one is foreign) and `dragoman`;
//  - no functions, and a state has the type of its initial value, and of the input and the output
//    that it is bound to, where known;
//  - constants have data, and of the type of the value.
//
// An internal error, since readers and rewrites keep these: up to kMaxVerifyFindings findings, each
// with the node and the op, and a last one that counts the rest. Linear; recursive over nothing.
Status Verify(const Model& model);

// What of this is about States, of a common model: for importers whose files bind them by name or
// number. The file is at fault then: the error is one of input.
Status VerifyStates(const Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_VERIFY_H_

// SPDX-License-Identifier: Apache-2.0
// Computes one node whose operands are all there.
#ifndef DRAGOMAN_CORE_INTERPRETER_EVALUATE_H_
#define DRAGOMAN_CORE_INTERPRETER_EVALUATE_H_

#include <span>
#include <vector>

#include "core/interpreter/array.h"
#include "core/ir/graph.h"
#include "core/support/result.h"
#include "runtime/kernels/random_source.h"

namespace dragoman {

// Runs the plain kernel of `node`, an operator on tensors without bodies. Absent operands are
// Arrays that are not present; so are the results that the node omits. Errors: unsupported, if
// there is no such kernel, or it wants random numbers and `random` is null; invalid input, if the
// operator refuses the operands' sizes or values.
Result<std::vector<Array>> EvaluateNode(const Node& node, std::span<const Array> operands,
                                        rt::RandomSource* random = nullptr);

// The same on constants.
Result<std::vector<Tensor>> EvaluateOnTensors(const Node& node,
                                              std::span<const Tensor* const> operands);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_EVALUATE_H_

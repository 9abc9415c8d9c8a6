// SPDX-License-Identifier: Apache-2.0
// Cuts a piece out of a common graph.
#ifndef DRAGOMAN_CORE_REWRITE_CUT_H_
#define DRAGOMAN_CORE_REWRITE_CUT_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Keeps of the default entry what lies between `inputs`, which become its inputs, and `outputs`,
// which become its outputs; an empty list keeps those that it has. Inputs that nothing reads any
// more go, and so do states; one that is read stays, with all that computes what it is next.
// Errors: a value that does not exist; an output that needs an input which was cut off.
Status CutModel(Model& model, const std::vector<std::string>& inputs,
                const std::vector<std::string>& outputs);

// What to say of `name` where no value of `graph` is called so: " (a node is called so; its result
// is 'y')", DidYouMean of the values, or nothing.
std::string DidYouMeanValue(const Graph& graph, std::string_view name);

// Removes the nodes and constants of `graph` that no output needs, except effects that can stay.
void RemoveUnneeded(Graph& graph);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_CUT_H_

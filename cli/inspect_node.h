// SPDX-License-Identifier: Apache-2.0
// One node of a model: what it reads, says and gives, and what becomes of it.
#ifndef DRAGOMAN_CLI_INSPECT_NODE_H_
#define DRAGOMAN_CLI_INSPECT_NODE_H_

#include <string>

#include "core/ir/model.h"

namespace dragoman::cli {

// A type as people read it: scalars of a source dialect by their own names.
std::string TypeText(const Type& type);

// Prints the nodes of `model` that are called `name`, or that compute a value called so; those of
// `lowered` (nullptr: there is none) that they became, or, where the model has no such node, those
// of that name. False if there are none.
bool PrintNode(const std::string& name, const Model& model, const Model* lowered, bool as_json);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_INSPECT_NODE_H_

// SPDX-License-Identifier: Apache-2.0
// Leaves out effects: for targets that have none.
#ifndef DRAGOMAN_CORE_REWRITE_DROP_EFFECTS_H_
#define DRAGOMAN_CORE_REWRITE_DROP_EFFECTS_H_

#include <string>
#include <vector>

#include "core/ir/graph.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {

// Erases the nodes of `graph` and its bodies that have an effect (OpDef::effect), and control flow
// without results, which was there for their sake. Returns what each of the former was, as
// Node::Describe gives it.
std::vector<std::string> DropEffects(Graph& graph);

// The pass assume-checks: erases the checks of `graph`, which only matter where one fails.
Result<bool> AssumeChecks(Graph& graph, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_DROP_EFFECTS_H_

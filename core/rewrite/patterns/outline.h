// SPDX-License-Identifier: Apache-2.0
// Moves nodes into a body: the step that passes share which group nodes.
#ifndef DRAGOMAN_CORE_REWRITE_PATTERNS_OUTLINE_H_
#define DRAGOMAN_CORE_REWRITE_PATTERNS_OUTLINE_H_

#include <span>

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Puts one dragoman.Fused in place of `members`, nodes without bodies of one graph, in the graph's
// order; it stands where the last one stood, and gives what others read of them. No other node
// between them may read their results. Integer and one-element constants that they read go into the
// body, all else becomes operands.
// Returns the new node. Errors: as of inference.
Result<Node*> OutlineAsFused(std::span<Node* const> members, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PATTERNS_OUTLINE_H_

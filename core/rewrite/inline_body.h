// SPDX-License-Identifier: Apache-2.0
// A body in place of the node that has it.
#ifndef DRAGOMAN_CORE_REWRITE_INLINE_BODY_H_
#define DRAGOMAN_CORE_REWRITE_INLINE_BODY_H_

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Whether InlineBody can copy the constants of `body`.
bool HasTensorsAlone(const Graph& body);

// Replaces `node` by the nodes of `body`, one of its subgraphs, which get names of their own; the
// inputs of the body are the values that `inputs` has for them.
// Errors: as of inference.
Status InlineBody(Node& node, const Graph& body, ValueMap inputs, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_INLINE_BODY_H_

// SPDX-License-Identifier: Apache-2.0
// A loop around cells becomes the operators that run these cells over whole sequences.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_FUSE_LOOP_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_FUSE_LOOP_H_

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Replaces `node`, a Loop or Scan, if all that is read of it are states and outputs of recurrent
// cells in its body. Returns whether it did; explains a near miss.
Result<bool> FuseLoop(Node& node, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_FUSE_LOOP_H_

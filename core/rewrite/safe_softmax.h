// SPDX-License-Identifier: Apache-2.0
// The form of a softmax that gives zeros to rows of -inf.
#ifndef DRAGOMAN_CORE_REWRITE_SAFE_SOFTMAX_H_
#define DRAGOMAN_CORE_REWRITE_SAFE_SOFTMAX_H_

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Where(max(x) = -inf, 0, softmax), ahead of `position`, of a Softmax of x of known rank.
Result<Value*> InsertSafeSoftmax(const Node& softmax, Node& position, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_SAFE_SOFTMAX_H_

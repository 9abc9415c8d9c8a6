// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The activation of PostOps on a part of a matrix, for operators that are loops of our own.
#ifndef DRAGOMAN_RUNTIME_FAST_ACTIVATE_H_
#define DRAGOMAN_RUNTIME_FAST_ACTIVATE_H_

#include <cstdint>

#include "runtime/fast/post_ops.h"

namespace dragoman::rt {

// y = activation(y) + added, for `rows` rows of `count` elements that lie `stride` apart; without
// `added` if it is null. It may be y.
void Activate(const PostOps& post, std::int64_t rows, std::int64_t count, std::int64_t stride,
              const float* added, float* y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_ACTIVATE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DRAGOMAN_RUNTIME_FAST_LOOKOUT_H_
#define DRAGOMAN_RUNTIME_FAST_LOOKOUT_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/post_ops.h"

namespace dragoman::rt {

// For own loops with an activation, which keep NaN: looks for it in their operands, of such sizes,
// because primitives that follow may trust them.
class Lookout {
 public:
  void Create(const FastContext& context, const PostOps& post, std::int64_t x_size,
              std::int64_t y_size);
  // `residual` is read if the operator adds one.
  void Run(const float* x, const float* residual) const noexcept;

 private:
  const FastContext* context_ = nullptr;  // null: nobody relies on it
  bool residual_ = false;
  std::int64_t x_size_ = 0, y_size_ = 0;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_LOOKOUT_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MatMul of two operands computed at run time, in f32 on oneDNN, prepared for one pair of shapes.
#ifndef DRAGOMAN_RUNTIME_FAST_MAT_MUL_H_
#define DRAGOMAN_RUNTIME_FAST_MAT_MUL_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/pimpl.h"
#include "runtime/fast/post_ops.h"
#include "runtime/params/mat_mul.h"

namespace dragoman::rt {

class PreparedMatMul {
 public:
  // Matrices and batches of matrices, broadcasting; nothing empty.
  static bool Supports(const Shape& a, const Shape& b);

  Status Init(const FastContext& context, const Shape& a, const Shape& b,
              const PostOps& post) noexcept;

  // Row-major a, b, y and, if post.residual, residual (of y's sizes; may be y itself). `scratch`
  // has ScratchBytes() and is aligned to 64.
  Status Run(const float* a, const float* b, const float* residual, float* y,
             void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  // The implementation that oneDNN chose.
  const char* Implementation() const noexcept;

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_MAT_MUL_H_

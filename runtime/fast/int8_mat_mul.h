// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QLinearMatMul and MatMulInteger with what follows them, prepared for one pair of shapes: exact in
// int32 whatever the processor (int8_product.h).
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_MAT_MUL_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_MAT_MUL_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/int8_epilogue.h"
#include "runtime/fast/int8_kernels.h"
#include "runtime/fast/int8_product.h"
#include "runtime/fast/pimpl.h"
#include "runtime/params/mat_mul.h"

namespace dragoman::rt {

class PreparedInt8MatMul {
 public:
  // Matrices and batches of matrices, broadcasting; nothing empty. `constant_b`: b is given to
  // Init; it must be one matrix then.
  static bool Supports(const Shape& a, const Shape& b, bool constant_b);

  // `b`, if present, and what the epilogue has are copied. Zero points of b: none, one, or one a
  // column; if b is given to Run, so is its zero point, which is one element. `product` is for
  // tests.
  Status Init(const FastContext& context, const Shape& a, const Shape& b, Int8Data b_values,
              const Int8View& b_zero, const Int8Epilogue& epilogue = {},
              const Int8Kernel& product = ChooseInt8Kernel()) noexcept;

  // Row-major operands and y; zero points are one element, or absent. b and b_zero are absent if
  // Init had them. `scratch` has ScratchBytes() and is aligned to 64. The epilogue says whether
  // there are the scale of a (one element, else null) and a residual, of y's sizes, and y's element
  // type.
  Status Run(Int8Data a, Int8Data a_zero, Int8Data b, Int8Data b_zero, const float* a_scale,
             Int8Data residual, Int8Result y, void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  const char* Implementation() const noexcept;

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_MAT_MUL_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and matrix products of 8-bit integers, for sizes known only at run time: what is
// prepared for sizes that were seen lately is kept.
#ifndef DRAGOMAN_RUNTIME_FAST_DYNAMIC_INT8_H_
#define DRAGOMAN_RUNTIME_FAST_DYNAMIC_INT8_H_

#include <utility>

#include "runtime/fast/context.h"
#include "runtime/fast/int8_conv.h"
#include "runtime/fast/int8_mat_mul.h"
#include "runtime/fast/shape_cache.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

class DynamicInt8Conv {
 public:
  // As PreparedInt8Conv, but for x's sizes. What is given is read in later calls too.
  Status Init(const FastContext& context, const ConvParams& p, const Shape& w, Int8Data weights,
              const Int8View& w_zero, const Int8Epilogue& epilogue) noexcept {
    context_ = &context;
    p_ = p;
    w_ = w;
    weights_ = weights;
    w_zero_ = w_zero;
    epilogue_ = epilogue;
    return Status();
  }

  // y has the sizes that ConvShape gives. The scratch memory grows for sizes that were not seen
  // lately.
  template <class X, class Y>
  Status Run(TensorView<X> x, Int8Data x_zero, const float* x_scale, Int8Data residual,
             TensorView<Y> y, Memory& scratch) noexcept {
    if (y.size() == 0) return Status();
    PreparedInt8Conv* conv = cache_.Find(x.shape);
    if (conv == nullptr) {
      PreparedInt8Conv made;
      DRAGOMAN_RT_TRY(made.Init(*context_, p_, x.shape, w_, weights_, w_zero_, epilogue_));
      conv = cache_.Insert(x.shape, std::move(made));
    }
    DRAGOMAN_RT_TRY(scratch.Reserve(conv->ScratchBytes()));
    return conv->Run(x.data, x_zero, x_scale, residual, y.data, scratch.data());
  }

 private:
  const FastContext* context_ = nullptr;
  ConvParams p_;
  Shape w_;
  Int8Data weights_ = nullptr;
  Int8View w_zero_;
  Int8Epilogue epilogue_;
  ShapeCache<PreparedInt8Conv> cache_;
};

// The same of a product by a constant matrix.
class DynamicInt8MatMul {
 public:
  Status Init(const FastContext& context, const Shape& b, Int8Data b_values, const Int8View& b_zero,
              const Int8Epilogue& epilogue) noexcept {
    context_ = &context;
    b_ = b;
    b_values_ = b_values;
    b_zero_ = b_zero;
    epilogue_ = epilogue;
    return Status();
  }

  // There is no right operand, nor its zero point: Init had them.
  template <class A, class Y>
  Status Run(TensorView<A> a, Int8Data a_zero, Int8Data b, Int8Data b_zero, const float* a_scale,
             Int8Data residual, TensorView<Y> y, Memory& scratch) noexcept {
    if (y.size() == 0) return Status();
    PreparedInt8MatMul* product = cache_.Find(a.shape);
    if (product == nullptr) {
      PreparedInt8MatMul made;
      DRAGOMAN_RT_TRY(made.Init(*context_, a.shape, b_, b_values_, b_zero_, epilogue_));
      product = cache_.Insert(a.shape, std::move(made));
    }
    DRAGOMAN_RT_TRY(scratch.Reserve(product->ScratchBytes()));
    return product->Run(a.data, a_zero, b, b_zero, a_scale, residual, y.data, scratch.data());
  }

 private:
  const FastContext* context_ = nullptr;
  Shape b_;
  Int8Data b_values_ = nullptr;
  Int8View b_zero_;
  Int8Epilogue epilogue_;
  ShapeCache<PreparedInt8MatMul> cache_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_DYNAMIC_INT8_H_

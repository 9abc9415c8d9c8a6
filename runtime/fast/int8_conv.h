// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QLinearConv and ConvInteger with what follows them, prepared for one shape: exact in int32
// whatever the processor (int8_product.h), the weights packed once. 3 x 3 convolutions of stride 1
// may be computed by Winograd's algorithm, which is exact too (int8_winograd.h).
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_CONV_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_CONV_H_

#include <cstdint>

#include "runtime/fast/channels_last.h"
#include "runtime/fast/context.h"
#include "runtime/fast/int8_epilogue.h"
#include "runtime/fast/int8_kernels.h"
#include "runtime/fast/int8_product.h"
#include "runtime/fast/pimpl.h"
#include "runtime/params/conv.h"

namespace dragoman::rt {

class PreparedInt8Conv {
 public:
  // 1 to 3 spatial axes, pads that are not negative, nothing empty.
  static bool Supports(const ConvParams& p, const Shape& x, const Shape& w);

  // `weights` (of sizes w) and what the epilogue has are copied; `w_zero` has no element, one, or
  // one a result channel. `product` is for tests.
  Status Init(const FastContext& context, const ConvParams& p, const Shape& x, const Shape& w,
              Int8Data weights, const Int8View& w_zero, const Int8Epilogue& epilogue = {},
              ChannelsLast layout = {}, const Int8Kernel& product = ChooseInt8Kernel()) noexcept;

  // x_zero is one element, or absent. A residual lies as y. `scratch` has ScratchBytes() and is
  // aligned to 64. The epilogue says whether there are the scale of x (one element, else null) and
  // a residual, and y's element type.
  Status Run(Int8Data x, Int8Data x_zero, const float* x_scale, Int8Data residual, Int8Result y,
             void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  const char* Implementation() const noexcept;

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_CONV_H_

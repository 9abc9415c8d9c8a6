// Conv in f32 on oneDNN, for sizes that only the run tells.
#ifndef DRAGOMAN_RUNTIME_FAST_DYNAMIC_CONV_H_
#define DRAGOMAN_RUNTIME_FAST_DYNAMIC_CONV_H_

#include "runtime/fast/conv.h"
#include "runtime/fast/shape_cache.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

class DynamicConv {
 public:
  // Row-major tensors; w and b (absent or one a channel) are the same in every call. Primitives for
  // sizes that were not seen lately are made first, and the scratch memory grows for them.
  Status Run(const FastContext& context, Memory& scratch, const ConvParams& p,
             TensorView<const float> x, TensorView<const float> w, TensorView<const float> b,
             TensorView<float> y) noexcept;

 private:
  ShapeCache<PreparedConv> cache_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_DYNAMIC_CONV_H_

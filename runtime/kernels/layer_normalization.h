// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LayerNormalization (ai.onnx 17) and RMSNormalization (ai.onnx 23): each slice over the axes from
// `axis` on is normalised, multiplied by `scale` and, for the former, shifted by `bias`; both
// broadcast to x. Statistics are computed in float at least, whatever stash_type says.
#ifndef DRAGOMAN_RUNTIME_KERNELS_LAYER_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_KERNELS_LAYER_NORMALIZATION_H_

#include <cmath>
#include <cstdint>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/moments.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/layer_normalization.h"

namespace dragoman::rt {

namespace internal {

// Walks an operand that broadcasts to `shape` along the latter's elements in order.
class BroadcastCursor {
 public:
  BroadcastCursor(const Shape& shape, const Shape& operand)
      : sizes_(shape), strides_(Shape::Filled(shape.size(), 0)) {
    index_ = strides_;
    const Shape dense = Strides(operand);
    const int lead = shape.size() - operand.size();
    for (int axis = 0; axis < operand.size(); ++axis) {
      if (operand[axis] != 1) strides_[lead + axis] = dense[axis];
    }
  }

  std::int64_t offset() const { return offset_; }

  void Advance() {
    for (int axis = sizes_.size() - 1; axis >= 0; --axis) {
      offset_ += strides_[axis];
      if (++index_[axis] < sizes_[axis]) return;
      offset_ -= strides_[axis] * sizes_[axis];
      index_[axis] = 0;
    }
  }

 private:
  Shape sizes_;
  Shape strides_;
  Shape index_;
  std::int64_t offset_ = 0;
};

// Elements of `shape` from `axis` on.
inline std::int64_t NormalizedSize(const Shape& shape, std::int64_t axis) {
  std::int64_t size = 1;
  for (int i = static_cast<int>(axis < 0 ? axis + shape.size() : axis); i < shape.size(); ++i) {
    size *= shape[i];
  }
  return size;
}

}  // namespace internal

template <class T, class U>
void LayerNormalization(const LayerNormalizationParams& p, TensorView<const T> x,
                        TensorView<const T> scale, TensorView<const T> bias, TensorView<T> y,
                        TensorView<U> mean, TensorView<U> inv_std_dev) {
  using S = Statistic<T>;
  if (x.size() == 0) return;
  const std::int64_t n = internal::NormalizedSize(x.shape, p.axis);
  internal::BroadcastCursor scale_at(x.shape, scale.shape);
  internal::BroadcastCursor bias_at(x.shape, bias.shape);
  for (std::int64_t row = 0; row < x.size() / n; ++row) {
    const T* in = x.data + row * n;
    T* out = y.data + row * n;
    const Moments<S> moments = FindMoments(in, 1, 0, n);
    const S inverse = 1 / std::sqrt(moments.variance + static_cast<S>(p.epsilon));
    if (mean.present()) mean[row] = static_cast<U>(moments.mean);
    if (inv_std_dev.present()) inv_std_dev[row] = static_cast<U>(inverse);
    for (std::int64_t i = 0; i < n; ++i) {
      const S gain = static_cast<S>(Widen(scale[scale_at.offset()]));
      const S shift = bias.present() ? static_cast<S>(Widen(bias[bias_at.offset()])) : S(0);
      out[i] =
          static_cast<T>((static_cast<S>(Widen(in[i])) - moments.mean) * inverse * gain + shift);
      scale_at.Advance();
      bias_at.Advance();
    }
  }
}

// y = x / sqrt(mean(x^2) + epsilon) * scale.
template <class T, class V>
void RMSNormalization(const RMSNormalizationParams& p, TensorView<const T> x,
                      TensorView<const V> scale, TensorView<V> y) {
  using S = Statistic<T>;
  if (x.size() == 0) return;
  const std::int64_t n = internal::NormalizedSize(x.shape, p.axis);
  internal::BroadcastCursor scale_at(x.shape, scale.shape);
  for (std::int64_t row = 0; row < x.size() / n; ++row) {
    const T* in = x.data + row * n;
    V* out = y.data + row * n;
    const S mean_square = SumOf(in, n, [](S v) { return v * v; }) / static_cast<S>(n);
    const S inverse = 1 / std::sqrt(mean_square + static_cast<S>(p.epsilon));
    for (std::int64_t i = 0; i < n; ++i) {
      const S gain = static_cast<S>(Widen(scale[scale_at.offset()]));
      out[i] = static_cast<V>(static_cast<S>(Widen(in[i])) * inverse * gain);
      scale_at.Advance();
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_LAYER_NORMALIZATION_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RNN: H = f(x Wᵀ + Wb + h Rᵀ + Rb).
#ifndef DRAGOMAN_RUNTIME_KERNELS_RNN_H_
#define DRAGOMAN_RUNTIME_KERNELS_RNN_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/recurrent.h"
#include "runtime/params/rnn.h"

namespace dragoman::rt {

namespace internal {

template <class T>
class RnnCell {
 public:
  using C = Compute<T>;

  RnnCell(const RNNParams& p, const RecurrentSizes& sizes, TensorView<const T> w,
          TensorView<const T> r, TensorView<const T> b, C* gates)
      : p_(p), sizes_(sizes), w_(w), r_(r), b_(b), gates_(gates) {}

  void Begin(std::int64_t d) {
    d_ = d;
    f_ = {RNNFunction(p_, static_cast<int>(d), 0), p_.clip};
  }

  template <class Row>
  void Step(Row row, C* h) {
    const std::int64_t hidden = sizes_.hidden;
    const T* bias = b_.present() ? b_.data + d_ * 2 * hidden : nullptr;
    for (std::int64_t i = 0; i < sizes_.batch * hidden; ++i) {
      const std::int64_t k = i % hidden;
      gates_[i] =
          bias == nullptr ? C(0) : static_cast<C>(bias[k]) + static_cast<C>(bias[hidden + k]);
    }
    AddWeighted(sizes_.batch, row, w_.data + d_ * hidden * sizes_.input, hidden, sizes_.input,
                gates_, hidden);
    const auto state = [&](std::int64_t b) { return row(b) ? h + b * hidden : nullptr; };
    AddWeighted(sizes_.batch, state, r_.data + d_ * hidden * hidden, hidden, hidden, gates_,
                hidden);
    for (std::int64_t i = 0; i < sizes_.batch * hidden; ++i) {
      if (row(i / hidden) != nullptr) h[i] = f_(gates_[i]);
    }
  }

  void End(std::int64_t) {}

 private:
  const RNNParams& p_;
  const RecurrentSizes& sizes_;
  TensorView<const T> w_, r_, b_;
  C* gates_;
  std::int64_t d_ = 0;
  ClippedFunction f_;
};

}  // namespace internal

template <class T>
std::int64_t RNNScratchBytes(const RNNParams& p, TensorView<const T> x, TensorView<const T>,
                             TensorView<const T> r, TensorView<const T>,
                             TensorView<const std::int32_t>, TensorView<const T>, TensorView<T>,
                             TensorView<T>) {
  const std::int64_t batch = x.shape[p.layout == 1 ? 0 : 1];
  return batch * r.shape[2] * 2 * static_cast<std::int64_t>(sizeof(Compute<T>));
}

// x is (T, B, I), or (B, T, I) with layout 1; w (D, H, I), r (D, H, H), b (D, 2 H), sequence_lens
// (B), initial_h and y_h (D, B, H) or (B, D, H), y (T, D, B, H) or (B, T, D, H). All but x, w and r
// may be absent. See RunRecurrent for sequence_lens; a length outside [0, T] is an error.
template <class T>
Status RNN(const RNNParams& p, TensorView<const T> x, TensorView<const T> w, TensorView<const T> r,
           TensorView<const T> b, TensorView<const std::int32_t> sequence_lens,
           TensorView<const T> initial_h, TensorView<T> y, TensorView<T> y_h, void* scratch) {
  RecurrentSizes sizes;
  DRAGOMAN_RT_TRY(ResolveRNN(
      p, {x.shape, w.shape, r.shape, b.shape, sequence_lens.shape, initial_h.shape}, &sizes));
  Compute<T>* h = static_cast<Compute<T>*>(scratch);
  internal::RnnCell<T> cell(p, sizes, w, r, b, h + sizes.batch * sizes.hidden);
  return RunRecurrent(sizes, p.direction, x, sequence_lens, initial_h, y, y_h, h, cell);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_RNN_H_

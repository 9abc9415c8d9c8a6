// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GRU, gates in the order z (update), r (reset), h (hidden):
//   z = f(x Wzᵀ + Wbz + h Rzᵀ + Rbz),  r = f(x Wrᵀ + Wbr + h Rrᵀ + Rbr)
//   n = g(x Whᵀ + Wbh + (r ⊙ h) Rhᵀ + Rbh), with linear_before_reset
//   n = g(x Whᵀ + Wbh + r ⊙ (h Rhᵀ + Rbh))
//   H = (1 - z) ⊙ n + z ⊙ h
#ifndef DRAGOMAN_RUNTIME_KERNELS_GRU_H_
#define DRAGOMAN_RUNTIME_KERNELS_GRU_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/recurrent.h"
#include "runtime/params/gru.h"

namespace dragoman::rt {

namespace internal {

template <class T>
class GruCell {
 public:
  using C = Compute<T>;

  // `gates` holds B * 3 H elements, `reset` B * H.
  GruCell(const GRUParams& p, const RecurrentSizes& sizes, TensorView<const T> w,
          TensorView<const T> r, TensorView<const T> b, C* gates, C* reset)
      : p_(p), sizes_(sizes), w_(w), r_(r), b_(b), gates_(gates), reset_(reset) {}

  void Begin(std::int64_t d) {
    d_ = d;
    f_ = {GRUFunction(p_, static_cast<int>(d), 0), p_.clip};
    g_ = {GRUFunction(p_, static_cast<int>(d), 1), p_.clip};
  }

  template <class Row>
  void Step(Row row, C* h) {
    const std::int64_t hidden = sizes_.hidden;
    const std::int64_t batch = sizes_.batch;
    const T* r = r_.data + d_ * 3 * hidden * hidden;
    LoadBias();
    AddWeighted(batch, row, w_.data + d_ * 3 * hidden * sizes_.input, 3 * hidden, sizes_.input,
                gates_, 3 * hidden);
    const auto state = [&](std::int64_t b) { return row(b) ? h + b * hidden : nullptr; };
    AddWeighted(batch, state, r, 2 * hidden, hidden, gates_, 3 * hidden);
    for (std::int64_t b = 0; b < batch; ++b) {
      C* gates = gates_ + b * 3 * hidden;
      for (std::int64_t k = 0; row(b) && k < 2 * hidden; ++k) gates[k] = f_(gates[k]);
    }
    const T* r_hidden = r + 2 * hidden * hidden;
    if (p_.linear_before_reset) {
      AddWeighted(batch, state, r_hidden, hidden, hidden, reset_, hidden);
      for (std::int64_t i = 0; i < batch * hidden; ++i) Hidden(i) += Reset(i) * reset_[i];
    } else {
      for (std::int64_t i = 0; i < batch * hidden; ++i) reset_[i] = Reset(i) * h[i];
      const auto scaled = [&](std::int64_t b) { return row(b) ? reset_ + b * hidden : nullptr; };
      AddWeighted(batch, scaled, r_hidden, hidden, hidden, gates_ + 2 * hidden, 3 * hidden);
    }
    for (std::int64_t i = 0; i < batch * hidden; ++i) {
      if (row(i / hidden) == nullptr) continue;
      const C z = Update(i);
      h[i] = (C(1) - z) * g_(Hidden(i)) + z * h[i];
    }
  }

  void End(std::int64_t) {}

 private:
  // The gates of state element `i` (row-major B, H).
  C& Update(std::int64_t i) { return Gate(i, 0); }
  C& Reset(std::int64_t i) { return Gate(i, 1); }
  C& Hidden(std::int64_t i) { return Gate(i, 2); }
  C& Gate(std::int64_t i, std::int64_t gate) {
    const std::int64_t hidden = sizes_.hidden;
    return gates_[(i / hidden * 3 + gate) * hidden + i % hidden];
  }

  // Sets the gates to their biases. With linear_before_reset, Rbh goes to `reset_`.
  void LoadBias() {
    const std::int64_t hidden = sizes_.hidden;
    std::fill_n(gates_, sizes_.batch * 3 * hidden, C(0));
    std::fill_n(reset_, sizes_.batch * hidden, C(0));
    if (!b_.present()) return;
    const T* bias = b_.data + d_ * 6 * hidden;
    for (std::int64_t i = 0; i < sizes_.batch * hidden; ++i) {
      const std::int64_t k = i % hidden;
      for (std::int64_t gate = 0; gate < 3; ++gate) {
        const C recurrent = static_cast<C>(bias[(gate + 3) * hidden + k]);
        const bool after_reset = gate == 2 && p_.linear_before_reset;
        Gate(i, gate) = static_cast<C>(bias[gate * hidden + k]) + (after_reset ? C(0) : recurrent);
        if (after_reset) reset_[i] = recurrent;
      }
    }
  }

  const GRUParams& p_;
  const RecurrentSizes& sizes_;
  TensorView<const T> w_, r_, b_;
  C* gates_;
  C* reset_;
  std::int64_t d_ = 0;
  ClippedFunction f_, g_;
};

}  // namespace internal

template <class T>
std::int64_t GRUScratchBytes(const GRUParams& p, TensorView<const T> x, TensorView<const T>,
                             TensorView<const T> r, TensorView<const T>,
                             TensorView<const std::int32_t>, TensorView<const T>, TensorView<T>,
                             TensorView<T>) {
  const std::int64_t batch = x.shape[p.layout == 1 ? 0 : 1];
  return batch * r.shape[2] * 5 * static_cast<std::int64_t>(sizeof(Compute<T>));
}

// x is (T, B, I), or (B, T, I) with layout 1; w (D, 3 H, I), r (D, 3 H, H), b (D, 6 H): Wb then Rb,
// sequence_lens (B), initial_h and y_h (D, B, H) or (B, D, H), y (T, D, B, H) or (B, T, D, H). All
// but x, w and r may be absent. See RunRecurrent for sequence_lens; a length outside [0, T] is an
// error.
template <class T>
Status GRU(const GRUParams& p, TensorView<const T> x, TensorView<const T> w, TensorView<const T> r,
           TensorView<const T> b, TensorView<const std::int32_t> sequence_lens,
           TensorView<const T> initial_h, TensorView<T> y, TensorView<T> y_h, void* scratch) {
  RecurrentSizes sizes;
  DRAGOMAN_RT_TRY(ResolveGRU(
      p, {x.shape, w.shape, r.shape, b.shape, sequence_lens.shape, initial_h.shape}, &sizes));
  const std::int64_t state = sizes.batch * sizes.hidden;
  Compute<T>* h = static_cast<Compute<T>*>(scratch);
  internal::GruCell<T> cell(p, sizes, w, r, b, h + 2 * state, h + state);
  return RunRecurrent(sizes, p.direction, x, sequence_lens, initial_h, y, y_h, h, cell);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_GRU_H_

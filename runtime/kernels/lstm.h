// LSTM, gates in the order i (input), o (output), f (forget), c (cell):
//   i = f(x Wiᵀ + h Riᵀ + Pi ⊙ c + Wbi + Rbi)
//   f = f(x Wfᵀ + h Rfᵀ + Pf ⊙ c + Wbf + Rbf), or 1 - i with input_forget
//   C = f ⊙ c + i ⊙ g(x Wcᵀ + h Rcᵀ + Wbc + Rbc)
//   o = f(x Woᵀ + h Roᵀ + Po ⊙ C + Wbo + Rbo)
//   H = o ⊙ h(C)
// A clip bounds the arguments of f, g and h, not the C that is kept.
#ifndef DRAGOMAN_RUNTIME_KERNELS_LSTM_H_
#define DRAGOMAN_RUNTIME_KERNELS_LSTM_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/recurrent.h"
#include "runtime/params/lstm.h"

namespace dragoman::rt {

namespace internal {

template <class T>
struct LstmOperands {
  TensorView<const T> w, r, b, initial_c, peepholes;
};

template <class T>
class LstmCell {
 public:
  using C = Compute<T>;

  // `gates` holds B * 4 H elements, `c` B * H.
  LstmCell(const LSTMParams& p, const RecurrentSizes& sizes, const LstmOperands<T>& operands,
           TensorView<T> y_c, C* gates, C* c)
      : p_(p), sizes_(sizes), operands_(operands), y_c_(y_c), gates_(gates), c_(c) {}

  void Begin(std::int64_t d) {
    d_ = d;
    f_ = {LSTMFunction(p_, static_cast<int>(d), 0), p_.clip};
    g_ = {LSTMFunction(p_, static_cast<int>(d), 1), p_.clip};
    h_ = {LSTMFunction(p_, static_cast<int>(d), 2), p_.clip};
    LoadState(sizes_, operands_.initial_c, d, c_);
  }

  template <class Row>
  void Step(Row row, C* h) {
    const std::int64_t hidden = sizes_.hidden;
    const std::int64_t rows = 4 * hidden;
    LoadBias();
    AddWeighted(sizes_.batch, row, operands_.w.data + d_ * rows * sizes_.input, rows, sizes_.input,
                gates_, rows);
    const auto state = [&](std::int64_t b) { return row(b) ? h + b * hidden : nullptr; };
    AddWeighted(sizes_.batch, state, operands_.r.data + d_ * rows * hidden, rows, hidden, gates_,
                rows);
    for (std::int64_t b = 0; b < sizes_.batch; ++b) {
      if (row(b) != nullptr) Combine(gates_ + b * rows, c_ + b * hidden, h + b * hidden);
    }
  }

  void End(std::int64_t d) { StoreState(sizes_, c_, d, y_c_); }

 private:
  void LoadBias() {
    const std::int64_t rows = 4 * sizes_.hidden;
    const T* bias = operands_.b.present() ? operands_.b.data + d_ * 2 * rows : nullptr;
    for (std::int64_t i = 0; i < sizes_.batch * rows; ++i) {
      const std::int64_t k = i % rows;
      gates_[i] = bias == nullptr ? C(0) : static_cast<C>(bias[k]) + static_cast<C>(bias[rows + k]);
    }
  }

  // Weight `k` of peephole `gate` (i, o, f).
  C Peephole(std::int64_t gate, std::int64_t k) const {
    if (!operands_.peepholes.present()) return C(0);
    return static_cast<C>(operands_.peepholes[(d_ * 3 + gate) * sizes_.hidden + k]);
  }

  // One sequence: from its gates and states to its next states.
  void Combine(const C* gates, C* c, C* h) const {
    const std::int64_t hidden = sizes_.hidden;
    for (std::int64_t k = 0; k < hidden; ++k) {
      const C i = f_(gates[k] + Peephole(0, k) * c[k]);
      const C forget =
          p_.input_forget ? C(1) - i : f_(gates[2 * hidden + k] + Peephole(2, k) * c[k]);
      c[k] = forget * c[k] + i * g_(gates[3 * hidden + k]);
      const C o = f_(gates[hidden + k] + Peephole(1, k) * c[k]);
      h[k] = o * h_(c[k]);
    }
  }

  const LSTMParams& p_;
  const RecurrentSizes& sizes_;
  const LstmOperands<T>& operands_;
  TensorView<T> y_c_;
  C* gates_;
  C* c_;
  std::int64_t d_ = 0;
  ClippedFunction f_, g_, h_;
};

}  // namespace internal

template <class T>
std::int64_t LSTMScratchBytes(const LSTMParams& p, TensorView<const T> x, TensorView<const T>,
                              TensorView<const T> r, TensorView<const T>,
                              TensorView<const std::int32_t>, TensorView<const T>,
                              TensorView<const T>, TensorView<const T>, TensorView<T>,
                              TensorView<T>, TensorView<T>) {
  const std::int64_t batch = x.shape[p.layout == 1 ? 0 : 1];
  return batch * r.shape[2] * 6 * static_cast<std::int64_t>(sizeof(Compute<T>));
}

// x is (T, B, I), or (B, T, I) with layout 1; w (D, 4 H, I), r (D, 4 H, H), b (D, 8 H): Wb then Rb,
// sequence_lens (B), peepholes (D, 3 H) in the order i, o, f; initial_h, initial_c, y_h and y_c (D,
// B, H) or (B, D, H), y (T, D, B, H) or (B, T, D, H). All but x, w and r may be absent. See
// RunRecurrent for sequence_lens; a length outside [0, T] is an error.
template <class T>
Status LSTM(const LSTMParams& p, TensorView<const T> x, TensorView<const T> w,
            TensorView<const T> r, TensorView<const T> b,
            TensorView<const std::int32_t> sequence_lens, TensorView<const T> initial_h,
            TensorView<const T> initial_c, TensorView<const T> peepholes, TensorView<T> y,
            TensorView<T> y_h, TensorView<T> y_c, void* scratch) {
  RecurrentSizes sizes;
  DRAGOMAN_RT_TRY(ResolveLSTM(
      p, {x.shape, w.shape, r.shape, b.shape, sequence_lens.shape, initial_h.shape}, &sizes));
  const std::int64_t state = sizes.batch * sizes.hidden;
  Compute<T>* h = static_cast<Compute<T>*>(scratch);
  const internal::LstmOperands<T> operands{w, r, b, initial_c, peepholes};
  internal::LstmCell<T> cell(p, sizes, operands, y_c, h + 2 * state, h + state);
  return RunRecurrent(sizes, p.direction, x, sequence_lens, initial_h, y, y_h, h, cell);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_LSTM_H_

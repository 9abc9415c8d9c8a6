// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LSTM, gates in the order i (input), o (output), f (forget), c (cell):
//   i = f(x Wiᵀ + h Riᵀ + Pi ⊙ c + Wbi + Rbi)
//   f = f(x Wfᵀ + h Rfᵀ + Pf ⊙ c + Wbf + Rbf), or 1 - i with input_forget
//   C = f ⊙ c + i ⊙ g(x Wcᵀ + h Rcᵀ + Wbc + Rbc)
//   o = f(x Woᵀ + h Roᵀ + Po ⊙ C + Wbo + Rbo)
//   H = o ⊙ h(C)
// A clip bounds the arguments of f and g. ONNX's text can be read to bound that of h too; ONNX
// Runtime and OpenVINO do not.
//
// dragoman.LSTM bounds C by its cell_clip before o and H read it. In place of H it gives, and the
// next step reads, H Projᵀ if it has a projection, bounded by its output_clip.
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
  TensorView<const T> w, r, b, initial_c, peepholes, projection;
};

// x, bounded by [-bound, bound] unless that is 0.
template <class C>
C Bounded(C x, float bound) {
  const C b = static_cast<C>(bound);
  return bound > 0.0f ? std::min(std::max(x, -b), b) : x;
}

template <class T>
class LstmCell {
 public:
  using C = Compute<T>;

  // `memory` holds B * 6 H elements.
  LstmCell(const ProjectedLSTMParams& p, const RecurrentSizes& sizes,
           const LstmOperands<T>& operands, TensorView<T> y_c, C* memory)
      : p_(p),
        sizes_(sizes),
        operands_(operands),
        y_c_(y_c),
        c_(memory),
        unprojected_(memory + sizes.batch * sizes.hidden),
        gates_(memory + 2 * sizes.batch * sizes.hidden) {}

  void Begin(std::int64_t d) {
    d_ = d;
    const LSTMParams plain = p_.Plain();
    f_ = {LSTMFunction(plain, static_cast<int>(d), 0), p_.clip};
    g_ = {LSTMFunction(plain, static_cast<int>(d), 1), p_.clip};
    h_ = {LSTMFunction(plain, static_cast<int>(d), 2), 0.0f};
    LoadState(sizes_.Unprojected(), operands_.initial_c, d, c_);
  }

  template <class Row>
  void Step(Row row, C* h) {
    const std::int64_t hidden = sizes_.hidden;
    const std::int64_t rows = 4 * hidden;
    LoadBias();
    AddWeighted(sizes_.batch, row, operands_.w.data + d_ * rows * sizes_.input, rows, sizes_.input,
                gates_, rows);
    const std::int64_t output = sizes_.output;
    const auto state = [&](std::int64_t b) { return row(b) ? h + b * output : nullptr; };
    AddWeighted(sizes_.batch, state, operands_.r.data + d_ * rows * output, rows, output, gates_,
                rows);
    C* given = operands_.projection.present() ? unprojected_ : h;
    for (std::int64_t b = 0; b < sizes_.batch; ++b) {
      if (row(b) != nullptr) Combine(gates_ + b * rows, c_ + b * hidden, given + b * hidden);
    }
    if (operands_.projection.present()) Project(row, h);
  }

  void End(std::int64_t d) { StoreState(sizes_.Unprojected(), c_, d, y_c_); }

 private:
  template <class Row>
  void Project(Row row, C* h) const {
    const std::int64_t hidden = sizes_.hidden;
    const std::int64_t output = sizes_.output;
    for (std::int64_t b = 0; b < sizes_.batch; ++b) {
      if (row(b) != nullptr) std::fill_n(h + b * output, output, C(0));
    }
    const auto given = [&](std::int64_t b) { return row(b) ? unprojected_ + b * hidden : nullptr; };
    AddWeighted(sizes_.batch, given, operands_.projection.data + d_ * output * hidden, output,
                hidden, h, output);
    for (std::int64_t i = 0; i < sizes_.batch * output; ++i) {
      if (row(i / output) != nullptr) h[i] = Bounded(h[i], p_.output_clip);
    }
  }

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
    const float output_clip = operands_.projection.present() ? 0.0f : p_.output_clip;
    for (std::int64_t k = 0; k < hidden; ++k) {
      const C i = f_(gates[k] + Peephole(0, k) * c[k]);
      const C forget =
          p_.input_forget ? C(1) - i : f_(gates[2 * hidden + k] + Peephole(2, k) * c[k]);
      c[k] = Bounded(forget * c[k] + i * g_(gates[3 * hidden + k]), p_.cell_clip);
      const C o = f_(gates[hidden + k] + Peephole(1, k) * c[k]);
      h[k] = Bounded(o * h_(c[k]), output_clip);
    }
  }

  const ProjectedLSTMParams& p_;
  const RecurrentSizes& sizes_;
  const LstmOperands<T>& operands_;
  TensorView<T> y_c_;
  C* c_;
  C* unprojected_;  // the hidden state before its projection
  C* gates_;
  std::int64_t d_ = 0;
  ClippedFunction f_, g_, h_;
};

// Memory for h and the cell: (B, O + 6 H) elements.
template <class T>
std::int64_t LstmScratchBytes(std::int64_t layout, TensorView<const T> x, TensorView<const T> r) {
  const std::int64_t batch = x.shape[layout == 1 ? 0 : 1];
  const std::int64_t hidden = r.shape[1] / 4;
  return batch * (r.shape[2] + 6 * hidden) * static_cast<std::int64_t>(sizeof(Compute<T>));
}

}  // namespace internal

template <class T>
std::int64_t LSTMScratchBytes(const LSTMParams& p, TensorView<const T> x, TensorView<const T>,
                              TensorView<const T> r, TensorView<const T>,
                              TensorView<const std::int32_t>, TensorView<const T>,
                              TensorView<const T>, TensorView<const T>, TensorView<T>,
                              TensorView<T>, TensorView<T>) {
  return internal::LstmScratchBytes(p.layout, x, r);
}

template <class T>
std::int64_t ProjectedLSTMScratchBytes(const ProjectedLSTMParams& p, TensorView<const T> x,
                                       TensorView<const T>, TensorView<const T> r,
                                       TensorView<const T>, TensorView<const std::int32_t>,
                                       TensorView<const T>, TensorView<const T>,
                                       TensorView<const T>, TensorView<const T>, TensorView<T>,
                                       TensorView<T>, TensorView<T>) {
  return internal::LstmScratchBytes(p.layout, x, r);
}

// dragoman.LSTM. As LSTM below; projection (D, O, H) may be absent, then O is H. r is (D, 4 H, O),
// y (T, D, B, O) or (B, T, D, O), initial_h and y_h (D, B, O) or (B, D, O).
template <class T>
Status ProjectedLSTM(const ProjectedLSTMParams& p, TensorView<const T> x, TensorView<const T> w,
                     TensorView<const T> r, TensorView<const T> b,
                     TensorView<const std::int32_t> sequence_lens, TensorView<const T> initial_h,
                     TensorView<const T> initial_c, TensorView<const T> peepholes,
                     TensorView<const T> projection, TensorView<T> y, TensorView<T> y_h,
                     TensorView<T> y_c, void* scratch) {
  RecurrentSizes sizes;
  DRAGOMAN_RT_TRY(ResolveLSTM(
      p.Plain(), {x.shape, w.shape, r.shape, b.shape, sequence_lens.shape, initial_h.shape}, &sizes,
      projection.present()));
  Compute<T>* h = static_cast<Compute<T>*>(scratch);
  const internal::LstmOperands<T> operands{w, r, b, initial_c, peepholes, projection};
  internal::LstmCell<T> cell(p, sizes, operands, y_c, h + sizes.batch * sizes.output);
  return RunRecurrent(sizes, p.direction, x, sequence_lens, initial_h, y, y_h, h, cell);
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
  return ProjectedLSTM(AsProjected(p), x, w, r, b, sequence_lens, initial_h, initial_c, peepholes,
                       TensorView<const T>(), y, y_h, y_c, scratch);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_LSTM_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over steps, sequences and directions that LSTM, GRU and RNN share.
#ifndef DRAGOMAN_RUNTIME_KERNELS_RECURRENT_H_
#define DRAGOMAN_RUNTIME_KERNELS_RECURRENT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "runtime/kernels/product.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/recurrent.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

template <class C>
C Activate(const RnnFunction& f, C x) {
  const C alpha = static_cast<C>(f.alpha);
  const C beta = static_cast<C>(f.beta);
  switch (f.kind) {
    case RnnActivation::kRelu:
      return x < 0 ? C(0) : x;
    case RnnActivation::kTanh:
      return std::tanh(x);
    case RnnActivation::kSigmoid:
      return C(1) / (C(1) + std::exp(-x));
    case RnnActivation::kAffine:
      return alpha * x + beta;
    case RnnActivation::kLeakyRelu:
      return x < 0 ? alpha * x : x;
    case RnnActivation::kThresholdedRelu:
      return x >= alpha ? x : C(0);
    case RnnActivation::kScaledTanh:
      return alpha * std::tanh(beta * x);
    case RnnActivation::kHardSigmoid:
      return std::min(std::max(alpha * x + beta, C(0)), C(1));
    case RnnActivation::kElu:
      return x < 0 ? alpha * std::expm1(x) : x;
    case RnnActivation::kSoftsign:
      return x / (C(1) + std::fabs(x));
    case RnnActivation::kSoftplus:
      return std::max(x, C(0)) + std::log1p(std::exp(-std::fabs(x)));
  }
  return x;
}

// The function of a gate after the clip: x is bounded by [-clip, clip] unless clip is 0.
struct ClippedFunction {
  RnnFunction function;
  float clip = 0.0f;

  template <class C>
  C operator()(C x) const {
    const C bound = static_cast<C>(clip);
    return Activate(function, clip > 0.0f ? std::min(std::max(x, -bound), bound) : x);
  }
};

// For the sequences b with a row: sums[b * stride + j] += row(b) · weights[j], for j below `rows`.
// `row(b)` points to `depth` factors or is null.
template <class T, class Row>
void AddWeighted(std::int64_t batch, Row row, const T* weights, std::int64_t rows,
                 std::int64_t depth, Compute<T>* sums, std::int64_t stride) {
  using Sum = ProductSum<T>;
  for (std::int64_t j = 0; j < rows; ++j) {
    const T* weight = weights + j * depth;
    for (std::int64_t b = 0; b < batch; ++b) {
      const auto* factors = row(b);
      if (factors == nullptr) continue;
      sums[b * stride + j] += static_cast<Compute<T>>(DotProduct<Sum>(
          depth, [=](std::int64_t k) { return static_cast<Sum>(factors[k]); },
          [=](std::int64_t k) { return static_cast<Sum>(weight[k]); }));
    }
  }
}

// Copies the state of direction `d` out of, and into, an operand; an absent one is zeros.
template <class T>
void LoadState(const RecurrentSizes& sizes, TensorView<const T> from, std::int64_t d,
               Compute<T>* state) {
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    for (std::int64_t k = 0; k < sizes.output; ++k) {
      state[b * sizes.output + k] =
          from.present() ? static_cast<Compute<T>>(from[sizes.StateAt(d, b) + k]) : Compute<T>(0);
    }
  }
}
template <class T>
void StoreState(const RecurrentSizes& sizes, const Compute<T>* state, std::int64_t d,
                TensorView<T> to) {
  for (std::int64_t b = 0; to.present() && b < sizes.batch; ++b) {
    for (std::int64_t k = 0; k < sizes.output; ++k) {
      to[sizes.StateAt(d, b) + k] = static_cast<T>(state[b * sizes.output + k]);
    }
  }
}

// Runs `cell` over all directions. `h` holds batch * output elements. The cell has
//   void Begin(d)      selects the weights of direction d and loads what state it has of its own
//   void Step(row, h)  one step of every sequence b whose row(b), its input, is not null; h (B, O)
//   void End(d)        stores its state
// A backward pass reads each sequence from its own last element to its first and leaves its results
// where it read. Results beyond a sequence's length are 0; its last state is that after its last
// step, the initial one if it has none.
template <class T, class Cell>
Status RunRecurrent(const RecurrentSizes& sizes, RnnDirection direction, TensorView<const T> x,
                    TensorView<const std::int32_t> sequence_lens, TensorView<const T> initial_h,
                    TensorView<T> y, TensorView<T> y_h, Compute<T>* h, Cell& cell) {
  const auto length = [&](std::int64_t b) {
    return sequence_lens.present() ? std::int64_t{sequence_lens[b]} : sizes.steps;
  };
  for (std::int64_t b = 0; b < sizes.batch; ++b) {
    if (length(b) < 0 || length(b) > sizes.steps) {
      return Status::Error("sequence length out of range");
    }
  }
  if (y.present()) std::fill_n(y.data, y.size(), T(0));
  for (std::int64_t d = 0; d < sizes.directions; ++d) {
    const bool backward = d == 1 || direction == RnnDirection::kReverse;
    const auto time = [&](std::int64_t s, std::int64_t b) {
      return backward ? length(b) - 1 - s : s;
    };
    cell.Begin(d);
    LoadState(sizes, initial_h, d, h);
    for (std::int64_t s = 0; s < sizes.steps; ++s) {
      const auto row = [&](std::int64_t b) -> const T* {
        return s < length(b) ? x.data + sizes.XAt(time(s, b), b) : nullptr;
      };
      cell.Step(row, h);
      for (std::int64_t b = 0; y.present() && b < sizes.batch; ++b) {
        if (s >= length(b)) continue;
        T* result = y.data + sizes.YAt(time(s, b), d, b);
        for (std::int64_t k = 0; k < sizes.output; ++k) {
          result[k] = static_cast<T>(h[b * sizes.output + k]);
        }
      }
    }
    StoreState(sizes, h, d, y_h);
    cell.End(d);
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_RECURRENT_H_

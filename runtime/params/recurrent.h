// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LSTM, GRU and RNN share: direction, activation functions, sizes.
#ifndef DRAGOMAN_RUNTIME_PARAMS_RECURRENT_H_
#define DRAGOMAN_RUNTIME_PARAMS_RECURRENT_H_

#include <cstdint>
#include <initializer_list>

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

enum class RnnDirection { kForward, kReverse, kBidirectional };

constexpr const char* Name(RnnDirection direction) {
  constexpr const char* kNames[] = {"kForward", "kReverse", "kBidirectional"};
  return kNames[static_cast<int>(direction)];
}

// The activation functions that ONNX names in LSTM, GRU and RNN.
enum class RnnActivation {
  kRelu,
  kTanh,
  kSigmoid,
  kAffine,           // alpha * x + beta
  kLeakyRelu,        // x < 0 ? alpha * x : x
  kThresholdedRelu,  // x >= alpha ? x : 0
  kScaledTanh,       // alpha * tanh(beta * x)
  kHardSigmoid,      // min(max(alpha * x + beta, 0), 1)
  kElu,              // x < 0 ? alpha * (e^x - 1) : x
  kSoftsign,         // x / (1 + |x|)
  kSoftplus,         // log(1 + e^x)
};

constexpr const char* Name(RnnActivation activation) {
  constexpr const char* kNames[] = {
      "kRelu",       "kTanh",        "kSigmoid", "kAffine",   "kLeakyRelu", "kThresholdedRelu",
      "kScaledTanh", "kHardSigmoid", "kElu",     "kSoftsign", "kSoftplus"};
  return kNames[static_cast<int>(activation)];
}

// A short list, stored in place: three functions a direction.
template <class T>
class RnnList {
 public:
  static constexpr int kCapacity = 6;

  constexpr RnnList() = default;
  constexpr RnnList(std::initializer_list<T> values) {
    for (T v : values) push_back(v);
  }
  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  // At most kCapacity values; the caller checks.
  constexpr void push_back(T v) { values_[size_++] = v; }
  constexpr T operator[](int i) const { return values_[i]; }
  constexpr const T* begin() const { return values_; }
  constexpr const T* end() const { return values_ + size_; }

  friend constexpr bool operator==(const RnnList& a, const RnnList& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i) {
      if (!(a.values_[i] == b.values_[i])) return false;
    }
    return true;
  }
  friend constexpr bool operator!=(const RnnList& a, const RnnList& b) { return !(a == b); }

 private:
  T values_[kCapacity] = {};
  int size_ = 0;
};

// An activation function with its constants.
struct RnnFunction {
  RnnActivation kind = RnnActivation::kTanh;
  float alpha = 0.0f;
  float beta = 0.0f;
};

namespace internal {

constexpr bool HasBeta(RnnActivation kind) {
  return kind == RnnActivation::kAffine || kind == RnnActivation::kScaledTanh ||
         kind == RnnActivation::kHardSigmoid;
}

constexpr bool HasAlpha(RnnActivation kind) {
  return HasBeta(kind) || kind == RnnActivation::kLeakyRelu ||
         kind == RnnActivation::kThresholdedRelu || kind == RnnActivation::kElu;
}

// With the constants that ONNX's operator of that name has by default.
constexpr RnnFunction DefaultFunction(RnnActivation kind) {
  RnnFunction function{kind, 1.0f, 0.0f};
  if (kind == RnnActivation::kLeakyRelu) function.alpha = 0.01f;
  if (kind == RnnActivation::kScaledTanh) function.beta = 1.0f;
  if (kind == RnnActivation::kHardSigmoid) {
    function.alpha = 0.2f;
    function.beta = 0.5f;
  }
  return function;
}

}  // namespace internal

// Function `index` of all directions' functions. The lists of constants are consumed in the order
// of the functions by those that have such a constant; beyond a list's end the default holds.
constexpr RnnFunction ResolveRnnFunction(const RnnList<RnnActivation>& activations,
                                         const RnnList<float>& alpha, const RnnList<float>& beta,
                                         int index) {
  int alphas = 0;
  int betas = 0;
  for (int i = 0; i < index; ++i) {
    alphas += internal::HasAlpha(activations[i]) ? 1 : 0;
    betas += internal::HasBeta(activations[i]) ? 1 : 0;
  }
  RnnFunction function = internal::DefaultFunction(activations[index]);
  if (internal::HasAlpha(function.kind) && alphas < alpha.size()) function.alpha = alpha[alphas];
  if (internal::HasBeta(function.kind) && betas < beta.size()) function.beta = beta[betas];
  return function;
}

// The extents of a recurrence. T steps, B sequences, I inputs, H hidden, O output, D directions.
struct RecurrentSizes {
  std::int64_t steps = 0;
  std::int64_t batch = 0;
  std::int64_t input = 0;
  std::int64_t hidden = 0;
  std::int64_t output = 0;  // of the hidden state as it is given: hidden, or that of its projection
  std::int64_t directions = 1;
  bool batch_first = false;  // layout 1

  // Sizes of the results: (T, D, B, O) or (B, T, D, O); (D, B, O) or (B, D, O).
  constexpr Shape Y() const {
    return batch_first ? Shape{batch, steps, directions, output}
                       : Shape{steps, directions, batch, output};
  }
  constexpr Shape State() const {
    return batch_first ? Shape{batch, directions, output} : Shape{directions, batch, output};
  }
  // The same for states that are not projected.
  constexpr RecurrentSizes Unprojected() const {
    RecurrentSizes sizes = *this;
    sizes.output = hidden;
    return sizes;
  }
  // Offsets in elements.
  constexpr std::int64_t XAt(std::int64_t t, std::int64_t b) const {
    return (batch_first ? b * steps + t : t * batch + b) * input;
  }
  constexpr std::int64_t YAt(std::int64_t t, std::int64_t d, std::int64_t b) const {
    const std::int64_t row =
        batch_first ? (b * steps + t) * directions + d : (t * directions + d) * batch + b;
    return row * output;
  }
  constexpr std::int64_t StateAt(std::int64_t d, std::int64_t b) const {
    return (batch_first ? b * directions + d : d * batch + b) * output;
  }
};

// The sizes of the operands that all three ops have. Absent ones are of rank 0.
struct RecurrentShapes {
  Shape x;
  Shape w;
  Shape r;
  Shape b;
  Shape sequence_lens;
  Shape initial_h;
};

// Reads the sizes off x, w and r and checks all operands against them. `gates` is 4, 3 or 1;
// `hidden_size` 0 is unstated. The hidden size is that of r unless `is_projected`: then it follows
// from the rows of r.
constexpr Status ResolveRecurrent(const RecurrentShapes& shapes, RnnDirection direction,
                                  std::int64_t layout, std::int64_t hidden_size, std::int64_t gates,
                                  RecurrentSizes* sizes, bool is_projected = false) {
  const Shape& x = shapes.x;
  if (x.size() != 3) return Status::Error("x must have rank 3");
  if (shapes.w.size() != 3 || shapes.r.size() != 3) return Status::Error("w, r must have rank 3");
  if (layout != 0 && layout != 1) return Status::Error("layout must be 0 or 1");
  sizes->batch_first = layout == 1;
  sizes->steps = x[layout == 1 ? 1 : 0];
  sizes->batch = x[layout == 1 ? 0 : 1];
  sizes->input = x[2];
  sizes->output = shapes.r[2];
  sizes->hidden = is_projected ? shapes.r[1] / gates : sizes->output;
  sizes->directions = direction == RnnDirection::kBidirectional ? 2 : 1;
  if (hidden_size != 0 && hidden_size != sizes->hidden) {
    return Status::Error("hidden_size differs from the size of r");
  }
  if (sizes->hidden > (std::int64_t{1} << 30)) return Status::Error("hidden size out of range");
  const std::int64_t rows = gates * sizes->hidden;
  if (shapes.w != Shape{sizes->directions, rows, sizes->input}) {
    return Status::Error("w does not have the sizes (directions, gates * hidden, input)");
  }
  if (shapes.r != Shape{sizes->directions, rows, sizes->output}) {
    return Status::Error("r does not have the sizes (directions, gates * hidden, output)");
  }
  if (!shapes.b.empty() && shapes.b != Shape{sizes->directions, 2 * rows}) {
    return Status::Error("b does not have the sizes (directions, 2 * gates * hidden)");
  }
  if (!shapes.sequence_lens.empty() && shapes.sequence_lens != Shape{sizes->batch}) {
    return Status::Error("sequence_lens does not have the size (batch)");
  }
  if (!shapes.initial_h.empty() && shapes.initial_h != sizes->State()) {
    return Status::Error("an initial state does not have the sizes of the state");
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_RECURRENT_H_

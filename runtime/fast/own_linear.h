// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product with constant weights (linear.h) by a loop of our own: what does without oneDNN.
#ifndef DRAGOMAN_RUNTIME_FAST_OWN_LINEAR_H_
#define DRAGOMAN_RUNTIME_FAST_OWN_LINEAR_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/half_tensors.h"
#include "runtime/fast/pimpl.h"
#include "runtime/fast/post_ops.h"
#include "runtime/fast/precision.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// y (rows, out) = x (rows, in) · weight + bias. The weight lies as (out, in), or with `in_first` as
// (in, out).
struct LinearSizes {
  std::int64_t rows = 0;
  std::int64_t in = 0;
  std::int64_t out = 0;
  bool in_first = false;
};

class OwnLinear {
 public:
  // Up to as many no primitive is used, whose call would cost too much...
  static constexpr std::int64_t kOwnRows = 2;
  // ...unless there are as many weights in bf16: the primitive reads half of the bytes.
  static constexpr std::int64_t kManyHalves = 1 << 18;

  // Whether it is used, whatever the machine.
  static bool Suits(const LinearSizes& sizes, Precision weights) {
    const bool many = weights == Precision::kBF16 && sizes.in * sizes.out >= kManyHalves;
    return sizes.rows <= kOwnRows && !many;
  }

  // Nothing empty. `weights` and `bias` (out elements; may be null) are copied.
  Status Init(const FastContext& context, const LinearSizes& sizes, const WeightData& weights,
              const float* bias, const PostOps& post, const ElementTypes& types = {}) noexcept;

  // As PreparedLinear.
  Status Run(const void* x, const void* residual, void* y, void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  const char* Implementation() const noexcept { return "own panels"; }

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_OWN_LINEAR_H_

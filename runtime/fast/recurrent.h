// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LSTM (dragoman.LSTM as well), GRU and RNN of f32 with constant weights, prepared for one shape,
// or for any number of steps and rows of the batch.
//
// The products by the input weights of all steps are one product, made first. Of each step remain
// the product by the recurrent weights, packed in panels, and one loop for gates and states.
#ifndef DRAGOMAN_RUNTIME_FAST_RECURRENT_H_
#define DRAGOMAN_RUNTIME_FAST_RECURRENT_H_

#include <cstdint>

#include "runtime/fast/context.h"
#include "runtime/fast/pimpl.h"
#include "runtime/fast/precision.h"
#include "runtime/params/gru.h"
#include "runtime/params/lstm.h"
#include "runtime/params/rnn.h"

namespace dragoman::rt {

class PreparedRecurrent {
 public:
  static constexpr std::int64_t kOpen = -1;  // a number of steps or rows that Resize gives

  // x is (steps, batch, input), of which the first two may be kOpen. Layout 0.
  static bool Supports(const LSTMParams& p, const Shape& x);
  static bool Supports(const ProjectedLSTMParams& p, const Shape& x);
  static bool Supports(const GRUParams& p, const Shape& x);
  static bool Supports(const RNNParams& p, const Shape& x);

  // W, R, B and peepholes as ONNX has them; all but W and R may be null. They are copied. All is
  // computed in f32, but for products by W and R in bf16 where the processor has them. `output` is
  // the size of the hidden state that is given, that of `projection` (directions, output, hidden),
  // if it is not null.
  Status Init(const FastContext& context, const LSTMParams& p, const Shape& x, const WeightData& w,
              const WeightData& r, const float* b, const float* peepholes = nullptr) noexcept;
  Status Init(const FastContext& context, const ProjectedLSTMParams& p, const Shape& x,
              std::int64_t output, const WeightData& w, const WeightData& r, const float* b,
              const float* peepholes, const float* projection) noexcept;
  Status Init(const FastContext& context, const GRUParams& p, const Shape& x, const WeightData& w,
              const WeightData& r, const float* b) noexcept;
  Status Init(const FastContext& context, const RNNParams& p, const Shape& x, const WeightData& w,
              const WeightData& r, const float* b) noexcept;

  // The sizes of x in the runs that follow, 0 among them too; to be called if one was kOpen. They
  // determine ScratchBytes(). Allocates nothing.
  void Resize(const Shape& x) noexcept;

  // All but x may be null; only LSTM has c. `lengths` has one for each row of the batch. `scratch`
  // has ScratchBytes() and is aligned to 64.
  Status Run(const float* x, const std::int32_t* lengths, const float* initial_h,
             const float* initial_c, float* y, float* y_h, float* y_c, void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  const char* Implementation() const noexcept;

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_RECURRENT_H_

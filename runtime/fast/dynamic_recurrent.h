// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LSTM, GRU and RNN in f32, for numbers of steps and rows known only at run time: weights are
// packed once for all of them.
#ifndef DRAGOMAN_RUNTIME_FAST_DYNAMIC_RECURRENT_H_
#define DRAGOMAN_RUNTIME_FAST_DYNAMIC_RECURRENT_H_

#include "runtime/fast/context.h"
#include "runtime/fast/recurrent.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

class DynamicRecurrent {
 public:
  // Like PreparedRecurrent; of the sizes of x, PreparedRecurrent::kOpen stands for those known at
  // run time only.
  template <class... Arguments>
  Status Init(const FastContext& context, const Arguments&... arguments) noexcept {
    return recurrent_.Init(context, arguments...);
  }

  // Views without data stand for what is absent; the others have the sizes that belong to x's. The
  // scratch memory grows where a run is larger than those before.
  Status Run(TensorView<const float> x, TensorView<const std::int32_t> lengths,
             TensorView<const float> initial_h, TensorView<const float> initial_c,
             TensorView<float> y, TensorView<float> y_h, TensorView<float> y_c,
             Memory& scratch) noexcept {
    recurrent_.Resize(x.shape);
    DRAGOMAN_RT_TRY(scratch.Reserve(recurrent_.ScratchBytes()));
    return recurrent_.Run(x.data, lengths.data, initial_h.data, initial_c.data, y.data, y_h.data,
                          y_c.data, scratch.data());
  }
  const char* Implementation() const noexcept { return recurrent_.Implementation(); }

 private:
  PreparedRecurrent recurrent_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_DYNAMIC_RECURRENT_H_

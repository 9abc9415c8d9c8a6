// Dropout at inference: a copy, and a mask of true. Training is refused unless its ratio is 0.
#ifndef DRAGOMAN_RUNTIME_KERNELS_DROPOUT_H_
#define DRAGOMAN_RUNTIME_KERNELS_DROPOUT_H_

#include <algorithm>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/dropout.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// An absent `ratio` is 0.5, an absent `training_mode` false.
template <class T, class T1, class T2>
Status Dropout(const DropoutParams&, TensorView<const T> data, TensorView<const T1> ratio,
               TensorView<const T2> training_mode, TensorView<T> output, TensorView<T2> mask) {
  const bool keeps_all = ratio.present() && Widen(ratio[0]) == 0;
  if (training_mode.present() && training_mode[0] && !keeps_all) {
    return Status::Error("dropout in training mode is not supported");
  }
  if (data.data != output.data) std::copy_n(data.data, data.size(), output.data);
  if (mask.present()) std::fill_n(mask.data, mask.size(), true);
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_DROPOUT_H_

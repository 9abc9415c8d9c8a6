// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/gru.h"
#include "runtime/kernels/lstm.h"
#include "runtime/kernels/rnn.h"

namespace dragoman {

#define DRAGOMAN_ROW(NAME) \
  Add<Floats>(table, #NAME, []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(NAME, T); })

void AddRecurrentKernels(KernelTable& table) {
  DRAGOMAN_ROW(GRU);
  DRAGOMAN_ROW(LSTM);
  DRAGOMAN_ROW(ProjectedLSTM);
  DRAGOMAN_ROW(RNN);
}

#undef DRAGOMAN_ROW

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/softmax.h"

namespace dragoman {

void AddSoftmaxKernels(KernelTable& table) {
  Add<Floats>(table, "Hardmax", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Hardmax, T); });
  Add<Floats>(table, "LogSoftmax", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(LogSoftmax, T); });
  Add<Floats>(table, "Softmax", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Softmax, T); });
}

}  // namespace dragoman

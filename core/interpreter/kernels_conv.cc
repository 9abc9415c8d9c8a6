// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/conv.h"
#include "runtime/kernels/conv_integer.h"
#include "runtime/kernels/conv_transpose.h"
#include "runtime/kernels/q_linear_conv.h"

namespace dragoman {

void AddConvKernels(KernelTable& table) {
  using Bytes = Types<std::int8_t, std::uint8_t>;
  Add<Floats>(table, "Conv", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Conv, T); });
  Add<Bytes, Bytes>(table, "ConvInteger", []<class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(ConvInteger, T1, T2);
  });
  Add<Floats>(table, "ConvTranspose",
              []<class T>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(ConvTranspose, T); });
  Add<Bytes, Bytes, Bytes>(table, "QLinearConv", []<class T1, class T2, class T3>() {
    return DRAGOMAN_KERNEL_ENTRY(QLinearConv, T1, T2, T3);
  });
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/activation.h"
#include "runtime/kernels/unary.h"

namespace dragoman {

#define DRAGOMAN_ROW(NAME, TYPES, ...) \
  Add<TYPES>(table, #NAME, []<class T>() { return DRAGOMAN_KERNEL_ENTRY(NAME, T); });

void AddUnaryKernels(KernelTable& table) {
  DRAGOMAN_UNARY_KERNELS(DRAGOMAN_ROW)
  using FloatsAndFloat8s = Plus<Floats, Float8s>;
  DRAGOMAN_ROW(IsInf, FloatsAndFloat8s)
  DRAGOMAN_ROW(IsNaN, FloatsAndFloat8s)
}

void AddActivationKernels(KernelTable& table) {
  DRAGOMAN_ROW(Celu, Floats)
  DRAGOMAN_ROW(Elu, Floats)
  DRAGOMAN_ROW(Gelu, Floats)
  DRAGOMAN_ROW(HardSigmoid, Floats)
  DRAGOMAN_ROW(LeakyRelu, Floats)
  DRAGOMAN_ROW(Selu, Floats)
  DRAGOMAN_ROW(Shrink, Numbers)
  DRAGOMAN_ROW(Swish, Floats)
  DRAGOMAN_ROW(ThresholdedRelu, Floats)
}

#undef DRAGOMAN_ROW

}  // namespace dragoman

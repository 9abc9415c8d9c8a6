// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/activation.h"
#include "runtime/kernels/unary.h"

namespace dragoman {

#define DRAGOMAN_ROW(NAME, TYPES) \
  Add<TYPES>(table, #NAME, []<class T>() { return DRAGOMAN_KERNEL_ENTRY(NAME, T); });
#define DRAGOMAN_ROW_OF_FLOATS(NAME, ...) DRAGOMAN_ROW(NAME, Floats)
#define DRAGOMAN_ROW_OF_NUMBERS(NAME, ...) DRAGOMAN_ROW(NAME, Numbers)

void AddUnaryKernels(KernelTable& table) {
  DRAGOMAN_UNARY_KERNELS_OF_FLOATS(DRAGOMAN_ROW_OF_FLOATS)
  DRAGOMAN_UNARY_KERNELS_OF_NUMBERS(DRAGOMAN_ROW_OF_NUMBERS)
  DRAGOMAN_ROW(BitwiseNot, Integers)
  DRAGOMAN_ROW(Not, Bool)
  using FloatsAndFloat8s = Plus<Floats, Float8s>;
  DRAGOMAN_ROW(IsInf, FloatsAndFloat8s)
  DRAGOMAN_ROW(IsNaN, FloatsAndFloat8s)
}

void AddActivationKernels(KernelTable& table) {
  DRAGOMAN_ACTIVATION_KERNELS_OF_FLOATS(DRAGOMAN_ROW_OF_FLOATS)
  DRAGOMAN_ACTIVATION_KERNELS_OF_NUMBERS(DRAGOMAN_ROW_OF_NUMBERS)
}

#undef DRAGOMAN_ROW_OF_NUMBERS
#undef DRAGOMAN_ROW_OF_FLOATS
#undef DRAGOMAN_ROW

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/activation.h"
#include "runtime/kernels/unary.h"

namespace dragoman {

#define DRAGOMAN_ROW(NAME, TYPES) \
  Add<TYPES>(table, #NAME, []<class T>() { return DRAGOMAN_KERNEL_ENTRY(NAME, T); })

void AddUnaryKernels(KernelTable& table) {
  using FloatsAndFloat8s = Plus<Floats, Float8s>;
  DRAGOMAN_ROW(Abs, Numbers);
  DRAGOMAN_ROW(Acos, Floats);
  DRAGOMAN_ROW(Acosh, Floats);
  DRAGOMAN_ROW(Asin, Floats);
  DRAGOMAN_ROW(Asinh, Floats);
  DRAGOMAN_ROW(Atan, Floats);
  DRAGOMAN_ROW(Atanh, Floats);
  DRAGOMAN_ROW(BitwiseNot, Integers);
  DRAGOMAN_ROW(Ceil, Floats);
  DRAGOMAN_ROW(Cos, Floats);
  DRAGOMAN_ROW(Cosh, Floats);
  DRAGOMAN_ROW(Erf, Floats);
  DRAGOMAN_ROW(Erfc, Floats);
  DRAGOMAN_ROW(Exp, Floats);
  DRAGOMAN_ROW(Floor, Floats);
  DRAGOMAN_ROW(HardSwish, Floats);
  DRAGOMAN_ROW(IsInf, FloatsAndFloat8s);
  DRAGOMAN_ROW(IsNaN, FloatsAndFloat8s);
  DRAGOMAN_ROW(Log, Floats);
  DRAGOMAN_ROW(Mish, Floats);
  DRAGOMAN_ROW(Neg, Numbers);
  DRAGOMAN_ROW(Not, Bool);
  DRAGOMAN_ROW(Reciprocal, Floats);
  DRAGOMAN_ROW(Relu, Numbers);
  DRAGOMAN_ROW(Round, Floats);
  DRAGOMAN_ROW(Sigmoid, Floats);
  DRAGOMAN_ROW(Sign, Numbers);
  DRAGOMAN_ROW(Sin, Floats);
  DRAGOMAN_ROW(Sinh, Floats);
  DRAGOMAN_ROW(Softplus, Floats);
  DRAGOMAN_ROW(Softsign, Floats);
  DRAGOMAN_ROW(Sqrt, Floats);
  DRAGOMAN_ROW(Tan, Floats);
  DRAGOMAN_ROW(Tanh, Floats);
}

void AddActivationKernels(KernelTable& table) {
  DRAGOMAN_ROW(Celu, Floats);
  DRAGOMAN_ROW(Elu, Floats);
  DRAGOMAN_ROW(Gelu, Floats);
  DRAGOMAN_ROW(HardSigmoid, Floats);
  DRAGOMAN_ROW(LeakyRelu, Floats);
  DRAGOMAN_ROW(Selu, Floats);
  DRAGOMAN_ROW(Shrink, Numbers);
  DRAGOMAN_ROW(Swish, Floats);
  DRAGOMAN_ROW(ThresholdedRelu, Floats);
}

#undef DRAGOMAN_ROW

}  // namespace dragoman

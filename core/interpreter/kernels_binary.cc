// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/binary.h"

namespace dragoman {

#define DRAGOMAN_ROW(NAME, TYPES) \
  Add<TYPES>(table, #NAME, []<class T>() { return DRAGOMAN_KERNEL_ENTRY(NAME, T); })

void AddBinaryKernels(KernelTable& table) {
  using NumbersAndComplexes = Plus<Numbers, Complexes>;
  DRAGOMAN_ROW(Add, NumbersAndComplexes);
  DRAGOMAN_ROW(And, Bool);
  DRAGOMAN_ROW(BitShift, Unsigned);
  DRAGOMAN_ROW(BitwiseAnd, Integers);
  DRAGOMAN_ROW(BitwiseOr, Integers);
  DRAGOMAN_ROW(BitwiseXor, Integers);
  DRAGOMAN_ROW(Div, NumbersAndComplexes);
  DRAGOMAN_ROW(Max, Numbers);
  DRAGOMAN_ROW(Mean, Floats);
  DRAGOMAN_ROW(Min, Numbers);
  DRAGOMAN_ROW(Mod, Numbers);
  DRAGOMAN_ROW(Mul, NumbersAndComplexes);
  DRAGOMAN_ROW(Or, Bool);
  DRAGOMAN_ROW(PRelu, Numbers);
  DRAGOMAN_ROW(Sub, NumbersAndComplexes);
  DRAGOMAN_ROW(Sum, Numbers);
  DRAGOMAN_ROW(Xor, Bool);
}

void AddComparisonKernels(KernelTable& table) {
  using Comparable = Plus<Plus<Numbers, Complexes>, Plus<Bool, String>>;
  DRAGOMAN_ROW(Equal, Comparable);
  DRAGOMAN_ROW(Greater, Numbers);
  DRAGOMAN_ROW(GreaterOrEqual, Numbers);
  DRAGOMAN_ROW(Less, Numbers);
  DRAGOMAN_ROW(LessOrEqual, Numbers);
}

#undef DRAGOMAN_ROW

}  // namespace dragoman

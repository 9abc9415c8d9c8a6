// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/arg_reduce.h"
#include "runtime/kernels/reduce.h"

namespace dragoman {

#define DRAGOMAN_ROW(NAME, TYPES) \
  Add<TYPES>(table, #NAME, []<class T>() { return DRAGOMAN_KERNEL_ENTRY(NAME, T); })

void AddReduceKernels(KernelTable& table) {
  using NumbersAndBool = Plus<Numbers, Bool>;
  DRAGOMAN_ROW(ArgMax, Numbers);
  DRAGOMAN_ROW(ArgMin, Numbers);
  DRAGOMAN_ROW(ReduceL1, Numbers);
  DRAGOMAN_ROW(ReduceL2, Numbers);
  DRAGOMAN_ROW(ReduceLogSum, Numbers);
  DRAGOMAN_ROW(ReduceLogSumExp, Numbers);
  DRAGOMAN_ROW(ReduceMax, NumbersAndBool);
  DRAGOMAN_ROW(ReduceMean, Numbers);
  DRAGOMAN_ROW(ReduceMin, NumbersAndBool);
  DRAGOMAN_ROW(ReduceProd, Numbers);
  DRAGOMAN_ROW(ReduceSum, Numbers);
  DRAGOMAN_ROW(ReduceSumSquare, Numbers);
}

#undef DRAGOMAN_ROW

}  // namespace dragoman

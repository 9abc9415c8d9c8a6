// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/average_pool.h"
#include "runtime/kernels/global_average_pool.h"
#include "runtime/kernels/global_lp_pool.h"
#include "runtime/kernels/global_max_pool.h"
#include "runtime/kernels/lp_pool.h"
#include "runtime/kernels/max_pool.h"
#include "runtime/kernels/max_unpool.h"

namespace dragoman {

#define DRAGOMAN_ROW(NAME) \
  Add<Floats>(table, #NAME, []<class T>() { return DRAGOMAN_KERNEL_ENTRY(NAME, T); })

void AddPoolKernels(KernelTable& table) {
  DRAGOMAN_ROW(AveragePool);
  DRAGOMAN_ROW(GlobalAveragePool);
  DRAGOMAN_ROW(GlobalLpPool);
  DRAGOMAN_ROW(GlobalMaxPool);
  DRAGOMAN_ROW(LpPool);
  Add<Plus<Floats, Types<std::int8_t, std::uint8_t>>>(
      table, "MaxPool", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(MaxPool, T); });
  DRAGOMAN_ROW(MaxUnpool);
}

#undef DRAGOMAN_ROW

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/threads.h"

// Of the OpenMP library that oneDNN brings along, if it does.
extern "C" {
void omp_set_num_threads(int threads) __attribute__((weak));
int omp_get_max_threads() __attribute__((weak));
}

namespace dragoman::rt {

void SetThreads(int threads) noexcept {
  if (omp_set_num_threads != nullptr) omp_set_num_threads(threads < 1 ? 1 : threads);
}

int MaxThreads() noexcept { return omp_get_max_threads != nullptr ? omp_get_max_threads() : 1; }

}  // namespace dragoman::rt

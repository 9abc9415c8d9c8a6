#include "runtime/fast/threads.h"

// Of the OpenMP library that oneDNN brings along, if it does.
extern "C" void omp_set_num_threads(int threads) __attribute__((weak));

namespace dragoman::rt {

void SetThreads(int threads) noexcept {
  if (omp_set_num_threads != nullptr) omp_set_num_threads(threads < 1 ? 1 : threads);
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many threads oneDNN uses.
#ifndef DRAGOMAN_RUNTIME_FAST_THREADS_H_
#define DRAGOMAN_RUNTIME_FAST_THREADS_H_

namespace dragoman::rt {

// For what the calling thread prepares and runs from now on. Takes effect where oneDNN is built on
// OpenMP, as in the distributions' packages.
void SetThreads(int threads) noexcept;
// What SetThreads allowed the calling thread; 1 without OpenMP.
int MaxThreads() noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_THREADS_H_

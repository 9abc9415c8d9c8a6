// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain kernels compiled for the vectors of the processor that the program runs on.
#ifndef DRAGOMAN_RUNTIME_FAST_ON_VECTORS_H_
#define DRAGOMAN_RUNTIME_FAST_ON_VECTORS_H_

#include "runtime/fast/clones.h"

namespace dragoman::rt {

template <auto kKernel, class Kernel = decltype(kKernel)>
struct KernelOnVectors;

template <auto kKernel, class Result, class... Parameters>
struct KernelOnVectors<kKernel, Result (*)(Parameters...)> {
  DRAGOMAN_RT_CLONES DRAGOMAN_RT_FLATTEN static Result Run(Parameters... arguments) {
    return kKernel(arguments...);
  }
};

// OnVectors<kKernel>(arguments...) is kKernel(arguments...), with all that it calls compiled into
// it. It takes what kKernel takes, so {} for an operand that is left out.
template <auto kKernel>
inline constexpr auto OnVectors = KernelOnVectors<kKernel>::Run;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_ON_VECTORS_H_

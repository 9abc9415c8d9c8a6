// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain kernels compiled for the vectors of the processor that the program runs on.
#ifndef DRAGOMAN_RUNTIME_FAST_ON_VECTORS_H_
#define DRAGOMAN_RUNTIME_FAST_ON_VECTORS_H_

#include "runtime/fast/clones.h"

namespace dragoman::rt {

// kKernel(arguments...), with all that it calls compiled into it.
template <auto kKernel, class... Arguments>
DRAGOMAN_RT_CLONES DRAGOMAN_RT_FLATTEN auto OnVectors(const Arguments&... arguments) {
  return kKernel(arguments...);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_ON_VECTORS_H_

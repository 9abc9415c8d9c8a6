// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/cast_kernels.h"

namespace dragoman {

void AddSmallCastKernels(KernelTable& table) {
  AddCasts<Plus<SmallNumbers, Plus<Bool, String>>>(table);
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/cast_kernels.h"

namespace dragoman {

void AddIntegerCastKernels(KernelTable& table) { AddCasts<Integers>(table); }

}  // namespace dragoman

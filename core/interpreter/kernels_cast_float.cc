// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/cast_kernels.h"

namespace dragoman {

void AddFloatCastKernels(KernelTable& table) { AddCasts<Floats>(table); }

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/binary.h"

namespace dragoman {

void AddPowKernels(KernelTable& table) {
  Add<Numbers, Numbers>(table, "Pow",
                        []<class T, class T1>() { return DRAGOMAN_KERNEL_ENTRY(Pow, T, T1); });
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/clip.h"
#include "runtime/kernels/where.h"

namespace dragoman {

void AddWhereKernels(KernelTable& table) {
  Add<Numbers>(table, "Clip", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Clip, T); });
  Add<Bits>(table, "Where", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Where, T); });
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/gather.h"
#include "runtime/kernels/gather_elements.h"
#include "runtime/kernels/gather_nd.h"
#include "runtime/kernels/scatter_elements.h"
#include "runtime/kernels/scatter_nd.h"

namespace dragoman {

void AddGatherKernels(KernelTable& table) {
  using Scattered = Plus<Plus<Numbers, Bool>, Plus<Complexes, String>>;
  Add<Bits, Index>(table, "Gather",
                   []<class T, class Tind>() { return DRAGOMAN_KERNEL_ENTRY(Gather, T, Tind); });
  Add<Bits, Index>(table, "GatherElements", []<class T, class Tind>() {
    return DRAGOMAN_KERNEL_ENTRY(GatherElements, T, Tind);
  });
  Add<Bits>(table, "GatherND", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(GatherND, T); });
  Add<Scattered, Index>(table, "ScatterElements", []<class T, class Tind>() {
    return DRAGOMAN_KERNEL_ENTRY(ScatterElements, T, Tind);
  });
  Add<Scattered>(table, "ScatterND", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(ScatterND, T); });
}

}  // namespace dragoman

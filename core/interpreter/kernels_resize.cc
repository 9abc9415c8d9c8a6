// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/grid_sample.h"
#include "runtime/kernels/max_roi_pool.h"
#include "runtime/kernels/resize.h"
#include "runtime/kernels/roi_align.h"

namespace dragoman {

void AddResizeKernels(KernelTable& table) {
  using Sampled = Plus<Plus<Numbers, Bool>, Complexes>;
  Add<Sampled, Floats>(table, "GridSample", []<class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(GridSample, T1, T2);
  });
  Add<Floats>(table, "MaxRoiPool", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(MaxRoiPool, T); });
  Add<Plus<Sampled, String>, Types<float, double, rt::Half>>(
      table, "Resize",
      []<class T1, class T2>() { return DRAGOMAN_KERNEL_ENTRY_WITH_SCRATCH(Resize, T1, T2); });
  Add<Floats>(table, "RoiAlign", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(RoiAlign, T); });
}

}  // namespace dragoman

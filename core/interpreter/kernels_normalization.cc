// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/batch_normalization.h"
#include "runtime/kernels/instance_normalization.h"
#include "runtime/kernels/layer_normalization.h"
#include "runtime/kernels/lp_normalization.h"
#include "runtime/kernels/lrn.h"
#include "runtime/kernels/mean_variance_normalization.h"

namespace dragoman {

#define DRAGOMAN_ROW(NAME) \
  Add<Floats>(table, #NAME, []<class T>() { return DRAGOMAN_KERNEL_ENTRY(NAME, T); })

void AddNormalizationKernels(KernelTable& table) {
  Add<Floats, Floats, Floats>(table, "BatchNormalization", []<class T, class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(BatchNormalization, T, T1, T2);
  });
  DRAGOMAN_ROW(GroupNormalization);
  DRAGOMAN_ROW(InstanceNormalization);
  DRAGOMAN_ROW(LRN);
  Add<Floats, Types<float, rt::BFloat16>>(table, "LayerNormalization", []<class T, class U>() {
    return DRAGOMAN_KERNEL_ENTRY(LayerNormalization, T, U);
  });
  DRAGOMAN_ROW(LpNormalization);
  DRAGOMAN_ROW(MeanVarianceNormalization);
  Add<Floats, Floats>(table, "RMSNormalization", []<class T, class V>() {
    return DRAGOMAN_KERNEL_ENTRY(RMSNormalization, T, V);
  });
}

#undef DRAGOMAN_ROW

}  // namespace dragoman

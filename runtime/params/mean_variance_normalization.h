// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of MeanVarianceNormalization.
#ifndef DRAGOMAN_RUNTIME_PARAMS_MEAN_VARIANCE_NORMALIZATION_H_
#define DRAGOMAN_RUNTIME_PARAMS_MEAN_VARIANCE_NORMALIZATION_H_

#include "runtime/params/shape.h"

namespace dragoman::rt {

struct MeanVarianceNormalizationParams {
  Ints axes = {0, 2, 3};

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axes", self.axes);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_MEAN_VARIANCE_NORMALIZATION_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/gate_loops.h"

#include "runtime/fast/clones.h"
#include "runtime/fast/math.h"

namespace dragoman::rt {

DRAGOMAN_RT_CLONES void LstmRow(std::int64_t units, const float* x, const float* r, float* c,
                                float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k) {
    const float i = fast::Sigmoid(x[k] + r[k]);
    const float o = fast::Sigmoid(x[units + k] + r[units + k]);
    const float f = fast::Sigmoid(x[2 * units + k] + r[2 * units + k]);
    const float g = fast::Tanh(x[3 * units + k] + r[3 * units + k]);
    c[k] = f * c[k] + i * g;
    h[k] = o * fast::Tanh(c[k]);
  }
}

DRAGOMAN_RT_CLONES void BoundedLstmRow(std::int64_t units, const float* x, const float* r,
                                       const float* p, float cell_bound, float bound, float* c,
                                       float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k) {
    const float i = fast::Sigmoid(x[k] + r[k] + p[k] * c[k]);
    const float f = fast::Sigmoid(x[2 * units + k] + r[2 * units + k] + p[2 * units + k] * c[k]);
    const float g = fast::Tanh(x[3 * units + k] + r[3 * units + k]);
    c[k] = fast::Max(fast::Min(f * c[k] + i * g, cell_bound), -cell_bound);
    const float o = fast::Sigmoid(x[units + k] + r[units + k] + p[units + k] * c[k]);
    h[k] = fast::Max(fast::Min(o * fast::Tanh(c[k]), bound), -bound);
  }
}

DRAGOMAN_RT_CLONES void BoundRow(std::int64_t size, float bound, float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < size; ++k) h[k] = fast::Max(fast::Min(h[k], bound), -bound);
}

DRAGOMAN_RT_CLONES void GruRow(std::int64_t units, const float* x, const float* r,
                               const float* bias, const float* h, float* next) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k) {
    const float z = fast::Sigmoid(x[k] + r[k]);
    const float reset = fast::Sigmoid(x[units + k] + r[units + k]);
    const float g = fast::Tanh(x[2 * units + k] + reset * (r[2 * units + k] + bias[k]));
    next[k] = (1.0f - z) * g + z * h[k];
  }
}

DRAGOMAN_RT_CLONES void ResetRow(std::int64_t units, const float* x, float* r, const float* h,
                                 float* reset_h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k) {
    r[k] = fast::Sigmoid(x[k] + r[k]);
    reset_h[k] = fast::Sigmoid(x[units + k] + r[units + k]) * h[k];
  }
}

DRAGOMAN_RT_CLONES void UpdateRow(std::int64_t units, const float* x, const float* r,
                                  const float* z, const float* h, float* next) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k) {
    const float g = fast::Tanh(x[2 * units + k] + r[k]);
    next[k] = (1.0f - z[k]) * g + z[k] * h[k];
  }
}

DRAGOMAN_RT_CLONES void TanhRow(std::int64_t units, const float* x, const float* r, float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k) h[k] = fast::Tanh(x[k] + r[k]);
}

DRAGOMAN_RT_CLONES void ReluRow(std::int64_t units, const float* x, const float* r, float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k) h[k] = fast::Relu(x[k] + r[k]);
}

}  // namespace dragoman::rt

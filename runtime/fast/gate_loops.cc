// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/gate_loops.h"

#include <algorithm>

#include "runtime/fast/clones.h"
#include "runtime/fast/math.h"

namespace dragoman::rt {
namespace {

// r = function(x + r), the sum bounded.
template <class F>
DRAGOMAN_RT_INLINE void GateEach(std::int64_t size, float bound, const float* x, float* r,
                                 F function) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < size; ++k) r[k] = function(fast::Clip(x[k] + r[k], -bound, bound));
}

// A loop a function, so that none of them branches.
DRAGOMAN_RT_CLONES void GateRow(std::int64_t size, const RnnFunction& function, float bound,
                                const float* x, float* r) {
  const float alpha = function.alpha, beta = function.beta;
  switch (function.kind) {
    case RnnActivation::kRelu:
      return GateEach(size, bound, x, r, [](float v) { return fast::Relu(v); });
    case RnnActivation::kTanh:
      return GateEach(size, bound, x, r, [](float v) { return fast::Tanh(v); });
    case RnnActivation::kSigmoid:
      return GateEach(size, bound, x, r, [](float v) { return fast::Sigmoid(v); });
    case RnnActivation::kAffine:
      return GateEach(size, bound, x, r, [=](float v) { return alpha * v + beta; });
    case RnnActivation::kLeakyRelu:
      return GateEach(size, bound, x, r, [=](float v) { return fast::LeakyRelu(v, alpha); });
    case RnnActivation::kThresholdedRelu:
      return GateEach(size, bound, x, r, [=](float v) { return v >= alpha ? v : 0.0f; });
    case RnnActivation::kScaledTanh:
      return GateEach(size, bound, x, r, [=](float v) { return alpha * fast::Tanh(beta * v); });
    case RnnActivation::kHardSigmoid:
      return GateEach(size, bound, x, r,
                      [=](float v) { return fast::HardSigmoid(v, alpha, beta); });
    case RnnActivation::kElu:
      return GateEach(size, bound, x, r, [=](float v) { return fast::Elu(v, alpha); });
    case RnnActivation::kSoftsign:
      return GateEach(size, bound, x, r, [](float v) { return v / (1.0f + std::fabs(v)); });
    case RnnActivation::kSoftplus:
      return GateEach(size, bound, x, r, [](float v) { return fast::Softplus(v); });
  }
}

// r + p c
DRAGOMAN_RT_CLONES void AddPeephole(std::int64_t units, const float* p, const float* c, float* r) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k) r[k] += p[k] * c[k];
}

// The states between the gates.
DRAGOMAN_RT_CLONES void CellRow(std::int64_t units, const float* i, const float* f, const float* g,
                                float bound, float* c) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k)
    c[k] = fast::Max(fast::Min(f[k] * c[k] + i[k] * g[k], bound), -bound);
}
DRAGOMAN_RT_CLONES void OutputRow(std::int64_t units, const float* o, float bound, float* h) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k) h[k] = fast::Max(fast::Min(o[k] * h[k], bound), -bound);
}
DRAGOMAN_RT_CLONES void MixRow(std::int64_t units, const float* z, const float* n, const float* h,
                               float* next) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t k = 0; k < units; ++k) next[k] = (1.0f - z[k]) * n[k] + z[k] * h[k];
}

}  // namespace

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

void AnyLstmRow(std::int64_t units, const CellFunctions& functions, const float* x, float* r,
                const float* p, float* c, float* h) {
  float *const i = r, *const o = r + units, *const f = r + 2 * units, *const g = r + 3 * units;
  if (p != nullptr) {
    AddPeephole(units, p, c, i);
    AddPeephole(units, p + 2 * units, c, f);
  }
  GateRow(units, functions.f, functions.clip, x, i);
  if (functions.input_forget) {
    for (std::int64_t k = 0; k < units; ++k) f[k] = 1.0f - i[k];
  } else {
    GateRow(units, functions.f, functions.clip, x + 2 * units, f);
  }
  GateRow(units, functions.g, functions.clip, x + 3 * units, g);
  CellRow(units, i, f, g, functions.cell, c);
  if (p != nullptr) AddPeephole(units, p + units, c, o);
  GateRow(units, functions.f, functions.clip, x + units, o);
  std::fill_n(h, units, 0.0f);
  GateRow(units, functions.h, INFINITY, c, h);
  OutputRow(units, o, functions.output, h);
}

void AnyGruRow(std::int64_t units, const CellFunctions& functions, const float* x, float* r,
               const float* bias, const float* h, float* next) {
  float* const n = r + 2 * units;
  GateRow(2 * units, functions.f, functions.clip, x, r);
  for (std::int64_t k = 0; k < units; ++k) n[k] = r[units + k] * (n[k] + bias[k]);
  GateRow(units, functions.g, functions.clip, x + 2 * units, n);
  MixRow(units, r, n, h, next);
}

void AnyResetRow(std::int64_t units, const CellFunctions& functions, const float* x, float* r,
                 const float* h, float* reset_h) {
  GateRow(2 * units, functions.f, functions.clip, x, r);
  for (std::int64_t k = 0; k < units; ++k) reset_h[k] = r[units + k] * h[k];
}

void AnyUpdateRow(std::int64_t units, const CellFunctions& functions, const float* x, float* r,
                  const float* z, const float* h, float* next) {
  GateRow(units, functions.g, functions.clip, x + 2 * units, r);
  MixRow(units, z, r, h, next);
}

void AnyRnnRow(std::int64_t units, const CellFunctions& functions, const float* x, float* r,
               float* h) {
  GateRow(units, functions.f, functions.clip, x, r);
  std::copy_n(r, units, h);
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/activate.h"

#include <cstdlib>

#include "runtime/fast/clones.h"
#include "runtime/fast/math.h"
#include "runtime/fast/used.h"

namespace dragoman::rt {
namespace {

struct Area {
  std::int64_t rows, count, stride;
  float* y;
};

// A loop an activation, so that none of them branches. The area is a copy: a store to y might
// change one that is referred to, and a loop of unknown length is not made vector code.
template <FusedActivation kActivation, class F>
DRAGOMAN_RT_INLINE void ActivateEach(Area area, F function) {
  if constexpr (IsUsed(kActivation)) {
    for (std::int64_t r = 0; r < area.rows; ++r) {
      float* y = area.y + r * area.stride;
      DRAGOMAN_RT_INDEPENDENT
      for (std::int64_t i = 0; i < area.count; ++i) y[i] = function(y[i]);
    }
  } else {
    std::abort();
  }
}

DRAGOMAN_RT_CLONES void ActivateArea(Area area, const PostOps& post) {
  const float alpha = post.alpha, beta = post.beta;
  switch (post.activation) {
    case FusedActivation::kNone:
      return;
    case FusedActivation::kRelu:
      return ActivateEach<FusedActivation::kRelu>(area, [](float x) { return fast::Relu(x); });
    case FusedActivation::kClip:
      return ActivateEach<FusedActivation::kClip>(
          area, [=](float x) { return fast::Clip(x, alpha, beta); });
    case FusedActivation::kSigmoid:
      return ActivateEach<FusedActivation::kSigmoid>(area,
                                                     [](float x) { return fast::Sigmoid(x); });
    case FusedActivation::kTanh:
      return ActivateEach<FusedActivation::kTanh>(area, [](float x) { return fast::Tanh(x); });
    case FusedActivation::kGelu:
      return ActivateEach<FusedActivation::kGelu>(area, [](float x) { return fast::Gelu(x); });
    case FusedActivation::kGeluTanh:
      return ActivateEach<FusedActivation::kGeluTanh>(area,
                                                      [](float x) { return fast::GeluTanh(x); });
    case FusedActivation::kHardSwish:
      return ActivateEach<FusedActivation::kHardSwish>(area,
                                                       [](float x) { return fast::HardSwish(x); });
    case FusedActivation::kSwish:
      return ActivateEach<FusedActivation::kSwish>(area,
                                                   [](float x) { return fast::Swish(x, 1.0f); });
    case FusedActivation::kHardSigmoid:
      return ActivateEach<FusedActivation::kHardSigmoid>(
          area, [=](float x) { return fast::HardSigmoid(x, alpha, beta); });
  }
}

}  // namespace

void Activate(const PostOps& post, std::int64_t rows, std::int64_t count, std::int64_t stride,
              const float* added, float* y) noexcept {
  ActivateArea({rows, count, stride, y}, post);
  if (added == nullptr) return;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < count; ++i) y[r * stride + i] += added[r * stride + i];
  }
}

}  // namespace dragoman::rt

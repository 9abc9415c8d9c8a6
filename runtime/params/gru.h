// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of GRU.
#ifndef DRAGOMAN_RUNTIME_PARAMS_GRU_H_
#define DRAGOMAN_RUNTIME_PARAMS_GRU_H_

#include <cstdint>

#include "runtime/params/recurrent.h"

namespace dragoman::rt {

// An empty list of activations stands for Sigmoid, Tanh in each direction; clip 0 does not clip;
// hidden_size 0 is read off r.
struct GRUParams {
  RnnList<float> activation_alpha;
  RnnList<float> activation_beta;
  RnnList<RnnActivation> activations;
  float clip = 0.0f;
  RnnDirection direction = RnnDirection::kForward;
  std::int64_t hidden_size = 0;
  std::int64_t layout = 0;
  bool linear_before_reset = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("activation_alpha", self.activation_alpha);
    f("activation_beta", self.activation_beta);
    f("activations", self.activations);
    f("clip", self.clip);
    f("direction", self.direction);
    f("hidden_size", self.hidden_size);
    f("layout", self.layout);
    f("linear_before_reset", self.linear_before_reset);
  }
};

// Function `index` (below 2) of direction `direction`.
constexpr RnnFunction GRUFunction(const GRUParams& p, int direction, int index) {
  constexpr RnnActivation kDefaults[] = {RnnActivation::kSigmoid, RnnActivation::kTanh};
  if (p.activations.empty()) return internal::DefaultFunction(kDefaults[index]);
  return ResolveRnnFunction(p.activations, p.activation_alpha, p.activation_beta,
                            direction * 2 + index);
}

constexpr Status ResolveGRU(const GRUParams& p, const RecurrentShapes& shapes,
                            RecurrentSizes* sizes) {
  DRAGOMAN_RT_TRY(ResolveRecurrent(shapes, p.direction, p.layout, p.hidden_size, 3, sizes));
  if (!p.activations.empty() && p.activations.size() != 2 * sizes->directions) {
    return Status::Error("activations must name 2 functions for each direction");
  }
  return Status();
}

constexpr Status GRUShape(const GRUParams& p, const RecurrentShapes& shapes, Shape* y, Shape* y_h) {
  RecurrentSizes sizes;
  DRAGOMAN_RT_TRY(ResolveGRU(p, shapes, &sizes));
  *y = sizes.Y();
  *y_h = sizes.State();
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_GRU_H_

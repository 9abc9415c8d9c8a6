// Attributes and sizes of LSTM.
#ifndef DRAGOMAN_RUNTIME_PARAMS_LSTM_H_
#define DRAGOMAN_RUNTIME_PARAMS_LSTM_H_

#include <cstdint>

#include "runtime/params/recurrent.h"

namespace dragoman::rt {

// An empty list of activations stands for Sigmoid, Tanh, Tanh in each direction; clip 0 does not
// clip; hidden_size 0 is read off r.
struct LSTMParams {
  RnnList<float> activation_alpha;
  RnnList<float> activation_beta;
  RnnList<RnnActivation> activations;
  float clip = 0.0f;
  RnnDirection direction = RnnDirection::kForward;
  std::int64_t hidden_size = 0;
  bool input_forget = false;
  std::int64_t layout = 0;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("activation_alpha", self.activation_alpha);
    f("activation_beta", self.activation_beta);
    f("activations", self.activations);
    f("clip", self.clip);
    f("direction", self.direction);
    f("hidden_size", self.hidden_size);
    f("input_forget", self.input_forget);
    f("layout", self.layout);
  }
};

// Function `index` (below 3) of direction `direction`.
constexpr RnnFunction LSTMFunction(const LSTMParams& p, int direction, int index) {
  constexpr RnnActivation kDefaults[] = {RnnActivation::kSigmoid, RnnActivation::kTanh,
                                         RnnActivation::kTanh};
  if (p.activations.empty()) return internal::DefaultFunction(kDefaults[index]);
  return ResolveRnnFunction(p.activations, p.activation_alpha, p.activation_beta,
                            direction * 3 + index);
}

constexpr Status ResolveLSTM(const LSTMParams& p, const RecurrentShapes& shapes,
                             RecurrentSizes* sizes) {
  DRAGOMAN_RT_TRY(ResolveRecurrent(shapes, p.direction, p.layout, p.hidden_size, 4, sizes));
  if (!p.activations.empty() && p.activations.size() != 3 * sizes->directions) {
    return Status::Error("activations must name 3 functions for each direction");
  }
  return Status();
}

constexpr Status LSTMShape(const LSTMParams& p, const RecurrentShapes& shapes,
                           const Shape& initial_c, const Shape& peepholes, Shape* y, Shape* y_h,
                           Shape* y_c) {
  RecurrentSizes sizes;
  DRAGOMAN_RT_TRY(ResolveLSTM(p, shapes, &sizes));
  if (!initial_c.empty() && initial_c != sizes.State()) {
    return Status::Error("an initial state does not have the sizes of the state");
  }
  if (!peepholes.empty() && peepholes != Shape{sizes.directions, 3 * sizes.hidden}) {
    return Status::Error("p does not have the sizes (directions, 3 * hidden)");
  }
  *y = sizes.Y();
  *y_h = sizes.State();
  *y_c = sizes.State();
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_LSTM_H_

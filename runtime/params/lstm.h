// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of LSTM, and of dragoman.LSTM.
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

// What dragoman.LSTM has beside: the new cell state is bounded by [-cell_clip, cell_clip] before
// anything reads it, the hidden state that is given, after any projection, by [-output_clip,
// output_clip]; 0 does not bound.
struct ProjectedLSTMParams {
  RnnList<float> activation_alpha;
  RnnList<float> activation_beta;
  RnnList<RnnActivation> activations;
  float cell_clip = 0.0f;
  float clip = 0.0f;
  RnnDirection direction = RnnDirection::kForward;
  std::int64_t hidden_size = 0;
  bool input_forget = false;
  std::int64_t layout = 0;
  float output_clip = 0.0f;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("activation_alpha", self.activation_alpha);
    f("activation_beta", self.activation_beta);
    f("activations", self.activations);
    f("cell_clip", self.cell_clip);
    f("clip", self.clip);
    f("direction", self.direction);
    f("hidden_size", self.hidden_size);
    f("input_forget", self.input_forget);
    f("layout", self.layout);
    f("output_clip", self.output_clip);
  }

  constexpr LSTMParams Plain() const {
    return {activation_alpha, activation_beta, activations,  clip,
            direction,        hidden_size,     input_forget, layout};
  }
};

constexpr ProjectedLSTMParams AsProjected(const LSTMParams& p) {
  return {p.activation_alpha, p.activation_beta, p.activations,  0.0f,     p.clip,
          p.direction,        p.hidden_size,     p.input_forget, p.layout, 0.0f};
}

// Function `index` (below 3) of direction `direction`.
constexpr RnnFunction LSTMFunction(const LSTMParams& p, int direction, int index) {
  constexpr RnnActivation kDefaults[] = {RnnActivation::kSigmoid, RnnActivation::kTanh,
                                         RnnActivation::kTanh};
  if (p.activations.empty()) return internal::DefaultFunction(kDefaults[index]);
  return ResolveRnnFunction(p.activations, p.activation_alpha, p.activation_beta,
                            direction * 3 + index);
}

constexpr Status ResolveLSTM(const LSTMParams& p, const RecurrentShapes& shapes,
                             RecurrentSizes* sizes, bool is_projected = false) {
  DRAGOMAN_RT_TRY(
      ResolveRecurrent(shapes, p.direction, p.layout, p.hidden_size, 4, sizes, is_projected));
  if (!p.activations.empty() && p.activations.size() != 3 * sizes->directions) {
    return Status::Error("activations must name 3 functions for each direction");
  }
  return Status();
}

// `projection` is of rank 0 where there is none.
constexpr Status ProjectedLSTMShape(const LSTMParams& p, const RecurrentShapes& shapes,
                                    const Shape& initial_c, const Shape& peepholes,
                                    const Shape& projection, Shape* y, Shape* y_h, Shape* y_c) {
  RecurrentSizes sizes;
  DRAGOMAN_RT_TRY(ResolveLSTM(p, shapes, &sizes, !projection.empty()));
  if (!initial_c.empty() && initial_c != sizes.Unprojected().State()) {
    return Status::Error("an initial state does not have the sizes of the state");
  }
  if (!peepholes.empty() && peepholes != Shape{sizes.directions, 3 * sizes.hidden}) {
    return Status::Error("p does not have the sizes (directions, 3 * hidden)");
  }
  if (!projection.empty() && projection != Shape{sizes.directions, sizes.output, sizes.hidden}) {
    return Status::Error("projection does not have the sizes (directions, output, hidden)");
  }
  *y = sizes.Y();
  *y_h = sizes.State();
  *y_c = sizes.Unprojected().State();
  return Status();
}

constexpr Status ProjectedLSTMShape(const ProjectedLSTMParams& p, const RecurrentShapes& shapes,
                                    const Shape& initial_c, const Shape& peepholes,
                                    const Shape& projection, Shape* y, Shape* y_h, Shape* y_c) {
  return ProjectedLSTMShape(p.Plain(), shapes, initial_c, peepholes, projection, y, y_h, y_c);
}

constexpr Status LSTMShape(const LSTMParams& p, const RecurrentShapes& shapes,
                           const Shape& initial_c, const Shape& peepholes, Shape* y, Shape* y_h,
                           Shape* y_c) {
  return ProjectedLSTMShape(p, shapes, initial_c, peepholes, {}, y, y_h, y_c);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_LSTM_H_

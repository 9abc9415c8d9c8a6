// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of the activation functions that have some.
#ifndef DRAGOMAN_RUNTIME_PARAMS_ACTIVATION_H_
#define DRAGOMAN_RUNTIME_PARAMS_ACTIVATION_H_

namespace dragoman::rt {

struct CeluParams {
  float alpha = 1.0f;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("alpha", self.alpha);
  }
};

struct EluParams {
  float alpha = 1.0f;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("alpha", self.alpha);
  }
};

enum class GeluApproximation { kNone, kTanh };

constexpr const char* Name(GeluApproximation approximate) {
  return approximate == GeluApproximation::kNone ? "kNone" : "kTanh";
}

struct GeluParams {
  GeluApproximation approximate = GeluApproximation::kNone;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("approximate", self.approximate);
  }
};

struct HardSigmoidParams {
  float alpha = 0.2f;
  float beta = 0.5f;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("alpha", self.alpha);
    f("beta", self.beta);
  }
};

struct LeakyReluParams {
  float alpha = 0.01f;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("alpha", self.alpha);
  }
};

struct SeluParams {
  float alpha = 1.67326319217681884765625f;
  float gamma = 1.05070102214813232421875f;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("alpha", self.alpha);
    f("gamma", self.gamma);
  }
};

struct ShrinkParams {
  float bias = 0.0f;
  float lambd = 0.5f;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("bias", self.bias);
    f("lambd", self.lambd);
  }
};

struct SwishParams {
  float alpha = 1.0f;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("alpha", self.alpha);
  }
};

struct ThresholdedReluParams {
  float alpha = 1.0f;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("alpha", self.alpha);
  }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_ACTIVATION_H_

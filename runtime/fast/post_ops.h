// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a prepared operator does to its result before it stores it.
#ifndef DRAGOMAN_RUNTIME_FAST_POST_OPS_H_
#define DRAGOMAN_RUNTIME_FAST_POST_OPS_H_

namespace dragoman::rt {

enum class FusedActivation {
  kNone,
  kRelu,
  kClip,  // to [alpha, beta]
  kSigmoid,
  kTanh,
  kGelu,      // x * (1 + erf(x / sqrt 2)) / 2
  kGeluTanh,  // its approximation by tanh
  kHardSwish,
  kSwish,        // x * sigmoid(x)
  kHardSigmoid,  // alpha * x + beta, clipped to 0 … 1
};

constexpr const char* Name(FusedActivation activation) {
  constexpr const char* kNames[] = {"kNone", "kRelu",     "kClip",      "kSigmoid", "kTanh",
                                    "kGelu", "kGeluTanh", "kHardSwish", "kSwish",   "kHardSigmoid"};
  return kNames[static_cast<int>(activation)];
}

// result = activation(value + residual), or with activation_first activation(value) + residual,
// where value includes the bias.
struct PostOps {
  bool residual = false;
  bool activation_first = false;
  FusedActivation activation = FusedActivation::kNone;
  float alpha = 0.0f;
  float beta = 0.0f;
  // Where there is an activation: operands hold NaN or infinities only if an earlier operator of
  // the same run found some (FastContext::BeginRun). Else the operator looks itself.
  bool trusts_operands = false;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_POST_OPS_H_

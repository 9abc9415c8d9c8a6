// SPDX-License-Identifier: Apache-2.0
// Activations that TVM lacks, by operators that Relax and Relay have under one name. All is
// computed in the operand's own element type.
//
// `F` writes the calls of one of both: arg(i) is an operand, Number(v) a constant, Do a call,
// Compare one whose result is bool, Last the call that gives the result, Clamp what lies between
// two numbers, and NaN. F::op tells the attributes. A number is the first operand of a maximum or
// minimum: TVM gives the second one where either is NaN.
#ifndef DRAGOMAN_CODEGEN_TVM_ACTIVATIONS_H_
#define DRAGOMAN_CODEGEN_TVM_ACTIVATIONS_H_

#include "core/ir/dtype.h"
#include "core/support/result.h"

namespace dragoman::tvm {

template <class F>
using TermOf = Result<typename F::Term>;

// gain * (relu(x) + scale * (exp(min(x, 0) / width) - 1))
template <class F>
typename F::Term ExponentialUnit(const F& f, double scale, double width, double gain) {
  auto inner = f.Do("minimum", {f.Number(0), f.arg(0)});
  if (width != 1) inner = f.Do("divide", {inner, f.Number(width)});
  const auto less = f.Do("subtract", {f.Do("exp", {inner}), f.Number(1)});
  const auto low = f.Do("multiply", {less, f.Number(scale)});
  const auto high = f.Do("nn.relu", {f.arg(0)});
  if (gain == 1) return f.Last("add", {high, low});
  return f.Last("multiply", {f.Do("add", {high, low}), f.Number(gain)});
}

template <class F>
TermOf<F> Elu(const F& f) {
  return ExponentialUnit(f, f.op.Float("alpha"), 1, 1);
}

template <class F>
TermOf<F> Celu(const F& f) {
  const double alpha = f.op.Float("alpha");
  return ExponentialUnit(f, alpha, alpha, 1);
}

template <class F>
TermOf<F> Selu(const F& f) {
  return ExponentialUnit(f, f.op.Float("alpha"), 1, f.op.Float("gamma"));
}

template <class F>
TermOf<F> HardSigmoid(const F& f) {
  const auto scaled = f.Do("multiply", {f.arg(0), f.Number(f.op.Float("alpha"))});
  return f.Clamp(f.Do("add", {scaled, f.Number(f.op.Float("beta"))}), 0, 1);
}

template <class F>
TermOf<F> HardSwish(const F& f) {
  const auto gate = f.Clamp(f.Do("add", {f.arg(0), f.Number(3)}), 0, 6);
  const auto scaled = f.Do("divide", {gate, f.Number(6)});
  return f.Last("multiply", {f.arg(0), scaled});
}

// relu(x), and log(1 + exp(-|x|)): log(1 + exp(x)) is their sum, which does not overflow.
template <class F>
struct SoftplusParts {
  explicit SoftplusParts(const F& f) {
    const auto exp = f.Do("exp", {f.Do("negative", {f.Magnitude()})});
    log = f.Do("log", {f.Do("add", {exp, f.Number(1)})});
    relu = f.Do("nn.relu", {f.arg(0)});
  }

  typename F::Term relu, log;
};

template <class F>
TermOf<F> Softplus(const F& f) {
  const SoftplusParts<F> parts(f);
  return f.Last("add", {parts.relu, parts.log});
}

template <class F>
TermOf<F> Mish(const F& f) {
  const SoftplusParts<F> parts(f);
  const auto gate = f.Do("tanh", {f.Do("add", {parts.relu, parts.log})});
  return f.Last("multiply", {f.arg(0), gate});
}

template <class F>
TermOf<F> Softsign(const F& f) {
  const auto below = f.Do("add", {f.Magnitude(), f.Number(1)});
  return f.Last("divide", {f.arg(0), below});
}

template <class F>
TermOf<F> ThresholdedRelu(const F& f) {
  const auto above = f.Compare("greater", {f.arg(0), f.Number(f.op.Float("alpha"))});
  return f.Last("where", {above, f.arg(0), f.Number(0)});
}

template <class F>
TermOf<F> Shrink(const F& f) {
  if (!IsFloating(f.op.dtype()))
    return f.op.Refuse("the operator takes floating-point operands only");
  const float lambd = f.op.Float("lambd");
  const auto bias = f.Number(f.op.Float("bias"));
  const auto below = f.Compare("less", {f.arg(0), f.Number(-lambd)});
  const auto above = f.Compare("greater", {f.arg(0), f.Number(lambd)});
  const auto raised = f.Do("add", {f.arg(0), bias});
  const auto lowered = f.Do("subtract", {f.arg(0), bias});
  const auto rest = f.Do("where", {above, lowered, f.Number(0)});
  return f.Last("where", {below, raised, rest});
}

// TVM's prelu has one slope an element of an axis; ONNX's broadcasts.
template <class F>
TermOf<F> PRelu(const F& f) {
  const auto below = f.Compare("less", {f.arg(0), f.Number(0)});
  const auto scaled = f.Do("multiply", {f.arg(0), f.arg(1)});
  return f.Last("where", {below, scaled, f.arg(0)});
}

}  // namespace dragoman::tvm

// ROW(NAME) for each of them, which has the name of its operator.
#define DRAGOMAN_TVM_FORMULAS(ROW) \
  ROW(Celu)                        \
  ROW(Elu)                         \
  ROW(HardSigmoid)                 \
  ROW(HardSwish)                   \
  ROW(Mish)                        \
  ROW(PRelu)                       \
  ROW(Selu)                        \
  ROW(Shrink)                      \
  ROW(Softplus)                    \
  ROW(Softsign)                    \
  ROW(ThresholdedRelu)

#endif  // DRAGOMAN_CODEGEN_TVM_ACTIVATIONS_H_

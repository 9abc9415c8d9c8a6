// SPDX-License-Identifier: Apache-2.0
// Special functions, which ONNX lacks, of float64 operands.
//
// Bessel functions and their kin are integrals of smooth periodic or quickly falling functions, for
// which the trapezoidal rule converges exponentially: a fixed number of points gives all digits.
// Beyond an argument of 25 asymptotic series take over (Abramowitz and Stegun, chapters 6, 7, 9).
#ifndef DRAGOMAN_CORE_LOWERING_SPECIAL_FUNCTIONS_H_
#define DRAGOMAN_CORE_LOWERING_SPECIAL_FUNCTIONS_H_

#include <cstdint>

#include "core/lowering/composer.h"

namespace dragoman {

// The logarithm of the absolute value of the gamma function; its derivative ψ; the nth one of ψ.
Value* LogGamma(Composer& c, Value* x);
Value* Digamma(Composer& c, Value* x);
Value* Polygamma(Composer& c, std::int64_t n, Value* x);
// Hurwitz's zeta function Σ (q + k)^-x. Operands of the same sizes, or that broadcast.
Value* Zeta(Composer& c, Value* x, Value* q);
// The share of Γ(a) up to x, or (`upper`) from x on. Operands of the same sizes.
Value* IncompleteGamma(Composer& c, Value* a, Value* x, bool upper);
// The share of the beta function B(a, b) up to x. Operands of the same sizes.
Value* IncompleteBeta(Composer& c, Value* a, Value* b, Value* x);
// ∫ exp(t) / t dt up to x, and -∫ log(t) / (t - 1) dt from 1 to x, for x > 0; exp(-x²) ∫ exp(t²) dt
// from 0 to x. NaN at +inf of the first two, as in TensorFlow.
Value* ExponentialIntegral(Composer& c, Value* x);
Value* Spence(Composer& c, Value* x);
Value* Dawson(Composer& c, Value* x);

// exp(x²) erfc(x); the inverse of erf; the normal distribution: the logarithm of its integral up to
// x, and the inverse of that integral.
Value* ScaledErfc(Composer& c, Value* x);
Value* ErfInverse(Composer& c, Value* y);
Value* LogNormal(Composer& c, Value* x);
Value* NormalQuantile(Composer& c, Value* p);

// Bessel functions of the first and second kind, of order n: 0 or 1.
Value* BesselJ(Composer& c, Value* x, int n);
Value* BesselY(Composer& c, Value* x, int n);
// The modified ones; the scaled ones are less by a factor of exp(|x|), or exp(-x).
Value* ModifiedI(Composer& c, Value* x, int n);
Value* ScaledI(Composer& c, Value* x, int n);
Value* ModifiedK(Composer& c, Value* x, int n);
Value* ScaledK(Composer& c, Value* x, int n);
// Airy's function Ai; NaN at the infinities, as in torch.
Value* Airy(Composer& c, Value* x);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_SPECIAL_FUNCTIONS_H_

// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "core/lowering/math.h"
#include "core/lowering/polynomial.h"
#include "core/lowering/special_functions.h"

namespace dragoman {
namespace {

// The rational functions of the normal distribution's quantile in the Cephes library (S. Moshier).
constexpr double kNearOver[] = {-59.96335010141079, 98.00107541859997, -56.67628574690703,
                                13.931260938727968, -1.2391658386738125};
constexpr double kNearUnder[] = {1,
                                 1.9544885833814176,
                                 4.676279128988815,
                                 86.36024213908905,
                                 -225.46268785411937,
                                 200.26021238006066,
                                 -82.03722561683334,
                                 15.90562251262117,
                                 -1.1833162112133};
constexpr double kTailOver[] = {4.0554489230596245,  31.525109459989388,   57.16281922464213,
                                44.08050738932008,   14.684956192885803,   2.1866330685079025,
                                -0.1402560791713545, -0.03504246268278482, -0.0008574567851546854};
constexpr double kTailUnder[] = {1,
                                 15.779988325646675,
                                 45.39076351288792,
                                 41.3172038254672,
                                 15.04253856929075,
                                 2.504649462083094,
                                 -0.14218292285478779,
                                 -0.03808064076915783,
                                 -0.0009332594808954574};
constexpr double kFarOver[] = {
    3.2377489177694603,     6.915228890689842,      3.9388102529247444,
    1.3330346081580755,     0.20148538954917908,    0.012371663481782003,
    0.00030158155350823543, 2.6580697468673755e-06, 6.239745391849833e-09};
constexpr double kFarUnder[] = {1,
                                6.02427039364742,
                                3.6798356385616087,
                                1.3770209948908132,
                                0.21623699359449663,
                                0.013420400608854318,
                                0.00032801446468212774,
                                2.8924786474538068e-06,
                                6.790194080099813e-09};

// The quantile of the normal distribution. `centre` is the probability less 1/2; `tail`, the
// smaller of it and 1 less it, keeps the digits that `centre` loses near the ends.
Value* QuantileOf(Composer& c, Value* centre, Value* tail) {
  constexpr double kEnd = 0.13533528323661269189;  // exp(-2)
  constexpr double kFarSize = 8;
  const auto quotient = [&](Value* x, std::span<const double> over, std::span<const double> under) {
    return c.Div(Horner(c, x, over), Horner(c, x, under));
  };
  Value* square = c.Mul(centre, centre);
  Value* bend = c.Mul(c.Mul(centre, square), quotient(square, kNearOver, kNearUnder));
  Value* near = c.Mul(c.Add(centre, bend), std::sqrt(2 * std::numbers::pi));
  Value* size =
      c.Sqrt(c.Mul(c.Log(c.Max(c.Min(tail, kEnd), std::numeric_limits<double>::min())), -2));
  Value* inverse = c.Op("Reciprocal", {size});
  Value* correction = c.Where(c.Less(size, kFarSize), quotient(inverse, kTailOver, kTailUnder),
                              quotient(inverse, kFarOver, kFarUnder));
  Value* far = c.Sub(size, c.Mul(c.Add(c.Log(size), correction), inverse));
  far = c.Where(c.Equal(tail, 0), INFINITY, c.Where(c.Less(tail, 0), NAN, far));
  return c.Where(c.Greater(tail, kEnd), near, NegateWhere(c, c.Less(centre, 0), far));
}

}  // namespace

Value* ErfInverse(Composer& c, Value* y) {
  Value* tail = c.Mul(c.Sub(1, c.Abs(y)), 0.5);
  return c.Mul(QuantileOf(c, c.Mul(y, 0.5), tail), std::numbers::sqrt2 / 2);
}

Value* NormalQuantile(Composer& c, Value* p) {
  return QuantileOf(c, c.Sub(p, 0.5), c.Min(p, c.Sub(1, p)));
}

}  // namespace dragoman

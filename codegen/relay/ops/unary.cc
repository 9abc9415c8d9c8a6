// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/ops/unary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "codegen/relay/ops/sizes.h"
#include "core/support/find_by_key.h"

namespace dragoman::relay::emit {
namespace {

// Arithmetic on values of one element type.
struct Terms {
  RelayOp& op;
  DType dtype;

  Value* Number(double value) const { return op.Number(value, dtype); }
  Value* Do(std::string_view name, Value* x) const { return op.Do(name, {x}); }
  Value* Do(std::string_view name, Value* a, Value* b) const { return op.Do(name, {a, b}); }
  Value* With(std::string_view name, Value* a, double b) const { return Do(name, a, Number(b)); }
  Value* Flag(Value* condition) const { return op.Cast(condition, DType::kBool, dtype); }
  // c[0] + x (c[1] + x (c[2] + …))
  Value* Polynomial(Value* x, std::initializer_list<double> coefficients) const {
    Value* sum = nullptr;
    for (auto c = std::rbegin(coefficients); c != std::rend(coefficients); ++c)
      sum = sum == nullptr ? Number(*c) : With("add", Do("multiply", sum, x), *c);
    return sum;
  }
};

Value* Abs(const Terms& t, Value* x) {
  if (IsInteger(t.dtype) && !Info(t.dtype).is_signed) return x;
  return t.Do("maximum", t.Do("negative", x), x);
}

Value* Sign(const Terms& t, Value* x) {
  Value* above = t.Flag(t.With("greater", x, 0));
  Value* sign = t.Do("subtract", above, t.Flag(t.With("less", x, 0)));
  if (!IsFloating(t.dtype)) return sign;
  return t.op.Do("where", {t.With("less_equal", Abs(t, x), HUGE_VAL), sign, x});  // NaN stays
}

Value* Trunc(const Terms& t, Value* x) {
  return t.op.Do("where", {t.With("less", x, 0), t.Do("ceil", x), t.Do("floor", x)});
}

// TVM takes x to be equal to x, and NaN for no number that is unequal to another.
Value* IsNan(const Terms& t, Value* x) {
  Value* flag = t.op.Do("where", {t.With("less_equal", x, HUGE_VAL), t.Number(0), t.Number(1)});
  return t.With("greater", flag, 0.5);
}
Value* IsInf(const Terms& t, Value* x) { return t.With("equal", Abs(t, x), HUGE_VAL); }
Value* IsFinite(const Terms& t, Value* x) { return t.With("less", Abs(t, x), HUGE_VAL); }

// With t = tan(x / 2): sin x = 2 t / (1 + t²), cos x = (1 - t²) / (1 + t²).
Value* Sin(const Terms& t, Value* x) {
  Value* half = t.Do("tan", t.With("multiply", x, 0.5));
  Value* below = t.With("add", t.Do("multiply", half, half), 1);
  return t.Do("divide", t.Do("add", half, half), below);
}
Value* Cos(const Terms& t, Value* x) {
  Value* half = t.Do("tan", t.With("multiply", x, 0.5));
  Value* square = t.Do("multiply", half, half);
  return t.Do("divide", t.Do("subtract", t.Number(1), square), t.With("add", square, 1));
}

// Near 0 its series; else 1 - erfc |x| with the sign of x, by the approximation of Numerical
// Recipes (erfcc), whose relative error is below 1.2e-7.
Value* Erf(const Terms& t, Value* x) {
  Value* size = Abs(t, x);
  Value* square = t.Do("multiply", x, x);
  Value* series = t.Do(
      "multiply", x,
      t.Polynomial(square, {1.1283791670955126, -0.37612638903183754, 0.11283791670955126,
                            -0.026866170645131252, 0.005223977625442188, -0.0008548327023450852}));
  Value* u = t.Do("divide", t.Number(1), t.With("add", t.With("multiply", size, 0.5), 1));
  Value* exponent =
      t.Do("subtract",
           t.Polynomial(u, {-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806,
                            0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277}),
           square);
  Value* rest = t.Do("multiply", u, t.Do("exp", exponent));
  Value* far = t.Do("multiply", Sign(t, x), t.Do("subtract", t.Number(1), rest));
  return t.op.Do("where", {t.With("less", size, 0.5), series, far});
}

// With h = exp(|x| / 2), which does not exceed what floats hold before the result does: h² / 2 and
// 1 / (2 h²).
struct Halves {
  Value* rising;
  Value* falling;
};
Halves HalvesOf(const Terms& t, Value* x) {
  Value* h = t.Do("exp", t.With("multiply", Abs(t, x), 0.5));
  return {t.Do("multiply", t.With("multiply", h, 0.5), h),
          t.Do("divide", t.Do("divide", t.Number(0.5), h), h)};
}
Value* Cosh(const Terms& t, Value* x) {
  const Halves halves = HalvesOf(t, x);
  return t.Do("add", halves.rising, halves.falling);
}
// Near 0 its series.
Value* Sinh(const Terms& t, Value* x) {
  const Halves halves = HalvesOf(t, x);
  Value* far = t.Do("multiply", Sign(t, x), t.Do("subtract", halves.rising, halves.falling));
  Value* square = t.Do("multiply", x, x);
  Value* series =
      t.Do("multiply", x, t.Polynomial(square, {1, 1 / 6.0, 1 / 120.0, 1 / 5040.0, 1 / 362880.0}));
  return t.op.Do("where", {t.With("less", Abs(t, x), 1), series, far});
}

// With the tangent of a quarter or a half of the right angle taken off, by the polynomial of Cephes
// (atanf), whose relative error is below 2e-7.
Value* Atan(const Terms& t, Value* x) {
  Value* size = Abs(t, x);
  Value* is_large = t.With("greater", size, 2.414213562373095);
  Value* is_middle = t.With("greater", size, 0.4142135623730950);
  Value* large = t.Do("divide", t.Number(-1), size);
  Value* middle = t.Do("divide", t.With("subtract", size, 1), t.With("add", size, 1));
  Value* rest = t.op.Do("where", {is_large, large, t.op.Do("where", {is_middle, middle, size})});
  Value* base = t.op.Do("where", {is_large, t.Number(M_PI_2),
                                  t.op.Do("where", {is_middle, t.Number(M_PI_4), t.Number(0)})});
  Value* angle = t.Do(
      "multiply", rest,
      t.Polynomial(t.Do("multiply", rest, rest),
                   {1, -3.33329491539e-1, 1.99777106478e-1, -1.38776856032e-1, 8.05374449538e-2}));
  return t.Do("multiply", Sign(t, x), t.Do("add", base, angle));
}
Value* TwiceAtan(const Terms& t, Value* x) { return t.With("multiply", Atan(t, x), 2); }
Value* Asin(const Terms& t, Value* x) {
  Value* below = t.Do("subtract", t.Number(1), x);
  Value* root = t.Do("sqrt", t.Do("multiply", below, t.With("add", x, 1)));
  return TwiceAtan(t, t.Do("divide", x, t.With("add", root, 1)));
}
Value* Acos(const Terms& t, Value* x) {
  Value* below = t.Do("subtract", t.Number(1), x);
  return TwiceAtan(t, t.Do("sqrt", t.Do("divide", below, t.With("add", x, 1))));
}

// log(1 + x), exact where 1 + x is not.
Value* Log1p(const Terms& t, Value* x) {
  Value* above = t.With("add", x, 1);
  Value* log = t.Do("log", above);
  Value* scaled = t.Do("divide", t.Do("multiply", x, log), t.With("subtract", above, 1));
  Value* near = t.op.Do("where", {t.With("equal", above, 1), x, scaled});
  return t.op.Do("where", {t.With("greater", x, 1e7), log, near});
}
Value* Asinh(const Terms& t, Value* x) {
  Value* size = Abs(t, x);
  Value* root = t.Do("sqrt", t.With("add", t.Do("multiply", size, size), 1));
  Value* bent = t.Do("divide", size, t.With("add", root, 1));
  Value* near = Log1p(t, t.Do("add", size, t.Do("multiply", size, bent)));
  Value* far = t.With("add", t.Do("log", size), M_LN2);
  return t.Do("multiply", Sign(t, x), t.op.Do("where", {t.With("greater", size, 1e9), far, near}));
}
Value* Acosh(const Terms& t, Value* x) {
  Value* below = t.With("subtract", x, 1);
  Value* root = t.Do("multiply", t.Do("sqrt", below), t.Do("sqrt", t.With("add", x, 1)));
  Value* far = t.With("add", t.Do("log", x), M_LN2);
  return t.op.Do("where", {t.With("greater", x, 1e9), far, Log1p(t, t.Do("add", below, root))});
}
Value* Atanh(const Terms& t, Value* x) {
  Value* size = Abs(t, x);
  Value* odds = t.Do("divide", t.Do("add", size, size), t.Do("subtract", t.Number(1), size));
  return t.Do("multiply", Sign(t, x), t.With("multiply", Log1p(t, odds), 0.5));
}

enum class In : std::uint8_t {
  kOwnType,
  kFloat32OrMore,  // smaller floats are computed in float32
  kFloat32         // and larger ones are left as they are
};
struct Saying {
  std::string_view name;
  Value* (*say)(const Terms&, Value*);
  In in = In::kOwnType;
};
// Sorted by name.
constexpr Saying kSayings[] = {
    {"abs", Abs},
    {"acos", Acos, In::kFloat32},
    {"acosh", Acosh, In::kFloat32OrMore},
    {"asin", Asin, In::kFloat32},
    {"asinh", Asinh, In::kFloat32OrMore},
    {"atan", Atan, In::kFloat32},
    {"atanh", Atanh, In::kFloat32OrMore},
    {"cos", Cos, In::kFloat32OrMore},
    {"cosh", Cosh, In::kFloat32OrMore},
    {"erf", Erf, In::kFloat32},
    {"isfinite", IsFinite},
    {"isinf", IsInf},
    {"isnan", IsNan},
    {"sign", Sign},
    {"sin", Sin, In::kFloat32OrMore},
    {"sinh", Sinh, In::kFloat32OrMore},
    {"trunc", Trunc},
};
static_assert(IsSortedBy(kSayings, &Saying::name));

}  // namespace

Value* Unary(RelayOp& op, std::string_view name, Value* x, DType dtype) {
  // TVM 0.19 has no isnan of bfloat16, with which it says isinf and isfinite, too.
  if (name.starts_with("is") && dtype == DType::kBF16)
    return Unary(op, name, op.Cast(x, dtype, DType::kF32), DType::kF32);
  const Saying* row = FindByKey(kSayings, name, &Saying::name);
  const bool is_wide = Info(dtype).bits > 32;
  if (row == nullptr || (is_wide && row->in == In::kFloat32) || !HasOpenSizes(op.node))
    return op.Do(name, {x});
  const DType computed = is_wide || row->in == In::kOwnType ? dtype : DType::kF32;
  Value* y = row->say({op, computed}, op.Cast(x, dtype, computed));
  return row->in == In::kOwnType ? y : op.Cast(y, computed, dtype);
}

Value* Reversed(RelayOp& op, Value* x, const Dim& size, std::int64_t axis) {
  if (!HasOpenSizes(op.node)) return op.Do("reverse", {x}, {{"axis", axis}});
  Value* count = SizeOf(op, x, size, axis);
  Value* last = op.Do("subtract", {count, op.Int64(1)});
  Value* places = op.Do("subtract", {last, Places(op, count)});
  return op.Do("take", {x, places}, {{"axis", axis}, {"mode", "fast"}});
}

}  // namespace dragoman::relay::emit

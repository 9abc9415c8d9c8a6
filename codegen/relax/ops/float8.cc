// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/ops/float8.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace dragoman::relax {
namespace {

// The layout of a format: numbers are multiples of 2^(exponent - mantissa) up to twice 2^exponent.
// TVM shifts bits, whereby infinities and NaN become any number: `overflow` and `nan` are finite
// numbers that it casts to their bits. f8e4m3fn has no infinity.
struct ByteLayout {
  int mantissa, least_exponent, most_exponent;
  double largest, overflow, nan;
};

ByteLayout ByteLayoutOf(DType dtype) {
  if (dtype == DType::kF8E5M2) return {2, -14, 15, 57344, 65536, 114688};
  return {3, -6, 8, 448, 480, 480};
}

std::string Vector(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + PythonFloat(value, true);
  return fmt::format("R.const([{}], \"float64\")", text);
}

std::string Number(double value) { return ConstOf(value, DType::kF64); }

}  // namespace

bool IsFloat8(DType dtype) { return IsFloating(dtype) && Info(dtype).bits == 8; }

std::string FromFloat8(RelaxOp& op, const std::string& x, DType from) {
  const ByteLayout layout = ByteLayoutOf(from);
  const std::string cast = op.Astype(x, from, DType::kF32);
  const auto number = [](double value) { return ConstOf(value, DType::kF32); };
  std::string beyond = number(std::nan(""));
  if (layout.overflow != layout.nan) {
    const std::string infinity =
        op.Do("where", op.Do("less", cast, number(0)), number(-HUGE_VAL), number(HUGE_VAL));
    beyond = op.Do("where", op.Do("greater", op.Do("abs", cast), number(layout.overflow)), beyond,
                   infinity);
  }
  const std::string is_beyond = op.Do("greater", op.Do("abs", cast), number(layout.largest));
  return op.Do("where", is_beyond, beyond, cast);
}

// The unit of the last place is found by counting the powers of two that are not above. TVM's own
// cast gives every zero the sign +.
Expressions ToFloat8(RelaxOp& op, const std::string& x, DType to, bool saturate) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const ByteLayout layout = ByteLayoutOf(to);
  std::vector<double> powers, units;
  for (int e = layout.least_exponent; e <= layout.most_exponent; ++e) {
    if (e > layout.least_exponent) powers.push_back(std::ldexp(1.0, e));
    units.push_back(std::ldexp(1.0, e - layout.mantissa));
  }
  const std::string axis = fmt::format("axis=[{}]", shape.size());
  const std::string size = op.Do("abs", x);
  const std::string reached =
      op.Do("greater_equal", op.Do("expand_dims", size, axis), Vector(powers));
  const std::string place =
      op.Do("sum", op.Do("astype", reached, "dtype=\"int64\""), axis, "keepdims=False");
  const std::string unit = op.Do("take", Vector(units), place, "axis=0", "mode=\"fast\"");
  std::string rounded = op.Do("multiply", op.Do("round", op.Do("divide", size, unit)), unit);
  const std::string over = op.Do("greater", rounded, Number(layout.largest));
  const double beyond = saturate ? layout.largest : layout.overflow;
  rounded = op.Do("where", over, Number(beyond), rounded);
  const std::string negative = op.Do("less", x, Number(0));
  std::string result = op.Do("where", negative, op.Do("negative", rounded), rounded);
  result = op.Do("where", op.Do("isnan", x), Number(layout.nan), result);
  result = op.Astype(result, DType::kF64, DType::kF32);
  return One(fmt::format("R.astype({}, dtype=\"{}\")", result, RelaxDType(to)));
}

}  // namespace dragoman::relax

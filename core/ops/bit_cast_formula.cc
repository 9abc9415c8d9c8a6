// SPDX-License-Identifier: Apache-2.0
// A float is (2^fraction_bits + fraction) · 2^(exponent − bias − fraction_bits), or without the
// leading 2^fraction_bits where its exponent field is 0. float64 holds all that is computed here
// exactly; powers of two are looked up, since operators that compute them round.
#include "core/ops/bit_cast_formula.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <string>
#include <string_view>

#include "core/ops/expansion_formula.h"

namespace dragoman {
namespace {

struct FloatFormat {
  int bits = 0;
  int fraction_bits = 0;

  int exponents() const { return 1 << (bits - 1 - fraction_bits); }  // how many there are
  int bias() const { return exponents() / 2 - 1; }
};

// bits = 0: no format that is known here.
FloatFormat FormatOf(DType dtype) {
  switch (dtype) {
    case DType::kF16:
      return {16, 10};
    case DType::kBF16:
      return {16, 7};
    case DType::kF32:
      return {32, 23};
    case DType::kF64:
      return {64, 52};
    default:
      return {};
  }
}

class BitFormula {
 public:
  BitFormula(ExpansionFormula& formula, const FloatFormat& format)
      : f_(formula),
        format_(format),
        real_(formula.type().WithDType(DType::kF64)),
        whole_(formula.type().WithDType(DType::kI64)),
        flag_(formula.type().WithDType(DType::kBool)) {}

  // The bits of `x`, a float of the format, as int64.
  Value* FromFloat(Value* x) {
    Value* value = f_.Cast(x, real_);
    Value* is_nan = Op("IsNaN", {value}, flag_);
    Value* is_infinite = Op("IsInf", {value}, flag_);
    Value* is_last = Op("Or", {is_nan, is_infinite}, flag_);
    Value* size = WhereReal(is_last, Real(0), Op("Abs", {value}, real_));
    Value* field = ExponentField(size);
    Value* power = Power(field);  // of the lowest bit of the fraction
    Value* steps = f_.Cast(Op("Div", {size, power}, real_), whole_);
    Value* is_small = Op("Equal", {field, Int(0)}, flag_);
    Value* fraction = Op("Sub", {steps, Where(is_small, Int(0), Int(leading()))}, whole_);
    Value* bits = Op("Add", {Op("Mul", {field, Int(leading())}, whole_), fraction}, whole_);
    const std::int64_t infinity = (format_.exponents() - 1) * leading();
    bits = Where(is_infinite, Int(infinity), bits);
    Value* inverse = Op("Div", {Real(1), value}, real_);  // of −0, negative
    Value* below = Op("Less", {value, Real(0)}, flag_);
    Value* is_negative = Op("Or", {below, Op("Less", {inverse, Real(0)}, flag_)}, flag_);
    bits = Where(is_negative, Op("Add", {bits, Int(least())}, whole_), bits);
    return Where(is_nan, Int(infinity + leading() / 2), bits);
  }

  // The float of the format with `bits`, an int64 whose higher ones do not count, as float64.
  Value* ToFloat(Value* bits) {
    Value* zero = Int(0);
    Value* size = Op("BitwiseAnd", {bits, Int(-(least() + 1))}, whole_);
    Value* sign = Op("BitwiseAnd", {bits, Int(least())}, whole_);
    Value* is_negative = Op("Not", {Op("Equal", {sign, zero}, flag_)}, flag_);
    Value* field = Op("Div", {size, Int(leading())}, whole_);
    Value* fraction = Op("Sub", {size, Op("Mul", {field, Int(leading())}, whole_)}, whole_);
    Value* is_small = Op("Equal", {field, zero}, flag_);
    Value* steps = Op("Add", {fraction, Where(is_small, zero, Int(leading()))}, whole_);
    Value* value = Op("Mul", {f_.Cast(steps, real_), Power(field)}, real_);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    Value* is_whole = Op("Equal", {fraction, zero}, flag_);
    Value* last = WhereReal(is_whole, Real(kInfinity), Real(kNan));
    Value* is_last = Op("Equal", {field, Int(format_.exponents() - 1)}, flag_);
    value = WhereReal(is_last, last, value);
    return WhereReal(is_negative, Op("Neg", {value}, real_), value);
  }

 private:
  std::int64_t leading() const { return std::int64_t{1} << format_.fraction_bits; }
  // The least integer of so many bits: what the sign bit adds in two's complement.
  std::int64_t least() const {
    return format_.bits == 64 ? std::numeric_limits<std::int64_t>::min()
                              : -(std::int64_t{1} << (format_.bits - 1));
  }

  Value* Op(std::string_view op, const std::vector<Value*>& operands, const Type& type) {
    return f_.Add(op, operands, type);
  }
  Value* Where(Value* condition, Value* a, Value* b) {
    return Op("Where", {condition, a, b}, whole_);
  }
  Value* WhereReal(Value* condition, Value* a, Value* b) {
    return Op("Where", {condition, a, b}, real_);
  }
  Value* Int(std::int64_t value) { return f_.Constant(Tensor::Int(value)); }
  Value* Real(double value) {
    return f_.Constant(Tensor::Of<double>({}, std::vector<double>{value}));
  }

  // 2^(field − bias − fraction_bits), by a table of all fields; those of 0 and 1 are equal.
  Value* Power(Value* field) {
    std::vector<double> powers;
    for (int i = 0; i < format_.exponents(); ++i)
      powers.push_back(std::ldexp(1.0, std::max(i, 1) - format_.bias() - format_.fraction_bits));
    if (powers_ == nullptr)
      powers_ =
          f_.Constant(Tensor::Of<double>({format_.exponents()}, std::span<const double>(powers)));
    return Op("Gather", {powers_, field}, real_);
  }

  // Of |x|, which is finite: a logarithm that may be off by one, put right by comparison.
  Value* ExponentField(Value* size) {
    Value* logarithm = Op("Mul", {Op("Log", {size}, real_), Real(std::numbers::log2e)}, real_);
    Value* rounded = Op("Add", {Op("Floor", {logarithm}, real_), Real(format_.bias())}, real_);
    Value* field =
        f_.Cast(Op("Clip", {rounded, Real(0), Real(format_.exponents() - 2)}, real_), whole_);
    const auto start = [&](Value* of) {  // the least number with such a field
      return Op("Mul", {Power(of), Real(static_cast<double>(leading()))}, real_);
    };
    Value* is_less = Op("Less", {size, start(field)}, flag_);
    Value* below = Op("Max", {Op("Sub", {field, Int(1)}, whole_), Int(0)}, whole_);
    field = Where(is_less, below, field);
    Value* above =
        Op("Min", {Op("Add", {field, Int(1)}, whole_), Int(format_.exponents() - 2)}, whole_);
    Value* reaches = Op("Less", {size, start(above)}, flag_);
    return Where(reaches, field, above);
  }

  ExpansionFormula& f_;
  FloatFormat format_;
  Type real_, whole_, flag_;
  Value* powers_ = nullptr;
};

}  // namespace

Result<std::vector<Value*>> ExpandBitCast(Node& node) {
  ExpansionFormula formula(node);
  const Type& to = node.result()->type();
  const DType from = formula.type().dtype();
  const auto known = [](DType dtype) { return IsInteger(dtype) || FormatOf(dtype).bits > 0; };
  if (!known(from) || !known(to.dtype())) {
    return Unsupported("the bits of " + std::string(Name(from)) + " as " +
                       std::string(Name(to.dtype())));
  }
  Value* bits = formula.x();
  if (const FloatFormat format = FormatOf(from); format.bits > 0)
    bits = BitFormula(formula, format).FromFloat(bits);
  if (IsInteger(to.dtype())) return std::vector<Value*>{formula.Cast(bits, to)};
  bits = formula.Cast(bits, to.WithDType(DType::kI64));
  Value* value = BitFormula(formula, FormatOf(to.dtype())).ToFloat(bits);
  return std::vector<Value*>{formula.Cast(value, to)};
}

}  // namespace dragoman

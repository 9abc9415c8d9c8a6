// SPDX-License-Identifier: Apache-2.0
// Operators that work element by element.
#include "importers/relay/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "core/lowering/division.h"
#include "core/lowering/math.h"
#include "core/lowering/rounding.h"
#include "core/lowering/shift.h"
#include "importers/relay/ops/rounding.h"
#include "tvm/elementwise_calls.h"

namespace dragoman::relay {
namespace {

bool IsWhole(Call& c, const Value* x) {
  return IsInteger(c.dtype(x)) || c.dtype(x) == DType::kBool;
}

Value* LowerUnary(Call& c) { return c.Op(c.target(), {c.Tensor(0)}); }

// Of whole numbers: themselves.
Value* LowerRounding(Call& c) {
  Value* x = c.Tensor(0);
  if (c.failed() || IsWhole(c, x)) return x;
  if (c.target() == "Trunc") return Trunc(c, x);
  if (c.target() == "Round") return RoundHalvesAway(c, x);
  return c.Op(c.target(), {x});
}

Value* LowerIdentity(Call& c) {
  c.Ignore({"compiler", "annotation", "virtual_device", "src_virtual_device", "dst_virtual_device",
            "constrain_body", "constrain_result", "body_result", "device_type", "is_fixed",
            "src_dev_type", "dst_dev_type"});
  return c.Op("Identity", {c.Tensor(0)});
}

Value* LowerLogBase(Call& c, int base) {
  Value* x = c.Tensor(0);
  return c.Mul(c.Log(x), 1.0 / std::log(static_cast<double>(base)));
}

Value* LowerRsqrt(Call& c) { return c.Op("Reciprocal", {c.Sqrt(c.Tensor(0))}); }

Value* LowerIsFinite(Call& c) {
  Value* x = c.Tensor(0);
  return c.Not(c.Or(IsNaN(c, x), IsInf(c, x, true, true)));
}

Value* LowerIsInf(Call& c) { return IsInf(c, c.Tensor(0), true, true); }
Value* LowerIsNan(Call& c) { return IsNaN(c, c.Tensor(0)); }

Value* LowerBitwiseNot(Call& c) {
  Value* x = c.Tensor(0);
  return c.dtype(x) == DType::kBool ? c.Not(x) : c.Op("BitwiseNot", {x});
}

Value* LowerLike(Call& c, int number) {
  Value* x = c.Tensor(0);
  return c.Full(c.Shape(x), number, c.dtype(x));
}

// Element types must be equal: there is no promotion.
Value* LowerBinary(Call& c) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  if (c.failed()) return nullptr;
  const bool logic = c.dtype(a) == DType::kBool;
  if (c.dtype(a) != c.dtype(b))
    return c.Fail(InvalidInput("operands of types " + std::string(Name(c.dtype(a))) + " and " +
                               std::string(Name(c.dtype(b)))));
  std::string op(c.target());
  if (logic && op == "Mul") return c.And(a, b);
  if (logic && (op == "Max" || op == "Add")) return c.Or(a, b);
  if (logic && op == "Min") return c.And(a, b);
  if (logic && op.starts_with("Bitwise")) op = op.substr(7);
  if (op == "Div" && IsInteger(c.dtype(a))) return TruncQuotient(c, a, b);
  if (op == "NotEqual") return c.NotEqual(a, b);
  if (op == "Max") return Maximum(c, a, b);
  if (op == "Min") return Minimum(c, a, b);
  return c.Op(op, {a, b});
}

Value* LowerFloorDivide(Call& c) { return FloorQuotient(c, c.Tensor(0), c.Tensor(1)); }
Value* LowerTruncDivide(Call& c) { return TruncQuotient(c, c.Tensor(0), c.Tensor(1)); }
Value* LowerFloorMod(Call& c) { return Remainder(c, c.Tensor(0), c.Tensor(1)); }
// The remainder has the sign of the dividend.
Value* LowerTruncMod(Call& c) {
  return c.Op("Mod", {c.Tensor(0), c.Tensor(1)}, {{"fmod", std::int64_t{1}}});
}

// By whole powers of two, in 64 bits.
Value* LowerShift(Call& c, bool left) {
  Value* x = c.Tensor(0);
  return ShiftBits(c, x, c.Index(1), left);
}

// Of int32: by 31 bits and a shift, halves up.
Value* LowerFixedPointMultiply(Call& c, Given given) {
  Value* x = c.Tensor(0);
  if (given == Given::kAsAttribute) {
    const std::int64_t multiplier = c.RequiredInt("multiplier");
    const std::int64_t shift = c.RequiredInt("shift");
    return c.failed() ? nullptr : ScaledByBits(c, x, {{multiplier, shift}}, 0, false);
  }
  const Ints multipliers = c.KnownInts(1, "a multiplier");
  Ints left = c.KnownInts(2, "a shift");
  Ints right = c.KnownInts(3, "a shift");
  const Ints axes = c.RequiredInts("axes");
  if (!c.Bool("is_lshift_required", false)) left.assign(left.size(), 0);
  if (!c.Bool("is_rshift_required", false)) right.assign(right.size(), 0);
  if (c.failed()) return nullptr;
  if (axes.size() != 1) return c.Fail("multipliers along several axes");
  if (left.size() != multipliers.size() || right.size() != multipliers.size())
    return c.Fail(InvalidInput("there are not as many shifts as multipliers"));
  std::vector<FixedPoint> factors;
  for (std::size_t i = 0; i < multipliers.size(); ++i)
    factors.push_back({multipliers[i], left[i] - right[i]});
  return ScaledByBits(c, x, factors, axes.front(), false);
}

Value* LowerWhere(Call& c) {
  Value* condition = c.Tensor(0);
  if (!c.failed() && c.dtype(condition) != DType::kBool) condition = IsTrue(c, condition);
  return c.Op("Where", {condition, c.Tensor(1), c.Tensor(2)});
}

Value* LowerClip(Call& c) {
  Value* x = c.Tensor(0);
  if (c.Get("a_min") == nullptr || c.Get("a_max") == nullptr)
    c.Fail(InvalidInput("attributes a_min and a_max are needed"));
  double low = c.Float("a_min", 0);
  double high = c.Float("a_max", 0);
  if (c.failed()) return nullptr;
  if (!IsInteger(c.dtype(x))) return c.Op("Clip", {x, c.Number(low, x), c.Number(high, x)});
  // Whole bounds that the type holds.
  const DTypeInfo& info = Info(c.dtype(x));
  const double most = std::ldexp(1.0, info.is_signed ? info.bits - 1 : info.bits);
  const double least = info.is_signed ? -most : 0;
  std::vector<Value*> operands = {x, nullptr, nullptr};
  if (low > least) operands[1] = c.Number(std::trunc(low), x);
  if (high < most - 1) operands[2] = c.Number(std::trunc(high), x);
  return c.Op("Clip", std::move(operands));
}

// The same bits, as another type of as many.
Value* LowerReinterpret(Call& c) {
  Value* x = c.Tensor(0);
  const DType to = c.Type("dtype", DType::kUnknown);
  if (c.failed()) return nullptr;
  if (to == DType::kUnknown) return c.Fail(InvalidInput("attribute dtype is missing"));
  if (to == c.dtype(x)) return x;
  return c.Op("BitCast", {x}, {{"to", static_cast<std::int64_t>(to)}});
}

Value* LowerCast(Call& c) {
  Value* x = c.Tensor(0);
  const DType to = c.Type("dtype", DType::kUnknown);
  if (c.failed()) return nullptr;
  if (to == DType::kUnknown) return c.Fail(InvalidInput("attribute dtype is missing"));
  // The place of an extreme, which TVM gives as int32.
  const Node* narrowed = x->producer();
  if (to == DType::kI64 && narrowed != nullptr && narrowed->Is("Cast")) {
    const Node* place = narrowed->operand(0)->producer();
    if (place != nullptr && (place->Is("ArgMax") || place->Is("ArgMin")))
      return narrowed->operand(0);
  }
  return c.Cast(x, to);
}

Value* LowerCastLike(Call& c) { return c.CastLike(c.Tensor(0), c.Tensor(1)); }

Value* LowerLeakyRelu(Call& c) {
  return c.Op("LeakyRelu", {c.Tensor(0)}, {{"alpha", static_cast<float>(c.Float("alpha", 0.25))}});
}

Value* LowerPRelu(Call& c) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  const int axis = c.Axis(c.Int("axis", 1), rank);
  return c.Op("PRelu", {x, AlongAxis(c, c.Tensor(1), axis, rank)});
}

Value* LowerSoftmax(Call& c) {
  return c.Op(c.target(), {c.Tensor(0)}, {{"axis", c.Int("axis", -1)}});
}

std::vector<Value*> LowerDropout(Call& c) {
  c.Ignore({"rate"});
  Value* x = c.Tensor(0);
  return {c.Op("Identity", {x}), c.Full(c.Shape(x), 1, c.dtype(x))};
}

}  // namespace

std::span<const OpRow> ElementwiseRows() {
  static constexpr OpRow kRows[] = {
      {"annotation.bitpack_end", LowerIdentity},
      {"annotation.bitpack_start", LowerIdentity},
      {"annotation.cast_hint", LowerIdentity},
      {"annotation.checkpoint", LowerIdentity},
      {"annotation.compiler_begin", LowerIdentity},
      {"annotation.compiler_end", LowerIdentity},
      {"annotation.stop_fusion", LowerIdentity},
      {"annotation.with_funcid", LowerIdentity},
      {"bitwise_not", LowerBitwiseNot},
      {"cast", LowerCast},
      {"cast_like", LowerCastLike},
      {"ceil", LowerRounding, "Ceil"},
      {"clip", LowerClip},
      {"copy", LowerIdentity},
      {"debug", LowerIdentity},
      {"device_copy", LowerIdentity},
      {"fast_erf", LowerUnary, "Erf"},
      {"fast_exp", LowerUnary, "Exp"},
      {"fast_tanh", LowerUnary, "Tanh"},
      {"fixed_point_multiply", With<LowerFixedPointMultiply, Given::kAsAttribute>},
      {"fixed_point_multiply_per_axis", With<LowerFixedPointMultiply, Given::kAsOperand>},
      {"floor", LowerRounding, "Floor"},
      {"floor_divide", LowerFloorDivide},
      {"floor_mod", LowerFloorMod},
      {"isfinite", LowerIsFinite},
      {"isinf", LowerIsInf},
      {"isnan", LowerIsNan},
      {"left_shift", With<LowerShift, true>},
      {"log10", With<LowerLogBase, 10>},
      {"log2", With<LowerLogBase, 2>},
      {"mod", LowerTruncMod},
      {"nn.dropout", LowerDropout},
      {"nn.fast_softmax", LowerSoftmax, "Softmax"},
      {"nn.leaky_relu", LowerLeakyRelu},
      {"nn.log_softmax", LowerSoftmax, "LogSoftmax"},
      {"nn.prelu", LowerPRelu},
      {"nn.softmax", LowerSoftmax, "Softmax"},
      {"not_equal", LowerBinary, "NotEqual"},
      {"on_device", LowerIdentity},
      {"ones_like", With<LowerLike, 1>},
      {"reinterpret", LowerReinterpret},
      {"right_shift", With<LowerShift, false>},
      {"round", LowerRounding, "Round"},
      {"rsqrt", LowerRsqrt},
      {"trunc", LowerRounding, "Trunc"},
      {"trunc_divide", LowerTruncDivide},
      {"trunc_mod", LowerTruncMod},
      {"where", LowerWhere},
      {"zeros_like", With<LowerLike, 0>},
  };
  static const std::vector<OpRow> rows = [] {
    std::vector<OpRow> all(std::begin(kRows), std::end(kRows));
    for (const tvm::ElementwiseCall& call : tvm::kElementwiseCalls) {
      if (std::ranges::find(all, call.name, &OpRow::name) == all.end())
        all.push_back({call.name, call.operands == 1 ? LowerUnary : LowerBinary, call.common});
    }
    return all;
  }();
  return rows;
}

}  // namespace dragoman::relay

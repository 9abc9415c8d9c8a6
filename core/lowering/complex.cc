// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/complex.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/ir/producer.h"
#include "core/lowering/math.h"
#include "core/ops/declared_attributes.h"
#include "core/support/find_by_key.h"

namespace dragoman {
namespace {

using Operands = std::vector<Value*>;
using Attributes = std::vector<NamedAttribute>;

// The parts that a pair was put together from; nullptrs if it was not.
Parts PartsBehind(const Value* pairs) {
  const Node* concat = ProducerOf(pairs, "Concat");
  if (concat == nullptr || concat->num_operands() != 2) return {};
  const Node* re = ProducerOf(concat->operand(0), "Unsqueeze");
  const Node* im = ProducerOf(concat->operand(1), "Unsqueeze");
  if (re == nullptr || im == nullptr) return {};
  const bool last = IntAttribute(*concat, "axis") == -1;
  return last ? Parts{re->operand(0), im->operand(0)} : Parts{};
}

Value* PartOf(Composer& c, Value* pairs, std::int64_t i) { return c.Gather(pairs, c.Int(i), -1); }

Parts Times(Composer& c, const Parts& x, const Parts& y) {
  return {c.Sub(c.Mul(x.re, y.re), c.Mul(x.im, y.im)), c.Add(c.Mul(x.re, y.im), c.Mul(x.im, y.re))};
}

// Numerator and denominator are divided by the larger part of the denominator first, so that
// squares neither overflow nor vanish.
Parts Over(Composer& c, const Parts& x, const Parts& y) {
  Value* larger = c.Max(c.Abs(y.re), c.Abs(y.im));
  const Parts unit = {c.Div(y.re, larger), c.Div(y.im, larger)};
  Value* norm = c.Mul(c.Add(c.Mul(unit.re, unit.re), c.Mul(unit.im, unit.im)), larger);
  const Parts product = Times(c, x, {unit.re, c.Neg(unit.im)});
  return {c.Div(product.re, norm), c.Div(product.im, norm)};
}

Parts Exp(Composer& c, const Parts& x) {
  Value* size = c.Exp(x.re);
  return {c.Mul(size, c.Op("Cos", {x.im})), c.Mul(size, c.Op("Sin", {x.im}))};
}

Parts Log(Composer& c, const Parts& x) { return {c.Log(Magnitude(c, x)), Angle(c, x)}; }

// The root in the right half plane.
Parts Sqrt(Composer& c, const Parts& x) {
  Value* half = c.Mul(c.Add(Magnitude(c, x), c.Abs(x.re)), 0.5);
  Value* root = c.Sqrt(half);
  Value* other = c.Div(x.im, c.Mul(c.Where(c.Equal(root, 0), 1, root), 2));
  Value* left = c.Less(x.re, 0);
  Value* signed_root = NegateWhere(c, SignBit(c, x.im), root);
  return {c.Where(left, c.Abs(other), root), c.Where(left, signed_root, other)};
}

Parts Reciprocal(Composer& c, const Parts& x) {
  Value* one = c.Number(1, x.re);
  return Over(c, {one, c.Number(0, x.re)}, x);
}

Parts Sigmoid(Composer& c, const Parts& x) {
  const Parts e = Exp(c, {c.Neg(x.re), c.Neg(x.im)});
  return Reciprocal(c, {c.Add(e.re, 1), e.im});
}

// The circular functions of i·x are the hyperbolic ones, turned.
Parts Turned(Composer& c, const Parts& x) { return {c.Neg(x.im), x.re}; }
Parts TurnedBack(Composer& c, const Parts& x) { return {x.im, c.Neg(x.re)}; }

Parts Sinh(Composer& c, const Parts& x) {
  return {c.Mul(c.Op("Sinh", {x.re}), c.Op("Cos", {x.im})),
          c.Mul(c.Op("Cosh", {x.re}), c.Op("Sin", {x.im}))};
}
Parts Cosh(Composer& c, const Parts& x) {
  return {c.Mul(c.Op("Cosh", {x.re}), c.Op("Cos", {x.im})),
          c.Mul(c.Op("Sinh", {x.re}), c.Op("Sin", {x.im}))};
}
// sinh 2a / (cosh 2a + cos 2b), divided by cosh 2a, which may overflow.
Parts Tanh(Composer& c, const Parts& x) {
  Value* a = c.Mul(x.re, 2);
  Value* b = c.Mul(x.im, 2);
  Value* inverse = c.Op("Reciprocal", {c.Op("Cosh", {a})});
  Value* below = c.Add(c.Mul(c.Op("Cos", {b}), inverse), 1);
  return {c.Div(c.Tanh(a), below), c.Div(c.Mul(c.Op("Sin", {b}), inverse), below)};
}
Parts Sin(Composer& c, const Parts& x) { return TurnedBack(c, Sinh(c, Turned(c, x))); }
Parts Cos(Composer& c, const Parts& x) { return Cosh(c, Turned(c, x)); }
Parts Tan(Composer& c, const Parts& x) { return TurnedBack(c, Tanh(c, Turned(c, x))); }

// log(x + sqrt(x² + 1)), of the half plane where nothing is cancelled.
Parts Asinh(Composer& c, const Parts& x) {
  Value* left = c.Less(x.re, 0);
  const Parts y = {c.Abs(x.re), NegateWhere(c, left, x.im)};
  const Parts square = Times(c, y, y);
  const Parts root = Sqrt(c, {c.Add(square.re, 1), square.im});
  const Parts log = Log(c, {c.Add(y.re, root.re), c.Add(y.im, root.im)});
  return {NegateWhere(c, left, log.re), NegateWhere(c, left, log.im)};
}
Parts Acosh(Composer& c, const Parts& x) {
  const Parts above = Sqrt(c, {c.Add(x.re, 1), x.im});
  const Parts below = Sqrt(c, {c.Sub(x.re, 1), x.im});
  const Parts product = Times(c, above, below);
  return Log(c, {c.Add(x.re, product.re), c.Add(x.im, product.im)});
}
Parts Atanh(Composer& c, const Parts& x) {
  const Parts above = Log(c, {c.Add(x.re, 1), x.im});
  const Parts below = Log(c, {c.Sub(1, x.re), c.Neg(x.im)});
  return {c.Mul(c.Sub(above.re, below.re), 0.5), c.Mul(c.Sub(above.im, below.im), 0.5)};
}
Parts Asin(Composer& c, const Parts& x) { return TurnedBack(c, Asinh(c, Turned(c, x))); }
Parts Atan(Composer& c, const Parts& x) { return TurnedBack(c, Atanh(c, Turned(c, x))); }
Parts Acos(Composer& c, const Parts& x) {
  const Parts sine = Asin(c, x);
  return {c.Sub(std::numbers::pi / 2, sine.re), c.Neg(sine.im)};
}

struct ComplexFunction {
  std::string_view type;
  Parts (*of)(Composer& c, const Parts& x);
};
constexpr auto kFunctions = std::to_array<ComplexFunction>({
    {"Acos", Acos},
    {"Acosh", Acosh},
    {"Asin", Asin},
    {"Asinh", Asinh},
    {"Atan", Atan},
    {"Atanh", Atanh},
    {"Cos", Cos},
    {"Cosh", Cosh},
    {"Exp", Exp},
    {"Log", Log},
    {"Reciprocal", Reciprocal},
    {"Sigmoid", Sigmoid},
    {"Sin", Sin},
    {"Sinh", Sinh},
    {"Sqrt", Sqrt},
    {"Tan", Tan},
    {"Tanh", Tanh},
});

// x^y as C's cpow gives it: 0 to the power of what has a positive real part is 0, and otherwise no
// number.
Parts Power(Composer& c, const Parts& x, const Parts& y) {
  Value* base_zero = c.And(c.Equal(x.re, 0), c.Equal(x.im, 0));
  const Parts base = {c.Where(base_zero, 1, x.re), x.im};
  const Parts power = Exp(c, Times(c, y, Log(c, base)));
  Value* vanishes = c.Greater(y.re, 0);
  Value* none = c.Number(NAN, y.re);
  Value* re = c.Where(vanishes, 0, c.Where(c.Less(y.re, 0), INFINITY, none));
  Value* im = c.Where(vanishes, 0, none);
  return {c.Where(base_zero, re, power.re), c.Where(base_zero, im, power.im)};
}

Value* MatrixProduct(Composer& c, const Parts& x, const Parts& y) {
  Value* re = c.Sub(MatMul(c, x.re, y.re), MatMul(c, x.im, y.im));
  return FromParts(c, {re, c.Add(MatMul(c, x.re, y.im), MatMul(c, x.im, y.re))});
}

// What is linear in each of its operands: a sum over their parts, where i² is −1.
Value* Multilinear(Composer& c, std::string_view type, const Operands& operands,
                   const Attributes& attributes) {
  constexpr std::size_t kMostOperands = 6;
  if (operands.size() > kMostOperands) return nullptr;
  Parts sum = {};
  for (std::size_t imaginary = 0; imaginary < 1u << operands.size(); ++imaginary) {
    Operands chosen;
    bool vanishes = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool is_imaginary = (imaginary >> i & 1) != 0;
      vanishes = vanishes || (is_imaginary && !IsComplex(c.dtype(operands[i])));
      const Parts parts = PartsOf(c, operands[i]);
      chosen.push_back(is_imaginary ? parts.im : parts.re);
    }
    if (vanishes) continue;
    const int turns = std::popcount(imaginary);
    Value* term = c.Op(type, std::move(chosen), attributes);
    if (turns % 4 >= 2) term = c.Neg(term);
    Value*& part = turns % 2 == 0 ? sum.re : sum.im;
    part = part == nullptr ? term : c.Add(part, term);
  }
  return FromParts(c, sum);
}

// Operators of two operands; the results of comparisons are bool.
Value* BinaryOp(Composer& c, std::string_view type, const Operands& operands) {
  if (type == "Add" || type == "Sub")
    return FromPairs(c, c.Op(type, {PairsOf(c, operands[0]), PairsOf(c, operands[1])}));
  const Parts x = PartsOf(c, operands[0]);
  const Parts y = PartsOf(c, operands[1]);
  if (type == "Mul") return FromParts(c, Times(c, x, y));
  if (type == "Div") return FromParts(c, Over(c, x, y));
  if (type == "Pow") return FromParts(c, Power(c, x, y));
  if (type == "MatMul") return MatrixProduct(c, x, y);
  return c.And(c.Equal(x.re, y.re), c.Equal(x.im, y.im));
}

// The product of the slices along one axis, which is kept, by halves.
Value* ProductAlong(Composer& c, Value* x, int axis) {
  const std::optional<std::int64_t> known = c.KnownSize(x, axis);
  if (!known) return c.Fail("a product of an unknown number of complex numbers");
  if (*known == 0) return c.Fail("a product of no complex numbers");
  for (std::int64_t size = *known; size > 1; size = (size + 1) / 2) {
    const std::int64_t half = size / 2;
    Value* product = c.Mul(c.Slice(x, axis, 0, half), c.Slice(x, axis, half, 2 * half));
    x = size % 2 == 0 ? product : c.Concat({product, c.Slice(x, axis, size - 1, size)}, axis);
  }
  return x;
}

Value* Product(Composer& c, Value* x, const Operands& operands, const Attributes& attributes) {
  const bool given = operands.size() > 1 && operands[1] != nullptr;
  auto axes = given ? c.builder().KnownInts(operands[1]) : AllAxes(c.Rank(x));
  if (!axes) return c.Fail("products of complex numbers along unknown axes");
  for (std::int64_t& axis : *axes) {
    axis = c.Axis(axis, c.Rank(x));
    x = ProductAlong(c, x, static_cast<int>(axis));
  }
  const bool drops = std::any_of(attributes.begin(), attributes.end(), [](const NamedAttribute& a) {
    const auto* number = a.value.As<std::int64_t>();
    return a.name == "keepdims" && number != nullptr && *number == 0;
  });
  return drops && !axes->empty() ? c.Squeeze(x, *axes) : x;
}

Value* Convert(Composer& c, Value* x, const Attributes& attributes) {
  const auto* number = attributes.empty() ? nullptr : attributes[0].value.As<std::int64_t>();
  if (number == nullptr) return nullptr;
  const auto to = static_cast<DType>(*number);
  if (to == DType::kBool) {
    const Parts parts = PartsOf(c, x);
    return c.Or(c.NotEqual(parts.re, 0), c.NotEqual(parts.im, 0));
  }
  if (!IsComplex(to)) return c.Cast(PartsOf(c, x).re, to);
  return FromPairs(c, c.Cast(PairsOf(c, x), RealPart(to)));
}

Attributes WithAxisFromFront(Composer& c, Attributes attributes, const Value* x) {
  for (NamedAttribute& attribute : attributes) {
    const auto* axis = attribute.name == "axis" ? attribute.value.As<std::int64_t>() : nullptr;
    if (axis != nullptr && *axis < 0) attribute.value = std::int64_t{c.Axis(*axis, c.Rank(x))};
  }
  return attributes;
}

// Axes counted from the end, in a constant.
Value* AxesFromFront(Composer& c, Value* axes, int rank) {
  const auto known = axes != nullptr ? c.builder().KnownInts(axes) : std::nullopt;
  if (!known || std::all_of(known->begin(), known->end(), [](std::int64_t a) { return a >= 0; }))
    return axes;
  std::vector<std::int64_t> wrapped = *known;
  for (std::int64_t& axis : wrapped) axis = axis < 0 ? axis + rank : axis;
  return c.Ints(std::move(wrapped));
}

// Operators that only move elements, on the pairs; sums and running sums too, since they leave the
// last axis alone.
Value* MoveOp(Composer& c, std::string_view type, Operands operands, const Attributes& given) {
  Attributes attributes = WithAxisFromFront(c, given, operands[0]);
  const int rank = c.Rank(operands[0]);
  if (type == "Transpose") {
    for (NamedAttribute& attribute : attributes) {
      auto permutation = *attribute.value.As<Attribute::Ints>();
      permutation.push_back(rank);
      attribute.value = std::move(permutation);
    }
    if (attributes.empty()) return nullptr;
  } else if (type == "Concat") {
    for (Value*& operand : operands) operand = PairsOf(c, operand);
    return FromPairs(c, c.Op(type, operands, attributes));
  } else if (type == "Where") {
    return FromPairs(c, c.Op(type, {c.Unsqueeze(operands[0], {c.Rank(operands[0])}),
                                    PairsOf(c, operands[1]), PairsOf(c, operands[2])}));
  } else if (type == "Reshape" || type == "Expand") {
    operands[1] = c.ConcatSizes({operands[1], c.Ints({2})});
  } else if (type == "ReduceSum" || type == "ReduceMean") {
    operands.resize(2);
    if (operands[1] == nullptr) operands[1] = c.Ints(AllAxes(rank));
    operands[1] = AxesFromFront(c, operands[1], rank);
  } else if (type == "Slice" && operands.size() > 3) {
    operands[3] = AxesFromFront(c, operands[3], rank);
  } else if (type == "Squeeze" || type == "Unsqueeze" || type == "CumSum") {
    // By name: operand 1 has their axes.
    if (operands.size() < 2) return nullptr;
    const auto added = type == "Unsqueeze" ? c.KnownSize(operands[1], 0).value_or(0) : 0;
    operands[1] = AxesFromFront(c, operands[1], rank + static_cast<int>(added));
  }
  operands[0] = PairsOf(c, operands[0]);
  return FromPairs(c, c.Op(type, std::move(operands), std::move(attributes)));
}

// Operators that move elements of operands, or add some to others: both parts alone. The elements
// of real operands have no imaginary part; indices are those of both.
Value* PartwiseOp(Composer& c, std::string_view type, const Operands& operands,
                  const Attributes& attributes) {
  for (const NamedAttribute& attribute : attributes) {
    const auto* text = attribute.value.As<std::string>();
    if (attribute.name == "reduction" && text != nullptr && *text != "none" && *text != "add")
      return c.Fail("reduction '" + *text + "' of complex numbers");
  }
  Operands re = operands;
  Operands im = operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr) continue;
    const DType dtype = c.dtype(operands[i]);
    if (IsComplex(dtype)) {
      const Parts parts = PartsOf(c, operands[i]);
      re[i] = parts.re;
      im[i] = parts.im;
    } else if (IsFloating(dtype)) {
      im[i] = c.Mul(operands[i], 0);
    }
  }
  return FromParts(c, {c.Op(type, re, attributes), c.Op(type, im, attributes)});
}

// Sizes leave the axis of the pairs out.
Value* CountOp(Composer& c, std::string_view type, Value* x, Attributes attributes) {
  Value* pairs = PairsOf(c, x);
  if (type == "Size") return c.Div(c.Op(type, {pairs}), 2);
  const bool ends = std::any_of(attributes.begin(), attributes.end(),
                                [](const NamedAttribute& a) { return a.name == "end"; });
  if (!ends) attributes.push_back({"end", std::int64_t{-1}});
  return c.Op(type, {pairs}, std::move(attributes));
}

// By name: the operators that have a rule for complex numbers, by the function that has it.
constexpr std::string_view kMoves[] = {
    "Concat",  "CumSum", "Expand",  "Gather",    "Identity",  "ReduceMean", "ReduceSum",
    "Reshape", "Slice",  "Squeeze", "Transpose", "Unsqueeze", "Where",
};
constexpr std::string_view kPartwise[] = {
    "Compress",        "GatherElements", "GatherND", "Pad",   "ReverseSequence",
    "ScatterElements", "ScatterND",      "Tile",     "Trilu",
};
constexpr std::string_view kBinary[] = {"Add", "Div", "Equal", "MatMul", "Mul", "Pow", "Sub"};
static_assert(IsSortedBy(kMoves) && IsSortedBy(kPartwise) && IsSortedBy(kBinary));

}  // namespace

Value* PairsOf(Composer& c, Value* x) {
  if (c.failed()) return nullptr;
  if (!IsComplex(c.dtype(x))) {
    Value* zero = c.Expand(c.Number(0, x), c.Shape(x));
    return c.Concat({c.Unsqueeze(x, {c.Rank(x)}), c.Unsqueeze(zero, {c.Rank(x)})}, -1);
  }
  if (const Node* node = x->producer(); node != nullptr && node->IsDragoman("RealToComplex"))
    return node->operand(0);
  if (x->is_constant()) {
    std::vector<std::int64_t> sizes = x->tensor()->sizes();
    sizes.push_back(2);
    return c.builder().Constant(
        c.Take(Tensor::Make(RealPart(c.dtype(x)), std::move(sizes), x->tensor()->buffer())));
  }
  return c.Op("dragoman.ComplexToReal", {x});
}

Value* FromPairs(Composer& c, Value* pairs) {
  return c.Op("dragoman.RealToComplex", {c.Widen(pairs)});
}

Parts PartsOf(Composer& c, Value* x) {
  if (c.failed()) return {};
  if (!IsComplex(c.dtype(x))) return {x, c.Number(0, x)};
  Value* pairs = PairsOf(c, x);
  if (const Parts parts = PartsBehind(pairs); parts.re != nullptr) return parts;
  return {PartOf(c, pairs, 0), PartOf(c, pairs, 1)};
}

Value* FromParts(Composer& c, const Parts& parts) {
  if (c.failed()) return nullptr;
  Value* re = parts.re;
  Value* im = parts.im;
  const bool same = re->type().shape() != nullptr && im->type().shape() != nullptr &&
                    *re->type().shape() == *im->type().shape();
  if (!same) {
    Value* sizes = c.Op("Shape", {c.Add(re, im)});
    re = c.Expand(re, sizes);
    im = c.Expand(im, sizes);
  }
  const int rank = c.Rank(re);
  return FromPairs(c, c.Concat({c.Unsqueeze(re, {rank}), c.Unsqueeze(im, {rank})}, -1));
}

Value* Conjugate(Composer& c, Value* x) {
  const Parts parts = PartsOf(c, x);
  return FromParts(c, {parts.re, c.Neg(parts.im)});
}

Value* Magnitude(Composer& c, const Parts& x) { return Hypot(c, x.re, x.im); }

Value* Angle(Composer& c, const Parts& x) { return Atan2(c, x.im, x.re); }

Value* ComplexOp(Composer& c, std::string_view type, const Operands& operands,
                 const Attributes& attributes) {
  if (c.failed()) return nullptr;
  if (FindByKey(kMoves, type) != nullptr) return MoveOp(c, type, operands, attributes);
  if (FindByKey(kPartwise, type) != nullptr) return PartwiseOp(c, type, operands, attributes);
  if (FindByKey(kBinary, type) != nullptr) return BinaryOp(c, type, operands);
  if (type == "Cast") return Convert(c, operands[0], attributes);
  if (type == "Shape" || type == "Size") return CountOp(c, type, operands[0], attributes);
  if (type == "Abs") return Magnitude(c, PartsOf(c, operands[0]));
  if (type == "Neg") return FromPairs(c, c.Neg(PairsOf(c, operands[0])));
  if (type == "Einsum") return Multilinear(c, type, operands, attributes);
  if (type == "ReduceProd") return Product(c, operands[0], operands, attributes);
  if (type == "IsNaN") {
    const Parts x = PartsOf(c, operands[0]);
    return c.Or(c.Op("IsNaN", {x.re}), c.Op("IsNaN", {x.im}));
  }
  const auto function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                     [&](const ComplexFunction& f) { return f.type == type; });
  if (function == kFunctions.end()) return nullptr;
  return FromParts(c, function->of(c, PartsOf(c, operands[0])));
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// Masks that compare places of rows and columns, and operands of elementwise operators that have
// more axes or elements than they need.
#include <algorithm>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

std::string Comparison(Drawing& d) {
  return d.Of({"LessOrEqual", "GreaterOrEqual", "Less", "Greater", "Equal"});
}

// 0, 1, … as a Range or a constant, seldom from another number on, or by other steps.
std::string Places(Drawing& d, const std::string& like, std::int64_t axis, std::int64_t size) {
  const std::int64_t first = d.Chance(92) ? 0 : d.Chance(50) ? 1 : -1;
  const std::int64_t step = d.Chance(95) ? 1 : 2;
  if (size >= 0 && d.Chance(40)) {
    std::int64_t next = first - step;
    return d.Constant("i64", {size}, [&] { return static_cast<double>(next += step); });
  }
  const std::string all = d.Node("Shape", {like});
  return d.Node("Range", {d.Int(first), d.Node("Gather", {all, d.Int(axis)}), d.Int(step)});
}

struct Matrix {
  std::string dtype, value, rows,
      columns;  // places along the axes of `value`, perhaps of size 1 else
};

Matrix MatrixWithPlaces(Drawing& d) {
  Sizes sizes = {d.Size(), d.Size()};
  if (d.Chance(30)) sizes.insert(sizes.begin(), 2);
  Matrix m;
  m.dtype = d.NumberType();
  m.value = d.Input(m.dtype, sizes);
  const auto rank = static_cast<std::int64_t>(sizes.size());
  m.rows = Places(d, m.value, rank - 2, sizes[sizes.size() - 2]);
  m.columns = Places(d, m.value, rank - 1, sizes.back());
  m.rows = d.Node("Unsqueeze", {m.rows, d.Ints({d.Chance(95) ? 1 : 0})});
  if (d.Chance(60)) m.columns = d.Node("Unsqueeze", {m.columns, d.Ints({0})});
  return m;
}

std::string Mask(Drawing& d, const Matrix& m) {
  Names terms = {m.columns, m.rows};
  if (d.Chance(40)) std::swap(terms[0], terms[1]);
  if (d.Chance(40)) return d.Node(Comparison(d), terms);
  const std::string number = d.Int(d.Chance(50) ? 0 : d.Between(-2, 2));
  return d.Node(Comparison(d), {d.Node(d.Chance(92) ? "Sub" : "Add", terms), number});
}

void ComparedPlaces(Drawing& d) { d.MaybeRead(Mask(d, MatrixWithPlaces(d))); }

std::string ConstantMask(Drawing& d, std::int64_t rows, std::int64_t columns) {
  const std::int64_t diagonal = d.Between(-2, 2), odd = d.Chance(85) ? -1 : d.Between(0, 3);
  const bool upper = d.Chance(50);
  std::int64_t at = 0;
  return d.Constant("bool", {rows, columns}, [&, upper] {
    const std::int64_t column = at % columns, row = at / columns;
    const bool shown = upper ? column - row >= diagonal : column - row <= diagonal;
    return shown != (at++ == odd) ? 1.0 : 0.0;
  });
}

void Triangles(Drawing& d) {
  const bool known = d.Chance(40);
  std::string x, mask, dtype = d.NumberType();
  if (known) {
    const std::int64_t rows = d.Between(1, 3), columns = d.Between(1, 3);
    mask = ConstantMask(d, rows, columns);
    Sizes sizes = {rows, columns};
    if (d.Chance(30)) sizes.insert(sizes.begin(), 2);
    if (d.Chance(10)) sizes[sizes.size() - 2] = 1;
    x = d.Input(dtype, sizes);
  } else {
    const Matrix m = MatrixWithPlaces(d);
    mask = Mask(d, m);
    x = m.value;
    dtype = m.dtype;
  }
  const double number = d.Chance(92) ? 0 : 1;
  const std::string hidden = d.Chance(90) ? d.Constant(dtype, {}, [=] { return number; })
                                          : d.Node("Sub", {x, x});  // not known to be 0
  Names operands = {mask, x, hidden};
  if (d.Chance(8)) std::swap(operands[1], operands[2]);
  d.MaybeRead(d.Node("Where", operands));
}

void TrueMasks(Drawing& d) {
  const Sizes sizes = {d.Chance(80) ? 2 : 1, d.KnownSize()};
  const std::string x = d.Node("Greater", {d.Input("f32", sizes), d.Numbers("f32", {})});
  const std::string shape = d.Node("Shape", {x});
  const double bit = d.Chance(90) ? 1 : 0;
  const std::string all =
      d.Chance(60) ? d.Node("ConstantOfShape", {d.Chance(90) ? shape : d.Ints({2, 1})},
                            fmt::format("value = bool[1] [{}]", bit != 0 ? "true" : "false"))
                   : d.Constant("bool", d.Chance(60) ? Sizes{} : Sizes{2, 1}, [&] { return bit; });
  Names operands = {x, all};
  if (d.Chance(50)) std::swap(operands[0], operands[1]);
  d.MaybeRead(d.Node(d.Chance(92) ? "And" : "Or", operands));
}

// Integers mostly: Squeeze(f(Unsqueeze(x), …)).
void MovedOperands(Drawing& d) {
  const std::string dtype = d.Chance(85) ? "i64" : "f32";
  const Sizes sizes = {d.Size(), d.Size()};
  const std::int64_t axis = d.Between(0, 2);
  const auto moved = [&] {
    Sizes own = sizes;
    if (d.Chance(8)) own.back() = 1;
    return d.Node("Unsqueeze", {d.Input(dtype, own), d.Ints({d.Chance(95) ? axis : 0})});
  };
  Names operands = {moved(), d.Chance(50) ? moved() : d.Numbers(dtype, {})};
  if (d.Chance(8)) operands[1] = d.Numbers(dtype, {1});
  if (d.Chance(30)) std::swap(operands[0], operands[1]);
  const std::string y =
      d.Node(d.Of({"Add", "Mul", "Sub", "Max", "Mod"}), operands, dtype == "f32" ? "fmod = 1" : "");
  if (d.Chance(10)) d.Node("Neg", {y});
  d.MaybeRead(d.Node("Squeeze", {y, d.Ints({d.Chance(92) ? axis : 0})}));
}

// What is one number in all elements, as an operand; or nearly.
void FilledOperands(Drawing& d) {
  const Sizes sizes = d.Chance(50) ? d.AnySizes(0, 3) : d.KnownSizes(1, 2);
  const bool known = std::ranges::all_of(sizes, [](std::int64_t size) { return size > 0; });
  const std::string x = d.Input("f32", sizes);
  std::string fill;
  if (d.Chance(15)) {  // one element
    fill =
        d.Constant("f32", Sizes(static_cast<std::size_t>(d.Between(1, 3)), 1), [] { return 2.5; });
  } else if (known && d.Chance(60)) {
    const double number = d.Of(std::vector<double>{1.5, 0, -1});
    int odd = d.Chance(85) ? -1 : 1;
    fill = d.Constant("f32", sizes, [=]() mutable { return odd-- == 0 ? 7 : number; });
  } else {
    const std::string shape = d.Chance(85) ? d.Node("Shape", {x}) : d.Ints({2, 3});
    fill =
        d.Node("ConstantOfShape", {shape}, d.Of({"value = f32[1] [1.5]", "value = f32[1] [0.0]"}));
  }
  if (d.Chance(40)) {
    const std::string mask = d.Node("Greater", {x, d.Numbers("f32", {})});
    Names operands = {mask, x, fill};
    if (d.Chance(40)) std::swap(operands[1], operands[2]);
    if (d.Chance(10)) operands[1] = operands[2] = fill;
    d.MaybeRead(d.Node("Where", operands));
    return;
  }
  Names operands = {d.Chance(92) ? x : d.Input("f32", {}), fill};
  if (d.Chance(40)) std::swap(operands[0], operands[1]);
  d.MaybeRead(d.Node(d.Of({"Sub", "Div", "Max", "Min", "Add", "Greater", "Equal"}), operands));
}

// Whether all are true, as that none is false; or nearly.
void Negations(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  std::string x = d.Node("Greater", {d.Input("f32", sizes), d.Numbers("f32", {})});
  if (d.Chance(92)) x = d.Node("Not", {x});
  if (d.Chance(75)) {
    Names operands = {x};
    if (d.Chance(70)) operands.push_back(d.Ints({d.Axis(sizes.size())}));
    x = d.Node(d.Of({"ReduceMax", "ReduceMin"}), operands, d.Of({"keepdims = 0", "keepdims = 1"}));
  }
  if (d.Chance(10)) d.Node("Not", {x});
  d.MaybeRead(d.Chance(92) ? d.Node("Not", {x}) : d.Node("And", {x, x}));
}

// One size of a tensor, as a part of all, or nearly one.
void OneSize(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 4);
  const std::int64_t rank = std::ssize(sizes), from = d.Between(-1, rank - 1);
  const std::string text = fmt::format("start = {}, end = {}", from, from + (d.Chance(85) ? 1 : 2));
  const std::string part = d.Node("Shape", {d.Input("f32", sizes)}, text);
  if (d.Chance(15)) d.Node("Neg", {part});
  d.MaybeRead(d.Chance(80) ? d.Node("Squeeze", {part, d.Ints({0})}) : d.Node("Squeeze", {part}));
}

}  // namespace

std::span<const DrawnPattern> DrawnMasks() {
  static constexpr DrawnPattern kDrawn[] = {
      {"compare-directly", ComparedPlaces}, {"omit-true-mask", TrueMasks},
      {"read-triangle", Triangles},         {"merge-moves-around", MovedOperands},
      {"use-number", FilledOperands},       {"take-one-size", OneSize},
      {"omit-negations", Negations},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn

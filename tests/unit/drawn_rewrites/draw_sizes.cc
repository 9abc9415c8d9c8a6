// SPDX-License-Identifier: Apache-2.0
// Integers that are computed from the sizes of tensors, and what they say.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

// A tensor of integers or bools: of rank 0 (count -1) or 1.
struct Line {
  std::string value;
  std::string dtype;
  std::int64_t count = -1;
};

Line Begin(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 4);
  const std::string x = d.Input("f32", sizes);
  switch (d.Between(0, 3)) {
    case 0:
      return {d.Node("Size", {x}), "i64", -1};
    case 1: {
      const std::int64_t value =
          d.Chance(15) ? (d.Chance(50) ? 3'000'000'000 : -3'000'000'000) : d.Between(-7, 7);
      return {d.Int(value), "i64", -1};
    }
    case 2: {
      std::vector<std::int64_t> values(static_cast<std::size_t>(d.Between(1, 4)));
      for (std::int64_t& value : values) value = d.Between(-7, 7);
      return {d.Ints(values), "i64", std::ssize(values)};
    }
    default: {
      const std::int64_t begin = d.Chance(70) ? 0 : d.Between(-4, 4);
      const std::int64_t end = d.Chance(70) ? std::ssize(sizes) : d.Between(-4, 4);
      const bool whole = begin == 0 && end == std::ssize(sizes);
      const std::int64_t count = whole ? end : -2;
      return {d.Node("Shape", {x}, whole ? "" : fmt::format("start = {}, end = {}", begin, end)),
              "i64", count};
    }
  }
}

bool IsBool(const Line& line) { return line.dtype == "bool"; }

// One more line, of lines that there are.
Line Next(Drawing& d, const std::vector<Line>& lines) {
  const auto any = [&] { return d.Of(lines); };
  // Of equal types, and sizes that broadcast.
  const auto pair = [&] {
    const Line a = any();
    for (int i = 0; i < 20; ++i) {
      const Line b = any();
      if (a.dtype == b.dtype && (a.count == b.count || a.count < 0 || b.count < 0)) {
        return std::pair(a, b);
      }
    }
    return std::pair(a, a);
  };
  switch (d.Between(0, 13)) {
    case 0:
    case 1:
    case 2: {
      const auto [a, b] = pair();
      const std::string op = IsBool(a)
                                 ? d.Of({"And", "Or", "Xor", "Equal"})
                                 : d.Of({"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Pow"});
      const std::string mode = op == "Mod" && d.Chance(30) ? "fmod = 1" : "";
      return {d.Node(op, {a.value, b.value}, mode), a.dtype, std::max(a.count, b.count)};
    }
    case 3: {
      const auto [a, b] = pair();
      const std::string op =
          IsBool(a) ? "Equal" : d.Of({"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"});
      return {d.Node(op, {a.value, b.value}), "bool", std::max(a.count, b.count)};
    }
    case 4: {
      const Line a = any();
      const std::string to = d.Of({"i64", "i32", "i64", "bool", "u8", "i8", "f32"});
      std::string y = d.Node("Cast", {a.value}, fmt::format("to = {}", TypeNumber(to)));
      if (to == "i64" || to == "i32" || to == "bool") return {y, to, a.count};
      if (to == "f32" && d.Chance(60)) {
        y = d.Node(d.Of({"Floor", "Ceil", "Neg", "Round", "Abs"}),
                   {d.Node("Div", {y, d.Numbers("f32", {})})});
      }
      return {d.Node("Cast", {y}, fmt::format("to = {}", TypeNumber("i64"))), "i64", a.count};
    }
    case 5: {
      const Line a = any();
      const std::string op = IsBool(a) ? "Not" : d.Of({"Neg", "Abs", "Sign", "Identity"});
      return {d.Node(op, {a.value}), a.dtype, a.count};
    }
    case 6: {
      const Line a = any();
      if (a.count < 1) return {d.Node("Unsqueeze", {a.value, d.Ints({0})}), a.dtype, 1};
      const std::int64_t at = d.Between(-a.count, a.count - 1);
      if (d.Chance(60)) return {d.Node("Gather", {a.value, d.Int(at)}), a.dtype, -1};
      return {d.Node("Gather", {a.value, d.Ints({at, 0})}), a.dtype, 2};
    }
    case 7: {
      const auto [a, b] = pair();
      const auto line = [&](const Line& x) {
        return x.count == -1 ? d.Node("Unsqueeze", {x.value, d.Ints({0})}) : x.value;
      };
      const std::int64_t count = a.count == -2 || b.count == -2 ? -2
                                                                : (a.count == -1 ? 1 : a.count) +
                                                                      (b.count == -1 ? 1 : b.count);
      return {d.Node("Concat", {line(a), line(b)}, "axis = 0"), a.dtype, count};
    }
    case 8: {
      const Line a = any();
      if (a.count == -1) return {d.Node("Reshape", {a.value, d.Ints({-1})}), a.dtype, 1};
      const std::int64_t step = d.Chance(70) ? 1 : d.Chance(50) ? -1 : 2;
      return {d.Node("Slice", {a.value, d.Ints({d.Between(-4, 4)}), d.Ints({d.Between(-4, 5)}),
                               d.Ints({0}), d.Ints({step})}),
              a.dtype, -2};
    }
    case 9: {
      const Line a = any();
      if (IsBool(a)) return a;
      const std::string op = d.Of({"ReduceProd", "ReduceSum", "ReduceMax", "ReduceMin"});
      const bool keeps = d.Chance(30);
      return {d.Node(op, {a.value}, fmt::format("keepdims = {}", keeps ? 1 : 0)), a.dtype,
              keeps && a.count != -1 ? 1 : -1};
    }
    case 10: {
      const auto [a, b] = pair();
      const Line condition = any();
      if (!IsBool(condition)) return a;
      return {d.Node("Where", {condition.value, a.value, b.value}), a.dtype,
              std::max({a.count, b.count, condition.count})};
    }
    case 11: {
      const auto [a, b] = pair();
      if (IsBool(a) || a.count != -1 || b.count != -1) return a;
      const std::string step = a.dtype == "i64" ? d.Int(d.Of<std::int64_t>({1, 1, 2, -1})) : "";
      if (step.empty()) return a;
      const std::string few = d.Node("Clip", {a.value, d.Int(-4), d.Int(6)});
      return {d.Node("Range", {few, d.Node("Clip", {b.value, d.Int(-4), d.Int(6)}), step}), a.dtype,
              -2};
    }
    case 12: {
      const Line a = any();
      if (a.count < 0) return {d.Node("Expand", {a.value, d.Ints({2})}), a.dtype, -2};
      const std::string op = d.Of({"CumSum", "Tile", "Squeeze"});
      if (op == "CumSum" && !IsBool(a)) {
        return {d.Node(op, {a.value, d.Int(0)},
                       d.Chance(30) ? d.Of({"exclusive = 1", "reverse = 1"}) : ""),
                a.dtype, a.count};
      }
      if (op == "Tile") return {d.Node(op, {a.value, d.Ints({2})}), a.dtype, 2 * a.count};
      return a.count == 1 ? Line{d.Node("Squeeze", {a.value}), a.dtype, -1} : a;
    }
    default:
      return Begin(d);
  }
}

void KnownIntegers(Drawing& d) {
  std::vector<Line> lines = {Begin(d), Begin(d)};
  for (std::int64_t i = d.Between(1, 8); i > 0; --i) lines.push_back(Next(d, lines));
}

// Sizes as models compute them: of another tensor, one by one, products and quotients.
std::string ComputedSizes(Drawing& d, const std::string& x, const Sizes& sizes, bool expands) {
  const std::string shape = d.Node("Shape", {x});
  const auto size_at = [&](std::int64_t axis) {
    return d.Node("Gather", {shape, d.Ints({d.Chance(20) ? axis - std::ssize(sizes) : axis})});
  };
  if (d.Chance(15)) return shape;
  Names parts;
  const std::int64_t rank = std::ssize(sizes);
  for (std::int64_t i = 0; i < rank; ++i) {
    switch (d.Between(0, 9)) {
      case 0:
        parts.push_back(d.Ints({d.Chance(70) ? 1 : d.Between(-1, 3)}));
        break;
      case 1:
        parts.push_back(size_at(d.Between(0, rank - 1)));
        break;
      case 2:
        if (i + 1 < rank && !expands) {
          parts.push_back(d.Node("Mul", {size_at(i), size_at(i + 1)}));
          ++i;
        } else {
          parts.push_back(size_at(i));
        }
        break;
      case 3:
        parts.push_back(size_at(i));
        if (d.Chance(40)) parts.push_back(d.Ints({1}));
        break;
      case 4:
        if (expands) {
          parts.push_back(size_at(i));
        } else {
          const std::int64_t by = d.Between(1, 3);
          parts.push_back(d.Node("Div", {size_at(i), d.Ints({by})}));
          parts.push_back(d.Ints({by}));
        }
        break;
      default: {
        const std::int64_t size = sizes[static_cast<std::size_t>(i)];
        parts.push_back(size < 0 || d.Chance(50) ? size_at(i) : d.Ints({size}));
      }
    }
  }
  if (d.Chance(8)) parts.insert(parts.begin(), d.Ints({d.Between(1, 2)}));
  if (d.Chance(8) && parts.size() > 1) parts.erase(parts.begin());
  if (d.Chance(10)) std::swap(parts.front(), parts.back());
  return d.Node("Concat", parts, "axis = 0");
}

void ReshapeSizes(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 4);
  const std::string x = d.Input("f32", sizes);
  const std::string y = d.Chance(20) ? d.Node("Neg", {x}) : x;
  d.MaybeRead(d.Node("Reshape", {y, ComputedSizes(d, x, sizes, false)},
                     d.Chance(40) ? "allowzero = 1" : ""));
}

void ExpandSizes(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 4);
  const std::string x = d.Input("f32", sizes);
  Sizes own = sizes;
  for (std::int64_t& size : own) {
    if (d.Chance(40)) size = 1;
  }
  if (d.Chance(20)) own.erase(own.begin());
  d.MaybeRead(d.Node("Expand", {d.Input("f32", own), ComputedSizes(d, x, sizes, true)}));
}

void SortedCut(Drawing& d) {
  const Sizes sizes = d.KnownSizes(1, 3);
  const std::int64_t rank = std::ssize(sizes);
  const std::int64_t axis = d.Between(0, rank - 1);
  const std::int64_t size = sizes[static_cast<std::size_t>(axis)];
  // Many are equal.
  const std::string x = d.Input(d.Of({"f32", "i64"}), sizes, {.low = -1, .high = 1});
  const Names both =
      d.Nodes("TopK", {x, d.Ints({d.Chance(80) ? size : d.Between(0, size)})},
              fmt::format("axis = {}, largest = {}, sorted = {}", d.Chance(50) ? axis : axis - rank,
                          d.Between(0, 1), d.Chance(90) ? 1 : 0),
              2);
  const std::int64_t end = d.Between(0, size);
  for (const std::string& part : both) {
    if (d.Chance(15)) continue;
    const std::int64_t at = d.Chance(90) ? axis : d.Between(0, rank - 1);
    Names operands = {part, d.Ints({d.Chance(90) ? 0 : 1}),
                      d.Ints({d.Chance(90) ? end : d.Between(-1, size)}),
                      d.Ints({d.Chance(50) ? at : at - rank})};
    if (d.Chance(20)) operands.push_back(d.Ints({d.Between(1, 2)}));
    d.MaybeRead(d.Node("Slice", operands));
  }
}

}  // namespace

std::span<const DrawnPattern> DrawnSizes() {
  // Where it is computed, a size of 0 stands for another in Reshape, and Div by it is undefined.
  static constexpr DrawnPattern kDrawn[] = {
      {"fold-known-integers", KnownIntegers, Exactness::kExact, 1},
      {"fold-reshape-sizes", ReshapeSizes, Exactness::kExact, 1},
      {"fold-expand-sizes", ExpandSizes, Exactness::kExact, 1},
      {"cut-sorted", SortedCut},
      {"read-sizes-of-inputs", ReshapeSizes, Exactness::kExact, 1},
      {"read-size-of-input", KnownIntegers, Exactness::kExact, 1},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn

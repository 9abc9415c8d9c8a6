// SPDX-License-Identifier: Apache-2.0
// Operators that give an operand unchanged.
#include <algorithm>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

// Some value: an input, a constant, or what is computed.
std::string AnyValue(Drawing& d, const std::string& dtype, const Sizes& sizes) {
  const bool open = std::ranges::any_of(sizes, [](std::int64_t size) { return size < 0; });
  if (!open && d.Chance(15)) return d.Numbers(dtype, sizes);
  const std::string x = d.Input(dtype, sizes);
  return d.Chance(25) && dtype != "bool" ? d.Node("Abs", {x}) : x;
}

void Identity(Drawing& d) {
  std::string x = AnyValue(d, d.NumberType(), d.AnySizes(0, 3));
  for (std::int64_t i = d.Between(1, 3); i > 0; --i) x = d.Node("Identity", {x});
  d.MaybeRead(x);
}

void Dropout(Drawing& d) {
  const std::string x = AnyValue(d, d.FloatType(), d.AnySizes(0, 3));
  // Where it may drop, it drops nothing, so that numbers can be compared.
  const bool trains = d.Chance(30);
  Names operands = {x};
  if (trains || d.Chance(50)) {
    operands.push_back(d.Constant("f32", {}, [&] { return trains ? 0.0 : 0.5; }));
  }
  if (trains) {
    operands.push_back(d.Chance(30) ? d.Input("bool", {})
                                    : d.Constant("bool", {}, [] { return 1.0; }));
  } else if (operands.size() == 2 && d.Chance(50)) {
    operands.push_back(d.Constant("bool", {}, [] { return 0.0; }));
  }
  const Names results = d.Nodes("Dropout", operands, "", d.Chance(30) ? 2 : 1);
  d.MaybeRead(results.front());
}

void Cast(Drawing& d) {
  const std::string from = d.Chance(80) ? d.NumberType() : "bool";
  const std::string x = AnyValue(d, from, d.AnySizes(0, 3));
  const std::string to = d.Chance(60) ? from : d.Chance(80) ? d.NumberType() : "bool";
  // What does not fit is not what is drawn here.
  const std::string y =
      d.Node("Cast", {from == to ? x : d.Node("Cast", {x}, "to = 1")},
             fmt::format("to = {}{}", TypeNumber(to), d.Chance(10) ? ", saturate = 0" : ""));
  if (to != "bool") d.MaybeRead(y);
}

void Single(Drawing& d) {
  const std::string op = d.Of({"Clip", "Concat", "Max", "Min", "Sum", "Mean"});
  const std::string dtype = op == "Concat" ? d.NumberType() : d.FloatType();
  const Sizes sizes = d.AnySizes(op == "Concat" ? 1 : 0, 3);
  Names operands = {AnyValue(d, dtype, sizes)};
  if (d.Chance(25))
    operands.push_back(d.Chance(50) ? operands[0]
                                    : AnyValue(d, dtype, op == "Clip" ? Sizes{} : sizes));
  const std::string axis = fmt::format("axis = {}", d.Axis(sizes.size()));
  d.MaybeRead(d.Node(op, operands, op == "Concat" ? axis : ""));
}

void Split(Drawing& d) {
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t axis = d.Axis(sizes.size());
  const auto at = static_cast<std::size_t>(axis < 0 ? axis + std::ssize(sizes) : axis);
  const std::string x = AnyValue(d, d.NumberType(), sizes);
  const std::string along = fmt::format("axis = {}", axis);
  if (sizes[at] >= 0 && d.Chance(50)) {
    const std::int64_t first = d.Chance(70) ? sizes[at] : d.Between(0, sizes[at]);
    std::vector<std::int64_t> parts = {first};
    if (first != sizes[at] || d.Chance(20)) parts.push_back(sizes[at] - first);
    const Names results = d.Nodes("Split", {x, d.Ints(parts)}, along, parts.size());
    d.MaybeRead(results[0]);
    return;
  }
  const std::int64_t count = d.Chance(75) ? 1 : 2;
  const Names results = d.Nodes("Split", {x}, fmt::format("{}, num_outputs = {}", along, count),
                                static_cast<std::size_t>(count));
  d.MaybeRead(results[0]);
}

void GetElement(Drawing& d) {
  const std::string x = AnyValue(d, d.NumberType(), d.AnySizes(0, 3));
  const std::string held = d.Chance(30) ? d.Hidden("Optional", {x}) : x;
  d.MaybeRead(d.Node("OptionalGetElement", {held}));
}

void Zeros(Drawing& d) {
  const std::string dtype = d.NumberType();
  const Sizes sizes = d.AnySizes(0, 3);
  const std::string x = AnyValue(d, dtype, sizes);
  Sizes own = d.Chance(50) ? Sizes() : d.Chance(60) ? sizes : d.AnySizes(1, 3);
  for (std::int64_t& size : own) {
    if (size < 0) size = 1;
  }
  const bool all = d.Chance(85);
  const std::string zeros =
      d.Constant(dtype, own, [&] { return all ? (d.Chance(20) ? -0.0 : 0.0) : d.Between(0, 1); });
  Names operands = {x, zeros};
  if (d.Chance(40)) std::swap(operands[0], operands[1]);
  std::string y = d.Node(d.Chance(85) ? "Add" : "Sub", operands);
  if (d.Chance(15)) d.Node("Mul", {zeros, x});
  if (d.Chance(15)) y = d.Node("Add", {y, zeros});
  if (dtype == "f32" && d.Chance(20)) y = d.Node("Reciprocal", {y});
  d.MaybeRead(y);
}

void Ones(Drawing& d) {
  const std::string dtype = d.NumberType();
  const Sizes sizes = d.AnySizes(0, 3);
  Sizes own = d.Chance(50) ? Sizes() : d.Chance(60) ? sizes : d.AnySizes(1, 3);
  for (std::int64_t& size : own) size = std::max<std::int64_t>(size, 1);
  const bool all = d.Chance(85);
  Names operands = {AnyValue(d, dtype, sizes), d.Constant(dtype, own, [&] {
                      return all ? 1.0 : static_cast<double>(d.Between(1, 2));
                    })};
  if (d.Chance(40)) std::swap(operands[0], operands[1]);
  d.MaybeRead(d.Node(d.Chance(60) ? "Mul" : "Div", operands));
}

void Empty(Drawing& d) {
  const std::string dtype = d.NumberType();
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t axis = d.Axis(sizes.size());
  const auto at = static_cast<std::size_t>(axis < 0 ? axis + std::ssize(sizes) : axis);
  Names parts;
  for (std::int64_t i = d.Between(2, 4); i > 0; --i) {
    sizes[at] = d.Chance(40) ? 0 : d.Size();
    parts.push_back(AnyValue(d, dtype, sizes));
  }
  d.MaybeRead(d.Node("Concat", parts, fmt::format("axis = {}", axis)));
}

// A branch whose condition is known, which captures, gives what it captures, or owns constants.
void Branch(Drawing& d) {
  const std::string dtype = d.NumberType();
  const std::string x = AnyValue(d, dtype, {2, kN});
  const std::string y = d.Node("Neg", {AnyValue(d, dtype, {2, kN})});
  const std::string condition =
      d.Chance(15)   ? d.Input("bool", {})
      : d.Chance(50) ? d.Constant("bool", d.Chance(70) ? Sizes() : Sizes{1},
                                  [&] { return static_cast<double>(d.Between(0, 1)); })
                     : d.Node("Less", {d.Int(d.Between(0, 3)), d.Int(2)});
  const auto branch = [&] {
    const std::string outputs[] = {"%p, %q", "%q, %p", "%p, %p", "%q, %c"};
    return fmt::format(
        "() -> ({}) {{\nconst %c: {} = {}\n%p = onnx.{}({}, {})\n%q = onnx.Mul(%p, %c)\n}}",
        outputs[d.Between(0, 3)], TypeText(dtype, {1, 1}), "[[2]]", d.Of({"Add", "Sub"}), x,
        d.Of({"%c", y.c_str()}));
  };
  const std::string then = branch(), other = branch();
  const Names results = d.Nodes(
      "If", {condition},
      fmt::format("then_branch = graph then{}, else_branch = graph other{}", then, other), 2);
  d.MaybeRead(results[d.Chance(50) ? 1 : 0]);
}

// An If that leaves out what masks would leave out, or nearly.
void MaskedBranch(Drawing& d) {
  const std::string lengths = d.Input("i64", {3}, {.low = 0, .high = 4});
  const std::string other = d.Chance(8) ? d.Input("i64", {3}, {.low = 0, .high = 4}) : lengths;
  const std::string at = d.Int(d.Between(0, 3));
  const std::string here = d.Chance(8) ? d.Int(d.Between(0, 3)) : at;
  const bool beyond = d.Chance(50);
  const std::string whole =
      d.Node(d.Chance(92) == beyond ? "ReduceMax" : "ReduceMin", {lengths}, "keepdims = 0");
  const bool within = d.Chance(50);
  const std::string condition = d.Node(within ? "Less" : "GreaterOrEqual", {at, whole});
  const std::string axes = d.Ints({1});
  const std::string old = d.Input("f32", {3, 2}), x = d.Input("f32", {3, 2});
  const bool less = d.Chance(50);
  const bool keeps_first = d.Chance(8) ? less == beyond : less != beyond;
  const std::string fresh = beyond ? "%q" : old, kept = beyond ? old : "%q";
  const std::string masked = fmt::format(
      "() -> (%y) {{\n%q = onnx.{}({})\n%m = onnx.{}({}, {})\n%u = onnx.Unsqueeze(%m, {})\n%y = "
      "onnx.Where(%u, {}, {})\n}}",
      d.Of({"Neg", "Tanh"}), x, less ? "Less" : "GreaterOrEqual", here, other, axes,
      keeps_first ? kept : fresh, keeps_first ? fresh : kept);
  const std::string brief = fmt::format("() -> (%z) {{\n%z = onnx.Identity({})\n}}", old);
  const bool brief_first = within != beyond;
  d.Node("If", {condition},
         fmt::format("then_branch = graph then{}, else_branch = graph other{}",
                     brief_first ? brief : masked, brief_first ? masked : brief));
}

}  // namespace

std::span<const DrawnPattern> DrawnCopies() {
  static constexpr DrawnPattern kDrawn[] = {
      {"take-branch", Branch},       {"take-masked-branch", MaskedBranch},
      {"remove-identity", Identity}, {"remove-dropout", Dropout},
      {"remove-cast", Cast},         {"remove-single", Single},
      {"remove-split", Split},       {"remove-get-element", GetElement},
      {"remove-zeros", Zeros},       {"remove-ones", Ones},
      {"remove-empty", Empty},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn

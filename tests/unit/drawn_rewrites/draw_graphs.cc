// SPDX-License-Identifier: Apache-2.0
// Around passes that look at whole graphs: what is computed twice, what nothing reads, equal steps
// and gates.
#include <algorithm>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

// Some node of values of f32[2, 2], with attributes stated, left out, or others.
std::string AnyNode(Drawing& d, const Names& values) {
  const std::string a = d.Of(values), b = d.Of(values), c = d.Of(values);
  switch (d.Between(0, 13)) {
    case 0:
    case 1:
      return d.Node(d.Of({"Add", "Mul", "Max", "Min"}), {a, b});
    case 2:
      return d.Node(d.Of({"Sub", "Div", "Pow"}), {a, b});
    case 3:
      return d.Node(d.Of({"Max", "Sum"}), {a, b, c});
    case 4:
      return d.Node("Softmax", {a}, d.Of({"", "axis = -1", "axis = 1", "axis = 0"}));
    case 5:
      return d.Node("Gemm", {a, b},
                    d.Of({"", "transA = 0", "transA = 1", "alpha = 1.0", "alpha = 0.5"}));
    case 6:
      return d.Node("Gemm", {a, b, c}, d.Of({"", "transB = 1", "beta = 0.5"}));
    case 7:
      return d.Node("LeakyRelu", {a}, d.Of({"", "alpha = 0.01", "alpha = 0.5"}));
    case 8:
      return d.Node("Transpose", {a}, d.Of({"", "perm = [1, 0]", "perm = [0, 1]"}));
    case 9: {
      const Names two = d.Nodes(
          "Split", {a},
          d.Of({"num_outputs = 2", "num_outputs = 2, axis = 1", "axis = 0, num_outputs = 2"}), 2);
      return d.Node("Concat", {two[1], two[0]}, d.Of({"axis = 0", "axis = 1"}));
    }
    case 10:
      return d.Node("Clip", {a, d.Chance(50) ? "" : d.Numbers("f32", {}), d.Numbers("f32", {})});
    case 11:
      return d.Node("Where", {d.Node(d.Of({"Less", "Greater", "Equal"}), {a, b}), b, c});
    case 12:
      return d.Node("Cast",
                    {d.Node("Cast", {a}, fmt::format("to = {}", TypeNumber(d.Of({"f64", "f32"}))))},
                    "to = 1");
    default:
      return d.Node(d.Of({"Neg", "Abs", "Exp", "Identity", "Reciprocal"}), {a});
  }
}

void Common(Drawing& d) {
  Names values = {d.Input("f32", {2, 2}), d.Input("f32", {2, 2}, {.low = -2, .high = 2})};
  const auto constant = [&] {
    const std::vector<double> numbers = {0.0, -0.0, 1.0, 2.0};
    const double number = d.Of(numbers);
    return d.Constant(d.Chance(90) ? "f32" : "f64", d.Chance(70) ? Sizes{2, 2} : Sizes{1, 2},
                      [&] { return number; });
  };
  for (int i = 0; i < 3; ++i) {
    const std::string c = constant();
    if (d.Chance(70)) {
      values.push_back(d.Node("Add", {values[0], c}));
      values.push_back(d.Node("Reciprocal", {c}));
    }
  }
  for (std::int64_t i = d.Between(3, 10); i > 0; --i) values.push_back(AnyNode(d, values));
}

void Dead(Drawing& d) {
  Names values = {d.Input("f32", {2, 2})};
  for (std::int64_t i = d.Between(1, 4); i > 0; --i) values.push_back(AnyNode(d, values));
  const std::string dead = AnyNode(d, values);
  d.Node("Neg", {dead});
  if (d.Chance(50)) {
    const std::string x = d.Of(values);
    const auto branch = [&] {
      return fmt::format(
          "() -> (%p, %q, {}) {{\n%p = onnx.{}({})\n%q = onnx.Sin(%p)\n%r = onnx.Cos({})\n}}",
          d.Of({"%r", "%p"}), d.Of({"Neg", "Abs"}), x, d.Of(values));
    };
    const std::string then = branch(), other = branch();
    const Names results = d.Nodes(
        "If", {d.Input("bool", {})},
        fmt::format("then_branch = graph then{}, else_branch = graph other{}", then, other), 3);
    d.Node("Neg", {results[static_cast<std::size_t>(d.Between(0, 2))]});
    if (d.Chance(30)) d.Node("Abs", {results[1]});
  }
}

void Checked(Drawing& d) {
  const std::string x = d.Input("f32", {2});
  const std::string holds = d.Input("bool", {}, {.fixed = {d.Chance(95) ? 1.0 : 0.0}});
  d.Nodes(d.Chance(80) ? "dragoman.Assert" : "dragoman.Print", {holds, x}, "", 0);
  d.Node("Neg", {x});
}

// A node whose operands are all constant, of many types.
void Constants(Drawing& d) {
  const std::string dtype = d.NumberType();
  const Sizes sizes = d.KnownSizes(0, 3);
  const std::string a = d.Weight(dtype, sizes), b = d.Weight(dtype, sizes);
  std::string y;
  switch (d.Between(0, 7)) {
    case 0:
      y = d.Node(d.Of({"Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Mod"}), {a, b});
      break;
    case 1:
      y = d.Node(d.Of({"Neg", "Abs", "Sign", "Sqrt", "Exp", "Relu"}), {a});
      break;
    case 2:
      y = d.Node(d.Of({"ReduceSum", "ReduceMax", "ReduceMean", "ArgMax"}), {a});
      break;
    case 3:
      y = d.Node(d.Of({"Less", "Equal", "Greater"}), {a, b});
      break;
    case 4:
      y = d.Node("Cast", {a},
                 fmt::format("to = {}", TypeNumber(d.Chance(80) ? d.NumberType() : "bool")));
      break;
    case 5:
      y = d.Node(d.Of({"Shape", "Size", "NonZero", "Transpose"}), {a});
      break;
    case 6:
      y = d.Node("Concat", {a, b, a}, fmt::format("axis = {}", d.Axis(sizes.size())));
      break;
    default:
      y = d.Nodes("TopK", {a, d.Ints({1})}, fmt::format("axis = {}", d.Axis(sizes.size())), 2)
              .front();
  }
  if (d.Chance(30)) d.Node("Concat", {y, y}, "axis = 0");
}

// A product, its parts, and gates of these; with all that may lie between.
void Gates(Drawing& d) {
  const std::int64_t rows = d.Size(), in = d.Between(1, 3), size = d.Between(1, 2);
  const std::int64_t count = d.Between(2, 4);
  const std::string x = d.Input("f32", {rows, in}), h = d.Input("f32", {rows, size});
  const auto product = [&](const std::string& of, std::int64_t from, std::int64_t to) {
    switch (d.Between(0, 2)) {
      case 0:
        return d.Node("MatMul", {of, d.Weight("f32", {from, to})});
      case 1:
        return d.Node("Gemm", {of, d.Weight("f32", {to, from}), d.Weight("f32", {to})},
                      "transB = 1");
      default:
        return d.Node("dragoman.Linear", {of, d.Weight("f32", {to, from}), d.Weight("f32", {to})});
    }
  };
  std::string whole = product(x, in, count * size);
  if (d.Chance(50)) whole = d.Node("Add", {whole, product(h, size, count * size)});
  if (d.Chance(20)) whole = d.Node("Tanh", {whole});
  Names parts;
  const bool split = d.Chance(50);
  if (split) {
    parts = d.Nodes("Split", {whole}, fmt::format("axis = -1, num_outputs = {}", count),
                    static_cast<std::size_t>(count));
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      parts.push_back(d.Node("Slice", {whole, d.Ints({i * size}), d.Ints({(i + 1) * size}),
                                       d.Ints({d.Chance(50) ? 1 : -1})}));
    }
  }
  Names values = {h};
  for (const std::string& part : parts) {
    values.push_back(d.Chance(85) ? d.Node(d.Of({"Sigmoid", "Tanh", "Relu", "Clip"}), {part})
                                  : part);
  }
  for (std::int64_t i = d.Between(1, 6); i > 0; --i) {
    const std::string a = d.Of(values), b = d.Of(values);
    if (d.Chance(12)) {
      values.push_back(product(a, size, size));
    } else if (d.Chance(8)) {
      const std::string joined = d.Node("Concat", {a, b}, "axis = -1");
      values.push_back(product(joined, 2 * size, size));
    } else if (d.Chance(6)) {
      values.push_back(d.Node("Softmax", {a}));
    } else if (d.Chance(20)) {
      values.push_back(d.Node(d.Of({"Sigmoid", "Tanh"}), {a}));
    } else {
      values.push_back(d.Node(d.Of({"Mul", "Add", "Sub"}), {a, b}));
    }
  }
}

// Equal steps, one after the other, but for what is drawn to be unequal.
void Steps(Drawing& d, const std::string& activation) {
  const std::int64_t count = d.Between(3, 6), size = d.Between(1, 3), batch = d.Between(1, 2);
  const std::int64_t axis = d.Between(0, 1);
  const std::string x =
      d.Input("f32", axis == 0 ? Sizes{count, batch, size} : Sizes{batch, count, size});
  std::string h = d.Chance(50) ? d.Input("f32", {batch, size})
                               : d.Constant("f32", {batch, size}, [] { return 0.0; });
  const std::string begin = h;
  const std::string w = d.Numbers("f32", {size, size}), u = d.Numbers("f32", {size, size});
  const std::string bias = d.Numbers("f32", {size});
  const bool shares = d.Chance(80), reads_input = d.Chance(80), reversed = d.Chance(25);
  const bool adds_input = d.Chance(50), two_states = d.Chance(15);
  const std::string lengths =
      d.Chance(25) ? d.Input("i64", {batch}, {.low = 0, .high = static_cast<double>(count)}) : "";
  std::string second = two_states ? d.Input("f32", {batch, size}) : "";
  Names rows;
  for (std::int64_t t = 0; t < count; ++t) {
    const std::int64_t at = reversed ? count - 1 - t : t;
    std::string y = d.Node("MatMul", {d.Chance(98) ? h : begin,
                                      shares || d.Chance(50) ? w : d.Numbers("f32", {size, size})});
    if (reads_input && d.Chance(98)) {
      std::string step = d.Node("Gather", {x, d.Int(d.Chance(97) ? at : d.Between(0, count - 1))},
                                fmt::format("axis = {}", axis));
      if (!adds_input) step = d.Node("MatMul", {step, u});
      Names terms = {y, step};
      if (d.Chance(3)) std::swap(terms[0], terms[1]);
      y = d.Node("Add", terms);
    }
    y = d.Node(d.Chance(98) ? "Add" : "Sub", {y, bias});
    y = d.Node(d.Chance(98) ? activation : d.Of({"Sin", "Tanh", "Relu"}), {y});
    if (!lengths.empty()) {
      const std::string within = d.Node("Less", {d.Int(at), lengths});
      const std::string mask = d.Node("Unsqueeze", {within, d.Ints({d.Chance(90) ? 1 : 0})});
      y = d.Node("Where", {mask, y, h});
    }
    if (two_states) {
      const std::string mixed = d.Node("Mul", {second, y});
      second = d.Chance(60) ? h : mixed;
      y = d.Chance(90) ? mixed : y;
    }
    h = y;
    if (d.Chance(4)) d.Node("Neg", {h});
    rows.push_back(d.Node("Unsqueeze", {h, d.Ints({axis})}));
  }
  if (d.Chance(25)) std::ranges::reverse(rows);
  if (d.Chance(5)) rows.erase(rows.begin() + d.Between(0, count - 1));
  if (d.Chance(5)) rows.push_back(rows.front());
  if (d.Chance(80)) d.Node("Concat", rows, fmt::format("axis = {}", axis));
}

void AnySteps(Drawing& d) { Steps(d, d.Of({"Sin", "Softsign", "Softmax", "Erf"})); }

// An RNN or a GRU whose input weights choose among the features of a product.
void ChosenFeatures(Drawing& d) {
  const bool is_gru = d.Chance(50);
  const std::int64_t inputs = d.Between(1, 3), hidden = d.Between(1, 2),
                     rows = is_gru ? 3 * hidden : hidden;
  const std::int64_t steps = d.Between(1, 3), batch = d.Chance(50) ? d.Between(1, 2) : kN;
  const std::int64_t features = rows + d.Between(0, 1);
  std::string x = d.Input("f32", {steps, batch, inputs});
  Names product = {x, d.Weight("f32", {features, inputs})};
  if (d.Chance(70)) product.push_back(d.Weight("f32", {features}));
  x = d.MaybeRead(d.Node("dragoman.Linear", product));
  if (d.Chance(50)) {
    const std::int64_t cut = d.Between(1, std::max<std::int64_t>(features - 1, 1));
    const auto part = [&](std::int64_t begin, std::int64_t end) {
      return d.Node("Slice", {x, d.Ints({begin}), d.Ints({end}), d.Ints({d.Chance(95) ? 2 : 0})});
    };
    if (features > 1) x = d.Node("Concat", {part(cut, features), part(0, cut)}, "axis = 2");
  }
  if (d.Chance(30)) {
    x = d.Node("Slice",
               {x, d.Ints({-1}), d.Ints({-9}), d.Ints({d.Chance(85) ? 0 : 2}), d.Ints({-1})});
  }
  const bool chooses = d.Chance(90);
  std::int64_t at = 0, chosen = 0;
  const std::string w = d.Constant("f32", {1, rows, features}, [&] {
    if (at++ % features == 0) chosen = d.Between(0, features - 1);
    const bool is_chosen = (at - 1) % features == chosen;
    return is_chosen ? (chooses ? 1.0 : 0.5) : d.Chance(1) ? 1.0 : 0.0;
  });
  Names operands = {x, w, d.Numbers("f32", {1, rows, hidden})};
  if (d.Chance(70)) {
    operands.push_back(d.Constant("f32", {1, 2 * rows}, [&] {
      return d.Chance(60) ? 0.0 : static_cast<double>(d.Between(-4, 4)) / 4;
    }));
  }
  if (d.Chance(50)) {
    while (operands.size() < 5) operands.push_back("");
    const double initial = d.Chance(70) ? 0 : 0.5;
    operands.push_back(
        d.Constant("f32", {1, std::max<std::int64_t>(batch, 1), hidden}, [&] { return initial; }));
  }
  std::string attributes = fmt::format("hidden_size = {}", hidden);
  if (is_gru && d.Chance(60)) attributes += ", linear_before_reset = 1";
  if (d.Chance(30)) attributes += ", direction = \"reverse\"";
  d.Nodes(is_gru ? "GRU" : "RNN", operands, attributes, 2);
}

void Recurrences(Drawing& d) {
  if (d.Chance(30)) return ChosenFeatures(d);
  Steps(d, d.Of({"Tanh", "Relu", "Tanh", "Sigmoid"}));
}

// An elementwise operator with a constant that repeats its elements along axes, or nearly.
void RepeatedConstants(Drawing& d) {
  const Sizes sizes = d.KnownSizes(1, 3);
  Sizes own = sizes;
  if (d.Chance(15)) own.erase(own.begin());
  const auto along = static_cast<std::size_t>(d.Between(0, 2));
  int at = 0;
  const int odd = d.Chance(80) ? -1 : static_cast<int>(d.Between(0, 3));
  const std::string constant = d.Constant("f32", own, [&] {
    std::int64_t rest = at++, place = 0;
    for (std::size_t i = own.size(); i-- > 0;) {
      if (i == along) place = rest % own[i];
      rest /= own[i];
    }
    return static_cast<double>(place) + (at == odd ? 0.5 : 0);
  });
  Names operands = {d.Input("f32", d.Chance(90) ? sizes : Sizes{1}), constant};
  if (d.Chance(40)) std::swap(operands[0], operands[1]);
  const bool multiplies = d.Chance(40);  // square matrices fit, others are refused
  d.MaybeRead(d.Node(multiplies ? "MatMul" : d.Of({"Add", "Mul", "Sub"}), operands));
}

// A product of a constant and of what a number is a factor of.
void FactorsOfConstants(Drawing& d) {
  const std::int64_t rows = d.Between(1, 3), columns = d.Between(1, 3);
  const double number = d.Of(std::vector<double>{0.5, -0.25, 0.125, 2, 0});
  const bool turns = d.Chance(50);
  Names operands = {
      d.Input("f32", turns ? Sizes{columns, rows} : Sizes{rows, columns}),
      d.Constant("f32", d.Chance(85) ? Sizes{} : Sizes{1, 1}, [=] { return number; })};
  std::string y = d.Node(d.Chance(92) ? "Mul" : "Add", operands);
  if (turns) y = d.Node("Transpose", {y}, "perm = [1, 0]");
  d.MaybeRead(d.Node("MatMul",
                     {d.Chance(90) ? d.Numbers("f32", {2, rows}) : d.Input("f32", {2, rows}), y}));
}

}  // namespace

std::span<const DrawnPattern> DrawnGraphs() {
  static constexpr DrawnPattern kDrawn[] = {
      {"cse", Common},
      {"dce", Dead},
      {"assume-checks", Checked},
      {"fold-constants", Constants},
      {"fold-large-constants", Constants},
      {"fold-weight", Constants},
      {"narrow-constant", RepeatedConstants, Exactness::kRounded},
      {"fold-factor", FactorsOfConstants, Exactness::kRounded},
      {"fuse-gates", Gates, Exactness::kRounded},
      {"reroll-loops", AnySteps, Exactness::kRounded},
      {"fuse-recurrences", Recurrences, Exactness::kRounded},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn

// SPDX-License-Identifier: Apache-2.0
// Around passes that look at the bodies of loops.
#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

// A cell of two features and a batch of 1, as statements that compute %h2, and %c2 of an LSTM.
struct DrawnCell {
  bool has_cell_state = false;
  std::string text;
};

std::string Product(const std::string& name, const std::string& x, const std::string& w) {
  return fmt::format("%{} = onnx.MatMul({}, {})\n", name, x, w);
}

DrawnCell DrawCell(Drawing& d) {
  const std::int64_t kind = d.Between(0, 2);  // RNN, GRU, LSTM
  const std::int64_t width = 2 * (kind == 2 ? 4 : 2 * kind + 1);
  DrawnCell cell{.has_cell_state = kind == 2, .text = {}};
  std::string& text = cell.text;
  text += Product("xw", "%x", d.Weight("f32", {2, width}));
  text += Product("hr", "%h", d.Weight("f32", {2, width}));
  const std::string bias = d.Numbers("f32", {width});
  if (kind == 0) {
    text += "%s = onnx.Add(%xw, %hr)\n";
    text += fmt::format("%t = onnx.{}(%s, {})\n", d.Chance(97) ? "Add" : "Mul", bias);
    text += fmt::format("%h2 = onnx.{}(%t)\n", d.Of({"Tanh", "Relu", "Sigmoid", "Erf"}));
    return cell;
  }
  if (kind == 1) {
    text += fmt::format("%xb = onnx.Add(%xw, {})\n", bias);
    text += "%a0, %a1, %a2 = onnx.Split(%xb) {axis = 1, num_outputs = 3}\n";
    text += "%b0, %b1, %b2 = onnx.Split(%hr) {axis = 1, num_outputs = 3}\n";
    text += "%r0 = onnx.Add(%a0, %b0)\n%r = onnx.Sigmoid(%r0)\n";
    text += "%z0 = onnx.Add(%a1, %b1)\n%z = onnx.Sigmoid(%z0)\n";
    text += "%n0 = onnx.Mul(%r, %b2)\n%n1 = onnx.Add(%a2, %n0)\n%n = onnx.Tanh(%n1)\n";
    text += "%d = onnx.Sub(%h, %n)\n%e = onnx.Mul(%z, %d)\n";
    text += fmt::format("%h2 = onnx.Add({}, %e)\n", d.Chance(97) ? "%n" : "%h");
    return cell;
  }
  text += fmt::format("%s = onnx.Add(%xw, %hr)\n%t = onnx.Add(%s, {})\n", bias);
  text += "%g0, %g1, %g2, %g3 = onnx.Split(%t) {axis = 1, num_outputs = 4}\n";
  text += "%i = onnx.Sigmoid(%g0)\n%f = onnx.Sigmoid(%g1)\n%o = onnx.Sigmoid(%g3)\n";
  text += fmt::format("%g = onnx.{}(%g2)\n", d.Chance(97) ? "Tanh" : "Erf");
  text += "%k = onnx.Mul(%f, %c)\n%l = onnx.Mul(%i, %g)\n%c2 = onnx.Add(%k, %l)\n";
  text += "%m = onnx.Tanh(%c2)\n%h2 = onnx.Mul(%o, %m)\n";
  return cell;
}

// A loop of which each iteration reads what the one before gave, or that may end early; in some
// iterations the states stay as they are.
void LoopCells(Drawing& d) {
  const DrawnCell cell = DrawCell(d);
  const bool feeds_back = d.Chance(70), ends_early = d.Chance(60), in_branch = d.Chance(40);
  const bool chooses = in_branch || d.Chance(40);
  const std::string inputs = d.Input("f32", {4, 2});
  std::string body = "graph body(%turn: i64[], %go: bool[], %h: f32[1, 2]";
  if (cell.has_cell_state) body += ", %c: f32[1, 2]";
  body += ") -> (%more, %h3";
  if (cell.has_cell_state) body += ", %c3";
  const std::string row = d.Chance(90) ? "%h3" : d.Of({"%x", "%h"});
  body += ", %row) {\n";
  const std::string zero = d.Numbers("f32", {1});
  if (feeds_back) {
    body += fmt::format("%x = onnx.{}(%h, {})\n", d.Of({"Sub", "Add", "Mul"}), zero);
  } else {
    body += fmt::format(
        "const %axis: i64[1] = [0]\n%at = onnx.Unsqueeze(%turn, %axis)\n"
        "%x = onnx.Gather({}, %at)\n",
        inputs);
  }
  body +=
      "const %one: i64[] = 1\n%odd = onnx.BitwiseAnd(%turn, %one)\n%is = onnx.Cast(%odd) {to = "
      "9}\n";
  const std::string states = cell.has_cell_state ? "%h3, %c3" : "%h3";
  const std::string kept = cell.has_cell_state ? "%p = onnx.Identity(%h)\n%q = onnx.Identity(%c)"
                                               : "%p = onnx.Identity(%h)";
  const std::string left = cell.has_cell_state ? "%p, %q" : "%p";
  const std::string fresh = cell.has_cell_state ? "%u = onnx.Identity(%h2)\n%v = onnx.Identity(%c2)"
                                                : "%u = onnx.Identity(%h2)";
  const std::string given = cell.has_cell_state ? "%u, %v" : "%u";
  if (!in_branch) body += cell.text;
  if (chooses) {
    body += fmt::format(
        "{} = onnx.If(%is) {{then_branch = graph then() -> ({}) {{\n{}\n}}, else_branch = graph "
        "other() -> ({}) {{\n{}{}\n}}}}\n",
        states, left, kept, given, in_branch ? cell.text : "", fresh);
  } else {
    const char* other = d.Chance(92) ? "Identity" : "Neg";
    body += fmt::format("%h3 = onnx.{}(%h2)\n", other);
    if (cell.has_cell_state) body += "%c3 = onnx.Identity(%c2)\n";
  }
  if (!in_branch && d.Chance(8)) body += "%hidden = onnx.Neg(%h2)\n";
  body += fmt::format("%row = onnx.Identity({})\n", row);
  if (ends_early) {
    body += "const %zeros: i64[1] = [0]\n%total = onnx.ReduceSum(%h3) {keepdims = 0}\n";
    body += fmt::format("const %bound: f32[] = {}\n%more = onnx.Less(%total, %bound)\n}}",
                        d.Of({"0.5", "1.0", "3.0"}));
  } else {
    body += "%more = onnx.Identity(%go)\n}";
  }
  Names operands = {d.Int(d.Between(1, 4)), "", d.Input("f32", {1, 2})};
  if (cell.has_cell_state) operands.push_back(d.Input("f32", {1, 2}));
  d.Nodes("Loop", operands, "body = " + body, cell.has_cell_state ? 3 : 2);
}

// Steps of an RNN of one feature, some of them groups or partly in groups.
void GroupedSteps(Drawing& d) {
  const std::int64_t steps = d.Between(1, 4);
  const std::string x = d.Input("f32", {steps, 2, 1});
  const std::string w = d.Weight("f32", {1, 1}), r = d.Weight("f32", {1, 1});
  const std::string bias = d.Numbers("f32", {1});
  const std::string activation = d.Of({"Tanh", "Tanh", "Relu", "Erf"});
  const auto group = [&](const std::string& inputs, const std::string& nodes, Names operands) {
    // A node has its extra after its attributes.
    return d.Node("dragoman.Fused", operands,
                  fmt::format("body = graph body({}) -> (%y) {{\n{}\n}}}} extra {{group = \"g\"",
                              inputs, nodes));
  };
  std::string h = d.Input("f32", {2, 1});
  for (std::int64_t t = 0; t < steps; ++t) {
    const std::string step = d.Node("Gather", {x, d.Int(t)}, "axis = 0");
    if (d.Chance(50)) {
      const std::string inputs =
          "%x: f32[2, 1], %h: f32[2, 1], %w: f32[1, 1], %r: f32[1, 1], %b: f32[1]";
      const std::string nodes = fmt::format(
          "%p = onnx.MatMul(%x, %w)\n%q = onnx.MatMul(%h, %r)\n%s = onnx.Add(%p, %q)\n%t = "
          "onnx.Add(%s, %b)\n%y = onnx.{}(%t)",
          activation);
      h = group(inputs, nodes, {step, h, w, r, bias});
      continue;
    }
    std::string q = d.Node("MatMul", {h, r});
    if (d.Chance(30)) {
      q = group("%h: f32[2, 1], %r: f32[1, 1]", "%y = onnx.MatMul(%h, %r)", {h, r});
    }
    const std::string sum = d.Node("Add", {d.Node("MatMul", {step, w}), q});
    const std::string read = d.Chance(10) ? d.MaybeRead(sum) : sum;
    h = d.Node(activation, {d.Node("Add", {read, bias})});
  }
}

// A state that counts, mostly up to a limit that ends the loop; another that lists rows, and one
// that stays.
void CountedLoops(Drawing& d) {
  const std::string type = d.Of({"i32", "i64"});
  const std::int64_t first = d.Chance(60) ? 0 : d.Between(-1, 2);
  const double last = static_cast<double>(d.Between(-1, 4));
  const auto number = [&](double value) { return d.Constant(type, {}, [value] { return value; }); };
  const std::string limit = d.Chance(50) ? number(last) : d.Input(type, {}, {.fixed = {last}});
  const std::string begin = number(static_cast<double>(first));
  const bool asks = d.Chance(50);
  const std::string go = asks ? d.Input("bool", {}) : "";
  std::string starts = d.Chance(85) ? d.Node("Less", {begin, limit}) : "";
  if (asks && !starts.empty() && d.Chance(80))
    starts = d.Node("And", d.Chance(50) ? Names{starts, go} : Names{go, starts});
  const std::string x = d.Input("f32", {2}), same = d.Input("f32", {2});
  const std::string none = d.Constant("f32", {d.Chance(85) ? 0 : 1, 2}, [] { return 0.0; });
  const bool strict = d.Chance(90);
  std::string body = fmt::format(
      "graph body(%t: i64[], %r: bool[], %i: {0}[], %h: f32[2], %s: f32[2], %l: f32[?, 2]) -> (%m, "
      "%n, %g, %u, %z) {{\nconst %one: {0}[] = {1}\nconst %front: i64[1] = [0]\n%f = "
      "onnx.Cast(%i) {{to = 1}}\n%v = onnx.Where(%r, %h, %s)\n%p = onnx.Mul({5}, %s)\n%g = "
      "onnx.Add(%p, %f)\n%u = "
      "onnx.Identity({2})\n%w = onnx.Unsqueeze({4}, %front)\n%z = onnx.Concat({3}) {{axis = "
      "0}}\n%n = onnx.Add(%i, %one)\n",
      type, d.Chance(90) ? 1 : 2, d.Chance(85) ? "%s" : "%g", d.Chance(90) ? "%l, %w" : "%w, %l",
      d.Of({"%g", "%g", "%h", "%s"}), d.Of({"%h", "%v"}));
  body += fmt::format("%b = onnx.{}({}, {})\n", strict ? "Less" : "LessOrEqual",
                      d.Chance(90) ? "%n" : "%i", limit);
  if (!asks) {
    body += "%m = onnx.Identity(%b)\n}";
  } else if (d.Chance(60)) {
    body += fmt::format("%m = onnx.And(%b, {})\n}}", go);
  } else {
    body +=
        "const %most: f32[] = 4\n%a = onnx.ReduceSum(%g) {keepdims = 0}\n%e = onnx.Less(%a, "
        "%most)\n%m = onnx.And(%e, %b)\n}";
  }
  const Names results = d.Nodes("Loop", {"", starts, begin, x, same, none}, "body = " + body, 4);
  d.MaybeRead(results[1]);
  if (d.Chance(70)) d.MaybeRead(results[3]);
  if (d.Chance(20)) d.MaybeRead(results[0]);
}

// Along either axis, from either end, of one or two sequences and perhaps of none of a state.
void AnyScan(Drawing& d) {
  const std::int64_t steps = d.Between(1, 3);
  const auto either = [&] { return d.Chance(70) ? 0 : 1; };
  const int axis = either(), result_axis = either();
  Sizes sizes = {2};
  sizes.insert(sizes.begin() + axis, steps);
  const std::string body = fmt::format(
      "body = graph body(%s: f32[2], %r: f32[2], %q: f32[2]) -> ({}, {}, %q) {{\n%n = "
      "onnx.Add(%s, %r)\n%t = onnx.Mul(%n, %q)\n}}, num_scan_inputs = 2, scan_input_axes = [{}, "
      "0], scan_input_directions = [{}, {}], scan_output_axes = [{}, 0], scan_output_directions = "
      "[{}, 0]",
      d.Of({"%n", "%s"}), d.Of({"%t", "%n", "%r"}), axis, either(), either(), result_axis,
      either());
  const Names results = d.Nodes(
      "Scan", {d.Input("f32", {2}), d.Input("f32", sizes), d.Input("f32", {steps, 2})}, body, 3);
  for (const std::string& result : results) d.MaybeRead(result);
}

constexpr DrawnPattern kDrawn[] = {
    {"infer-trip-counts", CountedLoops},
    {"lower-scans", AnyScan},
    {"open-groups", GroupedSteps, Exactness::kRounded},
    {"fuse-loop-cells", LoopCells, Exactness::kRounded},
};

}  // namespace

std::span<const DrawnPattern> DrawnLoops() { return kDrawn; }

}  // namespace dragoman::drawn

// SPDX-License-Identifier: Apache-2.0
// Rules on graphs: what matches, what does not and why, and what a graph is afterwards.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/rewrite/match/read_rules.h"
#include "core/rewrite/match/run_rules.h"

namespace dragoman {
namespace {

constexpr char kElu[] =
    "rule read-elu: Where(Greater($x, 0), $x, Mul($a, Sub(Exp($x), 1))) => Elu($x) {alpha = $a} "
    "where scalar($a)";

RuleSet Rules(const std::string& text) {
  Result<RuleSet> rules = ReadRules(text);
  EXPECT_TRUE(rules.ok()) << rules.error().ToString();
  return rules.ok() ? *std::move(rules) : RuleSet();
}

Model Graph(const std::string& text) {
  Result<Model> model = ParseText(text);
  EXPECT_TRUE(model.ok()) << model.error().ToString();
  if (model->level == Level::kCommon) {
    EXPECT_TRUE(InferModel(*model).ok());
  }
  return *std::move(model);
}

// The lines of the graph's body after the rules, without spaces in front.
std::string After(const std::string& rules, Model model) {
  const Result<bool> changed = RunRules(model, Rules(rules));
  EXPECT_TRUE(changed.ok()) << changed.error().ToString();
  const Status verified = Verify(model);
  EXPECT_TRUE(verified.ok()) << verified.error().ToString();
  std::string body;
  std::string line;
  for (const char c : PrintGraph(model.main())) {
    line += c;
    if (c != '\n') continue;
    if (line.starts_with("  ")) body += line.substr(2);
    line.clear();
  }
  return body;
}

// Why the rule does not match at the node that gives %y.
std::string ReasonOf(const std::string& rule, const std::string& graph) {
  const auto answers = WhyNot(Graph(graph), Rules(rule), "y");
  if (!answers.ok()) return answers.error().ToString();
  return answers->empty() ? "no answer" : answers->front().reason;
}

// Elu's formula with other parts in it.
std::string EluGraph(const std::string& bound = "0.0", const std::string& one = "1.0",
                     const std::string& product = "%alpha, %rest",
                     const std::string& output = "(%y: f32[2, 3])") {
  return "graph g(%x: f32[2, 3], %other: f32[2, 3]) -> " + output +
         " {\n"
         "  const %zero: f32[] = " +
         bound + "\n  const %one: f32[] = " + one +
         "\n  const %alpha: f32[] = 0.3\n"
         "  %above = onnx.Greater(%x, %zero)\n"
         "  %e = onnx.Exp(%x)\n"
         "  %rest = onnx.Sub(%e, %one)\n"
         "  %low = onnx.Mul(" +
         product +
         ")\n"
         "  %y = onnx.Where(%above, %x, %low)\n}\n";
}

TEST(RunRules, PutsTheReplacementInThePlaceOfThePattern) {
  EXPECT_EQ(After(kElu, Graph(EluGraph())), "%y = onnx.Elu(%x) {alpha = 0.3}\n");
}

TEST(RunRules, SwapsOperandsOfOperatorsThatCommute) {
  EXPECT_EQ(After(kElu, Graph(EluGraph("0.0", "1.0", "%rest, %alpha"))),
            "%y = onnx.Elu(%x) {alpha = 0.3}\n");
}

// 1/6 has endless digits, 1 has one.
TEST(RunRules, TakesNumbersAsCloseAsFilesRoundThem) {
  const auto graph = [](const std::string& number) {
    return "graph g(%x: f32[2]) -> (%y) {\n  const %c: f32[] = " + number +
           "\n  %y = onnx.Mul(%x, %c)\n}\n";
  };
  const std::string rule = "rule r: Mul($x, 1/6) => Abs($x)";
  EXPECT_EQ(After(rule, Graph(graph("0.166667"))), "%y = onnx.Abs(%x)\n");
  EXPECT_EQ(ReasonOf(rule, graph("0.1667")),
            "operand 1 of Mul is 0.1667, expected 0.16666666666666666");
  EXPECT_EQ(ReasonOf(kElu, EluGraph("0.0", "1.000001")),
            "operand 1 of Sub is 1.000001, expected 1");
  EXPECT_EQ(ReasonOf(kElu, EluGraph("0.0", "1.01")), "operand 1 of Sub is 1.01, expected 1");
  EXPECT_EQ(ReasonOf(kElu, EluGraph("0.001")), "operand 1 of Greater is 0.001, expected 0");
}

TEST(RunRules, SaysWhatIsNotAsThePatternHasIt) {
  EXPECT_EQ(ReasonOf(kElu, EluGraph("0.0", "1.0", "%other, %rest")),
            "$a is %other, not a constant of one element");
  EXPECT_EQ(ReasonOf(kElu, EluGraph("0.0", "1.0", "%alpha, %e")),
            "operand 1 of Mul is Exp, expected Sub");
  EXPECT_EQ(ReasonOf(kElu,
                     "graph g(%x: f32[2], %c: bool[2]) -> (%y) {\n"
                     "  %y = onnx.Where(%c, %x, %x)\n}\n"),
            "operand 0 of Where is %c, expected Greater");
}

TEST(RunRules, LeavesWhatOthersReadUnlessThatIsAllowed) {
  const std::string read = EluGraph("0.0", "1.0", "%alpha, %rest", "(%y: f32[2, 3], %e)");
  EXPECT_EQ(ReasonOf(kElu, read),
            "%e, a result of Exp, is also read by an output of the graph; \"where shared\" would "
            "allow that");
  EXPECT_EQ(After(std::string(kElu) + ", shared", Graph(read)),
            "%e = onnx.Exp(%x)\n%y = onnx.Elu(%x) {alpha = 0.3}\n");
}

TEST(RunRules, RefusesResultsOfOtherSizes) {
  EXPECT_EQ(ReasonOf("rule r: Mul($x, 1) => $x",
                     "graph g(%x: f32[2]) -> (%y) {\n  const %one: f32[1, 1] = [[1.0]]\n"
                     "  %y = onnx.Mul(%x, %one)\n}\n"),
            "the result of Mul is f32[1, 2], that of the replacement f32[2]");
}

TEST(RunRules, RefusesElementTypesThatTheReplacementDoesNotTake) {
  const std::string reason = ReasonOf("rule r: Max($x, 0) => Sigmoid($x)",
                                      "graph g(%x: i32[2]) -> (%y) {\n  const %zero: i32[] = 0\n"
                                      "  %y = onnx.Max(%x, %zero)\n}\n");
  EXPECT_TRUE(reason.starts_with("the replacement's Sigmoid: ")) << reason;
}

TEST(RunRules, MatchesOmittedAndOptionalOperands) {
  const std::string rule = "rule r: Clip(Relu($x), $low?, $high?) => Clip(Abs($x), $low, $high)";
  const std::string graph =
      "graph g(%x: f32[2], %m: f32[]) -> (%y) {\n  %r = onnx.Relu(%x)\n"
      "  %y = onnx.Clip(%r, _, %m)\n}\n";
  EXPECT_EQ(After(rule, Graph(graph)),
            "%y_2: f32[2] = onnx.Abs(%x)\n%y = onnx.Clip(%y_2, _, %m)\n");
  EXPECT_EQ(ReasonOf("rule r: Clip($x, 0) => Relu($x)",
                     "graph g(%x: f32[2], %m: f32[]) -> (%y) {\n  const %z: f32[] = 0.0\n"
                     "  %y = onnx.Clip(%x, %z, %m)\n}\n"),
            "operand 2 of Clip is %m, expected none");
}

TEST(RunRules, MatchesAnyNumberOfOperands) {
  EXPECT_EQ(
      After("rule r: Concat($x, $rest...) {axis = $a} => Concat(Abs($x), $rest...) {axis = $a} "
            "where rank($x) = 3",
            Graph("graph g(%a: f32[1, 2], %b: f32[1, 2]) -> (%y) {\n"
                  "  %y = onnx.Concat(%a, %b) {axis = 0}\n}\n")),
      "%y = onnx.Concat(%a, %b) {axis = 0}\n");
  EXPECT_EQ(After("rule r: Sum($x, $rest...) => Max($x, $rest...)",
                  Graph("graph g(%a: f32[1, 2], %b: f32[1, 2]) -> (%y) {\n"
                        "  %y = onnx.Sum(%a, %b, %a)\n}\n")),
            "%y = onnx.Max(%a, %b, %a)\n");
}

TEST(RunRules, MatchesAttributesWithTheirDefaults) {
  const std::string graph =
      "graph g(%x: f32[2, 3]) -> (%y) {\n  %y = onnx.Softmax(%x) {axis = 1}\n}\n";
  EXPECT_EQ(ReasonOf("rule r: Softmax($x) => Relu($x)", graph),
            "Softmax has attribute axis = 1, which the rule does not name");
  EXPECT_EQ(ReasonOf("rule r: Softmax($x) {axis = -1} => Relu($x)", graph),
            "attribute axis of Softmax is 1, expected -1");
  EXPECT_EQ(
      After("rule r: Softmax($x) {axis = $a} => LogSoftmax($x) {axis = $a - 1}", Graph(graph)),
      "%y = onnx.LogSoftmax(%x) {axis = 0}\n");
}

constexpr char kTwo[] =
    "rule two-products: (%a, %b) { %a = MatMul($x, $v)  %b = MatMul($x, $w) } =>\n"
    "  (%a, %b) {\n"
    "    %m = Concat($v, $w) {axis = 1}\n"
    "    %p = MatMul($x, %m)\n"
    "    %a, %b = Split(%p) {axis = 1, num_outputs = 2}\n"
    "  } where constant($v), constant($w)";

TEST(RunRules, ReplacesSeveralResultsAtOnce) {
  EXPECT_EQ(After(kTwo, Graph("graph g(%x: f32[2, 1]) -> (%r, %q) {\n"
                              "  const %v: f32[1, 2] = [[1.0, 2.0]]\n"
                              "  const %w: f32[1, 2] = [[3.0, 4.0]]\n"
                              "  %p = onnx.MatMul(%x, %v)\n"
                              "  %r = onnx.Relu(%p)\n"
                              "  %q = onnx.MatMul(%x, %w)\n}\n")),
            "const %v: f32[1, 2] = [[1.0, 2.0]]\n"
            "const %w: f32[1, 2] = [[3.0, 4.0]]\n"
            "%p_2: f32[1, 4] = onnx.Concat(%v, %w) {axis = 1}\n"
            "%p_3: f32[2, 4] = onnx.MatMul(%x, %p_2)\n"
            "%p_4: f32[2, 2], %q = onnx.Split(%p_3) {axis = 1, num_outputs = 2}\n"
            "%r = onnx.Relu(%p_4)\n");
}

// The second product's weight is computed from the first product.
TEST(RunRules, RefusesReplacementsThatWouldReadThemselves) {
  const std::string rule =
      "rule r: (%a, %b) { %a = MatMul($x, $v)  %b = MatMul($x, $w) } =>\n"
      "  (%a, %b) { %a, %b = Split(MatMul($x, Concat($v, $w) {axis = 1})) {axis = 1, num_outputs "
      "= 2} }";
  EXPECT_EQ(
      ReasonOf(rule,
               "graph g(%x: f32[2, 2], %v: f32[2, 2]) -> (%q) {\n"
               "  %y = onnx.MatMul(%x, %v)\n"
               "  %r = onnx.Relu(%y)\n"
               "  %q = onnx.MatMul(%x, %r)\n}\n"),
      "%y is read by node 'r' (onnx.Relu) before all operands of the replacement are computed");
}

TEST(RunRules, StopsARuleThatComesToNoEnd) {
  Model model = Graph("graph g(%x: f32[2]) -> (%y) {\n  %y = onnx.Relu(%x)\n}\n");
  const Result<bool> done = RunRules(model, Rules("rule grow: Relu($x) => Relu(Relu($x))"));
  ASSERT_FALSE(done.ok());
  EXPECT_TRUE(done.error().ToString().find("rule grow comes to no end") != std::string::npos)
      << done.error().ToString();
}

TEST(RunRules, WorksInBodiesAndCountsWhatTheyRead) {
  const std::string graph =
      "graph g(%c: bool[], %x: f32[2]) -> (%y) {\n"
      "  %n = onnx.Neg(%x)\n"
      "  %y = onnx.If(%c) {then_branch = graph t() -> (%a) {\n    %a = onnx.Neg(%n)\n  }, "
      "else_branch = graph e() -> (%b) {\n    %b = onnx.Relu(%n)\n  }}\n}\n";
  EXPECT_EQ(After("rule r: Neg(Neg($x)) => $x", Graph(graph)), After("", Graph(graph)));
  const std::string after =
      After("rule r: Neg(Neg($x)) => Identity($x) where shared", Graph(graph));
  EXPECT_NE(after.find("%a_2 = onnx.Identity(%x)"), std::string::npos) << after;
}

TEST(RunRules, RenamesADomainWithBodiesAndAttributes) {
  EXPECT_EQ(
      After("rule r: onnx:old.*($x...) {$all...} => onnx:new.*($x...) {$all...}",
            Graph("dragoman 1 source onnx\nopset \"\" 13\nentry main(%x: f32[2]) -> (%y, %z) {\n"
                  "  %y, %z = onnx:old.Split2(%x) {n = 2, text = \"a\"}\n}\n")),
      "%y, %z = onnx:new.Split2(%x) {n = 2, text = \"a\"}\n");
}

TEST(RunRules, KnowsTheConstantsOfFiles) {
  EXPECT_EQ(After("rule r: aten.mul($x, 2) => aten.add($x, $x) {alpha = 1}",
                  Graph("dragoman 1 source torch\nentry main(%x: f32[2]) -> (%y) {\n"
                        "  %c = prim.Constant() {value = 2}\n"
                        "  %y = aten.mul.Scalar(%x, %c)\n}\n")),
            "%c = prim.Constant() {value = 2}\n%y = aten.add(%x, %x) {alpha = 1}\n");
}

// The product is computed before x is changed, its sum afterwards.
TEST(RunRules, LeavesWhatIsChangedInBetween) {
  const std::string rule = "rule r: aten.add(aten.mul($x, $y), $z) => aten.addcmul($z, $x, $y)";
  const std::string graph =
      "dragoman 1 source torch\nentry main(%x: f32[2], %z: f32[2]) -> (%y) {\n"
      "  %m = aten.mul(%x, %x)\n  %n = aten.add_(%x, %z)\n  %y = aten.add(%m, %z)\n}\n";
  EXPECT_EQ(ReasonOf(rule, graph), "node 'n' (aten.add_) may change what the pattern reads");
}

TEST(RunRules, LeavesGraphsOfTheOtherLevelAlone) {
  const std::string text = "entry main(%x: f32[2]) -> (%y) {\n  %y = onnx.Relu(%x)\n}\n";
  EXPECT_EQ(After("rule r: onnx.Relu($x) => onnx.Abs($x)", Graph(text)), "%y = onnx.Relu(%x)\n");
  EXPECT_EQ(
      After("rule r: Relu($x) => Abs($x)", Graph("dragoman 1 source onnx\nopset \"\" 13\n" + text)),
      "%y = onnx.Relu(%x)\n");
}

// A chain of operators on %x, each beside a number: "Mul 2.0, Add 1.0".
std::string Chain(const std::vector<std::pair<std::string, std::string>>& steps) {
  std::string body, value = "%x";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string name = i + 1 == steps.size() ? "%y" : "%v" + std::to_string(i);
    const std::string number = "%c" + std::to_string(i);
    body += "  const " + number + ": f32[] = " + steps[i].second + "\n  " + name + " = onnx." +
            steps[i].first + "(" + value + ", " + number + ")\n";
    value = name;
  }
  return "graph g(%x: f32[2]) -> (%y) {\n" + body + "}\n";
}

TEST(RunRules, MatchesAnyOfSeveralAlternatives) {
  const std::string rule =
      "rule r: Add(Mul($x, 2) | Div($x, 0.5), 1 | 3) => Abs($x)\n"
      "  or Add(Mul($x, 4), 1) => Neg($x)";
  const std::string abs = "%y = onnx.Abs(%x)\n";
  EXPECT_EQ(After(rule, Graph(Chain({{"Mul", "2.0"}, {"Add", "1.0"}}))), abs);
  EXPECT_EQ(After(rule, Graph(Chain({{"Mul", "2.0"}, {"Add", "3.0"}}))), abs);
  EXPECT_EQ(After(rule, Graph(Chain({{"Div", "0.5"}, {"Add", "3.0"}}))), abs);
  EXPECT_EQ(After(rule, Graph(Chain({{"Mul", "4.0"}, {"Add", "1.0"}}))), "%y = onnx.Neg(%x)\n");
  EXPECT_EQ(ReasonOf(rule, Chain({{"Mul", "4.0"}, {"Add", "3.0"}})),
            "operand 1 of Mul is 4.0, expected 2");
}

TEST(RunRules, ReadsFormulasInPlaceOfTheirNames) {
  const std::string rule =
      "formula half($x) = Div($x, 2) | Mul($x, 0.5)\n"
      "formula middle($x, $y) = half(Add($x, $y))\n"
      "rule r: middle($a, 1) => Abs($a)";
  EXPECT_EQ(After(rule, Graph(Chain({{"Add", "1.0"}, {"Mul", "0.5"}}))), "%y = onnx.Abs(%x)\n");
  EXPECT_EQ(After(rule, Graph(Chain({{"Add", "1.0"}, {"Div", "2.0"}}))), "%y = onnx.Abs(%x)\n");
  EXPECT_EQ(ReasonOf(rule, Chain({{"Add", "1.5"}, {"Div", "2.0"}})),
            "operand 1 of Add is 1.5, expected 1");
}

TEST(RunRules, KeepsWhatTheReplacementReadsOfThePattern) {
  EXPECT_EQ(After("rule r: (%y) {\n  %e = Exp($x)\n  %y = Div(%e, 2)\n} => Abs(%e)",
                  Graph("graph g(%x: f32[2]) -> (%y, %e) {\n  const %two: f32[] = 2.0\n"
                        "  %e = onnx.Exp(%x)\n  %y = onnx.Div(%e, %two)\n}\n")),
            "%e = onnx.Exp(%x)\n%y = onnx.Abs(%e)\n");
}

TEST(RunRules, KnowsConstantsOfOneNumberInAllElements) {
  const std::string rule = "rule r: Mul($x, $w) => $x where every($w) = 1";
  const auto graph = [](const std::string& elements) {
    return "graph g(%i: f32[2]) -> (%y) {\n  const %w: f32[2] = " + elements +
           "\n  %x = onnx.Relu(%i)\n  %y = onnx.Mul(%x, %w)\n}\n";
  };
  EXPECT_EQ(After(rule, Graph(graph("[1.0, 1.0]"))), "%y = onnx.Relu(%i)\n");
  EXPECT_EQ(ReasonOf(rule, graph("[1.0, 2.0]")), "a number of the condition is not known");
  EXPECT_EQ(ReasonOf(rule, graph("[2.0, 2.0]")), "the condition 2 = 1 does not hold");
}

}  // namespace
}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// Rules that are exact, on graphs that are drawn around their patterns, near misses above all:
// whatever matches, the graph is well-formed afterwards, computes what it did, and no rule matches
// any more.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/rewrite/match/read_rules.h"
#include "core/rewrite/match/run_rules.h"
#include "tests/unit/rewrite/random_inputs.h"

namespace dragoman {
namespace {

constexpr int kGraphs = 600;

constexpr char kRules[] = R"(
rule twice-negative: Neg(Neg($x)) => $x
rule twice-negative-read: Relu(Neg(Neg($x))) => Relu($x) where shared
rule rectified-size: Relu(Abs($x)) => Abs($x)
rule difference: Add($x, Neg($y)) => Sub($x, $y)
rule double: Mul($x, 2) => Add($x, $x)
rule unit: Mul($x, 1) => $x
rule square: Mul(Abs($x), Abs($x)) => Mul($x, $x)
rule bounds: Max(Min($x, $high), $low) => Clip($x, $low, $high) where scalar($low), scalar($high), $low <= $high
rule least: Min($x, $x) => Identity($x)
rule pair: (%a, %b) { %a = Exp($x)  %b = Neg(%a) } => (%a, %b) { %a = Exp($x)  %b = Mul(%a, -1) }
rule both: (%a, %b) { %a = Sub($x, $y)  %b = Sub($y, $x) } => (%a, %b) { %a = Sub($x, $y)  %b = Neg(%a) }
rule moved: Relu(Transpose($x) {perm = $p}) => Transpose(Relu($x)) {perm = $p}
rule met: Transpose(Transpose($x) {perm = [1, 0]}) {perm = [1, 0]} => $x
)";

class Drawing {
 public:
  explicit Drawing(unsigned seed) : random_(seed) {}

  // Twenty nodes on inputs and constants, each of an operand that is mostly a late one.
  std::string Text() {
    std::string body;
    values_ = {"%x", "%y", "%half", "%one", "%two", "%row"};
    matrices_ = {"%x", "%y", "%row"};
    for (int i = 0; i < 20; ++i) {
      const std::string name = "%v" + std::to_string(i);
      body += "  " + name + " = " + Node() + "\n";
      values_.push_back(name);
      if (is_matrix_) matrices_.push_back(name);
    }
    std::string outputs = values_.back();
    for (int i = 0; i < 3; ++i) outputs += ", " + values_[6 + Below(20)];
    return "graph g(%x: f32[2, 2], %y: f32[2, 2]) -> (" + outputs +
           ") {\n  const %half: f32[] = 0.5\n  const %one: f32[] = 1.0\n  const %two: f32[] = 2.0\n"
           "  const %row: f32[1, 1] = [[2.0]]\n" +
           body + "}\n";
  }

 private:
  std::size_t Below(std::size_t count) { return random_() % count; }

  std::string Operand() {
    const std::size_t recent = std::min<std::size_t>(values_.size(), 4);
    return Below(3) > 0 ? values_[values_.size() - 1 - Below(recent)]
                        : values_[Below(values_.size())];
  }

  std::string Node() {
    static const std::vector<std::string> kUnary = {"Neg", "Relu", "Abs", "Exp"};
    static const std::vector<std::string> kBinary = {"Add", "Mul", "Sub", "Min", "Max"};
    const std::size_t kind = Below(10);
    is_matrix_ = true;
    if (kind == 0) {
      const bool last = Below(2) > 0;
      return "onnx.Transpose(" + (last ? matrices_.back() : matrices_[Below(matrices_.size())]) +
             ") {perm = [1, 0]}";
    }
    if (kind < 5) {
      const std::string operand = Operand();
      is_matrix_ = IsMatrix(operand);
      return "onnx." + kUnary[Below(kUnary.size())] + "(" + operand + ")";
    }
    const std::string left = kind == 5 ? values_.back() : Operand();
    const std::string right = kind == 5 ? Number() : Below(4) == 0 ? left : Operand();
    is_matrix_ = IsMatrix(left) || IsMatrix(right);
    const std::string& type = kind == 5 ? kBinary[3 + Below(2)] : kBinary[Below(5)];
    return "onnx." + type + "(" + left + ", " + right + ")";
  }

  std::string Number() { return values_[2 + Below(3)]; }
  bool IsMatrix(const std::string& value) const {
    return std::ranges::find(matrices_, value) != matrices_.end();
  }

  std::mt19937 random_;
  std::vector<std::string> values_;
  std::vector<std::string> matrices_;  // those of two axes
  bool is_matrix_ = false;             // whether the node drawn last gives one
};

TEST(DrawnGraphs, ComputeTheSameAfterRules) {
  const Result<RuleSet> rules = ReadRules(kRules);
  ASSERT_TRUE(rules.ok()) << rules.error().ToString();
  std::set<std::string> applied;
  for (int i = 0; i < kGraphs; ++i) {
    const std::string text = Drawing(static_cast<unsigned>(i)).Text();
    Result<Model> before = ParseText(text);
    ASSERT_TRUE(before.ok()) << before.error().ToString() << text;
    // An output that is one twice names nothing; such a graph proves nothing.
    if (!InferModel(*before).ok() || !Verify(*before).ok()) continue;
    Model after = Clone(*before);
    const Result<bool> changed =
        RunRules(after, *rules, {.found = [&](RulePlace place) { applied.insert(place.rule); }});
    ASSERT_TRUE(changed.ok()) << changed.error().ToString() << text;
    const Status verified = Verify(after);
    ASSERT_TRUE(verified.ok()) << verified.error().ToString() << text << PrintGraph(after.main());
    ASSERT_TRUE(InferModel(after).ok());
    ExpectSameResults(*before, after);
    Model again = Clone(after);
    EXPECT_FALSE(*RunRules(again, *rules)) << PrintGraph(after.main()) << PrintGraph(again.main());
    if (HasFailure()) FAIL() << text << PrintGraph(after.main());
  }
  for (const Rule& rule : rules->rules()) EXPECT_TRUE(applied.contains(rule.name)) << rule.name;
}

}  // namespace
}  // namespace dragoman

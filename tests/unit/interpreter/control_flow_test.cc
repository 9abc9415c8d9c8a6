// SPDX-License-Identifier: Apache-2.0
// If, Loop, Scan, sequences, optionals and effects at run time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/interpreter/interpreter.h"
#include "core/ir/element_text.h"
#include "core/ir/parse.h"

namespace dragoman {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Text(const RuntimeValue& value) {
  if (value.kind == RuntimeValue::Kind::kNone) return "none";
  std::string text;
  if (value.kind == RuntimeValue::Kind::kSequence) {
    for (const RuntimeValue& element : value.sequence)
      text += (text.empty() ? "" : ", ") + Text(element);
    return "[" + text + "]";
  }
  const Tensor tensor = value.array.ToTensor();
  text = tensor.type().ToString();
  for (std::int64_t i = 0; i < tensor.size(); ++i) text += " " + FormatElement(tensor, i);
  return text;
}

struct Ran {
  std::string outputs;  // joined by "; ", or the message of the error
  std::vector<std::string> lines;
};

Ran RunText(const std::string& body, const std::string& outputs = "%y") {
  Ran ran;
  const Result<Model> model = ParseText("graph g() -> (" + outputs + ") {\n" + body + "\n}");
  if (!model.ok()) return {model.error().ToString(), {}};
  Result<Interpreter> interpreter = Interpreter::Make(*model);
  if (!interpreter.ok()) return {interpreter.error().ToString(), {}};
  interpreter->set_line_sink([&](std::string_view line) { ran.lines.emplace_back(line); });
  const Result<std::vector<RuntimeValue>> values = interpreter->Run(model->entries[0], {});
  if (!values.ok()) {
    ran.outputs = values.error().ToString();
    return ran;
  }
  for (const RuntimeValue& value : *values)
    ran.outputs += (ran.outputs.empty() ? "" : "; ") + Text(value);
  return ran;
}

std::string Outputs(const std::string& body, const std::string& outputs = "%y") {
  return RunText(body, outputs).outputs;
}

constexpr char kIf[] =
    "const %x: i64[2] = [1, -2]\n"
    "%y = onnx.If(%c) {then_branch = graph t() -> (%t) { %t = onnx.Neg(%x) }, "
    "else_branch = graph e() -> (%x) {}}";

TEST(RunIf, RunsOneBranch) {
  EXPECT_EQ(Outputs(std::string("const %c: bool[] = true\n") + kIf), "i64[2] -1 2");
  EXPECT_EQ(Outputs(std::string("const %c: bool[1] = [false]\n") + kIf), "i64[2] 1 -2");
}

// Doubles %v while it is below 10, at most %m times.
std::string Doubling(const std::string& limit) {
  return Outputs("const %m: i64[] = " + limit +
                     "\nconst %start: i64[] = 1\nconst %ten: i64[] = 10\n"
                     "%y, %s: i64[?] = onnx.Loop(%m, _, %start) {body = graph b(%i: i64[], %c: "
                     "bool[], %v) -> (%g, %next, %v) {\n"
                     "%next = onnx.Add(%v, %v)\n%g = onnx.Less(%next, %ten)\n}}",
                 "%y, %s");
}

TEST(RunLoop, EndsByConditionOrCount) {
  EXPECT_EQ(Doubling("100"), "i64[] 16; i64[4] 1 2 4 8");
  EXPECT_EQ(Doubling("2"), "i64[] 4; i64[2] 1 2");
}

TEST(RunLoop, WithoutTurnsKeepsWhatItStartsWith) { EXPECT_EQ(Doubling("0"), "i64[] 1; i64[0]"); }

std::string Sums(const std::string& attributes) {
  return Outputs(
      "const %h: i64[2] = [0, 0]\nconst %x: i64[2, 3] = [[1, 2, 3], [4, 5, 6]]\n"
      "%y, %s = onnx.Scan(%h, %x) {num_scan_inputs = 1, scan_input_axes = [1], " +
          attributes + "body = graph b(%v, %e) -> (%w, %w) { %w = onnx.Add(%v, %e) }}",
      "%y, %s");
}

TEST(RunScan, GoesAlongAxesInDirections) {
  EXPECT_EQ(Sums(""), "i64[2] 6 15; i64[3, 2] 1 4 3 9 6 15");
  EXPECT_EQ(Sums("scan_output_axes = [-1], "), "i64[2] 6 15; i64[2, 3] 1 3 6 4 9 15");
  EXPECT_EQ(Sums("scan_input_directions = [1], "), "i64[2] 6 15; i64[3, 2] 3 6 5 11 6 15");
  EXPECT_EQ(Sums("scan_output_directions = [1], "), "i64[2] 6 15; i64[3, 2] 6 15 3 9 1 4");
}

constexpr char kSequence[] =
    "const %a: i64[1] = [1]\nconst %b: i64[2] = [2, 3]\nconst %z: i64[] = 0\n"
    "const %last: i64[] = -1\nconst %far: i64[] = 5\n%s = onnx.SequenceConstruct(%a, %b)\n";

TEST(RunSequence, ListsTensors) {
  const std::string s = kSequence;
  EXPECT_EQ(Outputs(s + "%y = onnx.SequenceInsert(%s, %b, %z)"),
            "[i64[2] 2 3, i64[1] 1, i64[2] 2 3]");
  EXPECT_EQ(Outputs(s + "%y = onnx.SequenceInsert(%s, %a)"), "[i64[1] 1, i64[2] 2 3, i64[1] 1]");
  EXPECT_EQ(Outputs(s + "%y = onnx.SequenceErase(%s)"), "[i64[1] 1]");
  EXPECT_EQ(Outputs(s + "%y = onnx.SequenceAt(%s, %last)"), "i64[2] 2 3");
  EXPECT_EQ(Outputs(s + "%y = onnx.SequenceLength(%s)"), "i64[] 2");
  EXPECT_EQ(Outputs(s + "%y = onnx.ConcatFromSequence(%s) {axis = 0}"), "i64[3] 1 2 3");
  EXPECT_EQ(Outputs(s + "%y = onnx.SplitToSequence(%b)"), "[i64[1] 2, i64[1] 3]");
  EXPECT_EQ(Outputs(s + "%y = onnx.SplitToSequence(%b) {keepdims = 0}"), "[i64[] 2, i64[] 3]");
  EXPECT_THAT(Outputs(s + "%y = onnx.SequenceAt(%s, %far)"), HasSubstr("out of range"));
}

TEST(RunOptional, HoldsAValueOrNone) {
  const std::string s = kSequence;
  EXPECT_EQ(Outputs(s + "%o = onnx.Optional(%s)\n%y = onnx.OptionalHasElement(%o)"), "bool[] true");
  const std::string none = "%o = onnx.Optional() {type = type i64[*]}\n";
  EXPECT_EQ(Outputs(none + "%y = onnx.OptionalHasElement(%o)"), "bool[] false");
  EXPECT_THAT(Outputs(none + "%y = onnx.OptionalGetElement(%o)"), HasSubstr("is empty"));
}

TEST(RunEffect, PrintsAndAsserts) {
  const std::string s = kSequence;
  EXPECT_THAT(RunText(s + "dragoman.Print(%z, %s) {message = \"at {}:\"}\n%y = onnx.Neg(%z)").lines,
              ElementsAre("at 0: [i64[1] 1, i64[2] 2 3]"));
  const Ran failed = RunText(s +
                             "%f = onnx.Not(%t)\nconst %t: bool[] = true\n"
                             "dragoman.Assert(%f, %far) {message = \"got {}\"}\n%y = onnx.Neg(%z)");
  EXPECT_THAT(failed.outputs, HasSubstr("assertion failed: got 5"));
  EXPECT_THAT(failed.lines, ElementsAre("got 5"));
}

// 20 iterations of two nodes each, whose results are twice as large each time.
TEST(InterpreterTest, CountsLargeResultsAsNodes) {
  const Result<Model> model = ParseText(R"(graph g() -> (%y) {
  const %n: i64[] = 20
  const %c: bool[] = true
  const %x: f32[1] = [1.0]
  %y = onnx.Loop(%n, %c, %x) {body = graph b(%i: i64[], %more: bool[], %v: f32[?]) -> (%again, %w) {
    %again = onnx.Identity(%more)
    %w = onnx.Concat(%v, %v) {axis = 0}
  }}
})");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  Result<Interpreter> interpreter = Interpreter::Make(*model);
  ASSERT_TRUE(interpreter.ok()) << interpreter.error().ToString();
  interpreter->set_node_limit(100);
  const auto stopped = interpreter->Run(model->entries[0], {});
  ASSERT_FALSE(stopped.ok());
  EXPECT_THAT(stopped.error().ToString(), HasSubstr("too many nodes"));
  interpreter->set_node_limit(100'000);
  EXPECT_TRUE(interpreter->Run(model->entries[0], {}).ok());
}

}  // namespace
}  // namespace dragoman

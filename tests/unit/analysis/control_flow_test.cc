// SPDX-License-Identifier: Apache-2.0
// Types that If, Loop, Scan and operators on sequences infer from their bodies and operands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

// The types of all outputs, or the message of the error.
std::string Infer(const std::string& inputs, const std::string& body,
                  const std::string& outputs = "%y") {
  Result<Model> model =
      ParseText("graph g(" + inputs + ") -> (" + outputs + ") {\n" + body + "\n}");
  if (!model.ok()) return model.error().ToString();
  const Status status = InferModel(*model);
  if (!status.ok()) return status.error().ToString();
  std::string text;
  for (const Use& output : model->main().outputs())
    text += (text.empty() ? "" : "; ") + output.value()->type().ToString();
  return text;
}

std::string If(const std::string& condition, const std::string& then_node,
               const std::string& else_node) {
  return Infer("%c: bool[], %x: f32[n, 3], %z: f32[m, 3]",
               condition + "%y = onnx.If(" + (condition.empty() ? "%c" : "%k") +
                   ") {then_branch = graph t() -> (%t) { %t = " + then_node +
                   " }, else_branch = graph e() -> (%e) { %e = " + else_node + " }}");
}

TEST(InferIf, KeepsWhatBothBranchesSay) {
  EXPECT_EQ(If("", "onnx.Exp(%x)", "onnx.Neg(%x)"), "f32[n, 3]");
  EXPECT_EQ(If("", "onnx.Exp(%x)", "onnx.Neg(%z)"), "f32[y, 3]");
  EXPECT_EQ(If("", "onnx.Exp(%x)", "onnx.Shape(%x)"), "?[*]");
}

TEST(InferIf, FollowsAKnownCondition) {
  EXPECT_EQ(If("const %k: bool[] = true\n", "onnx.Exp(%x)", "onnx.Neg(%z)"), "f32[n, 3]");
}

// A body that carries %v on as `next`, stacks `slice`, and goes on while `goes_on`.
std::string Loop(const std::string& next, const std::string& slice,
                 const std::string& goes_on = "onnx.Identity(%c)") {
  return Infer("%m: i64[], %x: f32[n, 3], %k: f32[1, 3]",
               "const %five: i64[] = 5\n"
               "%y, %s = onnx.Loop(%five, _, %x) {body = graph b(%i: i64[], %c: bool[], %v) -> "
               "(%g, %next, %slice) {\n"
               "%g = " +
                   goes_on + "\n%next = " + next + "\n%slice = " + slice + "\n}}",
               "%y, %s");
}

TEST(InferLoop, StacksAsOftenAsTheBodyRuns) {
  EXPECT_EQ(Loop("onnx.Exp(%v)", "onnx.Neg(%v)"), "f32[n, 3]; f32[5, n, 3]");
}

TEST(InferLoop, ADataDependentEndIsASymbol) {
  EXPECT_EQ(Loop("onnx.Exp(%v)", "onnx.Neg(%v)", "onnx.Not(%c)"), "f32[n, 3]; f32[s, n, 3]");
}

TEST(InferLoop, KnowsTheElementsOfAListThatBeginsEmpty) {
  EXPECT_EQ(Infer("%m: i64[], %x: f32[n, 3]",
                  "%empty = onnx.SequenceEmpty()\n"
                  "%list = onnx.Loop(%m, _, %empty) {body = graph b(%i: i64[], %c: bool[], %l) -> "
                  "(%c, %longer) {\n%row = onnx.Gather(%x, %i)\n%longer = "
                  "onnx.SequenceInsert(%l, %row)\n}}\n"
                  "%rows = onnx.ConcatFromSequence(%list) {axis = 0, new_axis = 1}",
                  "%list, %rows"),
            "seq<f32[3]>; f32[rows, 3]");
}

TEST(InferLoop, WidensWhatGrows) {
  EXPECT_EQ(Loop("onnx.Concat(%v, %k) {axis = 0}", "onnx.Shape(%v)"), "f32[y, 3]; i64[5, 2]");
  EXPECT_EQ(Loop("onnx.Unsqueeze(%v, %i)", "onnx.Shape(%v)"), "f32[*]; i64[5, s]");
}

TEST(InferLoop, RefusesAnElementTypeThatChanges) {
  EXPECT_THAT(Loop("onnx.Shape(%v)", "onnx.Neg(%v)"), HasSubstr("carried value 0 is f32"));
}

TEST(InferScan, TakesTheLengthFromTheScannedAxis) {
  EXPECT_EQ(Infer("%h: f32[b], %x: f32[b, t]",
                  "%y, %s = onnx.Scan(%h, %x) {num_scan_inputs = 1, scan_input_axes = [1], "
                  "scan_output_axes = [-1], body = graph b(%v, %e) -> (%w, %z) {\n"
                  "%w = onnx.Add(%v, %e)\n%z = onnx.Neg(%w)\n}}",
                  "%y, %s"),
            "f32[b]; f32[b, t]");
}

TEST(InferScan, RefusesLengthsThatDiffer) {
  EXPECT_THAT(Infer("%x: f32[3], %z: f32[4]",
                    "%y = onnx.Scan(%x, %z) {num_scan_inputs = 2, body = graph b(%v, %e) -> (%w) "
                    "{ %w = onnx.Add(%v, %e) }}"),
              HasSubstr("4 elements to scan"));
}

TEST(InferSequence, ElementsAreGeneralized) {
  const std::string inputs = "%a: f32[n, 3], %b: f32[m, 3], %i: i64[]";
  const std::string sequence = "%s = onnx.SequenceConstruct(%a, %b)\n";
  EXPECT_EQ(Infer(inputs, sequence, "%s"), "seq<f32[?, 3]>");
  EXPECT_EQ(Infer(inputs, sequence + "%y = onnx.SequenceAt(%s, %i)"), "f32[y, 3]");
  EXPECT_EQ(Infer(inputs, sequence + "%y = onnx.ConcatFromSequence(%s) {axis = 0}"), "f32[y, 3]");
  EXPECT_EQ(Infer(inputs, "%y = onnx.SplitToSequence(%a) {axis = 1, keepdims = 0}"), "seq<f32[n]>");
  EXPECT_THAT(Infer(inputs, "%y = onnx.SequenceAt(%a, %i)"), HasSubstr("expected a sequence"));
}

TEST(InferOptional, ALoopMayFillIt) {
  EXPECT_EQ(Infer("%m: i64[], %o: opt<f32[n]>, %x: f32[n]",
                  "%y = onnx.Loop(%m, _, %o) {body = graph b(%i: i64[], %c: bool[], %v) -> "
                  "(%c, %w) { %w = onnx.Neg(%x) }}"),
            "opt<f32[n]>");
}

TEST(InferOptional, WrapsAndUnwraps) {
  const std::string optional = "%o = onnx.Optional(%a)\n";
  EXPECT_EQ(Infer("%a: f32[n]", optional, "%o"), "opt<f32[n]>");
  EXPECT_EQ(Infer("%a: f32[n]", optional + "%y = onnx.OptionalGetElement(%o)"), "f32[n]");
}

}  // namespace
}  // namespace dragoman

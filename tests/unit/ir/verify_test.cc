// SPDX-License-Identifier: Apache-2.0
// What the verifier finds in graphs that are not well-formed.
#include "core/ir/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/ir/parse.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

std::string Verified(const std::string& text) {
  const Result<Model> model = ParseText(text);
  if (!model.ok()) return model.error().ToString();
  const Status status = Verify(*model);
  return status.ok() ? "well-formed" : status.error().ToString();
}

TEST(Verify, AcceptsACommonModel) {
  EXPECT_EQ(Verified(R"(graph(%c: bool[], %x: f32[2]) -> (%y) {
    const %w: f32[2] = [1.0, 2.0]
    %s = onnx.Add(%x, %w)
    %y = onnx.If(%c) {then_branch = graph() -> (%b) { %b = onnx.Neg(%s) },
                      else_branch = graph() -> (%b) { %b = onnx:com.microsoft.Gelu(%w) }}
  })"),
            "well-formed");
}

TEST(Verify, SourceGraphsMayHaveAnyOrderAndDialect) {
  EXPECT_EQ(Verified("dragoman 1 source tf entry main() -> () { %a = tf.Foo(%b) %b = tf.Foo(%a) }"),
            "well-formed");
}

TEST(Verify, CommonGraphsAreTopological) {
  EXPECT_EQ(Verified("graph() -> () { %a = onnx.Neg(%b) %b = onnx.Foo() }"),
            "node 'a' (onnx.Neg), operand 0: error: value %b is not defined before its use");
}

TEST(Verify, ABodyDoesNotSeeItsOwnNodesResult) {
  EXPECT_THAT(
      Verified("graph() -> () { %a = onnx.If() {b = graph() -> (%a) {}} }"),
      HasSubstr("graph '' of node 'a' (onnx.If), output 0: error: value %a is not defined"));
}

TEST(Verify, CommonNamesAreUnique) {
  EXPECT_THAT(Verified("graph(%x) -> () { %x~1 = onnx.Neg(%x) }"), HasSubstr("have the name %x"));
  EXPECT_THAT(Verified("graph(%~0) -> () {}"), HasSubstr("a value has no name"));
}

TEST(Verify, CommonDialectsAreClosed) {
  EXPECT_THAT(Verified("graph() -> () { %a = aten.relu() }"),
              HasSubstr("dialect \"aten\" in a common graph"));
  EXPECT_THAT(Verified("graph() -> () {} function onnx:local.f() -> () {}"),
              HasSubstr("functions are inlined"));
}

TEST(Verify, ConstantsHaveDataOfTheirType) {
  EXPECT_THAT(Verified("graph() -> () { const %w: f32[2] }"), HasSubstr("constant %w has no data"));
  EXPECT_THAT(Verified("graph() -> () { const %w: f32[2] = i64[1] [1] }"),
              HasSubstr("constant %w has type f32[2], its data i64[1]"));
  EXPECT_THAT(Verified("graph() -> () { const %w: f32[n] = [1.0, 2.0] }"),
              HasSubstr("the data of constant %w is not a tensor, its type is f32[n]"));
}

TEST(Verify, SizesAreNotNegative) {
  EXPECT_THAT(Verified("graph main(%x: f32[2, -3]) -> () {}"),
              HasSubstr("a size of %x is negative: its type is f32[2, -3]"));
  EXPECT_EQ(Verified("graph main(%x: f32[n - 3]) -> () {}"), "well-formed");
}

TEST(Verify, CallingConventionsFitTheInputs) {
  EXPECT_THAT(Verified("entry e(%x) -> () arguments (a: tuple (b: tensor 1)) {}"),
              HasSubstr("entry 'e', arguments: error: 'b' is number 1 of 1"));
  EXPECT_THAT(Verified("entry e() -> () {} entry e() -> () {}"),
              HasSubstr("two entries have this name"));
}

TEST(Verify, StatesHaveTheTypesOfTheirInputsAndOutputs) {
  const std::string head = "dragoman 1 common onnx state s: f32[2] = f32[2] [0.0, 0.0] ";
  EXPECT_EQ(Verified(head + "entry e(%s: f32[2]) -> (%s) state 0 input 0 -> output 0 {}"),
            "well-formed");
  EXPECT_THAT(Verified(head + "entry e(%s: i64[2]) -> (%s) state 0 input 0 -> output 0 {}"),
              HasSubstr("state 's' has type f32[2], %s has i64[2]"));
  EXPECT_THAT(Verified(head + "entry e(%s) -> (%s) state 1 input 0 -> output 0 {}"),
              HasSubstr("names a state, input or output that does not exist"));
  EXPECT_THAT(Verified(head + "entry e(%s: f32[2], %x: f32[2]) -> (%x, %s)" +
                       " state 0 input 0 -> output 1 {}"),
              HasSubstr("state 's' stands before one that belongs to no state"));
  EXPECT_THAT(Verified(head + "entry e(%x: f32[2], %s: f32[2]) -> (%s, %x)" +
                       " state 0 input 1 -> output 0 {}"),
              HasSubstr("state 's' stands before one that belongs to no state"));
}

TEST(Verify, StatesBeginWithATensorOfTheirType) {
  const std::string head = "dragoman 1 common onnx state s: f32[2] = ";
  EXPECT_THAT(Verified(head + "1 entry e() -> () {}"),
              HasSubstr("state 's': error: its initial value is not a tensor"));
  EXPECT_THAT(Verified(head + "i64[2] [1, 2] entry e() -> () {}"),
              HasSubstr("state 's': error: has type f32[2], its initial value i64[2]"));
  EXPECT_THAT(Verified(head + "f32[1, 2] [[0.0, 0.0]] entry e() -> () {}"),
              HasSubstr("its initial value f32[1, 2]"));
}

TEST(Verify, FindsValuesOfOtherGraphs) {
  Result<Model> model = ParseText("entry a(%x) -> () {} entry b() -> () { %y = onnx.Neg(_) }");
  ASSERT_TRUE(model.ok());
  model->entries[1].graph->first_node()->set_operand(0, model->entries[0].graph->input(0));
  const Status status = Verify(*model);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().ToString(), HasSubstr("value %x is not defined before its use"));
  model->entries[1].graph->first_node()->set_operand(0, nullptr);
}

TEST(Verify, ListsUpToAHundredFindings) {
  std::string text = "graph(%x) -> () {\n";
  for (int i = 0; i < 150; ++i) text += "aten.f(%x)\n";
  Result<Model> model = ParseText(text + "}");
  ASSERT_TRUE(model.ok());
  const Status status = Verify(*model);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().findings().size(), kMaxVerifyFindings + 1);
  EXPECT_THAT(status.error().ToString(), HasSubstr("and 50 further findings"));
}

}  // namespace
}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// What the parser takes beyond what the printer writes, and how it refuses the rest.
#include "core/ir/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/ir/text_scanner.h"

namespace dragoman {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string ErrorOf(const std::string& text) {
  const Result<Model> model = ParseText(text);
  return model.ok() ? "parsed" : model.error().ToString();
}

std::string Repeat(const std::string& text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) repeated += text;
  return repeated;
}

TEST(Parse, BareGraphIsACommonModel) {
  const Result<Model> model = ParseText("graph g(%x: f32[2]) -> (%y) { %y = onnx.Neg(%x) }");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->level, Level::kCommon);
  EXPECT_EQ(model->OpsetVersion(""), kCommonOpset);
  EXPECT_EQ(model->entries.front().name, "main");
  EXPECT_EQ(model->main().name(), "g");
}

TEST(Parse, GraphOfAnEntryHasItsName) {
  const Result<Model> model = ParseText("entry forward() -> () {}");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().name(), "forward");
}

TEST(Parse, CommentsAndSpaceDoNotMatter) {
  const Result<Model> model = ParseText("# first\ngraph ( ) ->\n( )\t{ # inside\n }\n# last");
  EXPECT_TRUE(model.ok()) << model.error().ToString();
}

TEST(Parse, TypesStandAtDefinitionsOrOutputs) {
  const Result<Model> model =
      ParseText("graph(%x) -> (%y: f32[2]) { %z: i64[] = onnx.A(%x) %y: f32[2] = onnx.B(%z) }");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().output(0)->type(), Type::Tensor(DType::kF32, Shape{Dim(2)}));
  EXPECT_THAT(ErrorOf("graph() -> (%y: f32[2]) { %y: f32[3] = onnx.B() }"),
              HasSubstr("output %y has type f32[3] where it is defined"));
}

TEST(Parse, ConstantsWithoutTypeHaveThatOfTheirData) {
  for (const char* data : {"f32[2] [1.0, 2.0]", "value f32[2] [1.0, 2.0]"}) {
    const Result<Model> model =
        ParseText("graph g() -> (%c) { const %c = " + std::string(data) + " }");
    ASSERT_TRUE(model.ok()) << model.error().ToString();
    EXPECT_EQ(model->main().constants()[0]->type().ToString(), "f32[2]");
  }
}

TEST(Parse, InnerNamesHideOuterOnes) {
  const Result<Model> model = ParseText(
      "graph(%x) -> (%y) { %y = onnx.If(%x) {b = graph() -> (%x) { %x = onnx.Neg(%y) }} }");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  const Graph& body = *model->main().first_node()->subgraphs()[0];
  EXPECT_EQ(body.output(0), body.first_node()->result());
  EXPECT_EQ(body.first_node()->operand(0), model->main().first_node()->result());
}

TEST(Parse, ErrorsShowThePlace) {
  EXPECT_EQ(ErrorOf("graph(%x) -> (%y) {\n  %y = onnx.Add(%x, %q)\n}"),
            "line 2:21: error: value %q is not defined\n"
            "    %y = onnx.Add(%x, %q)\n"
            "                      ^");
}

TEST(Parse, AModelHasAnEntry) {
  for (const char* text : {"", " \n\t", "# nothing but words", "dragoman 1 source onnx",
                           "dragoman 1 common onnx\nopset \"\" 22\n# end\n",
                           "function onnx:f.f() -> () {}", "origins {}"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("expected \"entry\" or \"graph\": a model has one"));
  }
}

TEST(Parse, SaysWhatIsWrongAndWhatWasExpected) {
  EXPECT_THAT(ErrorOf("nonsense"),
              HasSubstr("expected \"entry\", \"function\", \"graph\" or \"origins\""));
  EXPECT_THAT(ErrorOf("dragoman 2 source onnx"), HasSubstr("this is version 2 of the text form"));
  EXPECT_THAT(ErrorOf("graph() -> () {"), HasSubstr("found the end"));
  EXPECT_THAT(ErrorOf("graph(%x, %x) -> () {}"), HasSubstr("value %x is defined twice"));
  EXPECT_THAT(ErrorOf("graph() -> () { onnx.A() {a = []} }"),
              HasSubstr("an empty list needs its kind"));
  EXPECT_THAT(ErrorOf("graph() -> () { onnx.A() {a = [1, 2.0]} }"), HasSubstr("starts with int"));
  EXPECT_THAT(ErrorOf("graph() -> () { onnx.A() {a = 99999999999999999999} }"),
              HasSubstr("does not fit into 64 bits"));
  EXPECT_THAT(ErrorOf("graph() -> () { const %w: u8[1] = [256] }"),
              HasSubstr("\"256\" is not an element of type u8"));
  EXPECT_THAT(ErrorOf("graph() -> () { const %w: u8[2, 2] = [[1, 2], [3]] }"),
              HasSubstr("expected 2 items between these brackets"));
  EXPECT_THAT(ErrorOf("graph() -> () { const %w: u8[1] = [1, 2] }"),
              HasSubstr("expected 1 items between these brackets"));
  EXPECT_THAT(ErrorOf("graph() -> () { const %w: u8[2] = base64 \"AA==\" }"),
              HasSubstr("tensor data has 1 bytes, expected 2"));
  EXPECT_THAT(ErrorOf("graph() -> () { const %w: f32[2] = ... }"), HasSubstr("was left out"));
  EXPECT_THAT(ErrorOf("graph(%x !1) -> () {}"), HasSubstr("origin !1 is not defined"));
  EXPECT_THAT(ErrorOf("graph(%x: q32[1]) -> () {}"), HasSubstr("\"q32\" is not an element type"));
  EXPECT_THAT(ErrorOf("graph(%\"x) -> () {}"), StartsWith("line 1:8: error: "));
}

TEST(Parse, NestingIsBounded) {
  const std::string list = Repeat("list [", 1000) + Repeat("]", 1000);
  EXPECT_THAT(ErrorOf("graph() -> () { onnx.A() {a = " + list + "} }"), HasSubstr("nest too deep"));
  const std::string type = Repeat("seq<", 1000) + "f32[]" + Repeat(">", 1000);
  EXPECT_THAT(ErrorOf("graph(%x: " + type + ") -> () {}"), HasSubstr("types nest too deep"));
  const std::string graphs = Repeat("graph() -> () { onnx.A() {g = ", 1000);
  EXPECT_THAT(ErrorOf(graphs), HasSubstr("nest too deep"));
  const std::string tuples = Repeat("tuple (", 1000);
  EXPECT_THAT(ErrorOf("entry e() -> () arguments (" + tuples),
              HasSubstr("structures nest too deep"));
}

// Whatever the cut, there is an error or a model, never more.
TEST(Parse, SurvivesTextCutAnywhere) {
  const std::string text =
      "dragoman 1 source onnx opset \"\" 13 entry main(%x: f32[n, 2*m]) -> (%y) state 0 input 0 -> "
      "output 0 { "
      "const %w: f32[2] = [1.0, nan] %y = onnx.If(%x, %\"a b\"~1) {g = graph b() -> () {}, "
      "t = sparse [3] (f32[1] [1.0], i64[1] [2])} @\"name\" !0 extra {a = 1} } origins { !0 = "
      "\"onnx.If\" }";
  for (std::size_t n = 0; n < text.size(); ++n) ErrorOf(text.substr(0, n));
}

TEST(ParseType, ReadsWhatToStringWrites) {
  for (const char* text :
       {"f32[1, n, ?]", "f32[*]", "f32[]", "?[*]", "?", "sparse i64[3]", "seq<f32[*]>",
        "opt<seq<str[]>>", "map<i64, f32[*]>", "tuple<f32[], ?, control>", "tuple<>",
        "opaque<\"domain\", \"na\\\"me\">", "f32[2*n + 1, \"odd name\", max(m, n)]"}) {
    const Result<Type> type = ParseType(text);
    ASSERT_TRUE(type.ok()) << type.error().ToString();
    EXPECT_EQ(type->ToString(), text);
  }
}

}  // namespace
}  // namespace dragoman

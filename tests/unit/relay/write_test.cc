// SPDX-License-Identifier: Apache-2.0
// Relay text of small graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "codegen/relay/nd_array.h"
#include "codegen/relay/write_relay.h"
#include "codegen/relay/write_source.h"
#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/rewrite/pipeline.h"

namespace dragoman {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The module of a graph with these inputs, statements and outputs, or what is refused.
std::string Emit(const std::string& inputs, const std::string& body,
                 const std::string& outputs = "%y", std::string* notes = nullptr) {
  Result<Model> model =
      ParseText("graph main(" + inputs + ") -> (" + outputs + ") {\n" + body + "\n}");
  if (!model.ok()) return model.error().ToString();
  const Status status = InferModel(*model);
  if (!status.ok()) return status.error().ToString();
  const Result<Model> relay = EmitRelay(*model, [notes](std::string_view note) {
    if (notes != nullptr) *notes += note;
  });
  if (!relay.ok()) return relay.error().ToString();
  const Result<std::string> text = PrintRelaySource(*relay);
  return text.ok() ? *text : text.error().ToString();
}

TEST(Relay, LinearIsDenseOfRowsAndABias) {
  EXPECT_EQ(Emit("%x: f32[1, 3, 10, 10], %weight: f32[7, 10], %bias: f32[7]",
                 "%y = dragoman.Linear(%x, %weight, %bias) @fc"),
            R"(#[version = "0.0.5"]
def @main(%x: Tensor[(1, 3, 10, 10), float32], %weight: Tensor[(7, 10), float32], %bias: Tensor[(7), float32]) {
  %0 = reshape(%x, newshape=[-1, 10]) /* span=fc:0:0 */;
  %1 = nn.dense(%0, %weight, units=None) /* span=fc:0:0 */;
  %2 = reshape(%1, newshape=[1, 3, 10, 7]) /* span=fc:0:0 */;
  nn.bias_add(%2, %bias, axis=-1) /* ty=Tensor[(1, 3, 10, 7), float32] span=fc:0:0 */
}
)");
}

TEST(Relay, EffectsAreOmittedWithANote) {
  std::string notes;
  const std::string text = Emit("%x: f32[2], %go: bool[]",
                                "dragoman.Assert(%go) {message = \"stop\"} @check\n"
                                "%y = onnx.Relu(%x)",
                                "%y", &notes);
  EXPECT_THAT(text, HasSubstr("nn.relu(%x)"));
  EXPECT_EQ(notes, "node 'check' (dragoman.Assert) is omitted: Relay has no such effect");
}

TEST(Relay, ShiftsByAllBitsAreZero) {
  EXPECT_THAT(Emit("%x: u8[3], %n: u8[3]", "%y = onnx.BitShift(%x, %n) {direction = \"LEFT\"}"),
              AllOf(HasSubstr("left_shift(%x, %n)"), HasSubstr("less(%n, "), HasSubstr("where(")));
}

// A compiler would divide by %n itself in a branch that one of them is chosen by.
TEST(Relay, QuotientsByZeroAndMinusOneAreProducts) {
  EXPECT_THAT(Emit("%x: i32[3], %n: i32[3]", "%y = onnx.Div(%x, %n)"),
              AllOf(HasSubstr("%4 = divide(%x, %3);\n  %5 = where(%2, %n, 1);\n"),
                    HasSubstr("  multiply(%4, %5)")));
}

TEST(Relay, WhatTvmTakesForAlwaysTrueOrZeroIsWrittenOtherwise) {
  EXPECT_THAT(Emit("%x: f32[3]", "%y = onnx.Equal(%x, %x)"),
              AllOf(HasSubstr("isnan(%x)"), HasSubstr("logical_not("), Not(HasSubstr(" equal("))));
  EXPECT_THAT(Emit("%x: f32[3]", "%y = onnx.Sub(%x, %x)"),
              AllOf(HasSubstr("negative(%x)"), HasSubstr("add(%x, "), Not(HasSubstr("subtract("))));
  EXPECT_THAT(Emit("%x: i32[3]", "%y = onnx.Sub(%x, %x)"), HasSubstr("subtract(%x, %x)"));
}

TEST(Relay, IntegersThatTvmDoesNotOrderAreOrderedAsWiderOnes) {
  const std::string text =
      Emit("%x: u16[3, 4]", "const %k: i64[1] = [2]\n%y, %places = onnx.TopK(%x, %k)");
  EXPECT_THAT(text, AllOf(HasSubstr("%0 = cast(%x, dtype=\"int32\");\n  %1 = topk(%0, "),
                          HasSubstr("cast(%2, dtype=\"uint16\")")));
}

TEST(Relay, BranchesOfTwoSizesAreRefused) {
  const auto branches = [](const std::string& other) {
    return Emit("%x: f32[1, 3], %c: bool[]",
                "%y = onnx.If(%c) {then_branch = graph a() -> (%p) {\n%p = onnx.Abs(%x)\n}, "
                "else_branch = graph b() -> (%q) {\n" +
                    other + "\n}}");
  };
  EXPECT_THAT(branches("%q = onnx.Neg(%x)"), HasSubstr("negative(%x)"));
  EXPECT_THAT(
      branches("%q = onnx.Squeeze(%x)"),
      HasSubstr(
          "(onnx.If): error: Relay cannot express it: branches that give f32[1, 3] and f32[3]"));
  EXPECT_THAT(branches("%q = onnx.Concat(%x, %x) {axis = 0}"),
              HasSubstr("branches that give f32[1, 3] and f32[2, 3]"));
}

TEST(Relay, FloatsModuloInfinityAreNoProducts) {
  EXPECT_THAT(Emit("%x: f32[3], %n: f32[3]", "%y = onnx.Mod(%x, %n)"),
              AllOf(HasSubstr(" mod(%x, %n)"), Not(HasSubstr("floor_mod"))));
}

TEST(Relay, AxesThatAreNoneAreKnownThoughTheyAreAnInput) {
  EXPECT_THAT(
      Emit("%x: f32[2, 3], %axes: i64[0]", "%y = onnx.ReduceMean(%x, %axes) {keepdims = 0}"),
      HasSubstr("mean(%x, axis=[0, 1])"));
}

// TVM 0.19 gives zeros otherwise.
TEST(Relay, DoublesBecomeHalvesInTwoSteps) {
  EXPECT_THAT(Emit("%x: f64[3]", "%y = onnx.Cast(%x) {to = 10}"),
              AllOf(HasSubstr("cast(%x, dtype=\"float32\")"), HasSubstr("dtype=\"float16\")")));
}

TEST(Relay, ALoopCallsItselfAndCollectsRows) {
  EXPECT_THAT(Emit("%x: f32[n, 4], %n: i64[]",
                   R"(const %go: bool[] = true
  %y, %rows = onnx.Loop(%n, %go, %x) {body = graph(%i: i64[], %c: bool[], %s: f32[n, 4]) -> (%c2, %t, %row) {
    const %two: f32[] = 2.0
    const %axis: i64[1] = [0]
    %c2 = onnx.Identity(%c)
    %t = onnx.Mul(%s, %two)
    %row = onnx.ReduceSum(%t, %axis) {keepdims = 0}
  }})",
                   "%y, %rows"),
              HasSubstr(R"(
  let %while_loop = fn (%i: int64, %s: Tensor[(?, 4), float32], %collected1: Tensor[(?, 4), float32]) {
    %0 = less(%i, %n);
    if (%0) {
      %1 = multiply(%s, 2f) /* ty=Tensor[(?, 4), float32] */;
      %2 = sum(%1, axis=[0]) /* ty=Tensor[(4), float32] */;
      %3 = add(%i, 1i64);
      %4 = expand_dims(%2, axis=0);
      %5 = (%collected1, %4);
      %6 = concatenate(%5, axis=0);
      %while_loop(%3, %1, %6)
    } else {
      (%i, %s, %collected1)
    }
  };
  %7 = %while_loop(0i64, %x, meta[relay.Constant][0]);
)"));
}

TEST(Relay, RecurrencesOfKnownLengthAreCells) {
  const std::string text = Emit("%x: f32[2, 1, 3], %w: f32[1, 16, 3], %r: f32[1, 16, 4]",
                                "%y, %h = onnx.LSTM(%x, %w, %r) {hidden_size = 4}", "%y, %h");
  EXPECT_THAT(text, HasSubstr("tanh("));
  EXPECT_THAT(text, testing::Not(HasSubstr("let %")));
}

TEST(Relay, AGroupIsACompositeFunctionThatNamesItsMembers) {
  Result<Model> model = ParseText(R"(graph main(%x: f32[2, 3]) -> (%y) {
    const %w: f32[4, 3] = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 2.0, 3.0]]
    const %b: f32[4] = [1.0, 2.0, 3.0, 4.0]
    %dense = dragoman.Linear(%x, %w, %b)
    %p, %q = onnx.Split(%dense) {axis = 1, num_outputs = 2}
    %gate = onnx.Sigmoid(%p)
    %new = onnx.Tanh(%q)
    %y = onnx.Mul(%gate, %new)
  })");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  ASSERT_TRUE(RunPipeline(*model, {.passes = "fuse-gates", .explain = {}}).ok());
  const Result<Model> relay = EmitRelay(*model);
  ASSERT_TRUE(relay.ok()) << relay.error().ToString();
  const Result<std::string> text = PrintRelaySource(*relay);
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  EXPECT_THAT(*text, HasSubstr("Composite=\"dragoman."));
  EXPECT_THAT(*text, HasSubstr("%0 = nn.dense("));
  EXPECT_THAT(*text, HasSubstr("| onnx.Split {axis = 1, num_outputs = 2} |"));
}

TEST(Relay, EverythingThatItCannotExpressIsListed) {
  const std::string text = Emit("%x: f32[1, 1, 4, 4]",
                                "%m, %i = onnx.MaxPool(%x) {kernel_shape = [2, 2]} @first\n"
                                "%r = onnx.RandomNormalLike(%x) @second\n",
                                "%m, %i, %r");
  EXPECT_THAT(text, HasSubstr("node 'first' (onnx.MaxPool)"));
  EXPECT_THAT(text, HasSubstr("node 'second' (onnx.RandomNormalLike)"));
}

// Why a source graph is not written; "" if it is.
std::string WhyUnprinted(const std::string& statements, const std::string& outputs = "%x") {
  const Result<Model> model = ParseText("dragoman 1 source relay\n\nentry main(%x: f32[2]) -> (" +
                                        outputs + ") {\n" + statements + "\n}\n");
  if (!model.ok()) return model.error().ToString();
  const Result<std::string> text = PrintRelaySource(*model);
  return text.ok() ? "" : text.error().findings()[0].message;
}

TEST(Relay, GraphTextsThatNoReaderGivesAreRefused) {
  EXPECT_EQ(WhyUnprinted("%y = relay.tanh(%x)", "%y"), "");
  EXPECT_EQ(WhyUnprinted("", "%x, %x"), "2 outputs, expected one");
  EXPECT_EQ(WhyUnprinted("", ""), "0 outputs, expected one");
  EXPECT_EQ(WhyUnprinted("%a, %b = relay.split(%x)"), "has more than one result");
  for (const char* type : {"Call", "If", "Let", "Match", "TupleGetItem"})
    EXPECT_EQ(WhyUnprinted("%y = relay." + std::string(type) + "()"), "has no operand");
  EXPECT_EQ(WhyUnprinted("relay.Let(%x)"), "has no result");
  EXPECT_EQ(WhyUnprinted("%y = relay.Function()"), "has no graph 'body'");
  EXPECT_EQ(WhyUnprinted("%y = relay.If(%x) {then_branch = graph() -> (%x) {}}"),
            "has no graph 'else_branch'");
  EXPECT_EQ(WhyUnprinted("%y = relay.If(%x) {then_branch = graph() -> () {}, else_branch = graph() "
                         "-> (%x) {}}"),
            "0 outputs, expected one");
  EXPECT_EQ(WhyUnprinted("%y = relay.add(%x, %y)", "%y"),
            "is read before it is computed, or outside of its function");
}

TEST(Relay, ArraysAreLittleEndianBehindTheirHead) {
  const std::string bytes =
      relay::emit::NdArrayBytes(Tensor::Of<float>({2}, std::vector<float>{1, 2}));
  const std::string expected(
      "\x3F\xA1\xB4\x96\xF0\x40\x5E\xDD\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\2\x20\1\0"
      "\2\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\0\0\x80\x3F\0\0\0\x40",
      56);
  EXPECT_EQ(bytes, expected);
}

}  // namespace
}  // namespace dragoman

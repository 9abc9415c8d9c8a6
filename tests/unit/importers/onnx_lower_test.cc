// SPDX-License-Identifier: Apache-2.0
// How models of any operator set become common graphs: source text, and the text after lowering.
#include "importers/onnx/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/support/size_budget.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

Result<Model> Lowered(std::string_view body) {
  const Result<Model> source = ParseText("dragoman 1 source onnx\n" + std::string(body));
  if (!source.ok()) return source.error();
  SizeBudget budget(SizeBudget::kAtLeast);
  const SizeBudgetScope scope(budget);
  return LowerOnnx(*source);
}

void ExpectLowered(std::string_view source, std::string_view common) {
  const Result<Model> model = Lowered(source);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  const std::string text = PrintText(*model, {.origins = false});
  EXPECT_EQ(text, "dragoman 1 common onnx\n" + std::string(common));
}

std::string ErrorOf(std::string_view source) {
  const Result<Model> model = Lowered(source);
  return model.ok() ? "no error" : model.error().ToString();
}

// Opset 9 had the bounds of Slice, the axes of Squeeze and the limits of Clip as attributes.
TEST(LowerOnnx, SliceSqueezeAndClipTakeOperands) {
  ExpectLowered(
      R"(opset "" 9

entry main(%x: f32[n, 3, 8, 8]) -> (%y: f32[*]) {
  %first = onnx.Slice(%x) {axes = [1], ends = [1], starts = [0]}
  %plane = onnx.Squeeze(%first) {axes = [1]}
  %y = onnx.Clip(%plane) {max = 6.0, min = 0.0}
}
)",
      R"(opset "" 22

entry main(%x: f32[n, 3, 8, 8]) -> (%y: f32[n, 8, 8]) {
  const %c: i64[1] = [0]
  const %c_2: i64[1] = [1]
  const %c_3: i64[1] = [1]
  const %c_4: i64[1] = [1]
  const %c_5: f32[] = 0.0
  const %c_6: f32[] = 6.0
  %first: f32[n, 1, 8, 8] = onnx.Slice(%x, %c, %c_2, %c_3)
  %plane: f32[n, 8, 8] = onnx.Squeeze(%first, %c_4)
  %y = onnx.Clip(%plane, %c_5, %c_6)
}
)");
}

// What inference proves holds, and one note names both; what it leaves open is as the file says.
TEST(LowerOnnx, DeclaredSizesThatContradictTheGraphGiveWay) {
  const Result<Model> source = ParseText(R"(dragoman 1 source onnx
opset "" 17

entry main(%x: f32[n, t, 5], %z: f32[2*n]) -> (%y: f32[n, 50, 5], %h: f32[n, 5, 60], %places: i64[3, 7], %w: f32["2*n"]) {
  %y = onnx.Relu(%x)
  %h = onnx.Transpose(%y) {perm = [0, 2, 1]}
  %places = onnx.NonZero(%x)
  %w = onnx.Relu(%z)
}
)");
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  std::vector<std::string> notes;
  const auto note = [&](std::string_view text) { notes.emplace_back(text); };
  const Result<Model> model = LowerOnnx(*source, {}, note);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  std::string types;
  for (const Use& output : model->main().outputs())
    types += output.value()->type().ToString() + " ";
  EXPECT_EQ(types, "f32[n, t, 5] f32[n, 5, t] i64[3, 7] f32[2*n] ");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0],
            "\"y\" is declared as f32[n, 50, 5], but the graph computes f32[n, t, 5], which holds "
            "(others that contradict what is computed: 1)");
  notes.clear();
  Facts facts;
  facts.dims = {{"t", Dim(9)}};
  ASSERT_TRUE(LowerOnnx(*source, facts, note).ok());
  EXPECT_TRUE(notes.empty());
}

// A file names the size of an input by an expression over that of another.
TEST(LowerOnnx, NamesOfSizesMayBeExpressions) {
  const Result<Model> model = Lowered(R"(opset "" 17

entry main(%x: f32[s39], %z: f32["2*s39"], %u: f32["batch-size"]) -> (%y: f32[*], %v: f32[*]) {
  %joined = onnx.Concat(%x, %x) {axis = 0}
  %y = onnx.Add(%joined, %z)
  %v = onnx.Relu(%u)
}
)");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().input(1)->type().ToString(), "f32[2*s39]");
  EXPECT_EQ(model->main().output(0)->type().ToString(), "f32[2*s39]");
  EXPECT_EQ(model->main().output(1)->type().ToString(), "f32[\"batch-size\"]");
}

// ONNX Runtime drops the axis where a number asks for parts of one element, as torch.unbind is
// exported; sizes in a list keep it, as the standard has it.
TEST(LowerOnnx, PartsOfOneElementMayLackTheAxis) {
  constexpr std::string_view kRows[][2] = {{"i64[] = 1", "f32[4]"},
                                           {"i64[3] = [1, 1, 1]", "f32[1, 4]"}};
  for (const auto& [size, row] : kRows) {
    const Result<Model> model = Lowered(R"(opset "" 16

entry main(%x: f32[3, 4]) -> (%y: f32[*]) {
  const %size: )" + std::string(size) + R"(
  const %at: i64[] = 2
  %rows = onnx.SplitToSequence(%x, %size) {axis = 0, keepdims = 0}
  %y = onnx.SequenceAt(%rows, %at)
}
)");
    ASSERT_TRUE(model.ok()) << model.error().ToString();
    EXPECT_EQ(model->main().output(0)->type().ToString(), row) << size;
  }
}

// Opsets 1 to 8 could have statistics of each position.
TEST(LowerOnnx, BatchNormalizationByPositionIsArithmetic) {
  const Result<Model> model = Lowered(R"(opset "" 7

entry main(%x: f32[n, 2, 3], %s: f32[2, 3], %b: f32[2, 3], %m: f32[2, 3], %v: f32[2, 3]) -> (%y: f32[*]) {
  %y = onnx.BatchNormalization(%x, %s, %b, %m, %v) {epsilon = 0.25, spatial = 0}
}
)");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(PrintGraph(*model->entries.front().graph, {.origins = false}).find("Batch"),
            std::string::npos);
  EXPECT_EQ(model->main().output(0)->type().ToString(), "f32[n, 2, 3]");
}

// Before opset 13 Softmax normalised over all axes from `axis` on.
TEST(LowerOnnx, SoftmaxOfOldCoversTheAxesBehindIt) {
  ExpectLowered(
      R"(opset "" 12

entry main(%x: f32[n, 3, 4]) -> (%y: f32[*]) {
  %y = onnx.Softmax(%x) {axis = 1}
}
)",
      R"(opset "" 22

entry main(%x: f32[n, 3, 4]) -> (%y: f32[n, 3, 4]) {
  %Shape: i64[3] = onnx.Shape(%x)
  %Flatten: f32[n, 12] = onnx.Flatten(%x) {axis = 1}
  %Softmax: f32[n, 12] = onnx.Softmax(%Flatten) {axis = 1}
  %y = onnx.Reshape(%Softmax, %Shape)
}
)");
}

TEST(LowerOnnx, SoftmaxOfOldIsThatOfTodayBeforeAxesOfSizeOne) {
  ExpectLowered(
      R"(opset "" 12

entry main(%x: f32[n, 3, 1, 1]) -> (%y: f32[*]) {
  %y = onnx.Softmax(%x) {axis = 1}
}
)",
      R"(opset "" 22

entry main(%x: f32[n, 3, 1, 1]) -> (%y: f32[n, 3, 1, 1]) {
  %y = onnx.Softmax(%x) {axis = 1}
}
)");
}

TEST(LowerOnnx, SoftmaxOfOldKeepsAxesWithoutElements) {
  const Result<Model> model = Lowered(R"(opset "" 12

entry main(%x: f32[2, 0, 3, 0]) -> (%y: f32[*]) {
  %y = onnx.Softmax(%x) {axis = 1}
}
)");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  EXPECT_EQ(model->main().output(0)->type().ToString(), "f32[2, 0, 3, 0]");
}

TEST(LowerOnnx, NonZeroOfAScalarHasOneAxis) {
  ExpectLowered(
      R"(opset "" 13

entry main(%x: bool[]) -> (%y: i64[*]) {
  %y = onnx.NonZero(%x)
}
)",
      R"(opset "" 22

entry main(%x: bool[]) -> (%y: i64[1, y]) {
  const %c: i64[1] = [1]
  %Reshape: bool[1] = onnx.Reshape(%x, %c)
  %y = onnx.NonZero(%Reshape)
}
)");
}

TEST(LowerOnnx, UpsampleIsResize) {
  ExpectLowered(
      R"(opset "" 9

entry main(%x: f32[1, 1, h, w]) -> (%y: f32[*]) {
  const %scales: f32[4] = [1.0, 1.0, 2.0, 2.0]
  %y = onnx.Upsample(%x, %scales) {mode = "nearest"}
}
)",
      R"(opset "" 22

entry main(%x: f32[1, 1, h, w]) -> (%y: f32[1, 1, 2*h, 2*w]) {
  const %scales: f32[4] = [1.0, 1.0, 2.0, 2.0]
  %y = onnx.Resize(%x, _, %scales) {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor"}
}
)");
}

TEST(LowerOnnx, NearestOfOpset10RoundsUpWhereItShrinks) {
  ExpectLowered(
      R"(opset "" 10

entry main(%x: f32[1, 1, 4, 5]) -> (%y: f32[*]) {
  const %scales: f32[4] = [1.0, 1.0, 0.6, 2.0]
  %y = onnx.Resize(%x, %scales)
}
)",
      R"(opset "" 22

entry main(%x: f32[1, 1, 4, 5]) -> (%y: f32[1, 1, 2, 10]) {
  const %scales: f32[4] = [1.0, 1.0, 0.6, 2.0]
  const %c: f32[4] = [1.0, 1.0, 1.0, 2.0]
  const %c_2: f32[4] = [1.0, 1.0, 0.6, 1.0]
  %Resize: f32[1, 1, 4, 10] = onnx.Resize(%x, _, %c) {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "floor"}
  %y = onnx.Resize(%Resize, _, %c_2) {coordinate_transformation_mode = "asymmetric", mode = "nearest", nearest_mode = "ceil"}
}
)");
}

// Before opset 7 the second operand was aligned at `axis`.
TEST(LowerOnnx, OldBroadcastingAlignsAtAnAxis) {
  ExpectLowered(
      R"(opset "" 6

entry main(%x: f32[2, 3, 4], %b: f32[3]) -> (%y: f32[*]) {
  %y = onnx.Add(%x, %b) {axis = 1, broadcast = 1}
}
)",
      R"(opset "" 22

entry main(%x: f32[2, 3, 4], %b: f32[3]) -> (%y: f32[2, 3, 4]) {
  const %c: i64[1] = [1]
  %Unsqueeze: f32[3, 1] = onnx.Unsqueeze(%b, %c)
  %y = onnx.Add(%x, %Unsqueeze)
}
)");
}

TEST(LowerOnnx, ErfOfIntegersIsComputedInF64) {
  ExpectLowered(
      R"(opset "" 13

entry main(%x: i8[n]) -> (%y: i8[*]) {
  %y = onnx.Erf(%x)
}
)",
      R"(opset "" 22

entry main(%x: i8[n]) -> (%y: i8[n]) {
  %Cast: f64[n] = onnx.Cast(%x) {to = 11}
  %Erf: f64[n] = onnx.Erf(%Cast)
  %y = onnx.Cast(%Erf) {to = 3}
}
)");
}

// Opset 1 gave one axis, and numbers of the operand's type.
TEST(LowerOnnx, TileOfOldRepeatsOneAxis) {
  ExpectLowered(
      R"(opset "" 1

entry main(%x: f64[2, n]) -> (%y: f64[*]) {
  const %tiles: f64[1] = [3.0]
  const %axis: f64[1] = [1.0]
  %y = onnx.Tile(%x, %tiles, %axis)
}
)",
      R"(opset "" 22

entry main(%x: f64[2, n]) -> (%y: f64[2, 3*n]) {
  const %tiles: f64[1] = [3.0]
  const %axis: f64[1] = [1.0]
  const %c: i64[2] = [1, 3]
  %y = onnx.Tile(%x, %c)
}
)");
  EXPECT_THAT(ErrorOf(R"(opset "" 1

entry main(%x: f32[2, n], %tiles: f32[1]) -> (%y: f32[*]) {
  const %axis: f32[1] = [1.0]
  %y = onnx.Tile(%x, %tiles, %axis)
}
)"),
              HasSubstr("must be constant whole numbers"));
}

TEST(LowerOnnx, FunctionsAreInlined) {
  ExpectLowered(
      R"(opset "" 16
opset "local" 1

entry main(%x: f32[2]) -> (%y: f32[*]) {
  %y = onnx:local.Scaled(%x) {factor = 3.0} @call
}

function onnx:local.Scaled(%x) -> (%y)
    opset "" 16
    attributes ["factor"] {
  %factor = onnx.Constant() {value_float = $factor(1)}
  %y = onnx.Mul(%x, %factor) @scale
}
)",
      R"(opset "" 22
opset "local" 1

entry main(%x: f32[2]) -> (%y: f32[2]) {
  const %factor: f32[] = 3.0
  %y = onnx.Mul(%x, %factor) @scale
}
)");
}

// What a function is not given, its calls of others are not given either.
TEST(LowerOnnx, CallsOfFusedFunctionsMayLackOperands) {
  ExpectLowered(
      R"(opset "" 22
opset "dragoman" 1
opset "local" 1

entry main(%x: f32[2]) -> (%y: f32[*]) {
  %y = onnx:local.Outer(%x, _)
}

function onnx:local.Outer(%a, %b) -> (%c) {
  %c = onnx:dragoman.Fused_1(%a, %b)
}

function onnx:dragoman.Fused_1(%p, %q) -> (%r) {
  %r = onnx.Clip(%p, %q)
}
)",
      R"(opset "" 22
opset "dragoman" 1
opset "local" 1

entry main(%x: f32[2]) -> (%y: f32[2]) {
  %y = onnx.Clip(%x)
}
)");
}

TEST(LowerOnnx, ResultsOfCallsKeepTheirNames) {
  ExpectLowered(
      R"(opset "" 16
opset "local" 1

entry main(%x: f32[2]) -> (%y: f32[*]) {
  %opposite = onnx:local.Opposite(%x)
  %y = onnx.Relu(%opposite)
}

function onnx:local.Opposite(%x) -> (%y)
    opset "" 16 {
  %y = onnx.Neg(%x)
}
)",
      R"(opset "" 22
opset "local" 1

entry main(%x: f32[2]) -> (%y: f32[2]) {
  %opposite: f32[2] = onnx.Neg(%x)
  %y = onnx.Relu(%opposite)
}
)");
}

// f0 calls f1 twice, which calls f2 twice, and so on: calls nest `depth` deep.
std::string Calls(int depth, int times) {
  std::string text =
      "opset \"\" 17\nopset \"f\" 1\n\nentry main(%x: f32[2]) -> (%y: f32[*]) {\n"
      "  %y = onnx:f.F0(%x)\n}\n";
  for (int i = 0; i < depth; ++i) {
    text += "\nfunction onnx:f.F" + std::to_string(i) + "(%a0) -> (%a" + std::to_string(times) +
            ")\n    opset \"\" 17\n    opset \"f\" 1 {\n";
    const std::string callee =
        i + 1 < depth ? "onnx:f.F" + std::to_string(i + 1) : std::string("onnx.Relu");
    for (int k = 0; k < times; ++k) {
      text += "  %a" + std::to_string(k + 1) + " = " + callee + "(%a" + std::to_string(k) + ")\n";
    }
    text += "}\n";
  }
  return text;
}

TEST(LowerOnnx, CallsThatNestTooDeepOrExpandTooFarAreRefused) {
  EXPECT_EQ(ErrorOf(Calls(200, 1)), "no error");
  EXPECT_THAT(ErrorOf(Calls(300, 1)), HasSubstr("calls and bodies nest more than 256 deep"));
  EXPECT_THAT(ErrorOf(Calls(40, 2)), HasSubstr("--expand-limit raises that"));
}

TEST(LowerOnnx, ForeignOperatorsStay) {
  ExpectLowered(
      R"(opset "" 17
opset "com.acme" 1

entry main(%x: f32[2]) -> (%y: f32[*]) {
  %y = onnx:com.acme.Magic(%x) {power = 9}
}
)",
      R"(opset "" 22
opset "com.acme" 1

entry main(%x: f32[2]) -> (%y: f32[*]) {
  %y = onnx:com.acme.Magic(%x) {power = 9}
}
)");
}

// The rank of x is 2.
TEST(LowerOnnx, AKnownConditionTakesABranch) {
  ExpectLowered(
      R"(opset "" 16

entry main(%x: f32[2, 3]) -> (%y: f32[*]) {
  const %two: i64[] = 2
  %shape = onnx.Shape(%x)
  %rank = onnx.Size(%shape)
  %same = onnx.Equal(%rank, %two)
  %y = onnx.If(%same) {else_branch = graph no() -> (%x) {}, then_branch = graph yes() -> (%n) {
    %n = onnx.Neg(%x)
  }}
}
)",
      R"(opset "" 22

entry main(%x: f32[2, 3]) -> (%y: f32[2, 3]) {
  const %two: i64[] = 2
  %shape: i64[2] = onnx.Shape(%x)
  %rank: i64[] = onnx.Size(%shape)
  %same: bool[] = onnx.Equal(%rank, %two)
  %y = onnx.Neg(%x)
}
)");
}

// Branches have no inputs; some writers list the values that a branch captures.
TEST(LowerOnnx, InputsOfABranchAreOuterValues) {
  ExpectLowered(
      R"(opset "" 16

entry main(%x: f32[2], %c: bool[]) -> (%y: f32[*]) {
  %x_in = onnx.Identity(%x)
  %y = onnx.If(%c) {else_branch = graph no() -> (%x_in) {}, then_branch = graph yes(%x_in: f32[2]) -> (%n) {
    %n = onnx.Neg(%x_in)
  }}
}
)",
      R"(opset "" 22

entry main(%x: f32[2], %c: bool[]) -> (%y: f32[2]) {
  %x_in: f32[2] = onnx.Identity(%x)
  %y = onnx.If(%c) {else_branch = graph no() -> (%x_in) {}, then_branch = graph yes() -> (%n: f32[2]) {
    %n = onnx.Neg(%x_in)
  }}
}
)");
}

// The body of the inlined branch came first with a name that is the model's output.
TEST(LowerOnnx, AnOutputKeepsItsNameWhereABodyHasIt) {
  const Result<Model> model = Lowered(R"(opset "" 17

entry main(%x: f32[3], %p: bool[]) -> (%o: f32[3]) {
  %first = onnx.If(%p) {else_branch = graph e() -> (%o) {
    %o = onnx.Neg(%x)
  }, then_branch = graph t() -> (%o) {
    %o = onnx.Abs(%x)
  }}
  %o = onnx.Exp(%first)
}
)");
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  const std::string text = PrintText(*model);
  const Result<Model> again = ParseText(text);
  EXPECT_TRUE(again.ok()) << again.error().ToString() << text;
  EXPECT_EQ(model->main().output(0)->name(), "o");
}

// Some exporters give one element a channel, as opset 21 does.
TEST(LowerOnnx, ScaleOfGroupNormalizationHasAnElementAGroup) {
  constexpr std::string_view kText = R"(opset "" 18

entry main(%x: f32[n, 4, 3], %s: f32[4]) -> (%y: f32[*]) {
  %y = onnx.GroupNormalization(%x, %s, %s) {num_groups = 2}
}
)";
  EXPECT_THAT(ErrorOf(kText), HasSubstr("operand 1 is f32[4]; below opset 21 it has an element a "
                                        "group, 2"));
}

TEST(LowerOnnx, RefusesWhatItCannotExpress) {
  EXPECT_THAT(ErrorOf(R"(opset "" 16
entry main(%x: f32[2], %c: bool[]) -> (%y: f32[*]) {
  %y = onnx.If(%c) {else_branch = graph no() -> (%x) {}, then_branch = graph yes(%z: f32[2]) -> (%z) {}}
})"),
              HasSubstr("branch 'yes' has input 'z', which is not a value computed before"));
  EXPECT_THAT(ErrorOf(R"(opset "" 6
entry main(%x: f32[1, 2, 3], %s: f32[2]) -> (%y: f32[*]) {
  %y, %m, %v, %n, %w = onnx.BatchNormalization(%x, %s, %s, %s, %s) @norm
})"),
              HasSubstr("'norm' (onnx.BatchNormalization): error: training-mode"));
  EXPECT_THAT(ErrorOf(R"(opset "" 22
opset "local" 1
entry main(%x: f32[2], %c: bool[], %m: i64[]) -> (%y: f32[2]) {
  %y = onnx:local.Outer(%x, %c, %m, _)
}
function onnx:local.Outer(%a, %c, %m, %b) -> (%r) {
  %r = onnx.Loop(%m, %c, %a) {body = graph turn(%i, %k, %v) -> (%k, %b) {}}
})"),
              HasSubstr("graph 'turn': error: output 1 is an operand that the call leaves out"));
}

// Of ONNX's history: Reshape has allowzero from 14 on, Softmax is copied from 13 on, Clip lost its
// bounds in 11, CastLike and the operators of ai.onnx.ml are lowered by functions.
TEST(LowerOnnx, RefusesAttributesThatTheOperatorSetLacks) {
  const auto error = [](const std::string& opset, const std::string& node) {
    return ErrorOf("opset \"\" " + opset + "\nopset \"ai.onnx.ml\" 3\n" +
                   "entry main(%x: f32[2], %i: i64[1]) -> (%y) { %y = onnx" + node + " }");
  };
  EXPECT_EQ(error("14", ".Reshape(%x, %i) {allowzero = 1}"), "no error");
  EXPECT_THAT(error("13", ".Reshape(%x, %i) {allowzero = 0}"),
              HasSubstr("has attribute 'allowzero', which the operator has from opset 14 on; this "
                        "node is of opset 13"));
  EXPECT_THAT(error("13", ".Clip(%x) {min = 0.0}"), HasSubstr("'min', which the operator has up to "
                                                              "opset 10"));
  EXPECT_THAT(error("13", ".Softmax(%x) {axes = 0}"), HasSubstr("has no attribute 'axes'"));
  EXPECT_THAT(error("12", ".Softmax(%x) {axes = 0}"), HasSubstr("'axes' is not known"));
  EXPECT_THAT(error("19", ".CastLike(%x, %i) {to = 1, mode = 1}"),
              HasSubstr("has no attribute 'mode'"));
  EXPECT_THAT(error("13", ":ai.onnx.ml.Binarizer(%x) {limit = 1.0}"),
              HasSubstr("'limit' is not known"));
  EXPECT_THAT(error("24", ".Attention(%x, %x, %x) {left_window_size = 1}"),
              HasSubstr("'left_window_size', which the operator has from opset 25 on"));
}

TEST(LowerOnnx, WarnsOnceOfANewerOperatorSetAndReadsTheNewestKnown) {
  const Result<Model> source = ParseText(R"(dragoman 1 source onnx
opset "" 30
entry main(%x: f32[2]) -> (%y) {
  %z = onnx.Relu(%x)
  %y = onnx.Cast(%z) {round_mode = "up", to = 1}
})");
  ASSERT_TRUE(source.ok()) << source.error().ToString();
  std::vector<std::string> warnings;
  const auto warn = [&](std::string_view text) { warnings.emplace_back(text); };
  const Result<Model> model = LowerOnnx(*source, {}, warn);
  ASSERT_TRUE(model.ok()) << model.error().ToString();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], HasSubstr("operator set 30; its operators are read as operator set 28"));
}

TEST(LowerOnnx, RefusesDeclarationsOfOtherElementTypes) {
  const auto error = [](const std::string& z, const std::string& y) {
    return ErrorOf("opset \"\" 13\nentry main(%x: f32[2]) -> (%y: " + y + ") { %z: " + z +
                   " = onnx.Relu(%x) %y = onnx.Cast(%z) {to = 7} }");
  };
  EXPECT_EQ(error("f32[2]", "i64[2]"), "no error");
  EXPECT_THAT(error("f32[2]", "i32[2]"), HasSubstr("'y' is declared as i32[2], but is of i64"));
  EXPECT_THAT(error("f16[2]", "i64[2]"), HasSubstr("'z' is declared as f16[2], but is of f32"));
}

}  // namespace
}  // namespace dragoman

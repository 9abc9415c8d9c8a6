// SPDX-License-Identifier: Apache-2.0
// Source text and the common text that it lowers to.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorflow/lowered.h"

namespace dragoman {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(LowerTensorFlowTest, TransposesAroundConvolutionsOfChannelsLast) {
  EXPECT_EQ(Lowered(R"(
entry main(%x: f32[1, 4, 4, 2]) -> (%y: f32[*]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %w = tf.Const() {dtype = type f32[*], value = f32[1, 1, 2, 1] [[[[1.0], [2.0]]]]} @w
  %y = tf.Conv2D(%x, %w) {T = type f32[*], padding = "SAME", strides = [1, 2, 2, 1]} @y
}
)"),
            R"(
entry main(%x: f32[1, 4, 4, 2]) -> (%y: f32[1, 2, 2, 1]) {
  const %w: f32[1, 1, 2, 1] = [[[[1.0], [2.0]]]]
  %Transpose: f32[1, 2, 4, 4] = onnx.Transpose(%x) {perm = [0, 3, 1, 2]}
  %Transpose_2: f32[1, 2, 1, 1] = onnx.Transpose(%w) {perm = [3, 2, 0, 1]}
  %Conv: f32[1, 1, 2, 2] = onnx.Conv(%Transpose, %Transpose_2) {dilations = [1, 1], group = 1, kernel_shape = [1, 1], strides = [2, 2], pads = [0, 0, 0, 0]}
  %y = onnx.Transpose(%Conv) {perm = [0, 2, 3, 1]}
}
)");
}

// x * 2 if x > 0, else x * 3: the sides hang on the two results of a Switch.
TEST(LowerTensorFlowTest, RaisesSwitchAndMergeToIf) {
  EXPECT_EQ(Lowered(R"(
entry main(%x: f32[]) -> (%y: f32[]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["m:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %zero = tf.Const() {dtype = type f32[*], value = f32[] 0.0} @zero
  %p = tf.Greater(%x, %zero) @p
  %s, %"s:1" = tf.Switch(%x, %p) @s
  %two = tf.Const() {dtype = type f32[*], value = f32[] 2.0} @two
  %three = tf.Const() {dtype = type f32[*], value = f32[] 3.0} @three
  %t = tf.Mul(%"s:1", %two) @t
  %f = tf.Mul(%s, %three) @f
  %m, %"m:1" = tf.Merge(%f, %t) @m
}
)"),
            R"(
entry main(%x: f32[]) -> (%y: f32[]) {
  const %zero: f32[] = 0.0
  const %two: f32[] = 2.0
  const %three: f32[] = 3.0
  %Greater: bool[] = onnx.Greater(%x, %zero)
  %y = onnx.If(%Greater) {else_branch = graph() -> (%Mul_2: f32[]) {
    %Mul_2 = onnx.Mul(%x, %three)
  }, then_branch = graph() -> (%Mul: f32[]) {
    %Mul = onnx.Mul(%x, %two)
  }}
}
)");
}

// As tf.cond writes it: what is pinned to a side hangs on a Switch of the predicate itself, the
// data on Switches of a copy of it.
TEST(LowerTensorFlowTest, TakesCopiesOfAPredicateForThePredicate) {
  const std::string lowered = Lowered(R"(
entry main(%x: f32[], %p: bool[]) -> (%y: f32[]) {
  %y = tf:graph.main(%x, %p) {feeds = ["x:0", "p:0"], fetches = ["m:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %p = tf.Placeholder() {dtype = type bool[*]} @p
  %pin, %"pin:1" = tf.Switch(%p, %p) @pin
  %pin_t, %"^pin_t": control = tf.Identity(%"pin:1") @pin_t
  %pred_id = tf.Identity(%p) @pred_id
  %s, %"s:1" = tf.Switch(%x, %pred_id) @s
  %two = tf.Const(%"^pin_t") {dtype = type f32[*], value = f32[] 2.0} @two
  %t = tf.Mul(%"s:1", %two) @t
  %m, %"m:1" = tf.Merge(%s, %t) @m
}
)");
  EXPECT_THAT(lowered, HasSubstr("onnx.If(%p)"));
  EXPECT_THAT(lowered, HasSubstr("onnx.Mul(%x, %two)"));
}

// What differentiates a sum with a bias asks along which axes the bias was broadcast; the batch is
// open. Sizes of which either may be 1 say nothing.
TEST(LowerTensorFlowTest, FindsAxesOfBroadcastsOfOpenSizes) {
  const auto lowered = [](const std::string& x, const std::string& y) {
    return Lowered("entry main(%x: " + x + ", %y: " + y + R"() -> (%a: i32[*], %b: i32[*]) {
  %a, %b = tf:graph.main(%x, %y) {feeds = ["x:0", "y:0"], fetches = ["axes:0", "axes:1"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %y = tf.Placeholder() {dtype = type f32[*]} @y
  %sx = tf.Shape(%x) {T = type f32[*]} @sx
  %sy = tf.Shape(%y) {T = type f32[*]} @sy
  %axes, %"axes:1" = tf.BroadcastGradientArgs(%sx, %sy) @axes
}
)");
  };
  EXPECT_THAT(lowered("f32[batch, 3]", "f32[3]"),
              AllOf(HasSubstr("%a: i32[0], %b: i32[1]"), HasSubstr("i64[1] = [0]")));
  EXPECT_THAT(lowered("f32[batch, 1]", "f32[batch, 3]"),
              AllOf(HasSubstr("%a: i32[1], %b: i32[0]"), HasSubstr("i64[1] = [1]")));
  EXPECT_THAT(lowered("f32[batch, 3]", "f32[rows, 3]"),
              HasSubstr("which of sizes batch and rows is broadcast is not known"));
  EXPECT_THAT(lowered("f32[batch, 3]", "f32[2, 3]"), HasSubstr("is not known"));
}

TEST(LowerTensorFlowTest, RefusesWholeSingularVectorsOfComplexMatrices) {
  EXPECT_THAT(Lowered(R"(entry main(%x: c64[3, 2]) -> (%u: c64[3, 3]) {
  %u = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["svd:1"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type c64[*]} @x
  %s, %"svd:1", %"svd:2" = tf.Svd(%x) {compute_uv = true, full_matrices = true} @svd
}
)"),
              HasSubstr("matrices of c64"));
}

// As freezing writes tf.switch_case: x, -x, or x + x for all other numbers.
TEST(LowerTensorFlowTest, RaisesSwitchesOfSeveralWaysToIfs) {
  EXPECT_EQ(Lowered(R"(
entry main(%x: f32[], %n: i32[]) -> (%y: f32[]) {
  %y = tf:graph.main(%x, %n) {feeds = ["x:0", "n:0"], fetches = ["m:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %n = tf.Placeholder() {dtype = type i32[*]} @n
  %s, %"s:1", %"s:2" = tf._SwitchN(%x, %n) {T = type f32[*], num_outs = 3} @s
  %second = tf.Neg(%"s:1") @second
  %third = tf.Add(%"s:2", %"s:2") @third
  %m, %"m:1" = tf.Merge(%s, %second, %third) @m
}
)"),
            R"(
entry main(%x: f32[], %n: i32[]) -> (%y: f32[]) {
  const %c: i32[] = 0
  %Equal: bool[] = onnx.Equal(%n, %c)
  %y = onnx.If(%Equal) {else_branch = graph() -> (%if: f32[]) {
    const %c_2: i32[] = 1
    %Equal_2: bool[] = onnx.Equal(%n, %c_2)
    %if = onnx.If(%Equal_2) {else_branch = graph() -> (%Add: f32[]) {
      %Add = onnx.Add(%x, %x)
    }, then_branch = graph() -> (%Neg: f32[]) {
      %Neg = onnx.Neg(%x)
    }}
  }, then_branch = graph() -> (%Identity: f32[]) {
    %Identity = onnx.Identity(%x)
  }}
}
)");
}

// Halves x until it is below 1: the number of iterations is not known.
TEST(LowerTensorFlowTest, RaisesFramesToLoops) {
  EXPECT_EQ(Lowered(R"(
entry main(%x: f32[]) -> (%y: f32[]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["exit:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %enter = tf.Enter(%x) {frame_name = "loop"} @enter
  %half = tf.Const() {dtype = type f32[*], value = f32[] 0.5} @half
  %half_enter = tf.Enter(%half) {frame_name = "loop", is_constant = true} @half_enter
  %one = tf.Const() {dtype = type f32[*], value = f32[] 1.0} @one
  %one_enter = tf.Enter(%one) {frame_name = "loop", is_constant = true} @one_enter
  %merge = tf.Merge(%enter, %next) @merge
  %goes_on = tf.GreaterEqual(%merge, %one_enter) @goes_on
  %cond = tf.LoopCond(%goes_on) @cond
  %switch, %"switch:1" = tf.Switch(%merge, %cond) @switch
  %halved = tf.Mul(%"switch:1", %half_enter) @halved
  %next = tf.NextIteration(%halved) @next
  %exit = tf.Exit(%switch) @exit
}
)"),
            R"(
entry main(%x: f32[]) -> (%y: f32[]) {
  const %one: f32[] = 1.0
  const %half: f32[] = 0.5
  %GreaterOrEqual: bool[] = onnx.GreaterOrEqual(%x, %one)
  %y = onnx.Loop(_, %GreaterOrEqual, %x) {body = graph(%i_2: i64[], %more_2: bool[], %merge: f32[]) -> (%GreaterOrEqual_5: bool[], %Mul_2: f32[]) {
    %GreaterOrEqual_4: bool[] = onnx.GreaterOrEqual(%merge, %one)
    %Mul_2 = onnx.Mul(%merge, %half)
    %GreaterOrEqual_5 = onnx.GreaterOrEqual(%Mul_2, %one)
  }}
}
)");
}

// The mission's counter: the read comes after the assignment, by a control edge.
TEST(LowerTensorFlowTest, MakesStatesOfVariablesInTheOrderOfControlEdges) {
  EXPECT_EQ(Lowered(R"(
state counter: f32[] = f32[] 1.0
state fixed: f32[] = f32[] 7.0

entry main() -> (%y: f32[], %z: f32[]) {
  %y, %z = tf:graph.main() {feeds = strings [], fetches = ["id:0", "fixed_read:0"]}
}

function tf:graph.main() -> () {
  %id = tf.Identity(%read) {T = type f32[*]} @id
  %read = tf.ReadVariableOp(%v, %"^add") {dtype = type f32[*]} @read
  %one = tf.Const() {dtype = type f32[*], value = f32[] 1.0} @one
  %"^add": control = tf.AssignAddVariableOp(%v, %one) {dtype = type f32[*]} @add
  %v = tf.VarHandleOp() {dtype = type f32[*], shared_name = "counter"} @v
  %w = tf.VarHandleOp() {dtype = type f32[*], shared_name = "fixed"} @w
  %fixed_read = tf.ReadVariableOp(%w) {dtype = type f32[*]} @fixed_read
}
)"),
            R"(state counter: f32[] = f32[] 1.0

entry main(%counter: f32[]) -> (%y: f32[], %z: f32[], %y: f32[])
    state 0 input 0 -> output 2 {
  const %one: f32[] = 1.0
  const %fixed: f32[] = 7.0
  %y = onnx.Add(%counter, %one)
  %z = onnx.Identity(%fixed)
}
)");
}

// Operators whose rank TensorFlow fixes need not be given it.
// As Grappler leaves a function that it inlined: its constants wait for the inputs of the graph.
TEST(LowerTensorFlowTest, ConstantsMayWaitForInputs) {
  EXPECT_EQ(Lowered(R"(
entry main(%x: f32[2]) -> (%y: f32[2]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %x, %"^x": control = tf.Placeholder() {dtype = type f32[*]} @x
  %"^inputs": control = tf.NoOp(%"^x") @inputs
  %two = tf.Const(%"^inputs") {dtype = type f32[*], value = f32[] 2.0} @two
  %y = tf.Mul(%x, %two) @y
}
)"),
            R"(
entry main(%x: f32[2]) -> (%y: f32[2]) {
  const %two: f32[] = 2.0
  %y = onnx.Mul(%x, %two)
}
)");
}

TEST(LowerTensorFlowTest, TakesOperandsOfUnknownRank) {
  const std::string text = Lowered(R"(
entry main(%x: f32[*], %s: f32[3], %m: f32[*]) -> (%y: f32[*], %z: f32[*]) {
  %y, %z = tf:graph.main(%x, %s, %m) {feeds = ["x:0", "s:0", "m:0"], fetches = ["y:0", "z:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %s = tf.Placeholder() {dtype = type f32[*]} @s
  %m = tf.Placeholder() {dtype = type f32[*]} @m
  %y, %"y:1", %"y:2", %"y:3", %"y:4", %"y:5" = tf.FusedBatchNormV3(%x, %s, %s, %s, %s) {T = type f32[*], U = type f32[*], data_format = "NHWC", is_training = false} @y
  %z = tf.MatMul(%m, %m) {T = type f32[*], transpose_a = true} @z
}
)");
  EXPECT_THAT(text, HasSubstr("onnx.Transpose(%x) {perm = [0, 3, 1, 2]}"));
  EXPECT_THAT(text, HasSubstr("onnx.Transpose(%m) {perm = [1, 0]}"));
}

// As in a counter that TensorFlow Serving ships: the placeholder says no rank.
// A number that is not 0, or a tensor with elements, counts as true.
TEST(LowerTensorFlowTest, TakesConditionsOfUnknownRank) {
  EXPECT_EQ(Lowered(R"(
entry main(%p: f32[*], %x: f32[]) -> (%y: f32[]) {
  %y = tf:graph.main(%p, %x) {feeds = ["p:0", "x:0"], fetches = ["m:0"]}
}

function tf:graph.main() -> () {
  %p = tf.Placeholder() {dtype = type f32[*]} @p
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %s, %"s:1" = tf.Switch(%x, %p) @s
  %t = tf.Neg(%"s:1") @t
  %m, %"m:1" = tf.Merge(%s, %t) @m
}
)"),
            R"(
entry main(%p: f32[*], %x: f32[]) -> (%y: f32[]) {
  const %c: i64[1] = [-1]
  const %c_2: f32[] = 0.0
  const %c_3: i64[1] = [0]
  const %c_4: i64[] = 0
  const %c_5: i64[] = 0
  const %c_6: i64[] = 0
  %Shape: i64[?] = onnx.Shape(%p)
  %Size: i64[] = onnx.Size(%Shape)
  %Reshape: f32[?] = onnx.Reshape(%p, %c)
  %Equal: bool[?] = onnx.Equal(%Reshape, %c_2)
  %Not: bool[?] = onnx.Not(%Equal)
  %Cast: i64[?] = onnx.Cast(%Not) {to = 7}
  %ReduceMax: i64[] = onnx.ReduceMax(%Cast, %c_3) {keepdims = 0}
  %Greater: bool[] = onnx.Greater(%ReduceMax, %c_4)
  %Size_2: i64[] = onnx.Size(%p)
  %Greater_2: bool[] = onnx.Greater(%Size_2, %c_5)
  %Equal_2: bool[] = onnx.Equal(%Size, %c_6)
  %Where: bool[] = onnx.Where(%Equal_2, %Greater, %Greater_2)
  %y = onnx.If(%Where) {else_branch = graph() -> (%Identity: f32[]) {
    %Identity = onnx.Identity(%x)
  }, then_branch = graph() -> (%Neg: f32[]) {
    %Neg = onnx.Neg(%x)
  }}
}
)");
}

TEST(LowerTensorFlowTest, WhatIsAddedToAVariableHasItsSizes) {
  EXPECT_THAT(Lowered(R"(
state counter: f32[] = f32[] 1.0

entry main(%by: f32[*]) -> (%y: f32[*]) {
  %y = tf:graph.main(%by) {feeds = ["by:0"], fetches = ["add:0"]}
}

function tf:graph.main() -> () {
  %by = tf.Placeholder() {dtype = type f32[*]} @by
  %v = tf.VariableV2() {dtype = type f32[*], shape = type ?[], shared_name = "counter"} @v
  %add = tf.AssignAdd(%v, %by) {T = type f32[*]} @add
}
)"),
              HasSubstr("entry main(%by: f32[*], %counter: f32[]) -> (%y: f32[], %y: f32[])"));
}

TEST(LowerTensorFlowTest, NamesVariablesThatAreNotInitialised) {
  EXPECT_THAT(Lowered(R"(
entry main() -> (%y: f32[]) {
  %y = tf:graph.main() {feeds = strings [], fetches = ["read:0"]}
}

function tf:graph.main() -> () {
  %v = tf.VarHandleOp() {dtype = type f32[*], shared_name = "kernel"} @v
  %read = tf.ReadVariableOp(%v) {dtype = type f32[*]} @read
}
)"),
              HasSubstr("variable 'kernel' is not initialised"));
}

TEST(LowerTensorFlowTest, ReportsAllThatIsNotSupportedAtOnce) {
  const std::string said = Lowered(R"(
entry main(%x: f32[2]) -> (%y: f32[2], %z: f32[2]) {
  %y, %z = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["b:0", "c:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %a = tf.FresnelSin(%x) @a
  %b = tf.Relu(%a) @b
  %c = tf.NoSuchOperator(%x) @c
}
)");
  EXPECT_THAT(said,
              HasSubstr("node 'a' (tf.FresnelSin): error: operator FresnelSin is not supported"));
  EXPECT_THAT(said, HasSubstr("node 'c' (tf.NoSuchOperator)"));
}

TEST(LowerTensorFlowTest, RefusesATridiagonalMatrixWithoutThreeDiagonals) {
  EXPECT_THAT(Lowered(R"(
entry main(%d: f32[2, 5], %b: f32[5, 1]) -> (%y: f32[5, 1]) {
  %y = tf:graph.main(%d, %b) {feeds = ["d:0", "b:0"], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %d = tf.Placeholder() {dtype = type f32[*]} @d
  %b = tf.Placeholder() {dtype = type f32[*]} @b
  %y = tf.TridiagonalSolve(%d, %b) {T = type f32[*]} @y
}
)"),
              HasSubstr("the operand does not hold three diagonals"));
}

// The assertion is in the side that is taken only if it holds, and comes before what waits for it.
TEST(LowerTensorFlowTest, KeepsAssertionsOfTheSidesOfConditions) {
  EXPECT_EQ(Lowered(R"(
entry main(%x: f32[]) -> (%y: f32[]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["if:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %zero = tf.Const() {dtype = type f32[*], value = f32[] 0.0} @zero
  %p = tf.Greater(%x, %zero) @p
  %if = tf.If(%p, %x) {then_branch = @small, else_branch = @same} @if
}

function tf.small(%x: f32[*]) -> (%y, %"^assert") {
  %ten = tf.Const() {dtype = type f32[*], value = f32[] 10.0} @ten
  %text = tf.Const() {dtype = type str[*], value = str[] "x is too large"} @text
  %is_small = tf.Less(%x, %ten) @is_small
  %"^assert": control = tf.Assert(%is_small, %text) @assert
  %y = tf.Neg(%x, %"^assert") @y
}

function tf.same(%x: f32[*]) -> (%x) {
}
)"),
            R"(
entry main(%x: f32[]) -> (%y: f32[]) {
  const %zero: f32[] = 0.0
  const %ten: f32[] = 10.0
  const %text: str[] = "x is too large"
  %Greater: bool[] = onnx.Greater(%x, %zero)
  %y = onnx.If(%Greater) {else_branch = graph() -> (%Identity: f32[]) {
    %Identity = onnx.Identity(%x)
  }, then_branch = graph() -> (%Neg: f32[]) {
    %Less: bool[] = onnx.Less(%x, %ten)
    dragoman.Assert(%Less) {message = "x is too large"}
    %Neg = onnx.Neg(%x)
  }}
}
)");
}

TEST(LowerTensorFlowTest, RefusesFunctionsThatCallThemselves) {
  EXPECT_THAT(Lowered(R"(
entry main(%x: f32[]) -> (%y: f32[]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %y = tf.PartitionedCall(%x) {f = @again} @y
}

function tf.again(%x: f32[*]) -> (%y) {
  %y = tf.PartitionedCall(%x) {f = @again} @y
}
)"),
              HasSubstr("function 'again' calls itself"));
}

TEST(LowerTensorFlowTest, RefusesCyclesThatAreNoLoops) {
  EXPECT_THAT(Lowered(R"(
entry main(%x: f32[]) -> (%y: f32[]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["a:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %a = tf.Add(%x, %b) @a
  %b = tf.Neg(%a) @b
}
)"),
              HasSubstr("it depends on itself"));
}

// Nothing outside can see in which iteration it was computed, or whether it was.
TEST(LowerTensorFlowTest, RefusesResultsWithinLoopsAndConditions) {
  const auto fetching = [](const std::string& tensor) {
    return Lowered(R"(
entry main(%x: f32[]) -> (%y: f32[]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = [")" +
                   tensor + R"(:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %enter = tf.Enter(%x) {frame_name = "loop"} @enter
  %merge = tf.Merge(%enter, %next) @merge
  %goes_on = tf.Less(%merge, %merge) @goes_on
  %cond = tf.LoopCond(%goes_on) @cond
  %switch, %"switch:1" = tf.Switch(%merge, %cond) @switch
  %next = tf.NextIteration(%"switch:1") @next
  %unread = tf.Neg(%"switch:1") @unread
  %exit = tf.Exit(%switch) @exit
  %zero = tf.Const() {dtype = type f32[*], value = f32[] 0.0} @zero
  %p = tf.Greater(%x, %zero) @p
  %s, %"s:1" = tf.Switch(%x, %p) @s
  %side = tf.Neg(%"s:1") @side
}
)");
  };
  EXPECT_THAT(fetching("unread"), HasSubstr("'unread' is computed in iterations of a loop only"));
  EXPECT_THAT(fetching("side"), HasSubstr("'side' is computed under a condition only"));
}

// Written one by one by a loop whose length is known, and stacked.
TEST(LowerTensorFlowTest, SetsElementsOfListsInLoops) {
  EXPECT_EQ(Lowered(R"(
entry main(%x: f32[2, 3]) -> (%y: f32[2, 3]) {
  %y = tf:graph.main(%x) {feeds = ["x:0"], fetches = ["y:0"]}
}

function tf:graph.main() -> () {
  %x = tf.Placeholder() {dtype = type f32[*]} @x
  %zero = tf.Const() {dtype = type i32[*], value = i32[] 0} @zero
  %two = tf.Const() {dtype = type i32[*], value = i32[] 2} @two
  %shape = tf.Const() {dtype = type i32[*], value = i32[1] [3]} @shape
  %in = tf.TensorListFromTensor(%x, %shape) {element_dtype = type f32[*]} @in
  %out = tf.TensorListReserve(%shape, %two) {element_dtype = type f32[*]} @out
  %while, %"while:1", %"while:2" = tf.While(%zero, %in, %out) {cond = @cond, body = @body} @while
  %y = tf.TensorListStack(%"while:2", %shape) {element_dtype = type f32[*]} @y
}

function tf.cond(%i: i32[*], %in, %out) -> (%more) {
  %two = tf.Const() {dtype = type i32[*], value = i32[] 2} @two
  %more = tf.Less(%i, %two) @more
}

function tf.body(%i: i32[*], %in, %out) -> (%next, %in, %set) {
  %one = tf.Const() {dtype = type i32[*], value = i32[] 1} @one
  %next = tf.AddV2(%i, %one) @next
  %shape = tf.Const() {dtype = type i32[*], value = i32[1] [3]} @shape
  %row = tf.TensorListGetItem(%in, %i, %shape) {element_dtype = type f32[*]} @row
  %twice = tf.Add(%row, %row) @twice
  %set = tf.TensorListSetItem(%out, %i, %twice) {element_dtype = type f32[*]} @set
}
)"),
            R"(
entry main(%x: f32[2, 3]) -> (%y: f32[2, 3]) {
  const %shape: i32[1] = [3]
  const %c: i64[1] = [3]
  const %two: i32[] = 2
  const %c_2: i64[] = 2
  const %c_3: i64[1] = [1]
  const %c_4: i64[2] = [2, 3]
  const %zero: i32[] = 0
  const %two_2: i32[] = 2
  const %one: i32[] = 1
  const %shape_2: i32[1] = [3]
  const %c_5: i64[1] = [3]
  const %c_6: i64[1] = [3]
  const %c_7: i64[2] = [1, 1]
  const %c_8: i64[1] = [0]
  const %c_9: i64[1] = [3]
  const %c_10: i64[1] = [3]
  const %c_11: i64[2] = [1, 1]
  const %c_12: i64[1] = [0]
  const %c_13: i64[1] = [3]
  %Reshape: i64[1] = onnx.Reshape(%c_2, %c_3)
  %ConstantOfShape: f32[2, 3] = onnx.ConstantOfShape(%c_4) {value = f32[1] [0.0]}
  %Less: bool[] = onnx.Less(%zero, %two_2)
  %Add: i32[] = onnx.Add(%zero, %one)
  %Cast: i64[] = onnx.Cast(%zero) {to = 7}
  %Gather: f32[3] = onnx.Gather(%x, %Cast) {axis = 0}
  %Add_2: f32[3] = onnx.Add(%Gather, %Gather)
  %Cast_2: i64[] = onnx.Cast(%zero) {to = 7}
  %Reshape_2: i64[1, 1] = onnx.Reshape(%Cast_2, %c_7)
  %Unsqueeze: f32[1, 3] = onnx.Unsqueeze(%Add_2, %c_8)
  %ScatterND: f32[2, 3] = onnx.ScatterND(%ConstantOfShape, %Reshape_2, %Unsqueeze)
  %Less_2: bool[] = onnx.Less(%Add, %two_2)
  %Add_3: i32[] = onnx.Add(%Add, %one)
  %Cast_3: i64[] = onnx.Cast(%Add) {to = 7}
  %Gather_2: f32[3] = onnx.Gather(%x, %Cast_3) {axis = 0}
  %Add_4: f32[3] = onnx.Add(%Gather_2, %Gather_2)
  %Cast_4: i64[] = onnx.Cast(%Add) {to = 7}
  %Reshape_3: i64[1, 1] = onnx.Reshape(%Cast_4, %c_11)
  %Unsqueeze_2: f32[1, 3] = onnx.Unsqueeze(%Add_4, %c_12)
  %y = onnx.ScatterND(%ScatterND, %Reshape_3, %Unsqueeze_2)
  %Less_3: bool[] = onnx.Less(%Add_3, %two_2)
}
)");
}

}  // namespace
}  // namespace dragoman

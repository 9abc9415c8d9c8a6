// SPDX-License-Identifier: Apache-2.0
// Which steps and buffers a graph becomes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(MakePlan, PreparesAProductWithConstantWeights) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 3]) -> (%y: f32[1, 2]) {
    const %w: f32[2, 3] = [[0.5, 1.0, -0.25], [0.0, 2.0, 1.0]]
    %y = dragoman.Linear(%x, %w)
  })");
  EXPECT_THAT(Steps(plan), ElementsAre(IsA<PreparedStep>()));
  ASSERT_THAT(plan.prepared, SizeIs(1));
  EXPECT_EQ(plan.prepared[0].type, "rt::OwnLinear");
  EXPECT_EQ(Named(plan, "y").storage, Storage::kOutput);
  EXPECT_EQ(plan.arena_bytes, 0);
}

TEST(MakePlan, PreparesARecurrentOperatorWithConstantWeights) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[2, 1, 1], %h: f32[1, 1, 1]) -> (%last) {
    const %w: f32[1, 3, 1] = [[[1.0], [2.0], [3.0]]]
    const %r: f32[1, 3, 1] = [[[4.0], [5.0], [6.0]]]
    %all, %last = onnx.GRU(%x, %w, %r, _, _, %h) {hidden_size = 1}
  })");
  ASSERT_THAT(Steps(plan), ElementsAre(IsA<PreparedStep>()));
  EXPECT_EQ(plan.prepared[0].type, "rt::PreparedRecurrent");
  EXPECT_THAT(plan.prepared[0].constants, ElementsAre(testing::Ge(0), testing::Ge(0), kAbsent));
  EXPECT_EQ(plan.buffer(Steps(plan).front().As<PreparedStep>()->places[1]).label, "last");
}

TEST(MakePlan, ComputesOnceWhatDependsOnConstantsAlone) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 3]) -> (%y: f32[1, 2]) {
    const %half: f32[] = 0.5
    const %sizes: i64[2] = [2, 3]
    %w = onnx.Expand(%half, %sizes)
    %y = dragoman.Linear(%x, %w)
  })");
  ASSERT_THAT(plan.constants.steps, SizeIs(1));
  EXPECT_THAT(Steps(plan), ElementsAre(IsA<PreparedStep>()));
  EXPECT_EQ(plan.prepared[0].constants.front(), plan.constants.steps[0].results.front());
}

TEST(MakePlan, KeepsTheNamesOfWhatAFusedNodeGives) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[1, 3]) -> (%gate: f32[1, 2]) {
    const %w: f32[2, 3] = [[0.5, 1.0, -0.25], [0.0, 2.0, 1.0]]
    %gate = dragoman.Fused(%x, %w) {body = graph body(%x_2: f32[1, 3], %w_2: f32[2, 3]) -> (%gate_2: f32[1, 2]) {
      %sum: f32[1, 2] = dragoman.Linear(%x_2, %w_2)
      %gate_2 = onnx.Sigmoid(%sum)
    }}
  })");
  EXPECT_EQ(Named(plan, "gate").storage, Storage::kOutput);
}

// Its scratch memory depends on them, whatever the model says of the result.
TEST(MakePlan, AsksForTheSizesOfATransformAlongAnAxisThatTheRunTells) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[2, 10, 6, 1], %axis: i64[]) -> (%y) {
    %y: f32[2, 10, 6, 2] = onnx.DFT(%x, _, %axis)
  })");
  EXPECT_EQ(Steps(plan).front().sizes.function, "DFTShape");
}

TEST(MakePlan, PacksTheWeightsOfAProductWhoseRowsAreNotKnown) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[n, 3]) -> (%y: f32[n, 2]) {
    const %w: f32[2, 3] = [[0.5, 1.0, -0.25], [0.0, 2.0, 1.0]]
    %z: f32[n, 2] = dragoman.Linear(%x, %w)
    %y = onnx.Relu(%z)
  })");
  ASSERT_THAT(Steps(plan), ElementsAre(IsA<PreparedStep>()));
  EXPECT_EQ(plan.prepared[0].type, "rt::PackedLinear");
  EXPECT_EQ(plan.prepared[0].post.activation, rt::FusedActivation::kRelu);
  EXPECT_EQ(Steps(plan).front().sizes.function, "LinearShape");
}

TEST(MakePlan, KeepsTheWeightsOfAProductWhoseRowsAreNotKnownInHalf) {
  PlanOptions options;
  options.precision = rt::Precision::kBF16;
  const Plan plan = PlanOf(R"(graph main(%x: f32[n, 3]) -> (%y: f32[n, 2]) {
    const %w: f32[2, 3] = [[0.5, 1.0, -0.25], [0.0, 2.0, 1.0]]
    const %v: f32[2, 2] = [[0.5, 1.0], [0.0, 2.0]]
    %z: f32[n, 2] = dragoman.Linear(%x, %w)
    %y = dragoman.Linear(%z, %v)
  })",
                           options);
  ASSERT_THAT(plan.prepared, SizeIs(2));
  EXPECT_EQ(plan.buffer(plan.prepared[0].constants[0]).dtype, DType::kBF16);
  EXPECT_EQ(plan.buffer(plan.prepared[1].constants[0]).dtype, DType::kF32);
}

TEST(MakePlan, TakesAProductThatNeedsNoPreparationWhereNothingIsKnown) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[n, 3], %w: f32[2, 3]) -> (%y: f32[n, 2]) {
    %y = dragoman.Linear(%x, %w)
  })");
  const Step& step = Steps(plan).front();
  ASSERT_TRUE(step.Is<KernelStep>());
  EXPECT_EQ(step.As<KernelStep>()->function, "DynamicLinear");
}

TEST(MakePlan, PreparesARecurrentOperatorForRunsOfAnySizes) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[t, n, 1], %h: f32[1, n, 1]) -> (%last) {
    const %w: f32[1, 3, 1] = [[[1.0], [2.0], [3.0]]]
    const %r: f32[1, 3, 1] = [[[4.0], [5.0], [6.0]]]
    %all, %last = onnx.GRU(%x, %w, %r, _, _, %h) {hidden_size = 1}
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("rt::DynamicRecurrent"));
  EXPECT_EQ(plan.buffer(Steps(plan).front().As<PreparedStep>()->places[1]).label, "last");
}

TEST(MakePlan, PreparesARecurrentOperatorWhoseSequencesEndEarly) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[t, n, 1], %lengths: i32[n]) -> (%last) {
    const %w: f32[1, 3, 1] = [[[1.0], [2.0], [3.0]]]
    const %r: f32[1, 3, 1] = [[[4.0], [5.0], [6.0]]]
    %all, %last = onnx.GRU(%x, %w, %r, _, %lengths) {hidden_size = 1, activations = ["HardSigmoid", "Tanh"], clip = 2.0}
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("rt::DynamicRecurrent"));
  EXPECT_EQ(plan.buffer(Steps(plan).front().inputs[1]).label, "lengths");
}

TEST(MakePlan, PreparesPoolsWhoseSizesAreNotKnown) {
  const auto pool = [](std::string_view attributes) {
    return Calls(PlanOf("graph main(%x: f32[n, 3, h, h]) -> (%y: f32[n, 3, _, _]) {\n"
                        "  %y = onnx.MaxPool(%x) {kernel_shape = [2, 2]" +
                        std::string(attributes) + "}\n}"))
        .front();
  };
  EXPECT_EQ(pool(""), "rt::DynamicPool<rt::MaxPoolParams>");
  EXPECT_EQ(pool(", strides = [2, 2], pads = [1, 0, 1, 0]"), "rt::DynamicPool<rt::MaxPoolParams>");
  EXPECT_EQ(pool(", ceil_mode = 1"), "rt::DynamicPool<rt::MaxPoolParams>");
  EXPECT_EQ(pool(", dilations = [2, 2]"), "MaxPool<float>");
}

TEST(MakePlan, PreparesResizesWhoseSizesAreNotKnownUnlessScalesAreNot) {
  const auto resize = [](std::string_view operands) {
    return Calls(PlanOf("graph main(%x: f32[n, 3, h, 5], %by: f32[4], %to: i64[4]) -> (%y) {\n"
                        "  const %twice: f32[4] = [1.0, 1.0, 2.0, 2.0]\n"
                        "  %y: f32[_, _, _, _] = onnx.Resize(%x, " +
                        std::string(operands) + ") {mode = \"linear\"}\n}"))
        .front();
  };
  EXPECT_EQ(resize("_, %twice"), "rt::DynamicResize");
  EXPECT_EQ(resize("_, _, %to"), "rt::DynamicResize");
  EXPECT_EQ(resize("_, %by"), "Resize<float, float>");
  const Plan features = PlanOf(
      "graph main(%x: f32[n, 1024, h, w], %to: i64[4]) -> (%y) {\n"
      "  %y: f32[_, _, _, _] = onnx.Resize(%x, _, _, %to) {mode = \"linear\"}\n}");
  EXPECT_THAT(Calls(features), ElementsAre("rt::DynamicResize"));
}

// The call of the node that gives y: of operands x and v, both of sizes (2, 3, 4, 4).
std::string CallOf(std::string_view node, std::string_view type = "f32") {
  const std::string sized = std::string(type) + "[2, 3, 4, 4]";
  return Calls(PlanOf("graph main(%x: " + sized + ", %v: " + sized + ") -> (%y) {\n  " +
                      std::string(node) + "\n}"))
      .back();
}

TEST(MakePlan, CallsLoopsOfItsOwnWhereTheyFit) {
  const std::string_view sample =
      "const %begin: i64[1] = [0]\n  const %end: i64[1] = [2]\n  const %axis: i64[1] = [3]\n"
      "  %g = onnx.Slice(%v, %begin, %end, %axis)\n  %y = onnx.GridSample(%x, %g)";
  EXPECT_EQ(CallOf(sample), "GridSampleFloats");
  EXPECT_EQ(CallOf(sample, "f64"), "GridSample<double, double>");
  EXPECT_EQ(CallOf("%y = onnx.Conv(%x, %v)"), "rt::ComputedConv");
  EXPECT_EQ(CallOf("%y = onnx.Conv(%x, %v)", "f64"), "Conv<double>");
  EXPECT_EQ(CallOf("%y = onnx.Pow(%x, %v)"), "map");
  EXPECT_EQ(CallOf("%y = onnx.Pow(%x, %v)", "f64"), "Pow<double, double>");
  EXPECT_EQ(CallOf("%y = onnx.Mish(%x)"), "map");
  EXPECT_EQ(CallOf("%y = onnx.ArgMax(%x)"), "OnVectors<rt::ArgMax<float>>");
  EXPECT_EQ(CallOf("%y = onnx.ReduceMax(%x)"), "OnVectors<rt::ReduceMax<float>>");
  EXPECT_EQ(CallOf("%y = onnx.ReduceMax(%x)", "f64"), "ReduceMax<double>");
  const std::string_view quantise =
      "const %scale: f32[3] = [0.5, 1.0, 2.0]\n  const %zero: i8[3] = [0, 1, 2]\n"
      "  %y = onnx.QuantizeLinear(%x, %scale, %zero)";
  EXPECT_EQ(CallOf(quantise), "QuantizeTensor<std::int8_t>");
}

TEST(MakePlan, NormalizesRowsOfSeveralAxesUnlessTheScaleIsShared) {
  const auto normalize = [](std::string_view scale) {
    return Calls(PlanOf("graph main(%x: f32[2, 3, 4], %s: f32" + std::string(scale) +
                        ") -> (%y) {\n  %y = onnx.LayerNormalization(%x, %s) {axis = 1}\n}"))
        .front();
  };
  EXPECT_EQ(normalize("[3, 4]"), "LayerNormalizationRows");
  EXPECT_EQ(normalize("[4]"), "LayerNormalization<float, float>");
  EXPECT_EQ(normalize("[1, 4]"), "LayerNormalization<float, float>");
}

TEST(MakePlan, NamesWhichStepsCallReferenceKernelsThoughOthersNeedNot) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[4, 2]) -> (%z: f64[4, 2]) {
    const %w: f32[2, 2] = [[0.5, 1.0], [0.0, 2.0]]
    const %v: f64[2, 2] = [[0.5, 1.0], [0.0, 2.0]]
    %y: f32[4, 2] = onnx.MatMul(%x, %w)
    %wide: f64[4, 2] = onnx.Cast(%y) {to = 11}
    %z = onnx.MatMul(%wide, %v)
  })");
  ASSERT_EQ(plan.reference_steps.size(), 1u);
  EXPECT_GT(plan.reference_steps.front().share, 0.4);
  EXPECT_LT(plan.reference_steps.front().share, 0.6);
}

TEST(MakePlan, PreparesResizeByConstantSizesUnlessItOnlyMoves) {
  const auto resize = [](std::string_view operands, std::string_view attributes) {
    return Calls(PlanOf("graph main(%x: f32[1, 3, 4, 5], %to: i64[4]) -> (%y: f32[1, 3, 8, 9]) {\n"
                        "  const %by: f32[4] = [1.0, 1.0, 2.0, 1.9]\n"
                        "  const %sizes: i64[4] = [1, 3, 8, 9]\n  %y = onnx.Resize(%x, " +
                        std::string(operands) + ") {mode = \"" + std::string(attributes) +
                        "\"}\n}"))
        .front();
  };
  EXPECT_EQ(resize("_, %by", "linear"), "rt::PreparedResize");
  EXPECT_EQ(resize("_, _, %sizes", "cubic"), "rt::PreparedResize");
  EXPECT_EQ(resize("_, _, %to", "linear"), "Resize<float, float>");
  EXPECT_EQ(resize("_, %by", "nearest"), "Resize<float, float>");
}

TEST(MakePlan, LetsAReshapeShareMemory) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[2, 3]) -> (%y: f32[6]) {
    const %s: i64[1] = [6]
    %a = onnx.Softmax(%x)
    %b = onnx.Reshape(%a, %s)
    %y = onnx.Softmax(%b)
  })");
  EXPECT_THAT(Steps(plan), ElementsAre(IsA<KernelStep>(), IsA<AliasStep>(), IsA<KernelStep>()));
  EXPECT_EQ(Named(plan, "b").storage, Storage::kAlias);
  EXPECT_EQ(plan.arena_bytes, 64);
}

TEST(MakePlan, ReusesMemoryAlongAChain) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[16]) -> (%y: f32[16]) {
    %a = onnx.Softmax(%x)
    %b = onnx.Softmax(%a)
    %c = onnx.Softmax(%b)
    %y = onnx.Softmax(%c)
  })");
  EXPECT_EQ(Named(plan, "a").at, Named(plan, "c").at);
  EXPECT_NE(Named(plan, "a").at, Named(plan, "b").at);
  EXPECT_EQ(plan.arena_bytes, 128);
}

TEST(MakePlan, KeepsWhatALoopReadsUntilItsEnd) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[4], %n: i64[], %c: bool[]) -> (%y) {
    %k = onnx.Relu(%x)
    %y: f32[4] = onnx.Loop(%n, %c, %x) {body = graph body(%i: i64[], %on: bool[], %a: f32[4]) -> (%more, %next) {
      %more = onnx.Identity(%on)
      %sum = onnx.Add(%a, %k)
      %next = onnx.Neg(%sum)
    }}
  })");
  const Buffer& read = Named(plan, "k");
  EXPECT_GE(read.last, Named(plan, "next").last);
  EXPECT_NE(read.at, Named(plan, "next").at);
}

// The loop over elements must not keep to itself what the loop over iterations collects.
TEST(MakePlan, GivesWhatALoopCollectsATensor) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[5, 4], %h: f32[4]) -> (%y: f32[5, 4]) {
    %last, %y = onnx.Scan(%h, %x) {num_scan_inputs = 1, body = graph body(%a: f32[4], %s: f32[4]) -> (%c, %b) {
      %b = onnx.Tanh(%s)
      %c = onnx.Mul(%b, %a)
    }}
  })");
  const auto* scan = Steps(plan).front().As<ScanStep>();
  ASSERT_NE(scan, nullptr);
  ASSERT_THAT(scan->body.steps, SizeIs(1));
  const std::vector<BufferId>& results = scan->body.steps.front().results;
  EXPECT_THAT(results, testing::Contains(scan->collected.front().part));
}

TEST(MakePlan, ListsEveryNodeThatHasNoCpp) {
  const Result<Plan> plan = TryPlan(R"(graph main(%x: f32[4]) -> (%y: f32[4], %z: f32[4]) {
    %y: f32[4] = onnx:com.acme.Foo(%x) @first
    %z: f32[4] = onnx:com.acme.Bar(%x) @second
  })");
  ASSERT_FALSE(plan.ok());
  ASSERT_THAT(plan.error().findings(), SizeIs(2));
  EXPECT_EQ(plan.error().kind(), ErrorKind::kUnsupported);
  EXPECT_THAT(plan.error().findings()[0].place, HasSubstr("first"));
  EXPECT_THAT(plan.error().findings()[1].place, HasSubstr("second"));
}

TEST(MakePlan, AsksForTheRankOfAnInput) {
  const Result<Plan> plan = TryPlan("graph main(%x: f32[*]) -> (%y) { %y = onnx.Relu(%x) }");
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(plan.error().ToString(), HasSubstr("--shape x="));
}

TEST(MakePlan, SaysWhereTheSourceCalledAStep) {
  const Plan plan = PlanOf(R"text(dragoman 1 common torch
opset "" 22
entry main(%x: f32[2, 3]) -> (%y: f32[2, 3]) {
  %a = onnx.Softmax(%x) {axis = 0} !0
  %y = onnx.Softmax(%a) {axis = 1} !2
}
origins {
  !0 = "aten.softmax" at "policy.py:87" {source_line = "    a = softmax(x)"}
  !1 = "aten.softmax" at "torch/functional.py:9" {called_from = ["policy.py:90"], source_line = "b"}
  !2 = !1 + !0
})text");
  ASSERT_THAT(Steps(plan), SizeIs(2));
  EXPECT_THAT(Steps(plan)[0].comment, testing::EndsWith(", at policy.py:87: a = softmax(x)"));
  EXPECT_THAT(Steps(plan)[1].comment, testing::EndsWith(", at policy.py:90"));
}

// As of a Fourier transform over short times, written as a convolution.
TEST(MakePlan, PreparesConvolutionsOfOpenLengthByLongKernels) {
  std::string kernel = "1.0";
  for (int i = 1; i < 512; ++i) kernel += ", 1.0";
  const Plan plan =
      PlanOf("graph main(%x: f32[1, 1, t]) -> (%y) {\n  const %w: f32[1, 1, 512] = [[[" + kernel +
             "]]]\n  %y = onnx.Conv(%x, %w) {strides = [128]}\n}");
  EXPECT_EQ(plan.prepared.at(0).type, "rt::DynamicConv");
}

}  // namespace
}  // namespace dragoman::onednn

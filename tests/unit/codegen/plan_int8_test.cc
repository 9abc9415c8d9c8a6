// SPDX-License-Identifier: Apache-2.0
// Which steps quantised graphs become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::ElementsAre;

TEST(PlanInt8, ADequantisedConvolutionThatIsQuantisedAgainIsOneStep) {
  const Plan plan = PlanOf(R"(graph main(%x: u8[1, 1, 4, 4]) -> (%y) {
    const %scale: f32[] = 0.5
    const %zero: u8[] = 128
    const %w: i8[2, 1, 3, 3] = [[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]], [[[1, 1, 1], [1, 1, 1], [1, 1, 1]]]]
    const %w_scales: f32[2] = [0.25, 0.5]
    const %w_zeros: i8[2] = [0, 0]
    %xd = onnx.DequantizeLinear(%x, %scale, %zero)
    %wd = onnx.DequantizeLinear(%w, %w_scales, %w_zeros) {axis = 0}
    %c = onnx.Conv(%xd, %wd) {pads = [1, 1, 1, 1]}
    %r = onnx.Relu(%c)
    const %y_zero: u8[] = 0
    %y = onnx.QuantizeLinear(%r, %scale, %y_zero)
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedInt8Conv"));
  const rt::Int8Epilogue& epilogue = plan.prepared.front().int8->rest;
  EXPECT_EQ(epilogue.x_scale, 0.5f);
  EXPECT_EQ(epilogue.y_scale, 0.5f);
  EXPECT_EQ(epilogue.result.scale, 1.0f);
}

// As quantisation-aware training with a float bias exports residual networks.
constexpr const char* kResidualBlock = R"(graph main(%x: u8[1, 2, 4, 4]) -> (%y) {
    const %scale: f32[] = 0.5
    const %zero: u8[] = 3
    const %none: u8[] = 0
    const %w: i8[2, 2, 1, 1] = [[[[1]], [[2]]], [[[3]], [[4]]]]
    const %w_scales: f32[2] = [0.25, 0.5]
    const %w_zeros: i8[2] = [0, 0]
    const %bias: f32[2] = [0.3, -0.7]
    const %v: i8[1, 2, 1, 1] = [[[[3]], [[4]]]]
    const %w_scale: f32[] = 0.25
    %xd = onnx.DequantizeLinear(%x, %scale, %zero)
    %wd = onnx.DequantizeLinear(%w, %w_scales, %w_zeros) {axis = 0}
    %a = onnx.Conv(%xd, %wd, %bias)
    %a_relu = onnx.Relu(%a)
    %aq = onnx.QuantizeLinear(%a_relu, %scale, %none)
    %ad = onnx.DequantizeLinear(%aq, %scale, %none)
    %b = onnx.Conv(%ad, %wd, %bias)
    %bq = onnx.QuantizeLinear(%b, %scale, %zero)
    %bd = onnx.DequantizeLinear(%bq, %scale, %zero)
    %sum = onnx.Add(%bd, %ad)
    %relu = onnx.Relu(%sum)
    %yq = onnx.QuantizeLinear(%relu, %scale, %none)
    %yd = onnx.DequantizeLinear(%yq, %scale, %none)
    %vd = onnx.DequantizeLinear(%v, %w_scale)
    %y = onnx.Conv(%yd, %vd)
  })";

TEST(PlanInt8, AResidualBlockIsOneStepAConvolution) {
  const Plan plan = PlanOf(kResidualBlock);
  EXPECT_THAT(Calls(plan),
              ElementsAre("rt::PreparedInt8Conv", "rt::PreparedInt8Conv", "rt::PreparedInt8Conv"));
  const Step& sum = plan.entries.front().body.steps[1];
  EXPECT_EQ(plan.buffer(sum.results.front()).label, "yq");
  EXPECT_EQ(plan.buffer(sum.As<PreparedStep>()->residual).label, "aq");
  const Int8Post& post = *plan.prepared[1].int8;
  EXPECT_EQ(plan.buffer(post.bias).dtype, DType::kF32);
  EXPECT_EQ(post.rest.through.zero, 3);
  EXPECT_EQ(post.rest.through_scale, 0.5f);
  EXPECT_EQ(post.rest.sum_limits.low, 0.0f);
  EXPECT_EQ(post.rest.result.high, 255);
}

TEST(PlanInt8, ImagesBetweenConvolutionsLieChannelsLast) {
  const Plan plan = PlanOf(kResidualBlock);
  for (const Step& step : plan.entries.front().body.steps) {
    const Buffer& result = plan.buffer(step.results.front());
    EXPECT_EQ(result.channels_last, result.label != "y") << result.label;
  }
}

TEST(PlanInt8, APoolBetweenConvolutionsWorksOnTheirIntegers) {
  const Plan plan = PlanOf(R"(graph main(%x: u8[1, 2, 8, 8]) -> (%y) {
    const %scale: f32[] = 0.5
    const %zero: u8[] = 3
    const %w: u8[2, 2, 1, 1] = [[[[1]], [[2]]], [[[3]], [[4]]]]
    %a = onnx.QLinearConv(%x, %scale, %zero, %w, %scale, %zero, %scale, %zero)
    %d = onnx.DequantizeLinear(%a, %scale, %zero)
    %p = onnx.MaxPool(%d) {kernel_shape = [2, 2], strides = [2, 2]}
    %q = onnx.QuantizeLinear(%p, %scale, %zero)
    %y = onnx.QLinearConv(%q, %scale, %zero, %w, %scale, %zero, %scale, %zero)
  })");
  EXPECT_THAT(Calls(plan),
              ElementsAre("rt::PreparedInt8Conv", "rt::PreparedInt8Pool", "rt::PreparedInt8Conv"));
  EXPECT_TRUE(plan.buffer(plan.entries.front().body.steps[1].results.front()).channels_last);
}

TEST(PlanInt8, PreparesConvolutionsOfOpenLengthByLongKernels) {
  std::string kernel = "1";
  for (int i = 1; i < 512; ++i) kernel += ", 1";
  const Plan plan =
      PlanOf("graph main(%x: u8[1, 1, t]) -> (%y) {\n  const %w: i8[1, 1, 512] = [[[" + kernel +
             "]]]\n  %y = onnx.ConvInteger(%x, %w) {strides = [128]}\n}");
  EXPECT_THAT(Calls(plan), ElementsAre("rt::DynamicInt8Conv"));
}

TEST(PlanInt8, WhatElseReadsAnImageReadsARowMajorCopy) {
  const Plan plan = PlanOf(R"(graph main(%x: u8[1, 2, 4, 4]) -> (%y, %z) {
    const %scale: f32[] = 0.5
    const %zero: u8[] = 3
    const %w: u8[2, 2, 1, 1] = [[[[1]], [[2]]], [[[3]], [[4]]]]
    %a = onnx.QLinearConv(%x, %scale, %zero, %w, %scale, %zero, %scale, %zero)
    %y = onnx.QLinearConv(%a, %scale, %zero, %w, %scale, %zero, %scale, %zero)
    %z = onnx.Transpose(%a) {perm = [0, 2, 3, 1]}
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("rt::PreparedInt8Conv", "ChannelsLastToRowMajor",
                                       "rt::PreparedInt8Conv", "Transpose<std::uint8_t>"));
  const std::vector<Step>& steps = plan.entries.front().body.steps;
  EXPECT_EQ(steps[3].As<KernelStep>()->operands.front().buffers.front(), steps[1].results.front());
  EXPECT_TRUE(plan.buffer(steps[2].inputs.front()).channels_last);
}

TEST(PlanInt8, ADynamicallyQuantisedProductHasItsZeroPointAtRunTime) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[2, 3]) -> (%y) {
    const %w: u8[3, 2] = [[1, 2], [3, 4], [5, 6]]
    const %w_zero: u8[] = 3
    %q, %scale, %zero = onnx.DynamicQuantizeLinear(%x)
    %y = onnx.MatMulInteger(%q, %w, %zero, %w_zero)
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("DynamicQuantizeTensor", "rt::PreparedInt8MatMul"));
  const Step& product = Steps(plan).back();
  ASSERT_EQ(product.inputs.size(), 5u);
  EXPECT_EQ(plan.buffer(product.inputs[1]).label, "zero");
  EXPECT_EQ(product.inputs[2], kAbsent);  // the constant matrix was packed before
  EXPECT_EQ(product.inputs[4], kAbsent);  // nothing scales the sums
}

// As ONNX Runtime's quantize_dynamic writes linear layers, two of which read the same operand.
TEST(PlanInt8, ADynamicallyQuantisedLayerIsOneStep) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[2, 3]) -> (%y, %z) {
    const %w: i8[3, 2] = [[1, 2], [3, 4], [5, 6]]
    const %w_zero: i8[] = 0
    const %w_scale: f32[] = 0.5
    const %w_scales: f32[2] = [0.5, 0.25]
    const %bias: f32[2] = [1.0, 2.0]
    %q, %scale, %zero = onnx.DynamicQuantizeLinear(%x)
    %a = onnx.MatMulInteger(%q, %w, %zero, %w_zero)
    %af = onnx.Cast(%a) {to = 1}
    %a_scale = onnx.Mul(%scale, %w_scale)
    %ay = onnx.Mul(%af, %a_scale)
    %y = onnx.Add(%bias, %ay)
    %b = onnx.MatMulInteger(%q, %w, %zero)
    %bf = onnx.Cast(%b) {to = 1}
    %b_scale = onnx.Mul(%w_scales, %scale)
    %z = onnx.Mul(%b_scale, %bf)
  })");
  EXPECT_THAT(Calls(plan), ElementsAre("DynamicQuantizeTensor", "rt::PreparedInt8MatMul",
                                       "rt::PreparedInt8MatMul"));
  for (const Step& step : {Steps(plan)[1], Steps(plan)[2]})
    EXPECT_EQ(plan.buffer(step.inputs[4]).label, "scale");
  EXPECT_EQ(plan.buffer(plan.prepared[0].int8->w_scale).label, "w_scale");
  EXPECT_EQ(plan.buffer(plan.prepared[0].int8->bias).label, "bias");
  EXPECT_TRUE(plan.prepared[0].int8->rest.scaled_at_run);
  EXPECT_EQ(plan.buffer(plan.prepared[1].int8->w_scale).label, "w_scales");
}

// The scale is multiplied by one that another step gives.
TEST(PlanInt8, AScaleThatIsNotThereYetStaysBehindTheProduct) {
  const Plan plan = PlanOf(R"(graph main(%x: u8[2, 3], %s: f32[4]) -> (%y) {
    const %w: i8[3, 2] = [[1, 2], [3, 4], [5, 6]]
    const %w_scale: f32[] = 0.5
    %a = onnx.MatMulInteger(%x, %w)
    %af = onnx.Cast(%a) {to = 1}
    %scale = onnx.ReduceMax(%s) {keepdims = 0}
    %a_scale = onnx.Mul(%scale, %w_scale)
    %y = onnx.Mul(%af, %a_scale)
  })");
  EXPECT_EQ(Calls(plan).front(), "rt::PreparedInt8MatMul");
  EXPECT_EQ(plan.prepared[0].int8->w_scale, kAbsent);
  EXPECT_GT(Steps(plan).size(), 2u);
}

TEST(PlanInt8, ScalesThatOnlyTheRunTellsAreLeftToThePlainKernel) {
  const Plan plan = PlanOf(R"(graph main(%x: u8[2, 3], %s: f32[]) -> (%y) {
    const %w: i8[3, 2] = [[1, 2], [3, 4], [5, 6]]
    const %one: f32[] = 1.0
    const %x_zero: u8[] = 0
    const %w_zero: i8[] = 0
    %y = onnx.QLinearMatMul(%x, %s, %x_zero, %w, %one, %w_zero, %one, %x_zero)
  })");
  EXPECT_THAT(Calls(plan),
              ElementsAre("QLinearMatMul<std::uint8_t, float, std::int8_t, std::uint8_t>"));
}

}  // namespace
}  // namespace dragoman::onednn

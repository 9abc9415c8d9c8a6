// Which steps quantised graphs become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/codegen/plan_of.h"

namespace dragoman::onednn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
  EXPECT_THAT(plan.prepared.front().init, HasSubstr("rt::Requantization{"));
}

TEST(PlanInt8, ADynamicallyQuantisedProductHasItsZeroPointAtRunTime) {
  const Plan plan = PlanOf(R"(graph main(%x: f32[2, 3]) -> (%y) {
    const %w: u8[3, 2] = [[1, 2], [3, 4], [5, 6]]
    const %w_zero: u8[] = 3
    %q, %scale, %zero = onnx.DynamicQuantizeLinear(%x)
    %y = onnx.MatMulInteger(%q, %w, %zero, %w_zero)
  })");
  EXPECT_THAT(Calls(plan),
              ElementsAre("DynamicQuantizeLinear<float, std::uint8_t>", "rt::PreparedInt8MatMul"));
  const Step& product = Steps(plan).back();
  ASSERT_EQ(product.inputs.size(), 4u);
  EXPECT_EQ(plan.buffer(product.inputs[1]).label, "zero");
  EXPECT_EQ(product.inputs[2], kAbsent);  // the constant matrix was packed before
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

// SPDX-License-Identifier: Apache-2.0
// What normalising and quantising operators say of sizes, and refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/ops/infer_text.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

TEST(BatchNormalization, StatisticsAreOnesPerChannel) {
  const std::string inputs = "%x: f32[n, 3, h, w], %s: f32[3], %b: f32[3], %m: f32[3], %v: f32[?]";
  EXPECT_EQ(Infer(inputs, "%y = onnx.BatchNormalization(%x, %s, %b, %m, %v)"), "f32[n, 3, h, w]");
  EXPECT_EQ(Infer(inputs,
                  "%y, %rm, %rv = onnx.BatchNormalization(%x, %s, %b, %m, %v) {training_mode = 1}",
                  "%y, %rm, %rv"),
            "f32[n, 3, h, w]; f32[3]; f32[3]");
  EXPECT_THAT(
      Infer("%x: f32[n, 4], %s: f32[3]", "%y = onnx.BatchNormalization(%x, %s, %s, %s, %s)"),
      HasSubstr("expected [4]"));
  EXPECT_THAT(Infer(inputs, "%y, %rm = onnx.BatchNormalization(%x, %s, %b, %m, %v)"),
              HasSubstr("training mode only"));
}

TEST(LayerNormalization, StatisticsKeepTheAxesBefore) {
  EXPECT_EQ(Infer("%x: f16[n, t, 8], %s: f16[8]", "%y, %m, %d = onnx.LayerNormalization(%x, %s)",
                  "%y, %m, %d"),
            "f16[n, t, 8]; f32[n, t, 1]; f32[n, t, 1]");
  EXPECT_THAT(Infer("%x: f32[n, 8], %s: f32[7]", "%y = onnx.LayerNormalization(%x, %s)"),
              HasSubstr("expected one that broadcasts to"));
  EXPECT_THAT(Infer("%x: f32[n, 8], %s: f32[8]", "%y = onnx.LayerNormalization(%x, %s) {axis = 2}"),
              HasSubstr("out of range"));
}

TEST(GroupNormalization, GroupsDivideTheChannels) {
  const std::string inputs = "%x: f32[n, 6, w], %s: f32[6]";
  EXPECT_EQ(Infer(inputs, "%y = onnx.GroupNormalization(%x, %s, %s) {num_groups = 3}"),
            "f32[n, 6, w]");
  EXPECT_THAT(Infer(inputs, "%y = onnx.GroupNormalization(%x, %s, %s) {num_groups = 4}"),
              HasSubstr("does not divide"));
  EXPECT_THAT(Infer(inputs, "%y = onnx.GroupNormalization(%x, %s, %s) {num_groups = 0}"),
              HasSubstr("num_groups is 0"));
}

TEST(Normalization, RefusesAttributesOutOfRange) {
  EXPECT_THAT(Infer("%x: f32[n, 6]", "%y = onnx.LRN(%x) {size = 0}"), HasSubstr("size is 0"));
  EXPECT_THAT(Infer("%x: f32[n, 6]", "%y = onnx.LRN(%x)"), HasSubstr("'size' is missing"));
  EXPECT_THAT(Infer("%x: f32[n, 6]", "%y = onnx.LpNormalization(%x) {p = 3}"),
              HasSubstr("expected 1 or 2"));
  EXPECT_THAT(Infer("%x: f32[n, 6]", "%y = onnx.MeanVarianceNormalization(%x)"),
              HasSubstr("out of range"));
}

TEST(QuantizeLinear, ElementTypeComesFromZeroPointOrAttribute) {
  EXPECT_EQ(Infer("%x: f32[n, 4], %s: f32[]", "%y = onnx.QuantizeLinear(%x, %s)"), "u8[n, 4]");
  EXPECT_EQ(Infer("%x: f32[n, 4], %s: f32[], %z: i4[]", "%y = onnx.QuantizeLinear(%x, %s, %z)"),
            "i4[n, 4]");
  EXPECT_EQ(Infer("%x: f32[n], %s: f32[]", "%y = onnx.QuantizeLinear(%x, %s) {output_dtype = 3}"),
            "i8[n]");
  EXPECT_THAT(Infer("%x: f32[n], %s: f32[]", "%y = onnx.QuantizeLinear(%x, %s) {output_dtype = 1}"),
              HasSubstr("output_dtype is 1"));
}

TEST(QuantizeLinear, ScaleIsOneOrPerAxisOrPerBlock) {
  EXPECT_EQ(Infer("%x: u8[n, 4], %s: f32[4]", "%y = onnx.DequantizeLinear(%x, %s)"), "f32[n, 4]");
  EXPECT_THAT(Infer("%x: u8[n, 4], %s: f32[3]", "%y = onnx.DequantizeLinear(%x, %s)"),
              HasSubstr("expected [4]"));
  EXPECT_EQ(
      Infer("%x: u8[n, 5], %s: f16[n, 3]", "%y = onnx.DequantizeLinear(%x, %s) {block_size = 2}"),
      "f16[n, 5]");
  EXPECT_THAT(
      Infer("%x: u8[2, 5], %s: f32[2, 2]", "%y = onnx.DequantizeLinear(%x, %s) {block_size = 2}"),
      HasSubstr("expected sizes f32[2, 3]"));
  EXPECT_THAT(Infer("%x: u8[n], %s: f32[], %z: u8[2]", "%y = onnx.DequantizeLinear(%x, %s, %z)"),
              HasSubstr("expected one element"));
}

TEST(DynamicQuantizeLinear, GivesScaleAndZeroPoint) {
  EXPECT_EQ(Infer("%x: f32[n]", "%y, %s, %z = onnx.DynamicQuantizeLinear(%x)", "%y, %s, %z"),
            "u8[n]; f32[]; u8[]");
}

TEST(Random, IsKnownToInference) {
  EXPECT_EQ(Infer("", "%y = onnx.RandomNormal() {shape = [2, 3]}"), "f32[2, 3]");
  EXPECT_EQ(Infer("%x: f16[n]", "%y = onnx.RandomUniformLike(%x)"), "f16[n]");
  EXPECT_EQ(Infer("%x: f32[n, 5]", "%y = onnx.Multinomial(%x) {sample_size = 7}"), "i32[n, 7]");
  EXPECT_TRUE(FindOp("Bernoulli")->random);
}

}  // namespace
}  // namespace dragoman

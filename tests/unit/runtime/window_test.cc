// SPDX-License-Identifier: Apache-2.0
// Sizes and pads of windows: every auto_pad, ceil_mode, and what is refused.
#include "runtime/params/window.h"

#include <gtest/gtest.h>

#include "runtime/params/average_pool.h"
#include "runtime/params/conv.h"
#include "runtime/params/conv_transpose.h"
#include "runtime/params/lp_pool.h"
#include "runtime/params/max_unpool.h"

namespace dragoman::rt {
namespace {

// The axis of a window over one spatial axis of size `input`.
WindowAxis Resolve(const WindowSpec& spec, std::int64_t input) {
  Window window;
  EXPECT_TRUE(ResolveWindow(spec, {1, 1, input}, &window).ok());
  return window.axes[0];
}

WindowSpec Spec(AutoPad auto_pad, std::int64_t kernel, std::int64_t stride, Ints pads = {},
                std::int64_t dilation = 1) {
  WindowSpec spec;
  spec.auto_pad = auto_pad;
  spec.kernel_shape = {kernel};
  spec.strides = {stride};
  spec.dilations = {dilation};
  spec.pads = pads;
  return spec;
}

TEST(Window, GivenPadsRoundDown) {
  EXPECT_EQ(Resolve(Spec(AutoPad::kNotSet, 3, 2, {1, 1}), 8).output, 4);
  EXPECT_EQ(Resolve(Spec(AutoPad::kNotSet, 3, 1, {0, 0}, 2), 9).output, 5);
}

TEST(Window, SamePadsOnTheSideItNames) {
  const WindowAxis upper = Resolve(Spec(AutoPad::kSameUpper, 2, 1), 5);
  EXPECT_EQ(upper.output, 5);
  EXPECT_EQ(upper.pad_begin, 0);
  EXPECT_EQ(upper.pad_end, 1);
  const WindowAxis lower = Resolve(Spec(AutoPad::kSameLower, 2, 1), 5);
  EXPECT_EQ(lower.pad_begin, 1);
  EXPECT_EQ(lower.pad_end, 0);
  const WindowAxis wide_stride = Resolve(Spec(AutoPad::kSameUpper, 1, 4), 6);
  EXPECT_EQ(wide_stride.output, 2);
  EXPECT_EQ(wide_stride.pad_begin + wide_stride.pad_end, 0);
}

TEST(Window, ValidIgnoresPads) {
  EXPECT_EQ(Resolve(Spec(AutoPad::kValid, 3, 2, {5, 5}), 8).output, 3);
}

TEST(Window, CeilModeDropsAWindowThatStartsInThePaddingAtTheEnd) {
  WindowSpec spec = Spec(AutoPad::kNotSet, 2, 2, {0, 0});
  spec.ceil_mode = true;
  EXPECT_EQ(Resolve(spec, 5).output, 3);
  spec = Spec(AutoPad::kNotSet, 1, 2, {0, 1});
  spec.ceil_mode = true;
  EXPECT_EQ(Resolve(spec, 2).output, 1);
  spec = Spec(AutoPad::kNotSet, 3, 2, {1, 1});
  spec.ceil_mode = true;
  EXPECT_EQ(Resolve(spec, 4).output, 3);
}

TEST(Window, BadAttributesAreRefused) {
  Window window;
  const Shape x{1, 1, 8};
  EXPECT_FALSE(ResolveWindow(Spec(AutoPad::kNotSet, 0, 1), x, &window).ok());
  EXPECT_FALSE(ResolveWindow(Spec(AutoPad::kNotSet, 2, 0), x, &window).ok());
  EXPECT_FALSE(ResolveWindow(Spec(AutoPad::kNotSet, 2, 1, {}, 0), x, &window).ok());
  EXPECT_FALSE(ResolveWindow(Spec(AutoPad::kNotSet, 2, 1, {-1, 0}), x, &window).ok());
  EXPECT_FALSE(ResolveWindow(Spec(AutoPad::kNotSet, 2, 1, {1}), x, &window).ok());
  EXPECT_FALSE(ResolveWindow(Spec(AutoPad::kNotSet, 9, 1), x, &window).ok());
  EXPECT_FALSE(ResolveWindow(Spec(AutoPad::kNotSet, INT64_MAX, INT64_MAX), x, &window).ok());
  EXPECT_FALSE(ResolveWindow(Spec(AutoPad::kNotSet, 1, 1), {4, 4}, &window).ok());
}

TEST(ConvShape, GroupsMustDivideTheChannels) {
  Shape y;
  ConvParams p;
  ASSERT_TRUE(ConvShape(p, {2, 4, 7, 6}, {3, 4, 3, 2}, &y).ok());
  EXPECT_EQ(y, (Shape{2, 3, 5, 5}));
  p.group = 2;
  EXPECT_TRUE(ConvShape(p, {2, 4, 7, 6}, {6, 2, 3, 2}, &y).ok());
  EXPECT_FALSE(ConvShape(p, {2, 4, 7, 6}, {3, 2, 3, 2}, &y).ok());
  EXPECT_FALSE(ConvShape(p, {2, 5, 7, 6}, {6, 2, 3, 2}, &y).ok());
  p.group = 0;
  EXPECT_FALSE(ConvShape(p, {2, 4, 7, 6}, {6, 2, 3, 2}, &y).ok());
  p.group = 1;
  p.kernel_shape = {3, 3};
  EXPECT_FALSE(ConvShape(p, {2, 4, 7, 6}, {3, 4, 3, 2}, &y).ok());
}

TEST(ConvTransposeShape, PadsOrOutputShapeOrSame) {
  ConvTransposeParams p;
  Shape y;
  p.strides = {3, 2};
  ASSERT_TRUE(ConvTransposeShape(p, {1, 1, 3, 3}, {1, 2, 3, 3}, &y).ok());
  EXPECT_EQ(y, (Shape{1, 2, 9, 7}));
  p.output_padding = {1, 1};
  ASSERT_TRUE(ConvTransposeShape(p, {1, 1, 3, 3}, {1, 2, 3, 3}, &y).ok());
  EXPECT_EQ(y, (Shape{1, 2, 10, 8}));
  p.output_padding = {};
  p.output_shape = {10, 8};
  ASSERT_TRUE(ConvTransposeShape(p, {1, 1, 3, 3}, {1, 2, 3, 3}, &y).ok());
  EXPECT_EQ(y, (Shape{1, 2, 10, 8}));
  p.output_shape = {};
  p.auto_pad = AutoPad::kSameUpper;
  ASSERT_TRUE(ConvTransposeShape(p, {1, 1, 3, 3}, {1, 2, 3, 3}, &y).ok());
  EXPECT_EQ(y, (Shape{1, 2, 9, 6}));
}

TEST(ConvTransposeShape, BadAttributesAreRefused) {
  ConvTransposeParams p;
  Shape y;
  p.pads = {9, 9};
  EXPECT_FALSE(ConvTransposeShape(p, {1, 1, 3}, {1, 2, 3}, &y).ok());
  p.pads = {};
  EXPECT_FALSE(ConvTransposeShape(p, {1, 2, 3}, {1, 2, 3}, &y).ok());
  p.output_padding = {-1};
  EXPECT_FALSE(ConvTransposeShape(p, {1, 1, 3}, {1, 2, 3}, &y).ok());
}

TEST(PoolShape, AttributesAreChecked) {
  Shape y;
  EXPECT_FALSE(AveragePoolShape({}, {1, 1, 4}, &y).ok());
  LpPoolParams lp;
  lp.kernel_shape = {2};
  EXPECT_TRUE(LpPoolShape(lp, {1, 1, 4}, &y).ok());
  lp.p = 0;
  EXPECT_FALSE(LpPoolShape(lp, {1, 1, 4}, &y).ok());
}

TEST(MaxUnpoolShape, IsInferredOrGiven) {
  MaxUnpoolParams p;
  p.kernel_shape = {2, 2};
  p.strides = {2, 2};
  const Shape x{1, 1, 2, 2};
  Shape y;
  ASSERT_TRUE(MaxUnpoolShape(p, x, x, {}, &y).ok());
  EXPECT_EQ(y, (Shape{1, 1, 4, 4}));
  const std::int64_t given[] = {1, 1, 5, 5};
  ASSERT_TRUE(MaxUnpoolShape(p, x, x, {given, 4}, &y).ok());
  EXPECT_EQ(y, (Shape{1, 1, 5, 5}));
  const std::int64_t negative[] = {1, 1, 5, -5};
  EXPECT_FALSE(MaxUnpoolShape(p, x, x, {negative, 4}, &y).ok());
}

}  // namespace
}  // namespace dragoman::rt

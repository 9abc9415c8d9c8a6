// SPDX-License-Identifier: Apache-2.0
// Tensors made from one number.
#include "core/ir/tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace dragoman {
namespace {

std::int64_t Filled(DType dtype, double value) {
  const Result<Tensor> tensor = Tensor::Full(dtype, {2}, value);
  EXPECT_TRUE(tensor.ok()) << tensor.error().ToString();
  return tensor->IntAt(1);
}

TEST(TensorTest, FullCutsFractionsOffAndWrapsAround) {
  EXPECT_EQ(Filled(DType::kI32, -2.75), -2);
  EXPECT_EQ(Filled(DType::kI8, 200), -56);
  EXPECT_EQ(Filled(DType::kU8, -1), 255);
  EXPECT_EQ(Filled(DType::kI32, 4294967301.0), 5);
}

TEST(TensorTest, FullGivesTheExtremesBeyond64Bits) {
  EXPECT_EQ(Filled(DType::kI64, std::ldexp(1, 63)), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Filled(DType::kI64, -1e30), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Filled(DType::kI64, std::nan("")), 0);
  const Result<Tensor> most = Tensor::Full(DType::kU64, {}, 1e30);
  ASSERT_TRUE(most.ok());
  EXPECT_EQ(most->data<std::uint64_t>()[0], std::numeric_limits<std::uint64_t>::max());
}

TEST(TensorTest, TruthIsZeroOrOne) {
  EXPECT_TRUE(Tensor::Make(DType::kBool, {2}, Buffer::Own(std::string("\0\1", 2))).ok());
  const Result<Tensor> damaged = Tensor::Make(DType::kBool, {2}, Buffer::Own("\1\2"));
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().findings()[0].message,
            "tensor data of bool holds bytes that are neither 0 nor 1");
}

}  // namespace
}  // namespace dragoman

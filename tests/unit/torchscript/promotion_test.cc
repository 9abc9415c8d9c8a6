// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/promotion.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/lowering/composer.h"

namespace dragoman::torch {
namespace {

// The tables hold torch.result_type of torch 1.13 for an operand of the row's type and one of the
// column's. Columns are the element types in the order of rows, or bool, int, float, complex
// numbers; '?' stands for complex32, which has no counterpart here.
constexpr std::string_view kNames[] = {"u8",   "i8",  "i16", "i32", "i64",  "f16",
                                       "bf16", "f32", "f64", "c64", "c128", "bool"};

constexpr std::string_view kDimensionedDimensioned = R"(
u8    u8   i16  i16  i32  i64  f16  bf16 f32  f64  c64  c128 u8
i8    i16  i8   i16  i32  i64  f16  bf16 f32  f64  c64  c128 i8
i16   i16  i16  i16  i32  i64  f16  bf16 f32  f64  c64  c128 i16
i32   i32  i32  i32  i32  i64  f16  bf16 f32  f64  c64  c128 i32
i64   i64  i64  i64  i64  i64  f16  bf16 f32  f64  c64  c128 i64
f16   f16  f16  f16  f16  f16  f16  f32  f32  f64  c64  c128 f16
bf16  bf16 bf16 bf16 bf16 bf16 f32  bf16 f32  f64  c64  c128 bf16
f32   f32  f32  f32  f32  f32  f32  f32  f32  f64  c64  c128 f32
f64   f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128 f64
c64   c64  c64  c64  c64  c64  c64  c64  c64  c128 c64  c128 c64
c128  c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
bool  u8   i8   i16  i32  i64  f16  bf16 f32  f64  c64  c128 bool
)";
constexpr std::string_view kDimensionedZeroDim = R"(
u8    u8   u8   u8   u8   u8   f16  bf16 f32  f64  c64  c128 u8
i8    i8   i8   i8   i8   i8   f16  bf16 f32  f64  c64  c128 i8
i16   i16  i16  i16  i16  i16  f16  bf16 f32  f64  c64  c128 i16
i32   i32  i32  i32  i32  i32  f16  bf16 f32  f64  c64  c128 i32
i64   i64  i64  i64  i64  i64  f16  bf16 f32  f64  c64  c128 i64
f16   f16  f16  f16  f16  f16  f16  f16  f16  f16  ?    ?    f16
bf16  bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 c64  c64  bf16
f32   f32  f32  f32  f32  f32  f32  f32  f32  f32  c64  c64  f32
f64   f64  f64  f64  f64  f64  f64  f64  f64  f64  c128 c128 f64
c64   c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64
c128  c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128
bool  u8   i8   i16  i32  i64  f16  bf16 f32  f64  c64  c128 bool
)";
// The same for 0-d tensors.
constexpr std::string_view kTensorNumber = R"(
u8    u8   u8   f32  c64
i8    i8   i8   f32  c64
i16   i16  i16  f32  c64
i32   i32  i32  f32  c64
i64   i64  i64  f32  c64
f16   f16  f16  f16  ?
bf16  bf16 bf16 bf16 c64
f32   f32  f32  f32  c64
f64   f64  f64  f64  c128
c64   c64  c64  c64  c64
c128  c128 c128 c128 c128
bool  bool i64  f32  c64
)";
std::string PromotionTable(PromotionClass row_class, PromotionClass column_class,
                           const std::vector<DType>& columns) {
  std::string table = "\n";
  for (std::string_view name : kNames) {
    std::string row(name);
    row.resize(6, ' ');
    for (DType column : columns) {
      const PromotionOperand operands[] = {{*DTypeFromName(name), row_class},
                                           {column, column_class}};
      std::string cell(Name(ResultType(operands)));
      cell.resize(5, ' ');
      row += cell;
    }
    table += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return table;
}

std::vector<DType> AllTypes() {
  std::vector<DType> types;
  for (std::string_view name : kNames) types.push_back(*DTypeFromName(name));
  return types;
}

const std::vector<DType> kNumbers = {DType::kBool, DType::kI64, DType::kF64, DType::kC128};

TEST(PromotionTest, FollowsTorchBetweenDimensionedTensors) {
  EXPECT_EQ(PromotionTable(PromotionClass::kDimensioned, PromotionClass::kDimensioned, AllTypes()),
            kDimensionedDimensioned);
}

TEST(PromotionTest, FollowsTorchForZeroDimTensors) {
  EXPECT_EQ(PromotionTable(PromotionClass::kDimensioned, PromotionClass::kZeroDim, AllTypes()),
            kDimensionedZeroDim);
}

TEST(PromotionTest, FollowsTorchForNumbers) {
  EXPECT_EQ(PromotionTable(PromotionClass::kDimensioned, PromotionClass::kNumber, kNumbers),
            kTensorNumber);
  EXPECT_EQ(PromotionTable(PromotionClass::kZeroDim, PromotionClass::kNumber, kNumbers),
            kTensorNumber);
}

DType OfUnknownRank(DType dtype, DType dimensioned) {
  const PromotionOperand operands[] = {{dtype, PromotionClass::kUnknownRank},
                                       {dimensioned, PromotionClass::kDimensioned}};
  return ResultType(operands);
}

TEST(PromotionTest, AsksForTheRankOnlyWhereItDecides) {
  EXPECT_EQ(OfUnknownRank(DType::kF32, DType::kI64), DType::kF32);
  EXPECT_EQ(OfUnknownRank(DType::kI32, DType::kI64), DType::kI64);
  EXPECT_EQ(OfUnknownRank(DType::kF64, DType::kF32), DType::kUnknown);
}

TEST(PromotionTest, NamesTheTypesOfResults) {
  EXPECT_EQ(FloatingResult(DType::kI8), DType::kF32);
  EXPECT_EQ(FloatingResult(DType::kBF16), DType::kBF16);
  EXPECT_EQ(SumResult(DType::kBool), DType::kI64);
  EXPECT_EQ(SumResult(DType::kF16), DType::kF16);
  EXPECT_EQ(RealPart(DType::kC128), DType::kF64);
}

}  // namespace
}  // namespace dragoman::torch

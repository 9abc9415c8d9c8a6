// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "importers/torch/container/value.h"

namespace dragoman::torch {
namespace {

using Ints = std::vector<std::int64_t>;

// 0, 1, 2, … as elements of `dtype`, `bytes` each.
StoredStorage Counting(TorchDType dtype, int bytes, int count) {
  std::string data(static_cast<std::size_t>(bytes * count), '\0');
  for (int i = 0; i < count; ++i) data[static_cast<std::size_t>(i * bytes)] = static_cast<char>(i);
  return {.key = "0", .dtype = dtype, .count = count, .bytes = Buffer::Own(std::move(data))};
}

StoredTensor View(const StoredStorage& storage, std::int64_t offset, Ints sizes, Ints strides) {
  return {.storage = &storage,
          .dtype = storage.dtype,
          .offset = offset,
          .sizes = std::move(sizes),
          .strides = std::move(strides)};
}

TEST(DenseTensor, IsAWindowWhereTheElementsLieInOrder) {
  const StoredStorage storage = Counting(TorchDType::kI64, 8, 10);
  const Result<Tensor> tensor = DenseTensor(View(storage, 2, {2, 1, 3}, {3, 77, 1}));
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->sizes(), (Ints{2, 1, 3}));
  EXPECT_EQ(tensor->bytes().data(), storage.bytes.bytes().data() + 16);
}

TEST(DenseTensor, CopiesTransposedExpandedAndEmptyViews) {
  const StoredStorage storage = Counting(TorchDType::kI16, 2, 10);
  EXPECT_EQ(DenseTensor(View(storage, 0, {3, 2}, {1, 3}))->ToInts(), (Ints{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(DenseTensor(View(storage, 7, {2, 2}, {0, 1}))->ToInts(), (Ints{7, 8, 7, 8}));
  EXPECT_EQ(DenseTensor(View(storage, 99, {0, 2}, {5, 1}))->ToInts(), Ints{});
  EXPECT_EQ(DenseTensor(View(storage, 4, {}, {}))->ToInts(), Ints{4});
}

TEST(DenseTensor, OfAQuantisedTensorIsTheStoredIntegers) {
  const StoredStorage storage = Counting(TorchDType::kQU8, 1, 4);
  const Result<Tensor> tensor = DenseTensor(View(storage, 0, {4}, {1}));
  EXPECT_EQ(tensor->dtype(), DType::kU8);
  EXPECT_EQ(tensor->ToInts(), (Ints{0, 1, 2, 3}));
}

TEST(DenseTensor, AppliesConjugationAndNegation) {
  const std::vector<float> values = {1, 2, 3, 4};
  const StoredStorage storage = {.key = "0",
                                 .dtype = TorchDType::kC64,
                                 .count = 2,
                                 .bytes = Buffer::Copy(std::as_bytes(std::span(values)))};
  StoredTensor view = View(storage, 0, {2}, {1});
  view.conjugated = true;
  const auto floats = [](const Tensor& tensor) {
    const auto* data = reinterpret_cast<const float*>(tensor.AlignedBytes(alignof(float)));
    return std::vector<float>(data, data + 4);
  };
  EXPECT_EQ(floats(*DenseTensor(view)), (std::vector<float>{1, -2, 3, -4}));
  view.negated = true;
  EXPECT_EQ(floats(*DenseTensor(view)), (std::vector<float>{-1, 2, -3, 4}));
}

TEST(DenseTensor, RefusesWhatHasNoDenseForm) {
  StoredStorage storage = Counting(TorchDType::kF32, 4, 1);
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_FALSE(DenseTensor(View(storage, 0, {huge}, {0})).ok());
  EXPECT_FALSE(DenseTensor(View(storage, 0, {huge, huge}, {0, 0})).ok());
  storage.has_data = false;
  EXPECT_FALSE(DenseTensor(View(storage, 0, {1}, {1})).ok());
  EXPECT_FALSE(DenseTensor({.layout = TensorLayout::kCoo}).ok());
}

}  // namespace
}  // namespace dragoman::torch

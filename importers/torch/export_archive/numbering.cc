// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/numbering.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dragoman::torch {
namespace {

constexpr std::array<std::pair<std::int64_t, TorchDType>, 21> kDTypes = {{
    {1, TorchDType::kU8},         {2, TorchDType::kI8},          {3, TorchDType::kI16},
    {4, TorchDType::kI32},        {5, TorchDType::kI64},         {6, TorchDType::kF16},
    {7, TorchDType::kF32},        {8, TorchDType::kF64},         {9, TorchDType::kC32},
    {10, TorchDType::kC64},       {11, TorchDType::kC128},       {12, TorchDType::kBool},
    {13, TorchDType::kBF16},      {28, TorchDType::kU16},        {29, TorchDType::kF8E4M3FN},
    {30, TorchDType::kF8E5M2},    {31, TorchDType::kF8E4M3FNUZ}, {32, TorchDType::kF8E5M2FNUZ},
    {33, TorchDType::kF8E8M0FNU}, {34, TorchDType::kU32},        {35, TorchDType::kU64},
}};

// Indexed by the number in the file; -1: there is none.
// coo, csr, csc, bsr, bsc, mkldnn, strided.
constexpr std::array<std::int64_t, 8> kLayouts = {-1, 1, 2, 4, 5, 6, 3, 0};
// contiguous, channels_last, channels_last_3d, preserve.
constexpr std::array<std::int64_t, 5> kMemoryFormats = {-1, 0, 2, 3, 1};

template <std::size_t kSize>
std::optional<std::int64_t> At(const std::array<std::int64_t, kSize>& table, std::int64_t number) {
  if (number < 1 || number >= static_cast<std::int64_t>(kSize)) return std::nullopt;
  return table[static_cast<std::size_t>(number)];
}

}  // namespace

std::optional<TorchDType> DTypeOfExport(std::int64_t number) {
  const auto* found = std::find_if(kDTypes.begin(), kDTypes.end(),
                                   [&](const auto& row) { return row.first == number; });
  return found != kDTypes.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<std::int64_t> LayoutOfExport(std::int64_t number) { return At(kLayouts, number); }

std::optional<std::int64_t> MemoryFormatOfExport(std::int64_t number) {
  return At(kMemoryFormats, number);
}

}  // namespace dragoman::torch

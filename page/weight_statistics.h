// SPDX-License-Identifier: Apache-2.0
// What a page says about the elements of a constant.
#ifndef DRAGOMAN_PAGE_WEIGHT_STATISTICS_H_
#define DRAGOMAN_PAGE_WEIGHT_STATISTICS_H_

#include <array>
#include <cstdint>

#include "core/ir/tensor.h"

namespace dragoman::page {

struct WeightStatistics {
  static constexpr std::size_t kBins = 32;
  static constexpr std::int64_t kMostElements = std::int64_t{1} << 24;

  std::int64_t looked_at = 0;  // elements: all, or of larger tensors every n-th
  std::int64_t zeros = 0;
  std::int64_t not_finite = 0;
  // Of the finite ones.
  double least = 0;
  double most = 0;
  double mean = 0;
  double deviation = 0;
  std::array<std::int64_t, kBins> histogram = {};  // of equal steps from `least` to `most`
};

// Whether elements of this type are numbers that have statistics.
bool HasStatistics(const Tensor& tensor);
// Linear in the elements, at most kMostElements of them.
WeightStatistics StatisticsOf(const Tensor& tensor);

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_WEIGHT_STATISTICS_H_

// SPDX-License-Identifier: Apache-2.0
// The labels of an Einsum of two operands, one per axis.
#ifndef DRAGOMAN_CORE_REWRITE_EINSUM_LABELS_H_
#define DRAGOMAN_CORE_REWRITE_EINSUM_LABELS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dragoman {

using AxisLabels = std::vector<std::int64_t>;

struct EinsumEquation {
  AxisLabels operands[2];
  AxisLabels output;
};

inline bool Has(const AxisLabels& labels, std::int64_t label) {
  return std::ranges::count(labels, label) > 0;
}

inline bool AreDistinct(AxisLabels labels) {
  std::ranges::sort(labels);
  return std::ranges::adjacent_find(labels) == labels.end();
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_EINSUM_LABELS_H_

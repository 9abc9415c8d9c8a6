// SPDX-License-Identifier: Apache-2.0
#include "page/weight_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dragoman::page {
namespace {

// Calls visit(number) for every `step`-th element.
template <class Visit>
void VisitElements(const Tensor& tensor, std::int64_t step, Visit visit) {
  if (tensor.dtype() == DType::kF32) {
    const std::span<const float> elements = tensor.data<float>();
    for (std::int64_t i = 0; i < tensor.size(); i += step)
      visit(static_cast<double>(elements[static_cast<std::size_t>(i)]));
    return;
  }
  for (std::int64_t i = 0; i < tensor.size(); i += step) visit(tensor.FloatAt(i));
}

}  // namespace

bool HasStatistics(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  return tensor.size() > 0 &&
         (IsInteger(dtype) || dtype == DType::kBool || dtype == DType::kF16 ||
          dtype == DType::kBF16 || dtype == DType::kF32 || dtype == DType::kF64);
}

WeightStatistics StatisticsOf(const Tensor& tensor) {
  WeightStatistics made;
  const std::int64_t step =
      (tensor.size() + WeightStatistics::kMostElements - 1) / WeightStatistics::kMostElements;
  made.least = std::numeric_limits<double>::max();
  made.most = std::numeric_limits<double>::lowest();
  double sum = 0;
  VisitElements(tensor, step, [&](double element) {
    ++made.looked_at;
    made.zeros += element == 0;
    if (!std::isfinite(element)) {
      ++made.not_finite;
      return;
    }
    made.least = std::min(made.least, element);
    made.most = std::max(made.most, element);
    sum += element;
  });
  const auto finite = static_cast<double>(made.looked_at - made.not_finite);
  if (finite == 0)
    return WeightStatistics{.looked_at = made.looked_at, .not_finite = made.not_finite};
  made.mean = sum / finite;
  const double scale = WeightStatistics::kBins / (made.most - made.least);
  double squares = 0;
  VisitElements(tensor, step, [&](double element) {
    if (!std::isfinite(element)) return;
    squares += (element - made.mean) * (element - made.mean);
    const double bin = made.most > made.least ? (element - made.least) * scale : 0;
    ++made.histogram[std::min(static_cast<std::size_t>(bin), WeightStatistics::kBins - 1)];
  });
  made.deviation = std::sqrt(squares / finite);
  return made;
}

}  // namespace dragoman::page

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/resize.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "runtime/fast/clones.h"
#include "runtime/fast/indexed_sum.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/threads.h"
#include "runtime/kernels/resize_taps.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kResizeGrain = 1 << 14;  // below which a thread is not worth its start

DRAGOMAN_RT_CLONES void ScaleRow(std::int64_t count, float weight, const float* x, float* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] * weight;
}

DRAGOMAN_RT_CLONES void AddWeightedRow(std::int64_t count, float weight, const float* x, float* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] += x[i] * weight;
}

DRAGOMAN_RT_CLONES void SumTwoRows(std::int64_t count, float weight, const float* x, float other,
                                   const float* z, float* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] * weight + z[i] * other;
}

// Rows of `inner` elements, of which index and weight of tap k lie at k * step. Taps of weight 0
// are not read.
void SumRows(std::int64_t inner, std::int64_t width, std::int64_t step, const std::int32_t* index,
             const float* weight, const float* x, float* y) {
  if (width == 2 && weight[0] != 0.0f && weight[step] != 0.0f) {
    return SumTwoRows(inner, weight[0], x + index[0] * inner, weight[step], x + index[step] * inner,
                      y);
  }
  bool begun = false;
  for (std::int64_t k = 0; k < width; ++k) {
    const float w = weight[k * step];
    if (w == 0.0f) continue;
    const float* row = x + index[k * step] * inner;
    if (begun) {
      AddWeightedRow(inner, w, row, y);
    } else {
      ScaleRow(inner, w, row, y);
    }
    begun = true;
  }
  if (!begun) std::fill_n(y, inner, 0.0f);
}

// The axes that change, as they are resized.
std::vector<int> Order(const Shape& x, const ResizeGeometry& geometry) {
  std::vector<int> order;
  for (int i = 0; i < x.size(); ++i) {
    if (geometry.sizes[i] < x[i]) order.push_back(i);
  }
  for (int i = x.size() - 1; i >= 0; --i) {
    const bool stays = geometry.sizes[i] == x[i] && geometry.scales[i] == 1;
    if (!stays && geometry.sizes[i] >= x[i]) order.push_back(i);
  }
  return order;
}

}  // namespace

bool PreparedResize::Supports(const ResizeParams& p, const Shape& x) {
  return p.mode != ResizeMode::kNearest && NumElements(x) > 0 &&
         p.coordinate_transformation_mode != CoordinateTransformation::kTfCropAndResize &&
         NumElements(x) <= std::numeric_limits<std::int32_t>::max();
}

Status PreparedResize::Init(const FastContext& /*context*/, const ResizeParams& p, const Shape& x,
                            const float* scales, const std::int64_t* sizes) noexcept {
  if (!Supports(p, x)) return Status::Error("this Resize cannot be prepared");
  const std::int64_t count = p.axes.empty() ? x.size() : p.axes.size();
  ResizeGeometry geometry;
  DRAGOMAN_RT_TRY(ResolveResize(p, x, FloatSpan{scales, scales == nullptr ? 0 : count},
                                IntSpan{sizes, sizes == nullptr ? 0 : count}, &geometry));
  if (NumElements(geometry.sizes) == 0) return Status::Error("the result of resizing is empty");
  DRAGOMAN_RT_GUARDED { Prepare(p, x, geometry); }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("out of memory"); }
  return Status();
}

// The tables of an axis whose sizes are set.
void PreparedResize::FillTaps(const ResizeParams& p, double scale, Axis* axis) {
  ResizeGeometry geometry;
  geometry.sizes = {axis->out};
  geometry.scales[0] = scale;
  std::vector<double> memory(static_cast<std::size_t>(
      internal::ResizeTaps::TotalBytes(p, {axis->in}, geometry) / std::int64_t{sizeof(double)}));
  internal::ResizeTaps taps(p, axis->in, axis->out, scale, memory.data());
  taps.Fill(0, 1);
  axis->width = taps.width();
  for (std::int64_t k = 0; k < axis->width; ++k) {
    for (std::int64_t o = 0; o < axis->out; ++o) {
      axis->index.push_back(static_cast<std::int32_t>(taps.index(o)[k]));
      axis->weight.push_back(static_cast<float>(taps.weight(o)[k]));
    }
  }
}

void PreparedResize::Prepare(const ResizeParams& p, const Shape& x,
                             const ResizeGeometry& geometry) {
  const std::vector<int> order = Order(x, geometry);
  const int front = order.empty() ? x.size() : *std::min_element(order.begin(), order.end());
  const auto product = [](const Shape& sizes, int begin, int end) {
    return std::accumulate(sizes.begin() + begin, sizes.begin() + end, std::int64_t{1},
                           std::multiplies<>());
  };
  planes_ = product(x, 0, front);
  plane_in_ = plane_out_ = product(x, front, x.size());
  Shape sizes = x;
  for (const int i : order) {
    if (!axes_.empty()) between_ = std::max(between_, plane_out_);
    Axis axis;
    axis.in = x[i];
    axis.out = sizes[i] = geometry.sizes[i];
    axis.outer = product(sizes, front, i);
    axis.inner = product(sizes, i + 1, sizes.size());
    FillTaps(p, geometry.scales[i], &axis);
    axes_.push_back(std::move(axis));
    plane_out_ = product(sizes, front, sizes.size());
  }
  parts_ = std::clamp<std::int64_t>(planes_ * plane_out_ / kResizeGrain, 1,
                                    std::min<std::int64_t>(MaxThreads(), planes_));
}

void PreparedResize::RunAxis(const Axis& axis, const float* x, float* y) noexcept {
  const std::int32_t* index = axis.index.data();
  const float* weight = axis.weight.data();
  for (std::int64_t o = 0; o < axis.outer; ++o, x += axis.in * axis.inner) {
    if (axis.inner == 1) {
      SumIndexed(axis.out, axis.width, index, weight, x, y);
      y += axis.out;
      continue;
    }
    for (std::int64_t i = 0; i < axis.out; ++i, y += axis.inner)
      SumRows(axis.inner, axis.width, axis.out, index + i, weight + i, x, y);
  }
}

// `between` is room for two results.
void PreparedResize::RunPlane(const float* x, float* y, float* between) const noexcept {
  if (axes_.empty()) std::copy_n(x, plane_in_, y);
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    float* to = i + 1 == axes_.size() ? y : between + (i % 2) * static_cast<std::size_t>(between_);
    RunAxis(axes_[i], x, to);
    x = to;
  }
}

Status PreparedResize::Run(const float* x, float* y, void* scratch) const noexcept {
  auto* between = static_cast<float*>(scratch);
  Parallel(parts_, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = planes_ * begin / parts_; plane < planes_ * end / parts_; ++plane)
      RunPlane(x + plane * plane_in_, y + plane * plane_out_, between + begin * 2 * between_);
  });
  return Status();
}

std::int64_t PreparedResize::ScratchBytes() const noexcept {
  return parts_ * 2 * between_ * std::int64_t{sizeof(float)};
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0
// Shape rules of operators with a sliding window: convolutions and pools.
#ifndef DRAGOMAN_CORE_OPS_WINDOW_H_
#define DRAGOMAN_CORE_OPS_WINDOW_H_

#include <cstdint>
#include <functional>
#include <optional>

#include "core/ops/infer_context.h"
#include "runtime/params/window.h"

namespace dragoman {

// A size of unknown value as the runtime's window functions may see it, so that they check all the
// rest: a large one along spatial axes.
inline constexpr std::int64_t kStandInSize = rt::kMaxExtent;
rt::Shape WithStandIns(const Shape& shape, std::int64_t spatial = kStandInSize);

// The output size of one axis whose input size is a Dim; `axis` holds everything else.
using AxisSize = std::function<Dim(const Dim& input, const rt::WindowAxis& axis)>;
// That of Conv and the pools.
AxisSize PooledSize(rt::AutoPad auto_pad, bool ceil_mode);

// `batch`, `channels`, then a size for each axis of `window`, which was resolved for stand-ins: the
// window's own where the size of `input` is known, else what `size` says. `kernel` is the weight's
// shape: an axis whose kernel size is not known has an unknown size.
Shape WindowedShape(const Dim& batch, const Dim& channels, const Shape& input,
                    const rt::Window& window, const AxisSize& size, const Shape* kernel = nullptr);

// More spatial axes than kernels handle: only the rank of the result is inferred.
inline bool RankTooHigh(const Shape& shape) {
  return shape.size() > static_cast<std::size_t>(rt::kMaxRank);
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_WINDOW_H_

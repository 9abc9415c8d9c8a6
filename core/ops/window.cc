// SPDX-License-Identifier: Apache-2.0
#include "core/ops/window.h"

namespace dragoman {

rt::Shape WithStandIns(const Shape& shape, std::int64_t spatial) {
  rt::Shape sizes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    sizes.push_back(shape[i].known() ? shape[i].value() : i < 2 ? 1 : spatial);
  }
  return sizes;
}

AxisSize PooledSize(rt::AutoPad auto_pad, bool ceil_mode) {
  const bool same = auto_pad == rt::AutoPad::kSameUpper || auto_pad == rt::AutoPad::kSameLower;
  return [same, ceil_mode](const Dim& input, const rt::WindowAxis& axis) {
    const Dim stride(axis.stride);
    if (same) return CeilDiv(input, stride);
    const Dim room = input + Dim(axis.pad_begin + axis.pad_end - axis.Span());
    if (!ceil_mode) return FloorDiv(room, stride) + Dim(1);
    Dim size = CeilDiv(room, stride) + Dim(1);
    // A window that would start in the padding at the end is dropped.
    if (axis.pad_end + axis.stride <= axis.Span()) return size;
    return Min(size, CeilDiv(input + Dim(axis.pad_begin), stride));
  };
}

Shape WindowedShape(const Dim& batch, const Dim& channels, const Shape& input,
                    const rt::Window& window, const AxisSize& size, const Shape* kernel) {
  Shape shape = {batch, channels};
  for (int i = 0; i < window.rank; ++i) {
    const rt::WindowAxis& axis = window.axes[i];
    const auto at = static_cast<std::size_t>(i) + 2;
    if (kernel != nullptr && !(*kernel)[at].known()) {
      shape.push_back(Dim::Unknown());
    } else if (input[at].known()) {
      shape.push_back(Dim(axis.output));
    } else {
      shape.push_back(size(input[at], axis));
    }
  }
  return shape;
}

}  // namespace dragoman

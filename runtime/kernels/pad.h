// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pad: grows or crops a tensor on every side.
#ifndef DRAGOMAN_RUNTIME_KERNELS_PAD_H_
#define DRAGOMAN_RUNTIME_KERNELS_PAD_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/int_operand.h"
#include "runtime/kernels/position.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/pad.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

namespace internal {

// One axis: positions [low, high) of the data survive the crop; `begin` stand in front of position
// 0 of the data.
struct PadAxis {
  PadMode mode;
  std::int64_t begin, low, high;

  // The data's position that shows at position `i` of the result, -1 for the constant.
  std::int64_t Source(std::int64_t i) const {
    const std::int64_t at = i - begin;
    if (at >= low && at < high) return at;
    const std::int64_t size = high - low;
    switch (mode) {
      case PadMode::kConstant:
        return -1;
      case PadMode::kEdge:
        return at < low ? low : high - 1;
      case PadMode::kWrap:
        return low + Modulo(at - low, size);
      case PadMode::kReflect:
        break;
    }
    if (size == 1) return low;
    const std::int64_t bounced = Modulo(at - low, 2 * (size - 1));
    return low + std::min(bounced, 2 * (size - 1) - bounced);
  }

 private:
  static std::int64_t Modulo(std::int64_t a, std::int64_t n) { return (a % n + n) % n; }
};

template <class T>
void PadRow(const PadAxis& axis, const T* from, T value, std::int64_t size, T* to) {
  const std::int64_t first = std::clamp<std::int64_t>(axis.low + axis.begin, 0, size);
  const std::int64_t last = std::clamp<std::int64_t>(axis.high + axis.begin, first, size);
  const auto element = [&](std::int64_t i) {
    const std::int64_t source = axis.Source(i);
    return source < 0 ? value : from[source];
  };
  for (std::int64_t i = 0; i < first; ++i) to[i] = element(i);
  std::copy_n(from + first - axis.begin, last - first, to + first);
  for (std::int64_t i = last; i < size; ++i) to[i] = element(i);
}

}  // namespace internal

// An absent constant is zero (empty string). Negative pads crop first; kReflect, kEdge and kWrap
// then repeat what is left, over and over where a pad is longer than that. Fails when the operands
// do not give the sizes of `output`.
template <class T, class Tind>
Status Pad(const PadParams& p, TensorView<const T> data, TensorView<const std::int64_t> pads,
           TensorView<const T> constant_value, TensorView<const Tind> axes, TensorView<T> output) {
  const IntOperand<std::int64_t> pad_values(pads);
  const IntOperand<Tind> axis_values(axes);
  Shape expected, begins, ends;
  DRAGOMAN_RT_TRY(PadShape(p, data.shape, pad_values.span(), axis_values.span(), &expected));
  DRAGOMAN_RT_TRY(ResolvePads(data.rank(), pad_values.span(), axis_values.span(), &begins, &ends));
  if (expected != output.shape) return Status::Error("the result of padding has other sizes");
  const std::int64_t count = output.size();
  if (count == 0) return Status();
  const T value = constant_value.present() ? constant_value[0] : T{};
  const int last = data.rank() - 1;
  if (last < 0) {
    output[0] = data[0];
    return Status();
  }
  internal::PadAxis walk[kMaxRank];
  for (int i = 0; i <= last; ++i) {
    const std::int64_t low = std::max<std::int64_t>(-begins[i], 0);
    const std::int64_t high = data.shape[i] + std::min<std::int64_t>(ends[i], 0);
    walk[i] = {p.mode, begins[i], low, high};
  }
  const Shape from = Strides(data.shape);
  Shape outer = output.shape;
  outer.resize(last);
  Position row(outer, outer);
  const std::int64_t size = output.shape[last];
  for (T* to = output.data; to != output.data + count; to += size, row.Next()) {
    std::int64_t offset = 0;
    bool constant = false;
    for (int i = 0; i < last; ++i) {
      const std::int64_t source = walk[i].Source(row[i]);
      constant = constant || source < 0;
      offset += source * from[i];
    }
    if (constant) {
      std::fill_n(to, size, value);
    } else {
      internal::PadRow(walk[last], data.data + offset, value, size, to);
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_PAD_H_

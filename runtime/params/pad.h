// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes, bounds and sizes of Pad.
#ifndef DRAGOMAN_RUNTIME_PARAMS_PAD_H_
#define DRAGOMAN_RUNTIME_PARAMS_PAD_H_

#include <algorithm>
#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

enum class PadMode { kConstant, kReflect, kEdge, kWrap };

constexpr const char* Name(PadMode mode) {
  constexpr const char* kNames[] = {"kConstant", "kReflect", "kEdge", "kWrap"};
  return kNames[static_cast<int>(mode)];
}

struct PadParams {
  PadMode mode = PadMode::kConstant;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("mode", self.mode);
  }
};

inline constexpr std::int64_t kMaxPad = std::int64_t{1} << 62;

// Spreads pads over all axes: result axis i grows by begins[i] in front and ends[i] after;
// negative entries crop. Absent axes are 0, 1, ...
constexpr Status ResolvePads(int rank, IntSpan pads, IntSpan axes, Shape* begins, Shape* ends) {
  const std::int64_t count = axes.data == nullptr ? rank : axes.size;
  if (pads.size != 2 * count) return Status::Error("pads does not hold two entries an axis");
  std::uint32_t mask = 0;
  DRAGOMAN_RT_TRY(ResolveAxes(axes, rank, &mask));
  *begins = Shape::Filled(rank, 0);
  *ends = Shape::Filled(rank, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    const int axis = WrapAxis(axes.data == nullptr ? i : axes[i], rank);
    if (pads[i] < -kMaxPad || pads[count + i] < -kMaxPad)
      return Status::Error("a pad is too large");
    (*begins)[axis] = pads[i];
    (*ends)[axis] = pads[count + i];
  }
  return Status();
}

// Modes other than kConstant need an element to repeat on each axis that grows.
constexpr Status PadShape(const PadParams& p, const Shape& data, IntSpan pads, IntSpan axes,
                          Shape* output) {
  Shape begins, ends;
  DRAGOMAN_RT_TRY(ResolvePads(data.size(), pads, axes, &begins, &ends));
  *output = data;
  for (int i = 0; i < data.size(); ++i) {
    std::int64_t cropped = 0;
    DRAGOMAN_RT_TRY(CheckedAdd(data[i], std::min<std::int64_t>(begins[i], 0), &cropped));
    DRAGOMAN_RT_TRY(CheckedAdd(cropped, std::min<std::int64_t>(ends[i], 0), &cropped));
    DRAGOMAN_RT_TRY(CheckedAdd(data[i], begins[i], &(*output)[i]));
    DRAGOMAN_RT_TRY(CheckedAdd((*output)[i], ends[i], &(*output)[i]));
    const bool grows = (*output)[i] > 0;
    if (p.mode != PadMode::kConstant && grows && cropped <= 0) {
      return Status::Error("nothing is left to pad an axis with");
    }
  }
  return CheckSizes(*output);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_PAD_H_

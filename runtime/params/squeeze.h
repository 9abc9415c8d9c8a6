// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of Squeeze and Unsqueeze.
#ifndef DRAGOMAN_RUNTIME_PARAMS_SQUEEZE_H_
#define DRAGOMAN_RUNTIME_PARAMS_SQUEEZE_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Without axes (`axes.data` null) all axes of size 1 go; an empty list removes none, and one that
// is named twice goes once.
constexpr Status SqueezeShape(const Shape& data, IntSpan axes, Shape* squeezed) {
  std::uint32_t mask = 0;
  for (std::int64_t i = 0; i < axes.size; ++i) {
    int axis = 0;
    DRAGOMAN_RT_TRY(ResolveAxis(axes[i], data.size(), &axis));
    mask |= 1u << axis;
  }
  *squeezed = Shape();
  for (int i = 0; i < data.size(); ++i) {
    const bool chosen = axes.data == nullptr ? data[i] == 1 : (mask >> i & 1) != 0;
    if (chosen && data[i] != 1) return Status::Error("a squeezed axis is not of size 1");
    if (!chosen) squeezed->push_back(data[i]);
  }
  return Status();
}

// The axes refer to the result.
constexpr Status UnsqueezeShape(const Shape& data, IntSpan axes, Shape* expanded) {
  if (data.size() + axes.size > kMaxRank) return Status::Error("the rank is too high");
  const int rank = data.size() + static_cast<int>(axes.size);
  std::uint32_t mask = 0;
  DRAGOMAN_RT_TRY(ResolveAxes(axes, rank, &mask));
  *expanded = Shape();
  int next = 0;
  for (int i = 0; i < rank; ++i) expanded->push_back((mask >> i & 1) != 0 ? 1 : data[next++]);
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_SQUEEZE_H_

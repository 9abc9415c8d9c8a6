// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and result size of the Reduce family.
#ifndef DRAGOMAN_RUNTIME_PARAMS_REDUCE_H_
#define DRAGOMAN_RUNTIME_PARAMS_REDUCE_H_

#include <cstdint>

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// `noop_with_empty_axes`: without axes nothing is reduced, instead of all.
struct ReduceParams {
  bool keepdims = true;
  bool noop_with_empty_axes = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("keepdims", self.keepdims);
    f("noop_with_empty_axes", self.noop_with_empty_axes);
  }
};

// Which axes of a tensor are reduced.
struct ReducedAxes {
  bool reduced[kMaxRank] = {};
  bool operator[](int axis) const { return reduced[axis]; }
};

// `axes` counts from the end where negative; without any it means all. Entries out of range are
// ignored: ReduceShape refuses them.
inline ReducedAxes FindReducedAxes(int rank, IntSpan axes, bool noop_with_empty_axes) {
  ReducedAxes found;
  for (int axis = 0; axis < rank; ++axis) {
    found.reduced[axis] = axes.size == 0 && !noop_with_empty_axes;
  }
  for (std::int64_t i = 0; i < axes.size; ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis >= 0 && axis < rank) found.reduced[axis] = true;
  }
  return found;
}

// Fails where an axis is out of range or named twice. `axes` without data is the absent operand.
inline Status ReduceShape(const ReduceParams& p, const Shape& data, IntSpan axes, Shape* reduced) {
  const int rank = data.size();
  bool seen[kMaxRank] = {};
  for (std::int64_t i = 0; i < axes.size; ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank) return Status::Error("axis to reduce is out of range");
    if (seen[axis]) return Status::Error("axis to reduce is given twice");
    seen[axis] = true;
  }
  const ReducedAxes is_reduced = FindReducedAxes(rank, axes, p.noop_with_empty_axes);
  *reduced = Shape();
  for (int axis = 0; axis < rank; ++axis) {
    if (!is_reduced[axis]) reduced->push_back(data[axis]);
    if (is_reduced[axis] && p.keepdims) reduced->push_back(1);
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_REDUCE_H_

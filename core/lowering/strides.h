// SPDX-License-Identifier: Apache-2.0
// How far apart the elements of a tensor lie in its storage. It decides whether an operator that
// gives a view where it can, and a copy elsewhere, gives the one or the other.
//
// Sizes are symbolic, so that the answer may be unknown: an axis whose size is 1 lies everywhere.
#ifndef DRAGOMAN_CORE_LOWERING_STRIDES_H_
#define DRAGOMAN_CORE_LOWERING_STRIDES_H_

#include <vector>

#include "core/ir/type.h"

namespace dragoman {

struct Strides {
  // One after the other in the order of the axes, without gaps, whatever the sizes are.
  bool row_major = true;
  // Otherwise: how many elements lie from one to the next along each axis. Empty: nothing is known.
  std::vector<Dim> steps = {};

  static Strides Unknown() { return {false, {}}; }
};

// What a tensor of these sizes has: `steps`, one per axis, each known or not.
Strides MakeStrides(std::vector<Dim> steps, const Shape& sizes);
// One an axis, each known or not.
std::vector<Dim> StepsOf(const Strides& strides, const Shape& sizes);
// Of a tensor that may be the one or the other.
Strides JoinStrides(const Strides& a, const Strides& b);
// `sizes`: nullptr if not even the rank is known.
Truth IsRowMajor(const Strides& strides, const Shape* sizes);
// Whether the elements of both lie equally; axes of size 1 do not count.
Truth SameSteps(const std::vector<Dim>& a, const std::vector<Dim>& b, const Shape& sizes);

// The elements of a tensor, in their order, under other sizes.
struct Resized {
  Truth shares = Truth::kUnknown;  // whether strides can express it
  std::vector<Dim> steps;          // if they can
};
// Axes that become one, or part of one, must lie as if they were one.
Resized Resize(const std::vector<Dim>& steps, const Shape& from, const Shape& to);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_STRIDES_H_

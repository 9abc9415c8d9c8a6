// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The equation of Einsum in parsed form, and the sizes that it gives.
#ifndef DRAGOMAN_RUNTIME_PARAMS_EINSUM_H_
#define DRAGOMAN_RUNTIME_PARAMS_EINSUM_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

inline constexpr int kMaxEinsumOperands = 16;
inline constexpr int kMaxEinsumLabels = 64;
// Distinct axes: labels and the axes of an ellipsis.
inline constexpr int kMaxEinsumAxes = kMaxEinsumLabels + kMaxRank;
// The label that stands for "...".
inline constexpr std::int64_t kEinsumEllipsis = '.';

using EinsumLabels = FixedInts<kMaxEinsumLabels>;
using EinsumAxisList = FixedInts<kMaxEinsumAxes>;

// A label is the code of its letter. `labels` holds those of all operands one after the other,
// operand_labels[i] of them belong to operand i. The output is explicit here. Ellipsis axes that
// the output does not mention are summed.
struct EinsumParams {
  Ints operand_labels;
  EinsumLabels labels;
  EinsumLabels output;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("operand_labels", self.operand_labels);
    f("labels", self.labels);
    f("output", self.output);
  }
};

// Reads an equation of ONNX, numpy or torch: letters, "...", commas, at most one "->", spaces.
// Without "->" the output is the ellipsis, if any, and the letters that occur once, sorted.
Status ParseEinsum(const char* equation, std::int64_t length, EinsumParams* p);

// The axes over which the sum of products runs, the output's first. Letters stand for themselves,
// ellipsis axis i, counted from the back, for kEllipsisAxis + i.
struct EinsumSpace {
  static constexpr std::int64_t kEllipsisAxis = 128;

  EinsumAxisList axes;
  EinsumAxisList sizes;
  int output_rank = 0;

  // The place of `axis` in `axes`, -1 if it is not there.
  int Find(std::int64_t axis) const;
};

// For each axis of operand `index`, of the given rank, its name in the space. Fails when the rank
// does not fit the labels.
Status EinsumOperandAxes(const EinsumParams& p, int index, int rank, Shape* axes);

// Fails when the operands do not fit the equation. Size 1 broadcasts.
Status ResolveEinsum(const EinsumParams& p, const Shape* inputs, std::int64_t count,
                     EinsumSpace* space);

Status EinsumShape(const EinsumParams& p, const Shape* inputs, std::int64_t count, Shape* output);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_EINSUM_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Transpose.
#ifndef DRAGOMAN_RUNTIME_PARAMS_TRANSPOSE_H_
#define DRAGOMAN_RUNTIME_PARAMS_TRANSPOSE_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Axis i of the result is axis perm[i] of the operand; an empty perm reverses the axes.
struct TransposeParams {
  Ints perm;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("perm", self.perm);
  }
};

constexpr int TransposeAxis(const TransposeParams& p, int rank, int axis) {
  return p.perm.empty() ? rank - 1 - axis : static_cast<int>(p.perm[axis]);
}

constexpr Status TransposeShape(const TransposeParams& p, const Shape& data, Shape* transposed) {
  const int rank = data.size();
  if (!p.perm.empty() && p.perm.size() != rank) return Status::Error("perm is not of the rank");
  for (std::int64_t axis : p.perm) {
    if (axis < 0) return Status::Error("an axis is out of range");
  }
  std::uint32_t mask = 0;
  DRAGOMAN_RT_TRY(ResolveAxes({p.perm.data(), p.perm.size()}, rank, &mask));
  *transposed = Shape();
  for (int i = 0; i < rank; ++i) transposed->push_back(data[TransposeAxis(p, rank, i)]);
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_TRANSPOSE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Reshape.
#ifndef DRAGOMAN_RUNTIME_PARAMS_RESHAPE_H_
#define DRAGOMAN_RUNTIME_PARAMS_RESHAPE_H_

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

struct ReshapeParams {
  bool allowzero = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("allowzero", self.allowzero);
  }
};

// One entry may be -1: it takes what remains. 0 copies the size at the same place of `data`; with
// allowzero it is a size.
constexpr Status ReshapeShape(const ReshapeParams& p, const Shape& data, IntSpan shape,
                              Shape* reshaped) {
  if (shape.size > kMaxRank) return Status::Error("the rank is too high");
  *reshaped = Shape();
  int inferred = -1;
  std::int64_t known = 1;
  for (int i = 0; i < shape.size; ++i) {
    std::int64_t size = shape[i];
    if (size == 0 && !p.allowzero) {
      if (i >= data.size()) return Status::Error("0 in the new shape has no size to copy");
      size = data[i];
    }
    if (size < -1) return Status::Error("a size is negative");
    if (size == -1) {
      if (inferred >= 0) return Status::Error("the new shape holds -1 twice");
      inferred = i;
    } else {
      DRAGOMAN_RT_TRY(CheckedMul(known, size, &known));
    }
    reshaped->push_back(size);
  }
  const std::int64_t total = NumElements(data);
  if (inferred >= 0) {
    if (known == 0) return Status::Error("-1 in the new shape is undetermined beside a 0");
    (*reshaped)[inferred] = total / known;
    known *= total / known;
  }
  if (known != total) return Status::Error("the new shape has another number of elements");
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_RESHAPE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of ScatterElements and ScatterND.
#ifndef DRAGOMAN_RUNTIME_PARAMS_SCATTER_H_
#define DRAGOMAN_RUNTIME_PARAMS_SCATTER_H_

#include <cstdint>

#include "runtime/params/gather.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

enum class ScatterReduction { kNone, kAdd, kMul, kMax, kMin };

constexpr const char* Name(ScatterReduction reduction) {
  constexpr const char* kNames[] = {"kNone", "kAdd", "kMul", "kMax", "kMin"};
  return kNames[static_cast<int>(reduction)];
}

struct ScatterElementsParams {
  std::int64_t axis = 0;
  ScatterReduction reduction = ScatterReduction::kNone;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("axis", self.axis);
    f("reduction", self.reduction);
  }
};

struct ScatterNdParams {
  ScatterReduction reduction = ScatterReduction::kNone;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("reduction", self.reduction);
  }
};

// Both results have the sizes of `data`; the functions check that the operands fit.
constexpr Status ScatterElementsShape(const ScatterElementsParams& p, const Shape& data,
                                      const Shape& indices, const Shape& updates, Shape* output) {
  *output = data;
  if (updates != indices) return Status::Error("the sizes of updates and indices differ");
  return CheckElementIndices(p.axis, data, indices);
}

constexpr Status ScatterNdShape(const ScatterNdParams&, const Shape& data, const Shape& indices,
                                const Shape& updates, Shape* output) {
  *output = data;
  Shape slices;
  DRAGOMAN_RT_TRY(GatherNdShape({}, data, indices, &slices));
  return updates == slices ? Status() : Status::Error("updates do not have the indexed sizes");
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_SCATTER_H_

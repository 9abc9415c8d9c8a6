// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of Gemm.
#ifndef DRAGOMAN_RUNTIME_PARAMS_GEMM_H_
#define DRAGOMAN_RUNTIME_PARAMS_GEMM_H_

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// transA and transB keep the spelling of the attributes.
struct GemmParams {
  float alpha = 1.0f;
  float beta = 1.0f;
  bool transA = false;
  bool transB = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("alpha", self.alpha);
    f("beta", self.beta);
    f("transA", self.transA);
    f("transB", self.transB);
  }
};

constexpr Status GemmShape(const GemmParams& p, const Shape& a, const Shape& b, Shape* y) {
  if (a.size() != 2 || b.size() != 2) return Status::Error("operands must be matrices");
  if (a[p.transA ? 0 : 1] != b[p.transB ? 1 : 0]) {
    return Status::Error("inner sizes of the operands differ");
  }
  *y = Shape{a[p.transA ? 1 : 0], b[p.transB ? 0 : 1]};
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_GEMM_H_

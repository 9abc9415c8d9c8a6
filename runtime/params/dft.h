// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes and sizes of DFT.
#ifndef DRAGOMAN_RUNTIME_PARAMS_DFT_H_
#define DRAGOMAN_RUNTIME_PARAMS_DFT_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// onesided: of a real signal's spectrum the first half, which determines the rest.
struct DFTParams {
  bool inverse = false;
  bool onesided = false;

  template <class Self, class F>
  static void Visit(Self& self, F&& f) {
    f("inverse", self.inverse);
    f("onesided", self.onesided);
  }
};

// `length` and `axis` are empty where the operand is absent: the size of the axis, and -2.
constexpr Status DFTShape(const DFTParams& p, const Shape& x, IntSpan length, IntSpan axis,
                          Shape* y) {
  if (x.size() < 2) return Status::Error("the operand's rank is below 2");
  const std::int64_t parts = x.back();
  if (parts != 1 && parts != 2) return Status::Error("the last axis is not of size 1 or 2");
  if (p.onesided && p.inverse) return Status::Error("an inverse transform is not one-sided");
  if (p.onesided && parts != 1)
    return Status::Error("the spectrum of complex signals is not one-sided");
  if (length.size > 1 || axis.size > 1) return Status::Error("dft_length or axis is not a scalar");
  int along = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(axis.size == 1 ? axis[0] : -2, x.size(), &along));
  if (along == x.size() - 1) return Status::Error("the last axis cannot be transformed");
  const std::int64_t n = length.size == 1 ? length[0] : x[along];
  if (n < 1) return Status::Error("the length of the transform is not positive");
  *y = x;
  (*y)[along] = p.onesided ? n / 2 + 1 : n;
  (*y)[x.size() - 1] = 2;
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_DFT_H_

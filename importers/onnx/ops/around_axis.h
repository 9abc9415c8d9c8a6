// SPDX-License-Identifier: Apache-2.0
// An axis that only run time knows.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_AROUND_AXIS_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_AROUND_AXIS_H_

#include <vector>

#include "importers/onnx/op_composer.h"

namespace dragoman {

struct AroundAxis {
  Value* parts;    // the tensor as three axes, of which the middle one is the axis
  Value* sizes;    // of the tensor
  Value* is_axis;  // which of them is that of the axis
};

// `axis` is a number of one element, counted from either end of the `rank` axes of `x`.
inline AroundAxis SplitAroundAxis(OpComposer& f, Value* x, Value* axis, int rank) {
  Value* sizes = f.Shape(x);
  Value* places = f.Iota(f.Int(rank));
  Value* at = f.Reshape(f.Cast(axis, DType::kI64), std::vector<std::int64_t>{});
  at = f.Where(f.Less(at, 0), f.Add(at, rank), at);
  const auto product = [&](Value* counted) {
    return f.Op("ReduceProd", {f.Where(counted, sizes, 1), f.Ints({0})});
  };
  Value* is_axis = f.Equal(places, at);
  Value* parts =
      f.Concat({product(f.Less(places, at)), product(is_axis), product(f.Greater(places, at))}, 0);
  return {f.Reshape(x, parts), sizes, is_axis};
}

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_AROUND_AXIS_H_

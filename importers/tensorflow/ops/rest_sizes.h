// SPDX-License-Identifier: Apache-2.0
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_REST_SIZES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_REST_SIZES_H_

#include <optional>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// The sizes of `x` from `axis` on, also where its rank is known only at run time.
inline Value* RestSizes(Call& c, Value* x, int axis) {
  const std::optional<int> rank = c.MaybeRank(x);
  return rank ? c.SizeVector(x, axis, *rank - axis) : c.Slice(c.Shape(x), 0, axis, kEnd);
}

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_REST_SIZES_H_

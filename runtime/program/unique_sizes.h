// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of Unique's results, from its operand.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_UNIQUE_SIZES_H_
#define DRAGOMAN_RUNTIME_PROGRAM_UNIQUE_SIZES_H_

#include <cstdint>

#include "runtime/kernels/unique.h"
#include "runtime/params/checked.h"
#include "runtime/params/status.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

template <class T>
Status UniqueSizes(const UniqueParams& p, TensorView<const T> x, Memory& scratch, Shape* y,
                   Shape* indices, Shape* inverse_indices, Shape* counts) {
  DRAGOMAN_RT_TRY(UniqueShape(p, x.shape, 0, y));
  DRAGOMAN_RT_TRY(scratch.Reserve(UniqueScratchBytes<T>(p, x, {}, {}, {}, {})));
  const std::int64_t count = UniqueCount<T>(p, x, scratch.data());
  *indices = *counts = {count};
  *inverse_indices = {p.has_axis ? x.shape[WrapAxis(p.axis, x.rank())] : x.size()};
  return UniqueShape(p, x.shape, count, y);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_UNIQUE_SIZES_H_

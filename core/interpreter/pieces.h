// SPDX-License-Identifier: Apache-2.0
// Cutting arrays along an axis and joining them, by the kernels of Split and Concat.
#ifndef DRAGOMAN_CORE_INTERPRETER_PIECES_H_
#define DRAGOMAN_CORE_INTERPRETER_PIECES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/interpreter/array.h"
#include "core/support/result.h"

namespace dragoman {

// The axis counted from the front. Errors: outside of [-rank, rank).
Result<int> ResolveAxis(std::int64_t axis, int rank);

// The parts of `array` along `axis` (from 0), of the given sizes. Errors: they do not add up.
Result<std::vector<Array>> SplitAlong(const Array& array, int axis,
                                      std::span<const std::int64_t> sizes);
// The slices along `axis`, without it.
Result<std::vector<Array>> Slices(const Array& array, int axis);

// One or more arrays, joined along `axis` (from 0). Errors: other sizes or element types differ.
Result<Array> Concatenate(std::span<const Array> arrays, int axis);
// One or more arrays of equal sizes, along a new axis.
Result<Array> Stack(std::span<const Array> arrays, int axis);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_PIECES_H_

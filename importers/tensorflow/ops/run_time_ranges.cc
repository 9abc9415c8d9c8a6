// SPDX-License-Identifier: Apache-2.0
// Rounding to the steps of integers between ends that only the run knows, as TensorFlow's kernels
// compute it, in float32.
#include <cstdint>
#include <string>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/quantized_form.h"

namespace dragoman::tf {
namespace {

// Ends as they stand beside `x`: one number, or one for each slice of `axis`.
Value* Beside(Call& c, Value* end, std::int64_t axis, int rank) {
  if (axis < 0) return c.Reshape(end, Ints());
  return AlongAxis(c, c.Flatten(end), static_cast<int>(axis), rank);
}

// The least or the most of `x`, of each slice of `axis` where that is one.
Value* Extreme(Call& c, std::string_view reduction, Value* x, std::int64_t axis, int rank) {
  if (axis < 0) return c.ReduceAll(reduction, x);
  Ints others;
  for (int i = 0; i < rank; ++i) {
    if (i != axis) others.push_back(i);
  }
  if (others.empty()) return x;
  return c.Op(reduction, {x, c.Ints(others)}, {{"keepdims", std::int64_t{1}}});
}

// The size of a step: the end that needs the larger steps gives it.
struct StepSize {
  Value* per_unit = nullptr;  // how many steps 1 is
  Value* size = nullptr;
};

StepSize SizeOfSteps(Call& c, const Integers& integers, Value* min, Value* max) {
  Value* from_min = StepsPerUnit(c, integers.least, min);
  Value* from_max = StepsPerUnit(c, integers.most, max);
  Value* size = c.Div(max, integers.most);
  if (integers.least != 0)
    size = c.Where(c.Less(from_min, from_max), c.Div(min, integers.least), size);
  return {c.Min(from_min, from_max), size};
}

}  // namespace

Value* QuantizeAndDequantizeAtRunTime(Call& c, const Integers& integers, std::int64_t axis,
                                      bool half_up) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (axis >= rank)
    return c.Fail(InvalidInput("axis " + std::to_string(axis) + " of a tensor of rank " +
                               std::to_string(rank)));
  if (c.dtype(x) != DType::kF32) return c.Fail("other elements than float32");
  const bool is_given = c.BoolAttribute("range_given");
  Value* min =
      is_given ? Beside(c, c.Tensor(1), axis, rank) : Extreme(c, "ReduceMin", x, axis, rank);
  Value* max =
      is_given ? Beside(c, c.Tensor(2), axis, rank) : Extreme(c, "ReduceMax", x, axis, rank);
  const StepSize steps = SizeOfSteps(c, integers, min, max);
  if (is_given)
    x = c.Max(c.Min(x, c.Mul(steps.size, integers.most)), c.Mul(steps.size, integers.least));
  Value* place = c.Mul(x, steps.per_unit);
  Value* whole = half_up ? c.Floor(c.Add(place, 0.5)) : c.Op("Round", {place});
  return c.Mul(whole, steps.size);
}

}  // namespace dragoman::tf

// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/run_time_axes.h"

#include <cstdint>
#include <vector>

#include "core/lowering/math.h"

namespace dragoman::tf {

Value* RunTimeAxis(Call& c, std::size_t i, Value* x) {
  Value* axis = c.IndexNumber(i);
  if (c.failed() || c.KnownNumber(axis)) return nullptr;
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank == 0) {
    c.Fail(InvalidInput("an axis of a tensor that has none"));
    return nullptr;
  }
  return c.Where(c.Less(axis, 0), c.Add(axis, rank), axis);
}

// The elements one after the other, each taken from where the order says: along axis k of the
// result they are as far apart as along axis order[k] of `x`.
Value* TransposeByOrder(Call& c, Value* x, Value* order) {
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank < 2) return x;
  std::vector<Value*> distances(static_cast<std::size_t>(rank));
  Value* distance = c.Int(1);
  for (int axis = rank; axis-- > 0;) {
    distances[static_cast<std::size_t>(axis)] = c.Vector(distance);
    distance = c.Mul(distance, c.Size(x, axis));
  }
  Value* all_distances = c.ConcatSizes(std::move(distances));
  Value* sizes = c.Gather(c.Shape(x), order, 0);
  Value* steps = c.Gather(all_distances, order, 0);
  Value* place = c.Int(0);
  for (int axis = 0; axis < rank; ++axis) {
    Value* along = c.Mul(c.Iota(c.Select(sizes, 0, axis)), c.Select(steps, 0, axis));
    place = c.Add(place, AlongAxis(c, along, axis, rank));
  }
  return c.Gather(c.Flatten(x), place, 0);
}

Value* AxisToFront(Call& c, Value* x, Value* axis) {
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  // axis, 0, 1, … without it.
  Value* others = c.Iota(c.Int(rank - 1));
  others = c.Where(c.Less(others, axis), others, c.Add(others, 1));
  return TransposeByOrder(c, x, c.ConcatSizes({c.Vector(axis), others}));
}

Value* FrontToAxis(Call& c, Value* x, Value* axis, int count) {
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  Value* places = c.Iota(c.Int(rank));
  Value* from_axis = c.Sub(places, axis);
  Value* moved = c.And(c.GreaterOrEqual(from_axis, 0), c.Less(from_axis, count));
  Value* order = c.Where(c.Less(from_axis, 0), c.Add(places, count), places);
  return TransposeByOrder(c, x, c.Where(moved, from_axis, order));
}

}  // namespace dragoman::tf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop of all reductions over a set of axes.
//
// A reducer is a struct with
//
//     using State = …;                      what is kept of the elements seen
//     static State Start();                 of no elements
//     static State Step(State, T);          one element more
//     static State Merge(State, State);     of two disjoint sets of elements
//     static T Finish(State, int64 count);
//
// Elements are spread over kLanes states, so that neither rounding errors nor the latency of an
// addition pile up in one.
#ifndef DRAGOMAN_RUNTIME_KERNELS_REDUCE_LOOP_H_
#define DRAGOMAN_RUNTIME_KERNELS_REDUCE_LOOP_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/reduce.h"
#include "runtime/params/shape.h"

namespace dragoman::rt {

// Axes that are walked together: sizes and strides in elements, outermost first.
struct StridedAxes {
  Shape sizes;
  Shape strides;

  std::int64_t count() const { return NumElements(sizes); }

  // Merges with the last axis where that continues it.
  void Append(std::int64_t size, std::int64_t stride) {
    if (size == 1) return;
    const int last = sizes.size() - 1;
    if (last >= 0 && strides[last] == stride * size) {
      sizes[last] *= size;
      strides[last] = stride;
    } else {
      sizes.push_back(size);
      strides.push_back(stride);
    }
  }

  // Calls visit(offset) for each combination of indices, in order.
  template <class Visit>
  void ForEach(Visit visit) const {
    if (sizes.empty()) return visit(0);
    const int outer = sizes.size() - 1;
    const std::int64_t inner_size = sizes.back(), inner_stride = strides.back();
    const std::int64_t n = inner_size == 0 ? 0 : count() / inner_size;
    Shape index = Shape::Filled(outer, 0);
    std::int64_t offset = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < inner_size; ++j) visit(offset + j * inner_stride);
      offset = Advance(offset, &index);
    }
  }

  // Splits off the last axis if it is contiguous; otherwise a run is one element.
  std::int64_t TakeContiguous() {
    const int last = sizes.size() - 1;
    if (last < 0 || strides[last] != 1) return 1;
    const std::int64_t size = sizes[last];
    sizes.resize(last);
    strides.resize(last);
    return size;
  }

 private:
  // The offset of the next combination of all indices but the last.
  __attribute__((noinline)) std::int64_t Advance(std::int64_t offset, Shape* index) const {
    for (int axis = index->size() - 1; axis >= 0; --axis) {
      offset += strides[axis];
      if (++(*index)[axis] < sizes[axis]) break;
      offset -= strides[axis] * sizes[axis];
      (*index)[axis] = 0;
    }
    return offset;
  }
};

struct ReducePlan {
  StridedAxes kept;
  StridedAxes reduced;

  __attribute__((noinline)) ReducePlan(const Shape& shape, const ReducedAxes& is_reduced) {
    const Shape strides = Strides(shape);
    for (int axis = 0; axis < shape.size(); ++axis) {
      (is_reduced[axis] ? reduced : kept).Append(shape[axis], strides[axis]);
    }
  }
};

inline constexpr int kLanes = 16;

// What is kept of kLanes elements side by side.
template <class Reducer, class T, class State = typename Reducer::State>
struct ReducedLanes {
  State states[kLanes];

  ReducedLanes() {
    for (State& state : states) state = Reducer::Start();
  }
  // Of kLanes elements more.
  void Step(const T* x) {
    for (int lane = 0; lane < kLanes; ++lane) states[lane] = Reducer::Step(states[lane], x[lane]);
  }
  State Merged() {
    for (int half = kLanes / 2; half > 0; half /= 2) {
      for (int lane = 0; lane < half; ++lane)
        states[lane] = Reducer::Merge(states[lane], states[lane + half]);
    }
    return states[0];
  }
};

// Of floats that stay floats, the largest or the least: compilers make no vectors of what they
// would choose element by element. Vectors forget NaN, so the lanes remember where there was one.
template <class Reducer>
struct ReducedLanes<Reducer, float, float> {
  static constexpr int kFloats = 8;
  using Vector = float __attribute__((vector_size(kFloats * sizeof(float))));
  using Mask = std::int32_t __attribute__((vector_size(kFloats * sizeof(float))));
  Vector vectors[kLanes / kFloats];
  Mask unordered = {};

  ReducedLanes() {
    for (Vector& vector : vectors) vector = Vector{} + Reducer::Start();
  }
  void Step(const float* x) {
    for (int v = 0; v < kLanes / kFloats; ++v) {
      Vector next;
      std::memcpy(&next, x + v * kFloats, sizeof next);
      unordered |= next != next;
      Reducer::Choose(next, vectors[v]);
    }
  }
  float Merged() {
    std::int32_t nan[kFloats];
    std::memcpy(nan, &unordered, sizeof nan);
    std::int32_t any = 0;
    for (const std::int32_t lane : nan) any |= lane;
    if (any != 0) return std::numeric_limits<float>::quiet_NaN();
    for (int v = 1; v < kLanes / kFloats; ++v) Reducer::Choose(vectors[v], vectors[0]);
    float lanes[kFloats];
    std::memcpy(lanes, &vectors[0], sizeof lanes);
    for (int half = kFloats / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) Reducer::Choose(lanes[i + half], lanes[i]);
    }
    return lanes[0];
  }
};

// One result: the elements are runs of `run` contiguous ones at the offsets of `outer`.
template <class Reducer, class T>
T ReduceRuns(const T* x, const StridedAxes& outer, std::int64_t run, std::int64_t count) {
  using State = typename Reducer::State;
  State rest = Reducer::Start();  // of what fills no lanes
  ReducedLanes<Reducer, T> lanes;
  outer.ForEach([&](std::int64_t offset) {
    const T* p = x + offset;
    std::int64_t i = 0;
    for (; i + kLanes <= run; i += kLanes) lanes.Step(p + i);
    for (; i < run; ++i) rest = Reducer::Step(rest, p[i]);
  });
  return Reducer::Finish(run < kLanes ? rest : Reducer::Merge(lanes.Merged(), rest), count);
}

// kRows results, each of the next `run` elements, which do not wait for each other's steps.
template <int kRows, class Reducer, class T>
void ReduceSideBySide(const T* x, std::int64_t run, T* y) {
  typename Reducer::State states[kRows];
  std::fill_n(states, kRows, Reducer::Start());
  for (std::int64_t i = 0; i < run; ++i) {
    for (int row = 0; row < kRows; ++row)
      states[row] = Reducer::Step(states[row], x[row * run + i]);
  }
  for (int row = 0; row < kRows; ++row) y[row] = Reducer::Finish(states[row], run);
}

// `rows` results of runs that follow each other and fill no lanes.
template <class Reducer, class T>
void ReduceShortRuns(const T* x, std::int64_t rows, std::int64_t run, T* y) {
  constexpr int kRows = 8;
  for (; rows >= kRows; rows -= kRows, x += kRows * run, y += kRows)
    ReduceSideBySide<kRows, Reducer>(x, run, y);
  for (; rows > 0; --rows, x += run, ++y) ReduceSideBySide<1, Reducer>(x, run, y);
}

// Neighbouring results that are computed at once: what lies apart is read in runs of so many.
inline constexpr int kReducedColumns = 128;

// `columns` (at most kReducedColumns) neighbouring results.
template <class Reducer, class T>
void ReduceColumns(const T* x, const StridedAxes& reduced, int columns, std::int64_t count, T* y) {
  typename Reducer::State states[kReducedColumns];
  std::fill_n(states, columns, Reducer::Start());
  reduced.ForEach([&states, x, columns](std::int64_t offset) {
    for (int i = 0; i < columns; ++i) states[i] = Reducer::Step(states[i], x[offset + i]);
  });
  for (int i = 0; i < columns; ++i) y[i] = Reducer::Finish(states[i], count);
}

template <class Reducer, class T>
void Reduce(const ReduceParams& p, TensorView<const T> data, TensorView<const std::int64_t> axes,
            TensorView<T> reduced) {
  if (reduced.size() == 0) return;
  const IntSpan span{axes.data, axes.present() ? axes.size() : 0};
  ReducePlan plan(data.shape, FindReducedAxes(data.rank(), span, p.noop_with_empty_axes));
  const std::int64_t count = plan.reduced.count();
  const std::int64_t columns = plan.kept.TakeContiguous();
  const std::int64_t run = columns == 1 ? plan.reduced.TakeContiguous() : 1;
  T* out = reduced.data;
  const StridedAxes& kept = plan.kept;
  if (columns == 1 && run < kLanes && run == count && kept.sizes.size() == 1 &&
      kept.strides[0] == run) {
    return ReduceShortRuns<Reducer>(data.data, kept.sizes[0], run, out);
  }
  plan.kept.ForEach([&](std::int64_t offset) {
    const T* x = data.data + offset;
    if (columns == 1) {
      *out++ = ReduceRuns<Reducer>(x, plan.reduced, run, count);
      return;
    }
    for (std::int64_t j = 0; j < columns; j += kReducedColumns) {
      const int several = static_cast<int>(std::min<std::int64_t>(kReducedColumns, columns - j));
      ReduceColumns<Reducer>(x + j, plan.reduced, several, count, out + j);
    }
    out += columns;
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_REDUCE_LOOP_H_

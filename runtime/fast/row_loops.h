// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops along rows of floats. Only .cc files of runtime/fast include this.
#ifndef DRAGOMAN_RUNTIME_FAST_ROW_LOOPS_H_
#define DRAGOMAN_RUNTIME_FAST_ROW_LOOPS_H_

#include <algorithm>
#include <cstdint>
#include <limits>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"
#include "runtime/params/shape.h"

namespace dragoman::rt {

constexpr int kRowLanes = 16;
constexpr std::int64_t kRowGrain = 1 << 14;  // elements below which a thread is not worth its start

// Folds f(element) into lanes, so that the compiler may use vectors, and these into one number.
template <class F, class Fold>
DRAGOMAN_RT_INLINE float ReduceRow(std::int64_t count, float initial, F f, Fold fold) {
  float lanes[kRowLanes];
  for (float& lane : lanes) lane = initial;
  std::int64_t i = 0;
  for (; i + kRowLanes <= count; i += kRowLanes) {
    for (int lane = 0; lane < kRowLanes; ++lane) lanes[lane] = fold(lanes[lane], f(i + lane));
  }
  float result = initial;
  for (; i < count; ++i) result = fold(result, f(i));
  if (count < kRowLanes) return result;  // the lanes hold nothing
  for (float lane : lanes) result = fold(result, lane);
  return result;
}

// By blocks, so that rounding errors of long sums stay small.
template <class F>
DRAGOMAN_RT_INLINE float SumRow(std::int64_t count, F f) {
  constexpr std::int64_t kBlock = 4096;
  const auto add = [](float a, float b) { return a + b; };
  float sum = ReduceRow(std::min(count, kBlock), 0.0f, f, add);
  for (std::int64_t begin = kBlock; begin < count; begin += kBlock) {
    const auto later = [=](std::int64_t i) { return f(begin + i); };
    sum += ReduceRow(std::min(count - begin, kBlock), 0.0f, later, add);
  }
  return sum;
}

DRAGOMAN_RT_INLINE float MaxOfRow(std::int64_t count, const float* x) {
  return ReduceRow(
      count, -std::numeric_limits<float>::infinity(), [=](std::int64_t i) { return x[i]; },
      [](float a, float b) { return b > a ? b : a; });
}

// Calls body(first element, rows) for parts of the rows of `size` elements.
template <class Body>
void ForRows(const Shape& shape, std::int64_t size, Body body) noexcept {
  const std::int64_t elements = NumElements(shape);
  if (elements == 0) return;
  const std::int64_t grain = std::max<std::int64_t>(kRowGrain / size, 1);
  Parallel(elements / size, grain,
           [=](std::int64_t begin, std::int64_t end) { body(begin * size, end - begin); });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_ROW_LOOPS_H_

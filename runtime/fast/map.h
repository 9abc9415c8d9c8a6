// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop for a chain of elementwise operators in f32; tensors may be in bf16.
//
//     rt::Map([](float a, float b, float& sum, float& gate) {
//       sum = a + b;
//       gate = rt::fast::Sigmoid(sum);
//     }, rt::Operands(a, b), rt::Results(sum, gate));
//
// Operands broadcast to the sizes of the results, which are equal. A result may be stored over an
// operand of its sizes. Nothing is allocated.
#ifndef DRAGOMAN_RUNTIME_FAST_MAP_H_
#define DRAGOMAN_RUNTIME_FAST_MAP_H_

#include <cstdint>
#include <utility>

#include "runtime/fast/blocked_sizes.h"
#include "runtime/fast/clones.h"
#include "runtime/fast/half_tensors.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// The loop over `count` elements that lie one after the other; `body` is its function object.
using MapChunk = void (*)(const void* body, const float* const* operands, float* const* results,
                          std::int64_t count);

inline constexpr int kMaxMapOperands = 16;
inline constexpr int kMaxMapResults = 4;

// Calls `chunk` for all elements of the results. Operands of the results' sizes and the results lie
// in blocks of `block` channels; others are row-major, and with blocks have one element, or one a
// channel.
void RunMap(MapChunk chunk, const void* body, std::int64_t block, const FloatSource* operands,
            int num_operands, const FloatTarget* results, int num_results) noexcept;

template <int N>
struct MapOperands {
  FloatSource views[N];
};
template <int N>
struct MapResults {
  FloatTarget views[N];
};

template <class... T>
MapOperands<static_cast<int>(sizeof...(T))> Operands(const T&... views) {
  return {{views...}};
}
template <class... T>
MapResults<static_cast<int>(sizeof...(T))> Results(const T&... views) {
  return {{views...}};
}

// Pointers are parameters: what is stored through one cannot be taken to change another.
template <class F, class... P>
DRAGOMAN_RT_CLONES DRAGOMAN_RT_FLATTEN void MapLoop(const F& f, std::int64_t count, P... pointers) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) f(pointers[i]...);
}

template <class F, std::size_t... X, std::size_t... Y>
void MapPart(const F& f, const float* const* x, float* const* y, std::int64_t count,
             std::index_sequence<X...>, std::index_sequence<Y...>) {
  MapLoop(f, count, x[X]..., y[Y]...);
}

template <class F, int N, int M>
void MapBlocked(std::int64_t block, F f, const MapOperands<N>& operands,
                const MapResults<M>& results) noexcept {
  static_assert(N <= kMaxMapOperands && M <= kMaxMapResults);
  constexpr MapChunk kChunk = [](const void* body, const float* const* x, float* const* y,
                                 std::int64_t count) {
    MapPart(*static_cast<const F*>(body), x, y, count, std::make_index_sequence<N>(),
            std::make_index_sequence<M>());
  };
  RunMap(kChunk, &f, block, operands.views, N, results.views, M);
}

template <class F, int N, int M>
void Map(F f, const MapOperands<N>& operands, const MapResults<M>& results) noexcept {
  MapBlocked(kRowMajor, f, operands, results);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_MAP_H_

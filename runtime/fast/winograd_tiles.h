// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transforms of Winograd's algorithm F(4 × 4, 3 × 3), of as many channels at once as a vector
// of the processor has elements. Only runtime/fast/winograd.cc includes this.
#ifndef DRAGOMAN_RUNTIME_FAST_WINOGRAD_TILES_H_
#define DRAGOMAN_RUNTIME_FAST_WINOGRAD_TILES_H_

#include <cstdint>

namespace dragoman::rt {

inline constexpr int kWinogradTile = 6, kWinogradResults = 4;  // of one axis
inline constexpr int kWinogradPoints = kWinogradTile * kWinogradTile;

// A tile of vectors whose rows and columns lie so many floats apart, of which rows `top` … `bottom`
// and columns `left` … `right` exist.
struct WinogradPatch {
  std::int64_t row, column;
  std::int64_t top, bottom, left, right;
};

struct WinogradLoops {
  // Bᵀ d B of a tile whose first vector is, or would be, at `from`; those that do not exist are
  // zeros. To 36 places `point` floats apart.
  void (*transform)(const float* from, const WinogradPatch& patch, float* to, std::int64_t point);
  // Aᵀ m A + bias of 36 vectors `point` floats apart, to 4 × 4 vectors one after the other.
  void (*finish)(const float* from, std::int64_t point, const float* bias, float* results);
  // Adds vectors of a tensor to 4 × 4 results.
  void (*add)(const float* from, const WinogradPatch& patch, float* results);
  void (*store)(const float* results, const WinogradPatch& patch, float* to);
};

// For vectors of VectorFloats().
WinogradLoops BestWinogradLoops() noexcept;

// G g Gᵀ for `count` pairs of channels, at most kWinogradPairs; entry p of pair i goes to to[p *
// point + i].
inline constexpr std::int64_t kWinogradPairs = 8;
void TransformWinogradWeights(const float* g, std::int64_t count, std::int64_t point, float* to);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_WINOGRAD_TILES_H_

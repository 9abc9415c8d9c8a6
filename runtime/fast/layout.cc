// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/layout.h"

#include <algorithm>
#include <limits>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kLayoutGrain = 1 << 15;  // elements a thread is worth
constexpr std::int64_t kFewElements = 256;      // of one image

// One block of channels, of which `used` count, to rows of `spatial` elements.
template <class From, class To>
void UnblockOne(const From* from, std::int64_t block, std::int64_t used, std::int64_t spatial,
                To* to) {
  for (std::int64_t c = 0; c < used; ++c) {
    To* row = to + c * spatial;
    for (std::int64_t s = 0; s < spatial; ++s) row[s] = To(from[s * block + c]);
  }
}

template <class From, class To>
void Unblock(const BlockedSizes& sizes, const From* from, To* to) {
  const std::int64_t block = sizes.block, step = sizes.spatial * block;
  Parallel(sizes.n * sizes.channel_blocks, kLayoutGrain / std::max<std::int64_t>(step, 1) + 1,
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t i = begin; i < end; ++i) {
               const std::int64_t first = i % sizes.channel_blocks * block;
               const std::int64_t row = i / sizes.channel_blocks * sizes.channels + first;
               UnblockOne(from + i * step, block, std::min(block, sizes.channels - first),
                          sizes.spatial, to + row * sizes.spatial);
             }
           });
}

template <class T>
void ConcatBlocked(std::int64_t block, const Views<const T>& from, const TensorView<T>& to) {
  const BlockedSizes sizes(to.shape, block);
  T* out = to.data;
  for (std::int64_t n = 0; n < sizes.n; ++n) {
    for (std::int64_t k = 0; k < from.size; ++k) {
      const std::int64_t count = BlockedSizes(from[k].shape, block).size() / sizes.n;
      out = std::copy_n(from[k].data + n * count, count, out);
    }
  }
}

struct SumFold {
  static constexpr float kStart = 0.0f;
  static float Of(float a, float b) { return a + b; }
};

// NaN is larger than all.
struct Maximum {
  static constexpr float kStart = -std::numeric_limits<float>::infinity();
  static float Of(float a, float b) { return a > b || a != a ? a : b; }
};

// F of contiguous elements that are `block`, a power of two up to kMaxBlock, apart: kLanes at a
// time, a multiple of kMaxBlock, which hide each other's latency.
template <class F, std::int64_t kLanes, class T>
DRAGOMAN_RT_CLONES void ReduceBlocks(const T* x, std::int64_t count, std::int64_t block,
                                     float* results) {
  float lanes[kLanes];
  std::fill_n(lanes, kLanes, F::kStart);
  const std::int64_t whole = count / kLanes * kLanes, rest = count - whole;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t c = 0; c < kLanes; ++c)
      lanes[c] = F::Of(lanes[c], static_cast<float>(x[i + c]));
  }
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t c = 0; c < rest; ++c)
    lanes[c] = F::Of(lanes[c], static_cast<float>(x[whole + c]));
  std::int64_t width = kLanes;
  while (width / 2 >= std::max<std::int64_t>(block, kMaxBlock / 2)) {
    width /= 2;
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t c = 0; c < width; ++c) lanes[c] = F::Of(lanes[c], lanes[width + c]);
  }
  for (std::int64_t b = 0; b < block; ++b) {
    float result = F::kStart;
    for (std::int64_t c = b; c < width; c += block) result = F::Of(result, lanes[c]);
    results[b] = result;
  }
}

// y = scale * F of each channel of each image.
template <class F, class T>
void ReduceChannels(std::int64_t block, const T* x, const BlockedSizes& sizes, float scale,
                    float* y) {
  const std::int64_t step = sizes.spatial * block;
  const auto reduce =
      step < kFewElements ? ReduceBlocks<F, kMaxBlock, T> : ReduceBlocks<F, 4 * kMaxBlock, T>;
  Parallel(sizes.n * sizes.channel_blocks, kLayoutGrain / std::max<std::int64_t>(step, 1) + 1,
           [=](std::int64_t begin, std::int64_t end) {
             for (std::int64_t i = begin; i < end; ++i) {
               const std::int64_t first = i % sizes.channel_blocks * block;
               float* out = y + i / sizes.channel_blocks * sizes.channels + first;
               float results[kMaxBlock];
               reduce(x + i * step, step, block, results);
               const std::int64_t used = std::min(block, sizes.channels - first);
               for (std::int64_t c = 0; c < used; ++c) out[c] = results[c] * scale;
             }
           });
}

template <class F>
void ReduceChannels(std::int64_t block, const FloatSource& x, float scale, float* y) {
  const BlockedSizes sizes(x.shape, block);
  x.half == nullptr ? ReduceChannels<F>(block, x.wide, sizes, scale, y)
                    : ReduceChannels<F>(block, x.half, sizes, scale, y);
}

}  // namespace

void CopyToRowMajor(std::int64_t block, const FloatSource& from, const FloatTarget& to) noexcept {
  const BlockedSizes sizes(from.shape, block);
  WithTypes(from, to, [&](const auto* x, auto* y) { Unblock(sizes, x, y); });
}

void ConcatChannels(std::int64_t block, Views<const float> from, TensorView<float> to) noexcept {
  ConcatBlocked(block, from, to);
}

void ConcatChannels(std::int64_t block, Views<const BFloat16> from,
                    TensorView<BFloat16> to) noexcept {
  ConcatBlocked(block, from, to);
}

void ChannelMeans(std::int64_t block, const FloatSource& x, TensorView<float> y) noexcept {
  const float elements = static_cast<float>(BlockedSizes(x.shape, block).spatial);
  ReduceChannels<SumFold>(block, x, 1.0f / elements, y.data);
}

void ChannelMaxima(std::int64_t block, const FloatSource& x, TensorView<float> y) noexcept {
  ReduceChannels<Maximum>(block, x, 1.0f, y.data);
}

}  // namespace dragoman::rt

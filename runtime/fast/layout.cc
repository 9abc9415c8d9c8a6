#include "runtime/fast/layout.h"

#include <algorithm>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kGrain = 1 << 15;    // elements a thread is worth
constexpr std::int64_t kFewElements = 256;  // of one image

// One block of channels, of which `used` count, to rows of `spatial` elements.
void UnblockOne(const float* from, std::int64_t block, std::int64_t used, std::int64_t spatial,
                float* to) {
  for (std::int64_t c = 0; c < used; ++c) {
    float* row = to + c * spatial;
    for (std::int64_t s = 0; s < spatial; ++s) row[s] = from[s * block + c];
  }
}

// The sums of contiguous elements that are `block`, a power of two up to kMaxBlock, apart: kLanes
// at a time, a multiple of kMaxBlock, which hide each other's latency.
template <std::int64_t kLanes>
DRAGOMAN_RT_CLONES void SumBlocks(const float* x, std::int64_t count, std::int64_t block,
                                  float* sums) {
  float lanes[kLanes] = {};
  const std::int64_t whole = count / kLanes * kLanes, rest = count - whole;
  for (std::int64_t i = 0; i < whole; i += kLanes) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t c = 0; c < kLanes; ++c) lanes[c] += x[i + c];
  }
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t c = 0; c < rest; ++c) lanes[c] += x[whole + c];
  std::int64_t width = kLanes;
  while (width / 2 >= std::max<std::int64_t>(block, kMaxBlock / 2)) {
    width /= 2;
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t c = 0; c < width; ++c) lanes[c] += lanes[width + c];
  }
  for (std::int64_t b = 0; b < block; ++b) {
    float sum = 0.0f;
    for (std::int64_t c = b; c < width; c += block) sum += lanes[c];
    sums[b] = sum;
  }
}

}  // namespace

void CopyToRowMajor(std::int64_t block, TensorView<const float> from,
                    TensorView<float> to) noexcept {
  const BlockedSizes sizes(from.shape, block);
  if (block == kRowMajor) {
    std::copy_n(from.data, sizes.size(), to.data);
    return;
  }
  const std::int64_t step = sizes.spatial * block;
  Parallel(sizes.n * sizes.channel_blocks, kGrain / std::max<std::int64_t>(step, 1) + 1,
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t i = begin; i < end; ++i) {
               const std::int64_t first = i % sizes.channel_blocks * block;
               const std::int64_t row = i / sizes.channel_blocks * sizes.channels + first;
               UnblockOne(from.data + i * step, block, std::min(block, sizes.channels - first),
                          sizes.spatial, to.data + row * sizes.spatial);
             }
           });
}

void ConcatChannels(std::int64_t block, Views<const float> from, TensorView<float> to) noexcept {
  const BlockedSizes sizes(to.shape, block);
  float* out = to.data;
  for (std::int64_t n = 0; n < sizes.n; ++n) {
    for (std::int64_t k = 0; k < from.size; ++k) {
      const std::int64_t count = BlockedSizes(from[k].shape, block).size() / sizes.n;
      out = std::copy_n(from[k].data + n * count, count, out);
    }
  }
}

void ChannelMeans(std::int64_t block, TensorView<const float> x, TensorView<float> y) noexcept {
  const BlockedSizes sizes(x.shape, block);
  const float scale = 1.0f / static_cast<float>(sizes.spatial);
  const std::int64_t step = sizes.spatial * block;
  const auto sum = step < kFewElements ? SumBlocks<kMaxBlock> : SumBlocks<4 * kMaxBlock>;
  Parallel(sizes.n * sizes.channel_blocks, kGrain / std::max<std::int64_t>(step, 1) + 1,
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t i = begin; i < end; ++i) {
               const std::int64_t first = i % sizes.channel_blocks * block;
               float* out = y.data + i / sizes.channel_blocks * sizes.channels + first;
               float sums[kMaxBlock];
               sum(x.data + i * step, step, block, sums);
               const std::int64_t used = std::min(block, sizes.channels - first);
               for (std::int64_t c = 0; c < used; ++c) out[c] = sums[c] * scale;
             }
           });
}

}  // namespace dragoman::rt

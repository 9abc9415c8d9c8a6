#include "runtime/fast/layout.h"

#include <algorithm>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kGrain = 1 << 15;  // elements a thread is worth

// One block of channels, of which `used` count, to rows of `spatial` elements.
void UnblockOne(const float* from, std::int64_t block, std::int64_t used, std::int64_t spatial,
                float* to) {
  for (std::int64_t c = 0; c < used; ++c) {
    float* row = to + c * spatial;
    for (std::int64_t s = 0; s < spatial; ++s) row[s] = from[s * block + c];
  }
}

DRAGOMAN_RT_CLONES void SumBlocks(const float* x, std::int64_t spatial, std::int64_t block,
                                  float* sums) {
  std::fill_n(sums, block, 0.0f);
  for (std::int64_t s = 0; s < spatial; ++s) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t c = 0; c < block; ++c) sums[c] += x[s * block + c];
  }
}

// Of contiguous elements, in as many partial sums as a block has.
float Sum(const float* x, std::int64_t count) {
  float sums[kMaxBlock];
  const std::int64_t whole = count / kMaxBlock;
  SumBlocks(x, whole, kMaxBlock, sums);
  float sum = 0.0f;
  for (float part : sums) sum += part;
  for (std::int64_t i = whole * kMaxBlock; i < count; ++i) sum += x[i];
  return sum;
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
  Parallel(sizes.n * sizes.channel_blocks, kGrain / std::max<std::int64_t>(step, 1) + 1,
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t i = begin; i < end; ++i) {
               const std::int64_t first = i % sizes.channel_blocks * block;
               float* out = y.data + i / sizes.channel_blocks * sizes.channels + first;
               if (block == kRowMajor) {
                 *out = Sum(x.data + i * step, step) * scale;
                 continue;
               }
               float sums[kMaxBlock];
               SumBlocks(x.data + i * step, sizes.spatial, block, sums);
               const std::int64_t used = std::min(block, sizes.channels - first);
               for (std::int64_t c = 0; c < used; ++c) out[c] = sums[c] * scale;
             }
           });
}

}  // namespace dragoman::rt

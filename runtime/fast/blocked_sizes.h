// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the activations of a layout group, in f32 or bf16, lie in memory.
//
// A tensor (N, C, spatial...) lies with its channels in blocks: as (N, C / block, spatial...,
// block), where the last block is filled up with channels of zeros. Block 1 is row-major order. All
// tensors of a group have the block that the group's first convolution asked for on the machine at
// hand.
#ifndef DRAGOMAN_RUNTIME_FAST_BLOCKED_SIZES_H_
#define DRAGOMAN_RUNTIME_FAST_BLOCKED_SIZES_H_

#include <cstdint>

#include "runtime/params/shape.h"

namespace dragoman::rt {

inline constexpr std::int64_t kRowMajor = 1;
inline constexpr std::int64_t kMaxBlock = 16;  // what a generated program leaves room for

// The layouts of a prepared operator's operand and result.
struct Blocks {
  std::int64_t x = kRowMajor;
  std::int64_t* y = nullptr;  // null: row-major; a 0 is replaced by what the operator chooses
};

// A laid-out tensor as a row-major array of rank 4: n, blocks of channels, spatial, block.
struct BlockedSizes {
  std::int64_t n = 1, channel_blocks = 1, spatial = 1, block = 1;
  std::int64_t channels = 1;

  BlockedSizes(const Shape& shape, std::int64_t channel_block) : block(channel_block) {
    n = shape[0];
    channels = shape[1];
    channel_blocks = (channels + block - 1) / block;
    for (int i = 2; i < shape.size(); ++i) spatial *= shape[i];
  }
  std::int64_t size() const { return n * channel_blocks * spatial * block; }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_BLOCKED_SIZES_H_

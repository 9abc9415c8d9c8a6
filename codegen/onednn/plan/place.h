// SPDX-License-Identifier: Apache-2.0
// Shares memory between buffers that are not needed at the same time.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_PLACE_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_PLACE_H_

#include <cstdint>
#include <vector>

#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

inline constexpr std::int64_t kArenaAlignment = 64;

// Bytes that are needed from position `first` to position `last`, both included.
struct Lifetime {
  std::int64_t bytes = 0;
  int first = 0;
  int last = 0;
};

// An offset for each lifetime, aligned to kArenaAlignment, such that those which overlap in time do
// not overlap in memory: largest first, each at the lowest place that fits.
std::vector<std::int64_t> PlaceLifetimes(const std::vector<Lifetime>& lifetimes);

// What a buffer of the arena takes: channels of a layout group in blocks of the largest size.
std::int64_t PlacedBytes(const Buffer& buffer);

// Gives every buffer of the arena its offset and every buffer of unknown size its slot.
void PlaceBuffers(Plan& plan);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_PLACE_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/rotary.h"

#include <algorithm>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kPartPairs = 1 << 14;  // below which a thread is not worth its start

// `second` is where the tables have the elements for the second ones of the pairs.
DRAGOMAN_RT_CLONES void TurnHalves(std::int64_t pairs, const float* x, const float* cos,
                                   const float* sin, std::int64_t second, float* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = x[i], b = x[pairs + i];
    y[i] = a * cos[i] - b * sin[i];
    y[pairs + i] = b * cos[second + i] + a * sin[second + i];
  }
}

DRAGOMAN_RT_CLONES void TurnNeighbours(std::int64_t pairs, const float* x, const float* cos,
                                       const float* sin, float* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = x[2 * i], b = x[2 * i + 1];
    y[2 * i] = a * cos[i] - b * sin[i];
    y[2 * i + 1] = b * cos[i] + a * sin[i];
  }
}

DRAGOMAN_RT_CLONES void TurnNeighboursByWhole(std::int64_t pairs, const float* x, const float* cos,
                                              const float* sin, float* y) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < pairs; ++i) {
    const float a = x[2 * i], b = x[2 * i + 1];
    y[2 * i] = a * cos[2 * i] - b * sin[2 * i];
    y[2 * i + 1] = b * cos[2 * i + 1] + a * sin[2 * i + 1];
  }
}

// Along the last axis of the batch.
std::int64_t RotaryRowStride(const RotaryRows& rows) {
  return rows.strides.empty() ? 0 : rows.strides.back();
}

// Of the entry of all axes of the batch but the last.
std::int64_t RotaryOffset(const RotaryRows& rows, const Shape& batch, std::int64_t entry) {
  return OffsetOf(rows, batch, batch.size() - 1, entry);
}

}  // namespace

bool PreparedRotary::Supports(const RotarySizes& sizes) {
  return sizes.pairs > 0 && NumElements(sizes.batch) > 0 &&
         sizes.x.strides.size() == sizes.batch.size() &&
         sizes.cos.strides.size() == sizes.batch.size() &&
         sizes.sin.strides.size() == sizes.batch.size();
}

Status PreparedRotary::Init(const FastContext&, const RotarySizes& sizes) noexcept {
  if (!Supports(sizes)) return Status::Error("this rotary embedding has no loop");
  Resize(sizes);
  return Status();
}

void PreparedRotary::Resize(const RotarySizes& sizes) noexcept {
  sizes_ = sizes;
  rows_ = sizes.batch.empty() ? 1 : sizes.batch.back();
  entries_ = NumElements(sizes.batch) / rows_;
}

void PreparedRotary::RunRows(std::int64_t entry, const float* x, const float* cos, const float* sin,
                             float* y) const noexcept {
  const std::int64_t pairs = sizes_.pairs;
  x += RotaryOffset(sizes_.x, sizes_.batch, entry);
  cos += RotaryOffset(sizes_.cos, sizes_.batch, entry);
  sin += RotaryOffset(sizes_.sin, sizes_.batch, entry);
  y += entry * rows_ * 2 * pairs;
  for (std::int64_t r = 0; r < rows_; ++r) {
    if (!sizes_.interleaved) {
      TurnHalves(pairs, x, cos, sin, sizes_.whole_tables ? pairs : 0, y);
    } else if (sizes_.whole_tables) {
      TurnNeighboursByWhole(pairs, x, cos, sin, y);
    } else {
      TurnNeighbours(pairs, x, cos, sin, y);
    }
    x += RotaryRowStride(sizes_.x);
    cos += RotaryRowStride(sizes_.cos);
    sin += RotaryRowStride(sizes_.sin);
    y += 2 * pairs;
  }
}

Status PreparedRotary::Run(const float* x, const float* cos, const float* sin, float* y,
                           void*) const noexcept {
  const std::int64_t grain = std::max<std::int64_t>(kPartPairs / (rows_ * sizes_.pairs), 1);
  Parallel(entries_, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t entry = begin; entry < end; ++entry) RunRows(entry, x, cos, sin, y);
  });
  return Status();
}

}  // namespace dragoman::rt

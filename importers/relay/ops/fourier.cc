// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, whose complex numbers TVM keeps as two tensors, or as a last axis of 2.
#include "importers/relay/ops/op_rows.h"

#include "core/lowering/fourier.h"

#include <vector>

#include "core/lowering/complex.h"

namespace dragoman::relay {
namespace {

// Along the last axis.
std::vector<Value*> LowerDft(Call& c) {
  Value* re = c.Tensor(0);
  Value* im = c.Tensor(1);
  const bool inverse = c.Bool("inverse", false);
  const int rank = c.Rank(re);
  if (c.failed()) return {};
  Value* y = Transform(c, FromParts(c, {re, im}), {rank - 1, nullptr}, inverse, Scaling());
  const Parts parts = PartsOf(c, y);
  return {parts.re, parts.im};
}

// Spectra of windows that follow each other: (…, frequencies, windows, 2).
Value* LowerStft(Call& c) {
  Value* x = c.Tensor(0);
  Value* window = c.Tensor(1);
  const std::int64_t size = c.Int("n_fft", -1);
  const std::int64_t hop = c.Int("hop_length", -1);
  const std::int64_t length = c.Int("win_length", -1);
  const bool normalized = c.Bool("normalized", false);
  const bool half = c.Bool("onesided", true);
  const int rank = c.Rank(x);
  const std::optional<std::int64_t> samples = c.KnownSize(x, rank - 1);
  if (c.failed()) return nullptr;
  if (size < 1 || hop < 1 || (length != size && length != -1))
    return c.Fail("windows of a length other than n_fft");
  if (!samples) return c.Fail("a signal whose length is not known");
  if (*samples < size) return c.Fail(InvalidInput("a signal shorter than a window"));
  Ints indices;
  const std::int64_t count = (*samples - size) / hop + 1;
  for (std::int64_t at = 0; at < count; ++at) {
    for (std::int64_t i = 0; i < size; ++i) indices.push_back(at * hop + i);
  }
  Value* frames = c.Mul(
      c.Gather(x, c.Reshape(c.Ints(std::move(indices)), Ints{count, size}), rank - 1), window);
  Scaling scaling;
  scaling.norm = normalized ? "ortho" : "backward";
  Value* y = Transform(c, frames, {rank, nullptr}, false, scaling,
                       half ? Spectrum::kHalf : Spectrum::kWhole);
  return c.SwapAxes(PairsOf(c, y), rank - 1, rank);
}

}  // namespace

std::span<const OpRow> FourierRows() {
  static constexpr OpRow kRows[] = {
      {"dft", LowerDft},
      {"stft", LowerStft},
  };
  return kRows;
}

}  // namespace dragoman::relay

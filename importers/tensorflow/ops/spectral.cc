// SPDX-License-Identifier: Apache-2.0
// Fourier transforms along the last axes.
#include "importers/tensorflow/ops/op_rows.h"

#include "core/lowering/complex.h"
#include "core/lowering/fourier.h"

namespace dragoman::tf {
namespace {

// The last axes, outer ones first, with the lengths that operand 1 gives, if there is one.
std::vector<Line> Lines(Call& c, Value* x, int count) {
  const int rank = c.Rank(x);
  if (!c.failed() && rank < count) c.Fail(InvalidInput("a transform of more axes than there are"));
  Value* lengths = c.num_operands() > 1 ? c.Index(1) : nullptr;
  const std::optional<Ints> known =
      lengths != nullptr ? c.MaybeKnownInts(1) : std::optional<Ints>();
  if (c.failed()) return {};
  if (known && known->size() != static_cast<std::size_t>(count)) {
    c.Fail(InvalidInput("fft_length does not have an entry an axis"));
    return {};
  }
  std::vector<Line> lines;
  for (int i = 0; i < count; ++i) {
    Line line{rank - count + i, nullptr};
    if (known) {
      line.length = c.Int((*known)[static_cast<std::size_t>(i)]);
    } else if (lengths != nullptr) {
      line.length = c.Select(lengths, 0, i);
    }
    lines.push_back(line);
  }
  return lines;
}

enum class Way { kForward, kInverse };

Value* LowerFft(Call& c, int axes, Way way) {
  Value* x = c.Tensor(0);
  for (const Line& line : Lines(c, x, axes)) x = Transform(c, x, line, way == Way::kInverse, {});
  return x;
}

// Half of the spectrum of a real signal.
Value* LowerRealFft(Call& c, int axes) {
  Value* x = c.Tensor(0);
  std::vector<Line> lines = Lines(c, x, axes);
  if (c.failed()) return nullptr;
  x = Transform(c, x, lines.back(), false, {}, Spectrum::kHalf);
  lines.pop_back();
  for (const Line& line : lines) x = Transform(c, x, line, false, {});
  return x;
}

Value* LowerInverseRealFft(Call& c, int axes) {
  Value* x = c.Tensor(0);
  std::vector<Line> lines = Lines(c, x, axes);
  if (c.failed()) return nullptr;
  const Line last = lines.back();
  lines.pop_back();
  for (const Line& line : lines) x = Transform(c, x, line, true, {});
  return RealSignal(c, x, last, true, {});
}

}  // namespace

std::span<const OpRow> SpectralRows() {
  static constexpr OpRow kRows[] = {
      {"BatchFFT", With<LowerFft, 1, Way::kForward>},
      {"BatchFFT2D", With<LowerFft, 2, Way::kForward>},
      {"BatchFFT3D", With<LowerFft, 3, Way::kForward>},
      {"BatchIFFT", With<LowerFft, 1, Way::kInverse>},
      {"BatchIFFT2D", With<LowerFft, 2, Way::kInverse>},
      {"BatchIFFT3D", With<LowerFft, 3, Way::kInverse>},
      {"FFT", With<LowerFft, 1, Way::kForward>},
      {"FFT2D", With<LowerFft, 2, Way::kForward>},
      {"FFT3D", With<LowerFft, 3, Way::kForward>},
      {"IFFT", With<LowerFft, 1, Way::kInverse>},
      {"IFFT2D", With<LowerFft, 2, Way::kInverse>},
      {"IFFT3D", With<LowerFft, 3, Way::kInverse>},
      {"IRFFT", With<LowerInverseRealFft, 1>},
      {"IRFFT2D", With<LowerInverseRealFft, 2>},
      {"IRFFT3D", With<LowerInverseRealFft, 3>},
      {"RFFT", With<LowerRealFft, 1>},
      {"RFFT2D", With<LowerRealFft, 2>},
      {"RFFT3D", With<LowerRealFft, 3>},
  };
  return kRows;
}

}  // namespace dragoman::tf

// SPDX-License-Identifier: Apache-2.0
// Features of sound: spectrograms and cepstra.
#include "importers/tensorflow/ops/op_rows.h"

#include <cmath>
#include <string>
#include <vector>

#include "core/lowering/complex.h"
#include "core/lowering/fourier.h"
#include "core/lowering/math.h"

namespace dragoman::tf {
namespace {

// Longer windows and wider filters than any sound has: tables are made of them.
constexpr std::int64_t kMaxWindow = std::int64_t{1} << 20;
constexpr std::int64_t kMaxChannels = 4096;
constexpr double kPi = 3.14159265358979323846;

dragoman::Tensor HannWindow(std::int64_t size) {
  std::vector<double> window;
  for (std::int64_t i = 0; i < size; ++i)
    window.push_back(0.5 -
                     0.5 * std::cos(2 * kPi * static_cast<double>(i) / static_cast<double>(size)));
  return dragoman::Tensor::Of<double>({size}, window);
}

// The mel scale of TensorFlow's filters.
double Mel(double hertz) { return 1127.0 * std::log1p(hertz / 700.0); }

struct MelFilters {
  std::int64_t bins = 0;  // of the spectrogram, from 0 to half the sample rate
  std::int64_t channels = 40;
  double lower = 20;
  double upper = 4000;
};

// (bins, channels), float64: triangles over the mel scale, whose corners are the centres of the
// channels beside. Only the bins between the limits count, and bin 0 never does. `rate`: float64.
Value* FilterBank(Call& c, const MelFilters& filters, Value* rate) {
  const double low = Mel(filters.lower);
  const double spacing = (Mel(filters.upper) - low) / static_cast<double>(filters.channels + 1);
  Value* bin = c.Cast(c.Iota(c.Int(filters.bins)), DType::kF64);
  Value* width = c.Mul(rate, 0.5 / static_cast<double>(filters.bins - 1));
  Value* mel = c.Mul(c.Log(c.Add(c.Mul(c.Mul(bin, width), 1 / 700.0), 1)), 1127.0);
  Value* first = c.Floor(c.Add(c.Div(c.Number(filters.lower, DType::kF64), width), 1.5));
  Value* last = c.Floor(c.Div(c.Number(filters.upper, DType::kF64), width));
  Value* counts = c.And(c.GreaterOrEqual(bin, first), c.LessOrEqual(bin, last));
  // In distances between centres, from the lower limit on.
  Value* place = c.Unsqueeze(c.Mul(c.Sub(mel, low), 1 / spacing), {1});
  Value* centre = c.Add(c.Cast(c.Iota(c.Int(filters.channels)), DType::kF64), 1);
  Value* share = c.Max(c.Sub(1, c.Abs(c.Sub(place, centre))), 0);
  return c.Where(c.Unsqueeze(counts, {1}), share, 0);
}

// (channels, coefficients) of the cosine transform of type 2, orthonormal but for the first.
dragoman::Tensor CosineTable(std::int64_t channels, std::int64_t coefficients) {
  const double norm = std::sqrt(2.0 / static_cast<double>(channels));
  std::vector<double> table;
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    for (std::int64_t i = 0; i < coefficients; ++i) {
      const double iterations = static_cast<double>(i) * (static_cast<double>(channel) + 0.5) /
                                static_cast<double>(channels);
      table.push_back(norm * std::cos(kPi * iterations));
    }
  }
  return dragoman::Tensor::Of<double>({channels, coefficients}, table);
}

// (samples, channels) to (channels, frames, frequencies): windows of Hann's form, as long as the
// next power of two with zeros after them, transformed.
Value* LowerAudioSpectrogram(Call& c) {
  const std::int64_t window = c.IntAttribute("window_size");
  const std::int64_t stride = c.IntAttribute("stride");
  const bool squared = c.BoolAttribute("magnitude_squared");
  Value* sound = c.Tensor(0);
  const int rank = c.Rank(sound);
  if (c.failed()) return nullptr;
  if (rank != 2) return c.Fail(InvalidInput("sound of rank " + std::to_string(rank)));
  if (window < 2 || window > kMaxWindow || stride < 1 || stride > kMaxWindow)
    return c.Fail(InvalidInput("a window or stride that is too small or too large"));
  std::int64_t length = 1;
  while (length < window) length *= 2;
  // As many frames as fit.
  Value* samples = c.Size(sound, 0);
  Value* fitting = c.Div(c.Add(c.Sub(samples, static_cast<int>(window)), static_cast<int>(stride)),
                         static_cast<int>(stride));
  Value* frames = c.Where(c.Less(samples, static_cast<int>(window)), c.Int(0), fitting);
  Value* starts = c.Mul(c.Iota(frames), c.Int(stride));
  Value* places = c.Add(c.Unsqueeze(starts, {1}), c.Iota(c.Int(window)));
  // In float64, as TensorFlow's kernel.
  Value* channels = c.Transpose(c.Cast(sound, DType::kF64), {1, 0});
  Value* cut = c.Gather(channels, places, 1);
  Value* weighted = c.Mul(cut, c.builder().Constant(HannWindow(window)));
  Value* spectrum = Transform(c, weighted, Line{2, c.Int(length)}, false, {}, Spectrum::kHalf);
  const Parts parts = PartsOf(c, spectrum);
  Value* power = c.Add(c.Mul(parts.re, parts.re), c.Mul(parts.im, parts.im));
  power = c.Cast(power, DType::kF32);
  return squared ? power : c.Sqrt(power);
}

// The cosine transform of the logarithms of mel filters.
Value* LowerMfcc(Call& c) {
  Value* spectrogram = c.Tensor(0);
  Value* rate = c.Cast(c.Reshape(c.Tensor(1), Ints()), DType::kF64);
  const int rank = c.Rank(spectrogram);
  const std::int64_t coefficients = c.IntAttribute("dct_coefficient_count");
  MelFilters filters;
  filters.channels = c.IntAttribute("filterbank_channel_count");
  filters.lower = c.FloatAttribute("lower_frequency_limit");
  filters.upper = c.FloatAttribute("upper_frequency_limit");
  if (c.failed()) return nullptr;
  if (rank != 3) return c.Fail(InvalidInput("a spectrogram of rank " + std::to_string(rank)));
  const std::optional<std::int64_t> bins = c.KnownSize(spectrogram, 2);
  if (!bins) return c.Fail("a number of frequencies that is not known");
  filters.bins = *bins;
  const bool sane = *bins > 1 && *bins <= kMaxWindow && filters.channels > 0 &&
                    filters.channels <= kMaxChannels && coefficients > 0 &&
                    coefficients <= filters.channels && filters.lower >= 0 &&
                    filters.upper > filters.lower && *bins * filters.channels <= kMaxWindow * 16;
  if (!sane) return c.Fail(InvalidInput("limits of the filters that do not fit the spectrogram"));
  c.Assert(c.GreaterOrEqual(rate, 2 * filters.upper),
           "a sample rate that is too low for the limits of the filters");
  constexpr double kFloor = 1e-12;
  Value* amplitude = c.Sqrt(c.Cast(spectrogram, DType::kF64));
  Value* energy = c.Op("MatMul", {amplitude, FilterBank(c, filters, rate)});
  Value* logs = c.Log(c.Max(energy, c.Number(kFloor, DType::kF64)));
  Value* table = c.builder().Constant(CosineTable(filters.channels, coefficients));
  return c.Cast(c.Op("MatMul", {logs, table}), DType::kF32);
}

}  // namespace

std::span<const OpRow> AudioRows() {
  static constexpr OpRow kRows[] = {
      {"AudioSpectrogram", LowerAudioSpectrogram},
      {"Mfcc", LowerMfcc},
  };
  return kRows;
}

}  // namespace dragoman::tf

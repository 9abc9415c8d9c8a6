// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/int8_conv.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/fast/clones.h"
#include "runtime/fast/int8_image.h"
#include "runtime/fast/int8_winograd.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/threads.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kConvWork = 1 << 18;      // multiply-adds that a thread is worth
constexpr std::int64_t kChunkBytes = 128 << 10;  // of the operand, to stay in cache
constexpr std::int64_t kChannels = 16;           // channels of a depthwise convolution at once
constexpr std::int64_t kWindows = 4;             // windows of it at once

using Sums = std::int32_t __attribute__((vector_size(32)));
using Factors = std::int16_t __attribute__((vector_size(16)));
using LooseFactors = std::int16_t __attribute__((vector_size(16), aligned(1), may_alias));
using LooseSums = std::int32_t __attribute__((vector_size(32), aligned(4), may_alias));
constexpr std::int64_t kSumLanes = 8;
constexpr std::int64_t kFactorBytes = 2;  // bytes of a factor of 16 bits

DRAGOMAN_RT_INLINE void LoadLine(const char* from, Sums& to) {
  to = __builtin_convertvector(Factors(*reinterpret_cast<const LooseFactors*>(from)), Sums);
}

// sums (kWindows rows of kChannels) = those of a strip of channels of kWindows depthwise windows,
// whose taps lie `taps` bytes after where they begin.
DRAGOMAN_RT_CLONES void SumStrip(const char* const* windows, const std::int64_t* taps,
                                 std::int64_t num_taps, const char* weights, std::int32_t* sums) {
  Sums low[kWindows] = {}, high[kWindows] = {};
  for (std::int64_t k = 0; k < num_taps; ++k, weights += kChannels * kFactorBytes) {
    Sums first, second, x;
    LoadLine(weights, first);
    LoadLine(weights + kSumLanes * kFactorBytes, second);
    for (std::int64_t i = 0; i < kWindows; ++i) {
      LoadLine(windows[i] + taps[k], x);
      low[i] += x * first;
      LoadLine(windows[i] + taps[k] + kSumLanes * kFactorBytes, x);
      high[i] += x * second;
    }
  }
  for (std::int64_t i = 0; i < kWindows; ++i) {
    *reinterpret_cast<LooseSums*>(sums + i * kChannels) = low[i];
    *reinterpret_cast<LooseSums*>(sums + i * kChannels + kSumLanes) = high[i];
  }
}

}  // namespace

struct PreparedInt8Conv::Impl {
  enum class Method { kTiles, kDepthwise, kWinograd };

  const Int8Kernel* product = nullptr;
  std::string implementation;
  Int8Finisher finisher;
  Int8Image image;
  ChannelsLast layout;
  Method method = Method::kTiles;
  std::optional<Int8Winograd> winograd;
  std::int64_t batch = 1, group = 1;
  std::int64_t in_channels = 1, out_channels = 1;  // of a group
  std::vector<std::int64_t> runs;  // of the depths: bytes from where a window begins
  std::int64_t run_words = 1;
  std::vector<std::int64_t> starts;  // of the windows, in bytes
  std::vector<char> weights;         // packed by group; depthwise: [strip][tap][channel]
  bool needs_copy = true;            // of an unsigned operand
  std::int64_t threads = 1;

  Impl(const Window& window, std::int64_t channels) : image(window, channels) {}

  std::int64_t Words() const { return static_cast<std::int64_t>(runs.size()) * run_words; }
  std::int64_t PanelsOfGroup() const {
    return (out_channels + product->columns - 1) / product->columns;
  }

  std::int64_t Taps() const {
    return image.axes[0].kernel * image.axes[1].kernel * image.axes[2].kernel;
  }
  void ChooseMethod(Int8Data values, const Int8View& zero);
  void SetRuns();
  void PackDepthwise(Int8Data values, const Int8Zeros& zeros);
  Int8Columns ColumnsOf(Int8Data values) const;
  std::vector<std::int32_t> PrepareWindows(Int8Data values, const Int8Zeros& zeros);
  Int8Places PlacesOf(std::int64_t sample, std::int64_t first, std::int64_t count,
                      std::int64_t* at) const;
  const char* ImageOf(Int8Data x, std::int64_t sample, std::int32_t zero, char* scratch) const;
  void RunTiles(std::int64_t sample, const char* x, Int8Data residual, Int8Result y) const;
  void RunPanel(std::int64_t panel, std::int64_t sample, std::int64_t first, std::int64_t end,
                const char* x, Int8Data residual, Int8Result y) const;
  void RunDepthwise(std::int64_t sample, const char* x, Int8Data residual, Int8Result y) const;
  void RunWinograd(std::int64_t sample, const char* x, Int8Data residual, Int8Result y,
                   char* scratch) const;
  void RunStrips(std::int64_t sample, std::int64_t first, std::int64_t count, const char* x,
                 Int8Data residual, Int8Result y) const;
};

void PreparedInt8Conv::Impl::ChooseMethod(Int8Data values, const Int8View& zero) {
  if (group > 1 && in_channels == 1 && out_channels == 1) {
    method = Method::kDepthwise;
    implementation = "int8:depthwise";
    return;
  }
  const std::int64_t channels = group * out_channels, depth = in_channels * Taps();
  if (product->multiply_bytes != nullptr &&
      FitBytes(values, channels * depth, zero, channels, depth)) {
    implementation += ":bytes";
    image.factor_bytes = 1;
    return;
  }
  if (group > 1) return;
  const Int8Filter filter{values, zero, in_channels, out_channels};
  const int tile = Int8Winograd::ChooseTile(image, filter);
  if (tile == 0) return;
  method = Method::kWinograd;
  implementation += ":winograd" + std::to_string(tile);
  winograd.emplace(tile, filter, *product, threads, image);
}

// Taps along the last axis that lie one after the other are one run of depths.
void PreparedInt8Conv::Impl::SetRuns() {
  const WindowAxis* axes = image.axes;
  const bool joined = group == 1 && axes[2].dilation == 1 && method == Method::kTiles;
  const std::int64_t position = image.channels * image.factor_bytes;
  for (std::int64_t i = 0; i < axes[0].kernel; ++i) {
    for (std::int64_t j = 0; j < axes[1].kernel; ++j) {
      const std::int64_t line =
          (i * axes[0].dilation * image.extents[1] + j * axes[1].dilation) * image.extents[2];
      for (std::int64_t k = 0; k < (joined ? 1 : axes[2].kernel); ++k)
        runs.push_back((line + k * axes[2].dilation) * position);
    }
  }
  const std::int64_t bytes = in_channels * (joined ? axes[2].kernel : 1) * image.factor_bytes;
  run_words = (bytes + kInt8Word - 1) / kInt8Word;
  needs_copy = bytes % kInt8Word != 0 || !image.IsSample(layout.x);
}

// Where the weights of a group's results and depths are in (M, C / group, kernel...).
Int8Columns PreparedInt8Conv::Impl::ColumnsOf(Int8Data values) const {
  const std::int64_t taps = Taps(), taps_of_run = taps / static_cast<std::int64_t>(runs.size());
  Int8Columns columns;
  columns.data = values;
  for (std::int64_t m = 0; m < group * out_channels; ++m)
    columns.columns.push_back(m * in_channels * taps);
  for (std::int64_t first = 0; first < taps; first += taps_of_run) {
    for (std::int64_t i = 0; i < run_words * kInt8Word / image.factor_bytes; ++i) {
      const std::int64_t tap = first + i / in_channels, c = i % in_channels;
      columns.depths.push_back(i < taps_of_run * in_channels ? c * taps + tap : -1);
    }
  }
  return columns;
}

void PreparedInt8Conv::Impl::PackDepthwise(Int8Data values, const Int8Zeros& zeros) {
  const std::int64_t taps = Taps(), strips = (image.channels + kChannels - 1) / kChannels;
  weights.assign(static_cast<std::size_t>(strips * kChannels * taps * kFactorBytes), 0);
  for (std::int64_t c = 0; c < image.channels; ++c) {
    for (std::int64_t k = 0; k < taps; ++k) {
      const auto weight = static_cast<std::int16_t>(values[c * taps + k] - zeros[c]);
      const std::int64_t at = (c / kChannels * taps + k) * kChannels + c % kChannels;
      std::memcpy(weights.data() + at * kFactorBytes, &weight, sizeof weight);
    }
  }
}

// Returns the sums of the weights of each channel, if they are bytes.
std::vector<std::int32_t> PreparedInt8Conv::Impl::PrepareWindows(Int8Data values,
                                                                 const Int8Zeros& zeros) {
  SetRuns();
  for (std::int64_t i = 0; i < image.output; ++i) starts.push_back(image.WindowStart(i));
  std::vector<std::int32_t> sums;
  if (method == Method::kDepthwise) {
    PackDepthwise(values, zeros);
    return sums;
  }
  const std::int64_t bytes = PackedBytes(out_channels, Words(), product->columns);
  weights.resize(static_cast<std::size_t>(bytes * group));
  const Int8Columns columns = ColumnsOf(values);
  for (std::int64_t g = 0; g < group; ++g) {
    char* packed = weights.data() + g * bytes;
    PackInt8(columns, g * out_channels, out_channels, zeros, product->columns, image.factor_bytes,
             packed);
    if (image.factor_bytes == 1) AppendColumnSums(*product, packed, out_channels, Words(), sums);
  }
  return sums;
}

const char* PreparedInt8Conv::Impl::ImageOf(Int8Data x, std::int64_t sample, std::int32_t zero,
                                            char* scratch) const {
  if (!needs_copy && !x.is_signed)
    return static_cast<const char*>(x.data) + sample * image.channels * image.input;
  image.Fill(x, sample, layout.x, zero, scratch);
  return scratch;
}

// Of results [first, first + count): `at` has room for them.
Int8Places PreparedInt8Conv::Impl::PlacesOf(std::int64_t sample, std::int64_t first,
                                            std::int64_t count, std::int64_t* at) const {
  const std::int64_t channels = group * out_channels, start = sample * channels * image.output;
  for (std::int64_t i = 0; i < count; ++i) at[i] = start + (first + i) * (layout.y ? channels : 1);
  return {at, layout.y ? 1 : image.output};
}

void PreparedInt8Conv::Impl::RunPanel(std::int64_t panel, std::int64_t sample, std::int64_t first,
                                      std::int64_t end, const char* x, Int8Data residual,
                                      Int8Result y) const {
  const std::int64_t width = product->columns;
  const std::int64_t of_group = panel / PanelsOfGroup();
  const std::int64_t channel = panel % PanelsOfGroup() * width;
  const char* right = weights.data() + panel * width * Words() * kInt8Word;
  const std::int64_t first_channel = of_group * in_channels * image.factor_bytes;
  const auto multiply = image.factor_bytes == 1 ? product->multiply_bytes : product->multiply;
  alignas(64) std::int32_t sums[kInt8Rows * kMaxInt8Columns];
  std::int64_t at[kInt8Rows];
  Int8Lines lines{{}, runs.data(), static_cast<std::int64_t>(runs.size()), run_words};
  for (std::int64_t position = first; position < end; position += kInt8Rows) {
    const std::int64_t rows = std::min(kInt8Rows, end - position);
    for (std::int64_t r = 0; r < rows; ++r)
      lines.starts[r] = x + starts[static_cast<std::size_t>(position + r)] + first_channel;
    multiply(rows, lines, right, sums);
    finisher.Store({sums, rows, width, of_group * out_channels + channel,
                    std::min(width, out_channels - channel)},
                   PlacesOf(sample, position, rows, at), residual, y);
  }
}

// Chunks of the image stay in cache while all panels of weights pass by.
void PreparedInt8Conv::Impl::RunTiles(std::int64_t sample, const char* x, Int8Data residual,
                                      Int8Result y) const {
  const std::int64_t bytes = image.size() * image.factor_bytes / image.output + 1;
  std::int64_t chunk = std::max<std::int64_t>(kChunkBytes / bytes / kInt8Rows, 4) * kInt8Rows;
  chunk = std::min(chunk, image.output);
  const std::int64_t chunks = (image.output + chunk - 1) / chunk, panels = group * PanelsOfGroup();
  const std::int64_t tasks = chunks * panels;
  Parallel(tasks, (tasks + threads - 1) / threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t first = task / panels * chunk;
      RunPanel(task % panels, sample, first, std::min(first + chunk, image.output), x, residual, y);
    }
  });
}

void PreparedInt8Conv::Impl::RunStrips(std::int64_t sample, std::int64_t first, std::int64_t count,
                                       const char* x, Int8Data residual, Int8Result y) const {
  alignas(64) std::int32_t sums[kWindows * kChannels];
  const char* windows[kWindows];
  std::int64_t at[kWindows];
  const auto taps = static_cast<std::int64_t>(runs.size());
  const Int8Places places = PlacesOf(sample, first, count, at);
  for (std::int64_t c = 0; c < image.channels; c += kChannels) {
    for (std::int64_t i = 0; i < kWindows; ++i)
      windows[i] =
          x + starts[static_cast<std::size_t>(first + std::min(i, count - 1))] + c * kFactorBytes;
    SumStrip(windows, runs.data(), taps, weights.data() + c * taps * kFactorBytes, sums);
    finisher.Store({sums, count, kChannels, c, std::min(kChannels, image.channels - c)}, places,
                   residual, y);
  }
}

void PreparedInt8Conv::Impl::RunWinograd(std::int64_t sample, const char* x, Int8Data residual,
                                         Int8Result y, char* scratch) const {
  Int8WinogradCall call{
      reinterpret_cast<const std::int16_t*>(x), &finisher, residual, y, 0, 1, 1, scratch};
  call.start = sample * out_channels * image.output;
  call.position_step = layout.y ? out_channels : 1;
  call.channel_step = layout.y ? 1 : image.output;
  winograd->Run(call);
}

void PreparedInt8Conv::Impl::RunDepthwise(std::int64_t sample, const char* x, Int8Data residual,
                                          Int8Result y) const {
  const std::int64_t tiles = (image.output + kWindows - 1) / kWindows;
  Parallel(tiles, (tiles + threads - 1) / threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t first = begin * kWindows; first < std::min(end * kWindows, image.output);
         first += kWindows) {
      RunStrips(sample, first, std::min(kWindows, image.output - first), x, residual, y);
    }
  });
}

bool PreparedInt8Conv::Supports(const ConvParams& p, const Shape& x, const Shape& w) {
  Window window;
  if (x.size() > Int8Image::kAxes + 2 || !ConvWindow(p, x, w, &window).ok()) return false;
  for (int i = 0; i < window.rank; ++i) {
    const WindowAxis& axis = window.axes[i];
    if (axis.pad_begin < 0 || axis.pad_end < 0 || axis.output < 1) return false;
  }
  return NumElements(x) > 0 && NumElements(w) > 0;
}

Status PreparedInt8Conv::Init(const FastContext&, const ConvParams& p, const Shape& x,
                              const Shape& w, Int8Data weights, const Int8View& w_zero,
                              const Int8Epilogue& epilogue, ChannelsLast layout,
                              const Int8Kernel& product) noexcept {
  if (!Supports(p, x, w)) return Status::Error("this convolution of integers is not supported");
  Window window;
  DRAGOMAN_RT_TRY(ConvWindow(p, x, w, &window));
  DRAGOMAN_RT_GUARDED {
    auto impl = Pimpl<Impl>::Make(window, x[1]);
    impl->product = &product;
    impl->layout = layout;
    impl->batch = x[0];
    impl->group = p.group;
    impl->in_channels = w[1];
    impl->out_channels = w[0] / p.group;
    const std::int64_t work = w[0] * w[1] * window.Taps() * impl->image.output;
    impl->threads = std::clamp<std::int64_t>(work / kConvWork, 1, MaxThreads());
    impl->implementation = product.name;
    impl->ChooseMethod(weights, w_zero);
    std::vector<std::int32_t> sums;
    if (impl->method != Impl::Method::kWinograd) sums = impl->PrepareWindows(weights, w_zero);
    DRAGOMAN_RT_TRY(impl->finisher.Init(epilogue, w[0], std::move(sums)));
    impl_ = std::move(impl);
  }
  DRAGOMAN_RT_CAUGHT(std::bad_alloc) { return Status::Error("out of memory"); }
  return Status();
}

Status PreparedInt8Conv::Run(Int8Data x, Int8Data x_zero, const float* x_scale, Int8Data residual,
                             Int8Result y, void* scratch) noexcept {
  const std::int32_t zero = x_zero.present() ? x_zero[0] : 0;
  DRAGOMAN_RT_TRY(impl_->finisher.Begin(zero + ShiftToBytes(x), x_scale, residual, y));
  auto* bytes = static_cast<char*>(scratch);
  for (std::int64_t n = 0; n < impl_->batch; ++n) {
    const char* image = impl_->ImageOf(x, n, zero, bytes);
    if (impl_->method == Impl::Method::kDepthwise) {
      impl_->RunDepthwise(n, image, residual, y);
    } else if (impl_->method == Impl::Method::kWinograd) {
      impl_->RunWinograd(n, image, residual, y, bytes + impl_->image.Bytes());
    } else {
      impl_->RunTiles(n, image, residual, y);
    }
  }
  return Status();
}

std::int64_t PreparedInt8Conv::ScratchBytes() const noexcept {
  return impl_->image.Bytes() + (impl_->winograd ? impl_->winograd->ScratchBytes() : 0);
}

const char* PreparedInt8Conv::Implementation() const noexcept {
  return impl_->implementation.c_str();
}

}  // namespace dragoman::rt

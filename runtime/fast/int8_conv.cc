#include "runtime/fast/int8_conv.h"

#include <algorithm>
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

namespace dragoman::rt {
namespace {

constexpr std::int64_t kWorkPerThread = 1 << 18;  // multiply-adds that a thread is worth
constexpr std::int64_t kChunkBytes = 128 << 10;   // of the operand, to stay in cache
constexpr std::int64_t kStrip = 16;               // channels of a depthwise convolution at once
constexpr std::int64_t kWindows = 4;              // windows of it at once

using Sums = std::int32_t __attribute__((vector_size(32)));
using Factors = std::int16_t __attribute__((vector_size(16)));
using LooseFactors = std::int16_t __attribute__((vector_size(16), aligned(2), may_alias));
using LooseSums = std::int32_t __attribute__((vector_size(32), aligned(4), may_alias));
constexpr std::int64_t kLanes = 8;

DRAGOMAN_RT_INLINE void Load(const std::int16_t* from, Sums& to) {
  to = __builtin_convertvector(Factors(*reinterpret_cast<const LooseFactors*>(from)), Sums);
}

// sums (kWindows rows of kStrip) = those of a strip of channels of kWindows depthwise windows.
DRAGOMAN_RT_CLONES void SumStrip(const std::int16_t* const* windows, const std::int64_t* taps,
                                 std::int64_t num_taps, const std::int16_t* weights,
                                 std::int32_t* sums) {
  Sums low[kWindows] = {}, high[kWindows] = {};
  for (std::int64_t k = 0; k < num_taps; ++k, weights += kStrip) {
    Sums first, second, x;
    Load(weights, first);
    Load(weights + kLanes, second);
    for (std::int64_t i = 0; i < kWindows; ++i) {
      Load(windows[i] + taps[k], x);
      low[i] += x * first;
      Load(windows[i] + taps[k] + kLanes, x);
      high[i] += x * second;
    }
  }
  for (std::int64_t i = 0; i < kWindows; ++i) {
    *reinterpret_cast<LooseSums*>(sums + i * kStrip) = low[i];
    *reinterpret_cast<LooseSums*>(sums + i * kStrip + kLanes) = high[i];
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
  std::vector<std::int64_t> runs;                  // of the depths, from where a window begins
  std::int64_t run_pairs = 1;
  std::vector<std::int64_t> starts;   // of the windows
  std::vector<std::int16_t> weights;  // packed by group; depthwise: [tap][channel]
  std::int64_t threads = 1;

  Impl(const Window& window, std::int64_t channels) : image(window, channels) {}

  std::int64_t Depth() const { return static_cast<std::int64_t>(runs.size()) * run_pairs * 2; }
  std::int64_t PanelsOfGroup() const {
    return (out_channels + product->columns - 1) / product->columns;
  }

  void ChooseMethod(Int8Data values, const Int8View& zero);
  void SetRuns();
  void PackWeights(Int8Data values, const Int8View& zero);
  Int8Columns ColumnsOf(Int8Data values) const;
  void PrepareWindows(Int8Data values, const Int8View& zero);
  Int8Places PlacesOf(std::int64_t sample, std::int64_t first, std::int64_t count,
                      std::int64_t* at) const;
  void RunTiles(std::int64_t sample, const std::int16_t* x, Int8Data residual, Int8Result y) const;
  void RunPanel(std::int64_t panel, std::int64_t sample, std::int64_t first, std::int64_t end,
                const std::int16_t* x, Int8Data residual, Int8Result y) const;
  void RunDepthwise(std::int64_t sample, const std::int16_t* x, Int8Data residual,
                    Int8Result y) const;
  void RunWinograd(std::int64_t sample, const std::int16_t* x, Int8Data residual, Int8Result y,
                   char* scratch) const;
  void RunStrips(std::int64_t sample, std::int64_t first, std::int64_t count, const std::int16_t* x,
                 Int8Data residual, Int8Result y) const;
};

void PreparedInt8Conv::Impl::ChooseMethod(Int8Data values, const Int8View& zero) {
  if (group > 1 && in_channels == 1 && out_channels == 1) {
    method = Method::kDepthwise;
    implementation = "int8:depthwise";
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

// Taps along the last axis that lie one behind the other are one run of depths.
void PreparedInt8Conv::Impl::SetRuns() {
  const WindowAxis* axes = image.axes;
  const bool joined = group == 1 && axes[2].dilation == 1 && method == Method::kTiles;
  for (std::int64_t i = 0; i < axes[0].kernel; ++i) {
    for (std::int64_t j = 0; j < axes[1].kernel; ++j) {
      const std::int64_t line =
          (i * axes[0].dilation * image.extents[1] + j * axes[1].dilation) * image.extents[2];
      for (std::int64_t k = 0; k < (joined ? 1 : axes[2].kernel); ++k)
        runs.push_back((line + k * axes[2].dilation) * image.channels);
    }
  }
  run_pairs = (in_channels * (joined ? axes[2].kernel : 1) + 1) / 2;
}

// Where the weights of a group's results and depths are in (M, C / group, kernel...).
Int8Columns PreparedInt8Conv::Impl::ColumnsOf(Int8Data values) const {
  const WindowAxis* axes = image.axes;
  const std::int64_t taps = axes[0].kernel * axes[1].kernel * axes[2].kernel;
  const std::int64_t taps_of_run = taps / static_cast<std::int64_t>(runs.size());
  Int8Columns columns;
  columns.data = values;
  for (std::int64_t m = 0; m < group * out_channels; ++m)
    columns.columns.push_back(m * in_channels * taps);
  for (std::int64_t first = 0; first < taps; first += taps_of_run) {
    for (std::int64_t i = 0; i < run_pairs * 2; ++i) {
      const std::int64_t tap = first + i / in_channels, c = i % in_channels;
      columns.depths.push_back(i < taps_of_run * in_channels ? c * taps + tap : -1);
    }
  }
  return columns;
}

void PreparedInt8Conv::Impl::PackWeights(Int8Data values, const Int8View& zero) {
  const bool by_channel = zero.size > 1;
  if (method == Method::kDepthwise) {
    const auto taps = static_cast<std::int64_t>(runs.size());
    const std::int64_t strips = (image.channels + kStrip - 1) / kStrip;
    weights.assign(static_cast<std::size_t>(strips * kStrip * taps), 0);
    for (std::int64_t c = 0; c < image.channels; ++c) {
      const std::int32_t shift = zero.size == 0 ? 0 : zero.data[by_channel ? c : 0];
      std::int16_t* to = weights.data() + c / kStrip * kStrip * taps + c % kStrip;
      for (std::int64_t k = 0; k < taps; ++k)
        to[k * kStrip] = static_cast<std::int16_t>(values[c * taps + k] - shift);
    }
    return;
  }
  const std::int64_t size = PackedSize(out_channels, Depth(), product->columns);
  weights.resize(static_cast<std::size_t>(size * group));
  const Int8Columns columns = ColumnsOf(values);
  for (std::int64_t g = 0; g < group; ++g) {
    PackInt8(columns, g * out_channels, out_channels, zero.data, by_channel, product->columns,
             weights.data() + g * size);
  }
}

void PreparedInt8Conv::Impl::PrepareWindows(Int8Data values, const Int8View& zero) {
  SetRuns();
  PackWeights(values, zero);
  for (std::int64_t i = 0; i < image.output; ++i) starts.push_back(image.WindowStart(i));
}

// Of results [first, first + count): `at` has room for them.
Int8Places PreparedInt8Conv::Impl::PlacesOf(std::int64_t sample, std::int64_t first,
                                            std::int64_t count, std::int64_t* at) const {
  const std::int64_t channels = group * out_channels, start = sample * channels * image.output;
  for (std::int64_t i = 0; i < count; ++i) at[i] = start + (first + i) * (layout.y ? channels : 1);
  return {at, layout.y ? 1 : image.output};
}

void PreparedInt8Conv::Impl::RunPanel(std::int64_t panel, std::int64_t sample, std::int64_t first,
                                      std::int64_t end, const std::int16_t* x, Int8Data residual,
                                      Int8Result y) const {
  const std::int64_t width = product->columns;
  const std::int64_t of_group = panel / PanelsOfGroup();
  const std::int64_t channel = panel % PanelsOfGroup() * width;
  const std::int16_t* right = weights.data() + panel * width * Depth();
  alignas(64) std::int32_t sums[kInt8Rows * kMaxInt8Columns];
  std::int64_t at[kInt8Rows];
  Int8Lines lines{{}, runs.data(), static_cast<std::int64_t>(runs.size()), run_pairs};
  for (std::int64_t position = first; position < end; position += kInt8Rows) {
    const std::int64_t rows = std::min(kInt8Rows, end - position);
    for (std::int64_t r = 0; r < rows; ++r) {
      lines.starts[r] = x + starts[static_cast<std::size_t>(position + r)] + of_group * in_channels;
    }
    product->multiply(rows, lines, right, sums);
    finisher.Store({sums, rows, width, of_group * out_channels + channel,
                    std::min(width, out_channels - channel)},
                   PlacesOf(sample, position, rows, at), residual, y);
  }
}

// Chunks of the image stay in cache while all panels of weights pass by.
void PreparedInt8Conv::Impl::RunTiles(std::int64_t sample, const std::int16_t* x, Int8Data residual,
                                      Int8Result y) const {
  const std::int64_t bytes = image.size() * 2 / image.output + 1;
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
                                       const std::int16_t* x, Int8Data residual,
                                       Int8Result y) const {
  alignas(64) std::int32_t sums[kWindows * kStrip];
  const std::int16_t* windows[kWindows];
  std::int64_t at[kWindows];
  const auto taps = static_cast<std::int64_t>(runs.size());
  const Int8Places places = PlacesOf(sample, first, count, at);
  for (std::int64_t c = 0; c < image.channels; c += kStrip) {
    for (std::int64_t i = 0; i < kWindows; ++i)
      windows[i] = x + starts[static_cast<std::size_t>(first + std::min(i, count - 1))] + c;
    SumStrip(windows, runs.data(), taps, weights.data() + c * taps, sums);
    finisher.Store({sums, count, kStrip, c, std::min(kStrip, image.channels - c)}, places, residual,
                   y);
  }
}

void PreparedInt8Conv::Impl::RunWinograd(std::int64_t sample, const std::int16_t* x,
                                         Int8Data residual, Int8Result y, char* scratch) const {
  Int8WinogradCall call{x, &finisher, residual, y, 0, 1, 1, scratch};
  call.start = sample * out_channels * image.output;
  call.position_step = layout.y ? out_channels : 1;
  call.channel_step = layout.y ? 1 : image.output;
  winograd->Run(call);
}

void PreparedInt8Conv::Impl::RunDepthwise(std::int64_t sample, const std::int16_t* x,
                                          Int8Data residual, Int8Result y) const {
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
  try {
    auto impl = Pimpl<Impl>::Make(window, x[1]);
    impl->product = &product;
    impl->layout = layout;
    impl->batch = x[0];
    impl->group = p.group;
    impl->in_channels = w[1];
    impl->out_channels = w[0] / p.group;
    const std::int64_t work = w[0] * w[1] * window.Taps() * impl->image.output;
    impl->threads = std::clamp<std::int64_t>(work / kWorkPerThread, 1, MaxThreads());
    DRAGOMAN_RT_TRY(impl->finisher.Init(epilogue, w[0]));
    impl->implementation = product.name;
    impl->ChooseMethod(weights, w_zero);
    if (impl->method != Impl::Method::kWinograd) impl->PrepareWindows(weights, w_zero);
    impl_ = std::move(impl);
  } catch (const std::bad_alloc&) {
    return Status::Error("out of memory");
  }
  return Status();
}

Status PreparedInt8Conv::Run(Int8Data x, Int8Data x_zero, const float* x_scale, Int8Data residual,
                             Int8Result y, void* scratch) noexcept {
  DRAGOMAN_RT_TRY(impl_->finisher.Begin(x_scale, residual, y));
  const std::int32_t zero = x_zero.present() ? x_zero[0] : 0;
  auto* image = static_cast<std::int16_t*>(scratch);
  for (std::int64_t n = 0; n < impl_->batch; ++n) {
    impl_->image.Widen(x, n, impl_->layout.x, zero, image);
    if (impl_->method == Impl::Method::kDepthwise) {
      impl_->RunDepthwise(n, image, residual, y);
    } else if (impl_->method == Impl::Method::kWinograd) {
      impl_->RunWinograd(n, image, residual, y, static_cast<char*>(scratch) + impl_->image.Bytes());
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

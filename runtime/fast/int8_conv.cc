#include "runtime/fast/int8_conv.h"

#include <algorithm>
#include <new>
#include <vector>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/threads.h"

namespace dragoman::rt {
namespace {

constexpr int kAxes = 3;                          // spatial axes, missing ones in front of size 1
constexpr std::int64_t kWorkPerThread = 1 << 18;  // multiply-adds that a thread is worth
constexpr std::int64_t kTileElements = 96 << 10;  // of the packed operand, to stay in cache
constexpr std::int64_t kDirectChannels = 2;       // of a group, that are not worth packing for
constexpr std::int64_t kDirectColumns = 256;

std::int64_t Aligned(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

template <class T>
DRAGOMAN_RT_CLONES void Widen(const T* x, std::int64_t count, std::int32_t zero, std::int16_t* to) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<std::int16_t>(x[i] - zero);
}

// `count` columns of a panel, for all pairs of depths: element i of depth k is
// plane[offsets[k] + i * step].
DRAGOMAN_RT_CLONES void PackRun(const std::int16_t* plane, const std::int64_t* offsets,
                                std::int64_t depth, std::int64_t step, std::int64_t count,
                                std::int64_t width, std::int16_t* to) {
  for (std::int64_t k = 0; k < depth; k += 2, to += 2 * width) {
    const std::int16_t* first = plane + offsets[k];
    const std::int16_t* second = plane + offsets[std::min(k + 1, depth - 1)];
    if (step == 1) {
      DRAGOMAN_RT_INDEPENDENT
      for (std::int64_t i = 0; i < count; ++i) {
        to[2 * i] = first[i];
        to[2 * i + 1] = second[i];
      }
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        to[2 * i] = first[i * step];
        to[2 * i + 1] = second[i * step];
      }
    }
  }
}

DRAGOMAN_RT_CLONES void SumTaps(const std::int16_t* plane, const std::int64_t* offsets,
                                const std::int16_t* weights, std::int64_t depth, std::int64_t step,
                                std::int64_t count, std::int32_t* sums) {
  std::fill_n(sums, count, 0);
  for (std::int64_t k = 0; k < depth; ++k) {
    const std::int16_t* from = plane + offsets[k];
    const std::int32_t weight = weights[k];
    if (step == 1) {
      DRAGOMAN_RT_INDEPENDENT
      for (std::int64_t i = 0; i < count; ++i) sums[i] += from[i] * weight;
    } else {
      for (std::int64_t i = 0; i < count; ++i) sums[i] += from[i * step] * weight;
    }
  }
}

}  // namespace

// x is widened to a plane a channel, with its padding; then all taps of a result element lie at
// fixed distances from where its window begins.
struct PreparedInt8Conv::Impl {
  const Int8Kernel* product = nullptr;
  Requantizer requantizer;
  WindowAxis axes[kAxes];
  std::int64_t extents[kAxes] = {1, 1, 1};  // of a padded plane
  std::int64_t batch = 1, channels = 1, group = 1;
  std::int64_t out_channels = 1;                  // of a group
  std::int64_t depth = 1;                         // taps times channels of a group
  std::int64_t input = 1, output = 1, plane = 1;  // elements of a channel
  bool direct = false;
  std::vector<std::int64_t> offsets;  // of the depths, in planes
  std::vector<std::int16_t> weights;  // packed by group, or (direct) rows of `depth`
  std::int64_t tile = 0;              // columns that are packed at once
  std::int64_t threads = 1;

  std::int64_t ScratchOfThread() const { return Aligned(PanelSize(depth, 1) * tile * 2); }
  std::int64_t PlaneBytes() const { return Aligned(channels * plane * 2); }

  void SetSizes(const Window& window, const Shape& x, const Shape& w, std::int64_t groups);
  void SetOffsets();
  void PackWeights(Int8Data values, const Int8View& zero);
  void WidenChannel(Int8Data x, std::int64_t sample, std::int64_t channel, std::int32_t zero,
                    std::int16_t* to) const;
  template <class Visit>
  void ForEachRun(std::int64_t first, std::int64_t count, Visit visit) const;
  void RunTile(std::int64_t sample, std::int64_t of_group, std::int64_t first,
               const std::int16_t* planes, std::int16_t* packed, Int8Result y) const;
  void RunChannel(std::int64_t sample, std::int64_t channel, const std::int16_t* planes,
                  Int8Result y) const;
  void RunSample(std::int64_t sample, Int8Data x, std::int32_t zero, Int8Result y,
                 char* scratch) const;
};

void PreparedInt8Conv::Impl::SetSizes(const Window& window, const Shape& x, const Shape& w,
                                      std::int64_t groups) {
  for (WindowAxis& axis : axes) axis.input = axis.output = 1;
  for (int i = 0; i < window.rank; ++i) axes[kAxes - window.rank + i] = window.axes[i];
  batch = x[0];
  channels = x[1];
  group = groups;
  out_channels = w[0] / group;
  depth = w[1] * window.Taps();
  input = window.InputSize();
  output = window.OutputSize();
  for (int i = 0; i < kAxes; ++i) {
    extents[i] = (axes[i].output - 1) * axes[i].stride + axes[i].Span();
    plane *= extents[i];
  }
}

void PreparedInt8Conv::Impl::SetOffsets() {
  for (std::int64_t c = 0; c < channels / group; ++c) {
    for (std::int64_t i = 0; i < axes[0].kernel; ++i) {
      for (std::int64_t j = 0; j < axes[1].kernel; ++j) {
        for (std::int64_t k = 0; k < axes[2].kernel; ++k) {
          const std::int64_t row =
              (c * extents[0] + i * axes[0].dilation) * extents[1] + j * axes[1].dilation;
          offsets.push_back(row * extents[2] + k * axes[2].dilation);
        }
      }
    }
  }
}

void PreparedInt8Conv::Impl::PackWeights(Int8Data values, const Int8View& zero) {
  const bool by_channel = zero.size > 1;
  if (direct) {
    for (std::int64_t row = 0; row < group * out_channels; ++row) {
      const std::int32_t shift = zero.size == 0 ? 0 : zero.data[by_channel ? row : 0];
      for (std::int64_t k = 0; k < depth; ++k)
        weights.push_back(static_cast<std::int16_t>(values[row * depth + k] - shift));
    }
    return;
  }
  const std::int64_t size = PackedSize(out_channels, depth, kInt8Rows);
  weights.resize(static_cast<std::size_t>(size * group));
  const Int8Factor factor{values, 0, group * out_channels, depth, depth, 1};
  for (std::int64_t g = 0; g < group; ++g) {
    PackInt8(factor, g * out_channels, out_channels, zero.data, by_channel, kInt8Rows,
             weights.data() + g * size);
  }
}

void PreparedInt8Conv::Impl::WidenChannel(Int8Data x, std::int64_t sample, std::int64_t channel,
                                          std::int32_t zero, std::int16_t* to) const {
  std::fill_n(to, plane, std::int16_t{0});
  const std::int64_t from = (sample * channels + channel) * input;
  const auto used = [&](int i) { return std::min(axes[i].input, extents[i] - axes[i].pad_begin); };
  for (std::int64_t i = 0; i < used(0); ++i) {
    for (std::int64_t j = 0; j < used(1); ++j) {
      const std::int64_t at = from + (i * axes[1].input + j) * axes[2].input;
      const std::int64_t row = (i + axes[0].pad_begin) * extents[1] + j + axes[1].pad_begin;
      std::int16_t* row_to = to + row * extents[2] + axes[2].pad_begin;
      if (x.is_signed) {
        Widen(static_cast<const std::int8_t*>(x.data) + at, used(2), zero, row_to);
      } else {
        Widen(static_cast<const std::uint8_t*>(x.data) + at, used(2), zero, row_to);
      }
    }
  }
}

// Calls visit(position, where its window begins in a plane, count) for runs of results that lie in
// one row.
template <class Visit>
void PreparedInt8Conv::Impl::ForEachRun(std::int64_t first, std::int64_t count, Visit visit) const {
  const std::int64_t end = first + count;
  while (first < end) {
    const std::int64_t column = first % axes[2].output;
    const std::int64_t row = first / axes[2].output % axes[1].output;
    const std::int64_t slice = first / axes[2].output / axes[1].output;
    const std::int64_t run = std::min(end - first, axes[2].output - column);
    const std::int64_t base =
        (slice * axes[0].stride * extents[1] + row * axes[1].stride) * extents[2] +
        column * axes[2].stride;
    visit(first, base, run);
    first += run;
  }
}

void PreparedInt8Conv::Impl::RunTile(std::int64_t sample, std::int64_t of_group, std::int64_t first,
                                     const std::int16_t* planes, std::int16_t* packed,
                                     Int8Result y) const {
  const std::int64_t width = product->columns, panel = PanelSize(depth, width);
  const std::int64_t count = std::min(tile, output - first);
  const std::int16_t* group_planes = planes + of_group * (channels / group) * plane;
  for (std::int64_t column = 0; column < count; column += width) {
    std::int16_t* to = packed + column / width * panel;
    const std::int64_t start = first + column;
    ForEachRun(start, std::min(width, count - column),
               [&](std::int64_t at, std::int64_t base, std::int64_t run) {
                 PackRun(group_planes + base, offsets.data(), depth, axes[2].stride, run, width,
                         to + 2 * (at - start));
               });
  }
  const std::int16_t* left = weights.data() + of_group * PackedSize(out_channels, depth, kInt8Rows);
  alignas(64) std::int32_t sums[kInt8Rows * kMaxInt8Columns];
  for (std::int64_t row = 0; row < out_channels; row += kInt8Rows) {
    const std::int64_t rows = std::min(kInt8Rows, out_channels - row);
    for (std::int64_t column = 0; column < count; column += width) {
      product->multiply(rows, DepthPairs(depth),
                        left + row / kInt8Rows * PanelSize(depth, kInt8Rows),
                        packed + column / width * panel, sums);
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t channel = of_group * out_channels + row + r;
        requantizer.StoreChannel(
            sums + r * width, std::min(width, count - column), channel, y,
            (sample * group * out_channels + channel) * output + first + column);
      }
    }
  }
}

void PreparedInt8Conv::Impl::RunChannel(std::int64_t sample, std::int64_t channel,
                                        const std::int16_t* planes, Int8Result y) const {
  const std::int64_t of_group = channel / out_channels;
  const std::int16_t* group_planes = planes + of_group * (channels / group) * plane;
  const std::int64_t to = (sample * group * out_channels + channel) * output;
  std::int32_t sums[kDirectColumns];
  for (std::int64_t first = 0; first < output; first += kDirectColumns) {
    const std::int64_t count = std::min(kDirectColumns, output - first);
    ForEachRun(first, count, [&](std::int64_t at, std::int64_t base, std::int64_t run) {
      SumTaps(group_planes + base, offsets.data(), weights.data() + channel * depth, depth,
              axes[2].stride, run, sums + (at - first));
    });
    requantizer.StoreChannel(sums, count, channel, y, to + first);
  }
}

void PreparedInt8Conv::Impl::RunSample(std::int64_t sample, Int8Data x, std::int32_t zero,
                                       Int8Result y, char* scratch) const {
  auto* planes = reinterpret_cast<std::int16_t*>(scratch);
  Parallel(channels, std::max<std::int64_t>(kWorkPerThread / plane, 1),
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t c = begin; c < end; ++c)
               WidenChannel(x, sample, c, zero, planes + c * plane);
           });
  if (direct) {
    const std::int64_t grain = std::max<std::int64_t>(kWorkPerThread / (output * depth), 1);
    Parallel(group * out_channels, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t c = begin; c < end; ++c) RunChannel(sample, c, planes, y);
    });
    return;
  }
  const std::int64_t tiles = (output + tile - 1) / tile, tasks = group * tiles;
  Parallel(threads, 1, [&](std::int64_t begin, std::int64_t end) {
    auto* packed =
        reinterpret_cast<std::int16_t*>(scratch + PlaneBytes() + begin * ScratchOfThread());
    for (std::int64_t task = tasks * begin / threads; task < tasks * end / threads; ++task)
      RunTile(sample, task / tiles, task % tiles * tile, planes, packed, y);
  });
}

PreparedInt8Conv::PreparedInt8Conv() = default;
PreparedInt8Conv::~PreparedInt8Conv() = default;
PreparedInt8Conv::PreparedInt8Conv(PreparedInt8Conv&&) noexcept = default;
PreparedInt8Conv& PreparedInt8Conv::operator=(PreparedInt8Conv&&) noexcept = default;

bool PreparedInt8Conv::Supports(const ConvParams& p, const Shape& x, const Shape& w) {
  Window window;
  if (x.size() > kAxes + 2 || !ConvWindow(p, x, w, &window).ok()) return false;
  for (int i = 0; i < window.rank; ++i) {
    const WindowAxis& axis = window.axes[i];
    if (axis.pad_begin < 0 || axis.pad_end < 0 || axis.output < 1) return false;
  }
  return NumElements(x) > 0 && NumElements(w) > 0;
}

Status PreparedInt8Conv::Init(const FastContext&, const ConvParams& p, const Shape& x,
                              const Shape& w, Int8Data weights, const Int8View& w_zero,
                              const Requantization& requantization,
                              const Int8Kernel& product) noexcept {
  if (!Supports(p, x, w)) return Status::Error("this convolution of integers is not supported");
  Window window;
  DRAGOMAN_RT_TRY(ConvWindow(p, x, w, &window));
  try {
    auto impl = std::make_unique<Impl>();
    impl->product = &product;
    impl->SetSizes(window, x, w, p.group);
    impl->direct = impl->out_channels <= kDirectChannels;
    impl->SetOffsets();
    impl->PackWeights(weights, w_zero);
    const std::int64_t width = product.columns;
    const std::int64_t wanted = std::max(kTileElements / PanelSize(impl->depth, 1), width);
    const std::int64_t columns = (impl->output + width - 1) / width * width;
    impl->tile = std::min(wanted / width * width, columns);
    const std::int64_t tasks = impl->group * ((impl->output + impl->tile - 1) / impl->tile);
    const std::int64_t work = impl->group * impl->out_channels * impl->depth * impl->output;
    impl->threads =
        std::clamp<std::int64_t>(std::min(tasks, work / kWorkPerThread), 1, MaxThreads());
    DRAGOMAN_RT_TRY(impl->requantizer.Init(requantization, w[0]));
    impl_ = std::move(impl);
  } catch (const std::bad_alloc&) {
    return Status::Error("out of memory");
  }
  return Status();
}

Status PreparedInt8Conv::Run(Int8Data x, Int8Data x_zero, Int8Result y, void* scratch) noexcept {
  const bool whole = y.kind == Int8Result::Kind::kI32;
  if (whole != impl_->requantizer.scales.empty())
    return Status::Error("the result of a convolution of integers has another element type");
  const std::int32_t zero = x_zero.present() ? x_zero[0] : 0;
  for (std::int64_t n = 0; n < impl_->batch; ++n)
    impl_->RunSample(n, x, zero, y, static_cast<char*>(scratch));
  return Status();
}

std::int64_t PreparedInt8Conv::ScratchBytes() const noexcept {
  return impl_->PlaneBytes() + (impl_->direct ? 0 : impl_->threads * impl_->ScratchOfThread());
}

const char* PreparedInt8Conv::Implementation() const noexcept { return impl_->product->name; }

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/int8_winograd.h"

#include <algorithm>
#include <cstdlib>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kTransformed = 16;          // channels that are transformed at once
constexpr std::int64_t kOperandBytes = 224 << 10;  // of a transformed chunk, to stay in cache
constexpr std::int64_t kLargest = 255;             // magnitude of an operand less its zero point
constexpr std::uint32_t kInverseOf9 = 954437177;
// What it costs to read a byte of weights and to transform an element, in multiply-adds.
constexpr std::int64_t kCostOfByte = 4, kCostOfElement = 4;

template <class T>
DRAGOMAN_RT_INLINE T Wrapped(int value) {
  return static_cast<T>(value);
}

// to = B' from, for each of kTransformed lanes; elements lie `step` and `to_step` apart.
template <int kTile>
DRAGOMAN_RT_INLINE void TransformInput(const std::int16_t* from, std::int64_t step,
                                       std::int16_t* to, std::int64_t to_step) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < kTransformed; ++i) {
    const std::int16_t* x = from + i;
    std::int16_t* y = to + i;
    const auto x0 = x[0], x1 = x[step], x2 = x[2 * step], x3 = x[3 * step];
    if constexpr (kTile == 2) {
      y[0] = Wrapped<std::int16_t>(x0 - x2);
      y[to_step] = Wrapped<std::int16_t>(x1 + x2);
      y[2 * to_step] = Wrapped<std::int16_t>(x2 - x1);
      y[3 * to_step] = Wrapped<std::int16_t>(x1 - x3);
    } else {
      const auto x4 = x[4 * step], x5 = x[5 * step];
      const auto even = Wrapped<std::int16_t>(x4 - 4 * x2),
                 odd = Wrapped<std::int16_t>(x3 - 4 * x1);
      const auto far = Wrapped<std::int16_t>(x4 - x2), apart = Wrapped<std::int16_t>(2 * (x3 - x1));
      y[0] = Wrapped<std::int16_t>(4 * x0 - 5 * x2 + x4);
      y[to_step] = Wrapped<std::int16_t>(even + odd);
      y[2 * to_step] = Wrapped<std::int16_t>(even - odd);
      y[3 * to_step] = Wrapped<std::int16_t>(far + apart);
      y[4 * to_step] = Wrapped<std::int16_t>(far - apart);
      y[5 * to_step] = Wrapped<std::int16_t>(4 * x1 - 5 * x3 + x5);
    }
  }
}

// One tile of the image, all channels: point p of channel c becomes to[p * to_step + c].
template <int kTile>
DRAGOMAN_RT_CLONES void TransformTile(const std::int16_t* image, std::int64_t row_size,
                                      std::int64_t channels, std::int16_t* to,
                                      std::int64_t to_step) {
  constexpr std::int64_t kSide = kTile + 2;
  alignas(64) std::int16_t half[kSide * kSide * kTransformed];
  for (std::int64_t c = 0; c < channels; c += kTransformed) {
    for (std::int64_t j = 0; j < kSide; ++j)
      TransformInput<kTile>(image + j * channels + c, row_size, half + j * kTransformed,
                            kSide * kTransformed);
    for (std::int64_t i = 0; i < kSide; ++i) {
      TransformInput<kTile>(half + i * kSide * kTransformed, kTransformed,
                            to + i * kSide * to_step + c, to_step);
    }
  }
}

// to = A' from, times 2 (tiles of 2) or 24.
template <int kTile>
DRAGOMAN_RT_INLINE void TransformOutput(const std::uint32_t* from, std::int64_t step,
                                        std::uint32_t* to, std::int64_t to_step) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < kTransformed; ++i) {
    const std::uint32_t* m = from + i;
    std::uint32_t* y = to + i;
    const std::uint32_t sum = m[step] + m[2 * step], difference = m[step] - m[2 * step];
    if constexpr (kTile == 2) {
      y[0] = 2 * m[0] + sum;
      y[to_step] = difference - 2 * m[3 * step];
    } else {
      const std::uint32_t far_sum = m[3 * step] + m[4 * step];
      const std::uint32_t far_difference = m[3 * step] - m[4 * step];
      y[0] = 6 * m[0] - 4 * sum + far_sum;
      y[to_step] = 2 * far_difference - 4 * difference;
      y[2 * to_step] = 4 * (far_sum - sum);
      y[3 * to_step] = 8 * far_difference - 4 * difference + 24 * m[5 * step];
    }
  }
}

// The results of one tile, kTransformed channels: position p of the tile becomes sums[p *
// kTransformed].
template <int kTile>
DRAGOMAN_RT_CLONES void CollectTile(const std::int32_t* products, std::int64_t step,
                                    std::int32_t* sums) {
  constexpr std::int64_t kSide = kTile + 2;
  alignas(64) std::uint32_t half[kTile * kSide * kTransformed], whole[kTile * kTile * kTransformed];
  const auto* from = reinterpret_cast<const std::uint32_t*>(products);
  for (std::int64_t j = 0; j < kSide; ++j)
    TransformOutput<kTile>(from + j * step, kSide * step, half + j * kTransformed,
                           kSide * kTransformed);
  for (std::int64_t i = 0; i < kTile; ++i)
    TransformOutput<kTile>(half + i * kSide * kTransformed, kTransformed,
                           whole + i * kTile * kTransformed, kTransformed);
  for (std::int64_t i = 0; i < kTile * kTile * kTransformed; ++i) {
    sums[i] = kTile == 2 ? static_cast<std::int32_t>(whole[i]) >> 2
                         : static_cast<std::int32_t>(whole[i] * kInverseOf9) >> 6;
  }
}

// to = G' from; elements lie `step` and `to_step` apart.
template <int kTile>
DRAGOMAN_RT_INLINE void TransformFilter(const std::int32_t* from, std::int64_t step,
                                        std::int32_t* to, std::int64_t to_step) {
  const std::int32_t first = from[0], middle = from[step], last = from[2 * step];
  const std::int32_t sum = first + last, far = first + 4 * last;
  to[0] = first;
  to[to_step] = sum + middle;
  to[2 * to_step] = sum - middle;
  if constexpr (kTile == 4) {
    to[3 * to_step] = far + 2 * middle;
    to[4 * to_step] = far - 2 * middle;
  }
  to[(kTile + 1) * to_step] = last;
}

// Point p of a filter of 3 x 3 taps becomes to[p * to_step].
template <int kTile>
void TransformTaps(const std::int32_t* taps, std::int16_t* to, std::int64_t to_step) {
  constexpr int kSide = kTile + 2;
  std::int32_t half[3 * kSide], whole[kSide * kSide];
  for (int j = 0; j < 3; ++j) TransformFilter<kTile>(taps + j, 3, half + j, 3);
  for (int i = 0; i < kSide; ++i) TransformFilter<kTile>(half + 3 * i, 1, whole + i * kSide, 1);
  for (int p = 0; p < kSide * kSide; ++p) to[p * to_step] = static_cast<std::int16_t>(whole[p]);
}

template <class T>
std::int64_t SumOfMagnitudes(const T* values, std::int64_t count, std::int32_t zero) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::abs(values[i] - zero);
  return sum;
}

std::int64_t LargestSum(const Int8Filter& filter) {
  std::int64_t largest = 0;
  const std::int64_t count = filter.in * 9;
  for (std::int64_t m = 0; m < filter.out; ++m) {
    const std::int32_t zero = filter.zeros[m];
    const std::int64_t sum =
        filter.values.is_signed
            ? SumOfMagnitudes(static_cast<const std::int8_t*>(filter.values.data) + m * count,
                              count, zero)
            : SumOfMagnitudes(static_cast<const std::uint8_t*>(filter.values.data) + m * count,
                              count, zero);
    largest = std::max(largest, sum * kLargest);
  }
  return largest;
}

std::int64_t Tiles(std::int64_t size, int tile) { return (size + tile - 1) / tile; }

// In multiply-adds, of the method with `points` products for each of `tiles` tiles.
std::int64_t Cost(const Int8Filter& filter, std::int64_t points, std::int64_t tiles) {
  return points * (tiles * filter.in * filter.out + kCostOfByte * 2 * filter.in * filter.out);
}

}  // namespace

int Int8Winograd::ChooseTile(const Int8Image& image, const Int8Filter& filter) {
  const WindowAxis* axes = image.axes;
  const bool is_flat = axes[0].kernel == 1 && axes[0].output == 1 && image.extents[0] == 1;
  if (!is_flat || filter.in % kTransformed != 0) return 0;
  for (int i : {1, 2}) {
    if (axes[i].kernel != 3 || axes[i].stride != 1 || axes[i].dilation != 1) return 0;
  }
  const std::int64_t largest = LargestSum(filter);
  std::int64_t least = Cost(filter, 9, image.output);
  int chosen = 0;
  for (int tile : {2, 4}) {
    if (largest >= std::int64_t{1} << (tile == 2 ? 29 : 25)) continue;
    const std::int64_t points = (tile + 2) * (tile + 2);
    const std::int64_t tiles = Tiles(axes[1].output, tile) * Tiles(axes[2].output, tile);
    const std::int64_t cost =
        Cost(filter, points, tiles) + kCostOfElement * points * tiles * (filter.in + filter.out);
    if (cost < least) chosen = tile;
    least = std::min(least, cost);
  }
  return chosen;
}

Int8Winograd::Int8Winograd(int tile, const Int8Filter& filter, const Int8Kernel& product,
                           std::int64_t threads, Int8Image& image)
    : tile_(tile),
      in_(filter.in),
      out_(filter.out),
      product_(&product),
      threads_(threads),
      height_(image.axes[1].output),
      width_(image.axes[2].output) {
  across_ = Tiles(width_, tile);
  tiles_ = Tiles(height_, tile) * across_;
  image.extents[1] = Tiles(height_, tile) * tile + 2;
  image.extents[2] = across_ * tile + 2;
  row_size_ = image.extents[2] * in_;
  const std::int64_t fitting = kOperandBytes / (Points() * in_ * 2) / kInt8Rows * kInt8Rows;
  const std::int64_t of_thread = (tiles_ + threads - 1) / threads;
  chunk_ = std::min(std::max(fitting, kInt8Rows), of_thread);
  const std::int64_t columns = product.columns;
  weights_.assign(
      static_cast<std::size_t>((out_ + columns - 1) / columns * columns * Points() * in_), 0);
  for (std::int64_t channel = 0; channel < out_; channel += columns) PackPanel(filter, channel);
}

// Of results from `channel` on.
void Int8Winograd::PackPanel(const Int8Filter& filter, std::int64_t channel) {
  const std::int64_t columns = product_->columns, count = std::min(columns, out_ - channel);
  const auto transform = tile_ == 2 ? TransformTaps<2> : TransformTaps<4>;
  std::int16_t* panel = weights_.data() + channel * Points() * in_;
  for (std::int64_t c = 0; c < in_; ++c) {
    for (std::int64_t i = 0; i < count; ++i) {
      std::int32_t taps[9];
      for (std::int64_t tap = 0; tap < 9; ++tap) taps[tap] = filter.At(channel + i, c, tap);
      transform(taps, panel + (c / 2 * columns + i) * 2 + c % 2, in_ * columns);
    }
  }
}

std::int64_t Int8Winograd::ScratchBytes() const { return threads_ * ChunkBytes(); }

// products[point][tile][column], of one panel of columns.
void Int8Winograd::Multiply(const std::int16_t* operand, std::int64_t count, std::int64_t panel,
                            std::int32_t* products) const {
  constexpr std::int64_t kRun = 0;
  const std::int64_t columns = product_->columns;
  Int8Lines lines{{}, &kRun, 1, in_ / 2};
  for (std::int64_t point = 0; point < Points(); ++point) {
    const std::int16_t* right = weights_.data() + (panel * Points() + point) * in_ * columns;
    for (std::int64_t tile = 0; tile < count; tile += kInt8Rows) {
      const std::int64_t rows = std::min(kInt8Rows, count - tile);
      for (std::int64_t r = 0; r < rows; ++r)
        lines.starts[r] = reinterpret_cast<const char*>(operand + (point * count + tile + r) * in_);
      product_->multiply(rows, lines, reinterpret_cast<const char*>(right),
                         products + (point * count + tile) * columns);
    }
  }
}

// Stores one strip of channels of tile `position`, whose point 0 is at `products`.
void Int8Winograd::Finish(const Int8WinogradCall& call, const std::int32_t* products,
                          std::int64_t count, std::int64_t position, std::int64_t channel) const {
  alignas(64) std::int32_t sums[4 * 4 * kTransformed];
  std::int64_t at[4 * 4];
  if (tile_ == 2) {
    CollectTile<2>(products, count * product_->columns, sums);
  } else {
    CollectTile<4>(products, count * product_->columns, sums);
  }
  const std::int64_t top = position / across_ * tile_, left = position % across_ * tile_;
  const std::int64_t rows = std::min<std::int64_t>(tile_, height_ - top);
  const std::int64_t used = std::min<std::int64_t>(tile_, width_ - left);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < used; ++j)
      at[i * used + j] = call.start + ((top + i) * width_ + left + j) * call.position_step;
    if (used < tile_)
      std::copy_n(sums + i * tile_ * kTransformed, used * kTransformed,
                  sums + i * used * kTransformed);
  }
  call.finisher->Store(
      {sums, rows * used, kTransformed, channel, std::min(kTransformed, out_ - channel)},
      {at, call.channel_step}, call.residual, call.y);
}

void Int8Winograd::RunChunk(const Int8WinogradCall& call, std::int64_t first, std::int64_t count,
                            char* scratch) const {
  auto* operand = reinterpret_cast<std::int16_t*>(scratch);
  auto* products = reinterpret_cast<std::int32_t*>(scratch + OperandBytes());
  const auto transform = tile_ == 2 ? TransformTile<2> : TransformTile<4>;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t position = first + i;
    const std::int64_t top = position / across_ * tile_, left = position % across_ * tile_;
    transform(call.image + top * row_size_ + left * in_, row_size_, in_, operand + i * in_,
              count * in_);
  }
  const std::int64_t columns = product_->columns;
  for (std::int64_t channel = 0; channel < out_; channel += columns) {
    Multiply(operand, count, channel / columns, products);
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t c = 0; c < std::min(columns, out_ - channel); c += kTransformed)
        Finish(call, products + i * columns + c, count, first + i, channel + c);
    }
  }
}

void Int8Winograd::Run(const Int8WinogradCall& call) const noexcept {
  const std::int64_t chunks = (tiles_ + chunk_ - 1) / chunk_;
  Parallel(threads_, 1, [&](std::int64_t begin, std::int64_t end) {
    char* scratch = call.scratch + begin * ChunkBytes();
    for (std::int64_t i = chunks * begin / threads_; i < chunks * end / threads_; ++i)
      RunChunk(call, i * chunk_, std::min(chunk_, tiles_ - i * chunk_), scratch);
  });
}

}  // namespace dragoman::rt

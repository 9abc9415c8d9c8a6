// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/tap_product.h"

#include <algorithm>

#include "runtime/fast/activate.h"
#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/threads.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kTile = 16;        // elements that are transposed at once
constexpr std::int64_t kRows = 128;       // of a product, at least
constexpr std::int64_t kGrain = 1 << 14;  // floats that a thread is worth
constexpr std::int64_t kAlignedFloats = 16;

std::int64_t WholeLines(std::int64_t floats) {
  return (floats + kAlignedFloats - 1) / kAlignedFloats * kAlignedFloats;
}

// to += from, of one row or of four
DRAGOMAN_RT_CLONES void AddOne(std::int64_t count, const float* from, float* to) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}
DRAGOMAN_RT_CLONES void AddFour(std::int64_t count, const float* a, const float* b, const float* c,
                                const float* d, float* to) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] += (a[i] + b[i]) + (c[i] + d[i]);
}

// Adds rows of `count` floats, four at a time.
class RowSum {
 public:
  RowSum(std::int64_t count, float* to) : count_(count), to_(to) {}

  void Add(const float* row) {
    rows_[held_++] = row;
    if (held_ < 4) return;
    AddFour(count_, rows_[0], rows_[1], rows_[2], rows_[3], to_);
    held_ = 0;
  }
  void Finish() {
    for (int i = 0; i < held_; ++i) AddOne(count_, rows_[i], to_);
  }

 private:
  std::int64_t count_;
  float* to_;
  const float* rows_[4];
  int held_ = 0;
};

// Rows of `columns` floats, `from_row` floats apart, become columns of rows of `to_row` floats.
void Transpose(std::int64_t rows, std::int64_t columns, const float* from, std::int64_t from_row,
               float* to, std::int64_t to_row) {
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) to[c * to_row + r] = from[r * from_row + c];
  }
}

}  // namespace

// Of the scratch memory.
struct TapProduct::Buffers {
  float* rows;     // of some slabs: a row of channels for each element
  float* parts;    // of ring_ slabs: for each element the outputs, one tap after the other
  float* product;  // what the product needs itself
  float* tiles;    // one a thread: rows of outputs
};

bool TapProduct::Suits(const ConvTransposeParams& p, const Shape& w) {
  const auto is_stride = [](std::int64_t stride) { return stride > 1; };
  return p.group == 1 && w.size() >= 3 && w.size() <= 2 + kAxes && NumElements(w) > 0 &&
         std::any_of(p.strides.begin(), p.strides.end(), is_stride);
}

void TapProduct::Pack(const Shape& w, const float* weights, const float* bias,
                      const PostOps& post) {
  channels_ = w[0];
  outputs_ = w[1];
  taps_ = NumElements(w) / (channels_ * outputs_);
  post_ = post;
  bias_.assign(static_cast<std::size_t>(outputs_), 0.0f);
  if (bias != nullptr) std::copy_n(bias, outputs_, bias_.begin());
  std::vector<float> turned(static_cast<std::size_t>(NumElements(w)));
  for (std::int64_t c = 0; c < channels_; ++c) {
    Transpose(outputs_, taps_, weights + c * outputs_ * taps_, taps_,
              turned.data() + c * outputs_ * taps_, outputs_);
  }
  product_.Pack(turned.data(), 1, taps_ * outputs_, nullptr, taps_ * outputs_, channels_,
                PanelProduct::kAnyRows);
  most_threads_ = std::max<std::int64_t>(MaxThreads(), 1);
}

void TapProduct::Axis::Fill(const WindowAxis& window) {
  input = window.input;
  output = window.output;
  taps = window.kernel;
  stride = window.stride;
  pad = window.pad_begin;
  overlap = (window.kernel - 1) * window.dilation / window.stride;
  reaches.clear();
  begins.clear();
  for (std::int64_t o = 0; o < output; ++o) {
    begins.push_back(static_cast<std::int64_t>(reaches.size()));
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const std::int64_t at = o + pad - tap * window.dilation;
      if (at >= 0 && at % stride == 0 && at / stride < input) reaches.push_back({at / stride, tap});
    }
  }
  begins.push_back(static_cast<std::int64_t>(reaches.size()));
}

void TapProduct::Resize(const Shape& x, const Window& window) {
  batch_ = x[0];
  for (int i = 0; i < kAxes; ++i)
    axes_[i].Fill(i < window.rank ? window.axes[i] : WindowAxis{1, 1});
  pixels_ = axes_[1].input * axes_[2].input;
  image_ = axes_[0].input * pixels_;
  elements_ = axes_[1].output * axes_[2].output;
  whole_ = axes_[0].output * elements_;
  slabs_ = std::min(axes_[0].input, (kRows + pixels_ - 1) / pixels_);
  ring_ = slabs_ + std::min(axes_[0].overlap, axes_[0].input);
}

std::int64_t TapProduct::ScratchBytes() const noexcept {
  const std::int64_t floats = WholeLines(slabs_ * pixels_ * channels_) +
                              WholeLines(ring_ * pixels_ * taps_ * outputs_) +
                              most_threads_ * WholeLines(kTile * outputs_);
  return floats * std::int64_t{sizeof(float)} + product_.ScratchBytes();
}

TapProduct::Buffers TapProduct::Divide(void* scratch) const {
  Buffers buffers;
  buffers.rows = static_cast<float*>(scratch);
  buffers.parts = buffers.rows + WholeLines(slabs_ * pixels_ * channels_);
  buffers.tiles = buffers.parts + WholeLines(ring_ * pixels_ * taps_ * outputs_);
  buffers.product = buffers.tiles + most_threads_ * WholeLines(kTile * outputs_);
  return buffers;
}

void TapProduct::Run(const float* x, const float* residual, float* y,
                     void* scratch) const noexcept {
  const Buffers buffers = Divide(scratch);
  const Axis& first = axes_[0];
  if (!post_.residual) residual = nullptr;
  for (std::int64_t n = 0; n < batch_; ++n) {
    std::int64_t done = 0;  // slabs of the result
    for (std::int64_t slab = 0; slab < first.input; slab += slabs_) {
      const std::int64_t end = std::min(slab + slabs_, first.input);
      Multiply(x + n * channels_ * image_, slab, end, buffers);
      // Later slabs of the image do not reach what lies before their first tap.
      const std::int64_t ready =
          end == first.input
              ? first.output
              : std::clamp<std::int64_t>(end * first.stride - first.pad, done, first.output);
      const std::int64_t at = n * outputs_ * whole_;
      Gather(residual == nullptr ? nullptr : residual + at, y + at, done * elements_,
             ready * elements_, buffers);
      done = ready;
    }
  }
}

// The parts of some slabs of the image.
void TapProduct::Multiply(const float* x, std::int64_t begin, std::int64_t end,
                          const Buffers& buffers) const {
  const std::int64_t count = (end - begin) * pixels_;
  const float* from = x + begin * pixels_;
  Parallel((count + kTile - 1) / kTile, kGrain / (kTile * channels_) + 1,
           [&](std::int64_t first, std::int64_t last) {
             for (std::int64_t at = first * kTile; at < std::min(last * kTile, count); at += kTile)
               Transpose(channels_, std::min(kTile, count - at), from + at, image_,
                         buffers.rows + at * channels_, channels_);
           });
  for (std::int64_t slab = begin; slab < end;) {
    const std::int64_t place = slab % ring_, next = std::min(end, slab + ring_ - place);
    product_.Run((next - slab) * pixels_, buffers.rows + (slab - begin) * pixels_ * channels_,
                 nullptr, buffers.parts + place * pixels_ * taps_ * outputs_, buffers.product);
    slab = next;
  }
}

// Elements `begin` … `end` of each output.
void TapProduct::Gather(const float* residual, float* y, std::int64_t begin, std::int64_t end,
                        const Buffers& buffers) const {
  const std::int64_t tiles = (end - begin + kTile - 1) / kTile;
  const std::int64_t threads = std::clamp<std::int64_t>(
      (end - begin) * outputs_ * axes_[0].taps / kGrain, 1, std::min(most_threads_, tiles + 1));
  Parallel(threads, 1, [&](std::int64_t first, std::int64_t last) {
    float* const tile = buffers.tiles + first * WholeLines(kTile * outputs_);
    for (std::int64_t t = tiles * first / threads; t < tiles * last / threads; ++t) {
      const std::int64_t at = begin + t * kTile, count = std::min(kTile, end - at);
      GatherTile(at, count, buffers, tile);
      StoreTile(residual == nullptr ? nullptr : residual + at, y + at, count, tile);
    }
  });
}

void TapProduct::GatherTile(std::int64_t first, std::int64_t count, const Buffers& buffers,
                            float* tile) const {
  for (std::int64_t i = 0; i < count; ++i) {
    std::copy(bias_.begin(), bias_.end(), tile + i * outputs_);
    SumReaches(first + i, buffers, tile + i * outputs_);
  }
}

void TapProduct::SumReaches(std::int64_t element, const Buffers& buffers, float* sums) const {
  const std::int64_t place[kAxes] = {element / elements_, element % elements_ / axes_[2].output,
                                     element % axes_[2].output};
  const auto each = [&](int axis, auto body) {
    const Axis& a = axes_[axis];
    const auto at = static_cast<std::size_t>(place[axis]);
    for (std::int64_t r = a.begins[at]; r < a.begins[at + 1]; ++r)
      body(a.reaches[static_cast<std::size_t>(r)]);
  };
  RowSum sum(outputs_, sums);
  each(0, [&](const Reach& slab) {
    const float* const parts = buffers.parts + slab.input % ring_ * pixels_ * taps_ * outputs_;
    each(1, [&](const Reach& row) {
      const std::int64_t tap = (slab.tap * axes_[1].taps + row.tap) * axes_[2].taps;
      each(2, [&](const Reach& column) {
        const std::int64_t pixel = row.input * axes_[2].input + column.input;
        sum.Add(parts + (pixel * taps_ + tap + column.tap) * outputs_);
      });
    });
  });
  sum.Finish();
}

// A tile as columns of y, and the post-ops.
void TapProduct::StoreTile(const float* residual, float* y, std::int64_t count, float* tile) const {
  const auto add = [&] {
    for (std::int64_t o = 0; o < outputs_; ++o) {
      for (std::int64_t i = 0; i < count; ++i) tile[i * outputs_ + o] += residual[o * whole_ + i];
    }
  };
  if (residual != nullptr && !post_.activation_first) add();
  Activate(post_, 1, count * outputs_, 0, nullptr, tile);
  if (residual != nullptr && post_.activation_first) add();
  Transpose(count, outputs_, tile, outputs_, y, whole_);
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/tap_product.h"

#include <algorithm>
#include <type_traits>

#include "runtime/fast/activate.h"
#include "runtime/fast/clones.h"
#include "runtime/fast/panel_tile.h"
#include "runtime/fast/parallel.h"
#include "runtime/fast/threads.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kInputs = 256;           // channels whose panel stays in the first cache
constexpr std::int64_t kTapGap = 16;            // floats, so that rows fall to different sets of it
constexpr std::int64_t kTapRows = 64;           // of weights, at most, if one output has fewer
constexpr std::int64_t kPartFloats = 1 << 16;   // of the parts of a block, about
constexpr std::int64_t kPanelFloats = 1 << 17;  // of a slab of the image, about
constexpr std::int64_t kTapGrain = 1 << 16;     // products that a thread is worth
constexpr std::int64_t kAlignedFloats = 16;

std::int64_t WholeLines(std::int64_t floats) {
  return (floats + kAlignedFloats - 1) / kAlignedFloats * kAlignedFloats;
}

std::int64_t FloorQuotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
std::int64_t CeilQuotient(std::int64_t a, std::int64_t b) { return -FloorQuotient(-a, b); }

// The columns of a panel of the image.
std::int64_t PanelWidth() { return BestTile().PanelWidth(0); }

// to += from
DRAGOMAN_RT_INLINE void AddTo(std::int64_t count, const float* from, float* to) {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
}
DRAGOMAN_RT_CLONES void Add(std::int64_t count, const float* from, float* to) {
  AddTo(count, from, to);
}

}  // namespace

// The lines of the result of one output.
struct TapProduct::Lines {
  const Term* terms;
  const std::int64_t* ends;
  std::int64_t count, length;
  std::int64_t stride, phase_floats;
};

namespace {

template <class Term>
DRAGOMAN_RT_INLINE void AddTerm(const Term& term, const float* parts, float bias, float* line) {
  const std::int64_t count = term.count;
  const float* const from = parts + term.from;
  float* const to = line + term.to;
  if (!term.starts) return AddTo(count, from, to);
  if (term.from < 0) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = bias;
  } else {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] + bias;
  }
}

// Rows of phases become a line. The stride is known, or 0.
template <int kStride>
DRAGOMAN_RT_INLINE void Interleave(std::int64_t stride, std::int64_t length, const float* line,
                                   std::int64_t row, float* to) {
  const std::int64_t phases = kStride == 0 ? stride : kStride;
  const std::int64_t whole = length / phases, left = length % phases;
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t j = 0; j < whole; ++j) {
    DRAGOMAN_RT_UNROLL
    for (std::int64_t p = 0; p < phases; ++p) to[j * phases + p] = line[p * row + j];
  }
  for (std::int64_t p = 0; p < left; ++p) to[whole * phases + p] = line[p * row + whole];
}

// `lines` is a copy: a store might change one that is referred to.
template <int kStride, class Lines>
DRAGOMAN_RT_INLINE void SumLines(Lines lines, const float* parts, float bias, float* line,
                                 float* to) {
  auto* term = lines.terms;
  for (std::int64_t i = 0; i < lines.count; ++i, to += lines.length) {
    float* const sums = kStride == 1 ? to : line;
    for (; term < lines.terms + lines.ends[i]; ++term) AddTerm(*term, parts, bias, sums);
    if (kStride != 1) Interleave<kStride>(lines.stride, lines.length, line, lines.phase_floats, to);
  }
}

}  // namespace

DRAGOMAN_RT_CLONES void TapProduct::Sum(const Lines& lines, const float* parts, float bias,
                                        float* line, float* to) {
  switch (lines.stride) {
    case 1:
      return SumLines<1>(lines, parts, bias, line, to);
    case 2:
      return SumLines<2>(lines, parts, bias, line, to);
    case 4:
      return SumLines<4>(lines, parts, bias, line, to);
    case 8:
      return SumLines<8>(lines, parts, bias, line, to);
    default:
      return SumLines<0>(lines, parts, bias, line, to);
  }
}

void TapProduct::Axis::Fill(const WindowAxis& axis) {
  window = axis;
  taps.clear();
  for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
    const std::int64_t first = tap * axis.dilation - axis.pad_begin;
    const std::int64_t shift = FloorQuotient(first, axis.stride);
    taps.push_back({tap, shift, first - shift * axis.stride});
  }
  std::sort(taps.begin(), taps.end(), [](const Tap& a, const Tap& b) {  // allocates nothing
    return a.phase != b.phase ? a.phase < b.phase : a.number < b.number;
  });
  reaches.clear();
  begins.clear();
  most = 0;
  for (std::int64_t o = 0; o < axis.output; ++o) {
    begins.push_back(static_cast<std::int64_t>(reaches.size()));
    for (std::int64_t tap = 0; tap < axis.kernel; ++tap) {
      const std::int64_t at = o + axis.pad_begin - tap * axis.dilation;
      if (at >= 0 && at % axis.stride == 0 && at / axis.stride < axis.input)
        reaches.push_back({at / axis.stride, tap});
    }
    most = std::max(most, static_cast<std::int64_t>(reaches.size()) - begins.back());
  }
  begins.push_back(static_cast<std::int64_t>(reaches.size()));
}

TapProduct::Range TapProduct::Axis::Reaching(Range results) const {
  const std::int64_t first =
      results.begin + window.pad_begin - (window.kernel - 1) * window.dilation;
  const std::int64_t last = results.end - 1 + window.pad_begin;
  const std::int64_t begin =
      std::clamp<std::int64_t>(CeilQuotient(first, window.stride), 0, window.input);
  return {begin, std::clamp(FloorQuotient(last, window.stride) + 1, begin, window.input)};
}

std::int64_t TapProduct::Axis::MostReaching(std::int64_t results) const {
  const std::int64_t span = (window.kernel - 1) * window.dilation;
  return std::min(window.input, (results - 1 + span) / window.stride + 1);
}

void TapProduct::Pack(const Shape& w, std::int64_t groups, const float* weights, const float* bias,
                      const PostOps& post, const PackingOrigin& origin) {
  groups_ = groups;
  channels_ = w[0] / groups;
  outputs_ = w[1];
  taps_ = NumElements(w) / (w[0] * w[1]);
  post_ = post;
  bias_.assign(static_cast<std::size_t>(groups * outputs_), 0.0f);
  if (bias != nullptr) std::copy_n(bias, groups * outputs_, bias_.begin());
  block_ = std::clamp<std::int64_t>(kTapRows / taps_, 1, outputs_);
  weights_row_ = channels_ % kInputs == 0 ? channels_ + kTapGap : channels_;
  const std::int64_t rows = outputs_ * taps_;
  const auto pack = [&]() -> SharedFloats {
    const std::int64_t count = groups * rows * weights_row_;
    AlignedFloats packed = NewAlignedFloats(count);
    std::fill_n(packed.get(), count, 0.0f);
    for (std::int64_t c = 0; c < w[0]; ++c) {
      float* to = packed.get() + c / channels_ * rows * weights_row_ + c % channels_;
      for (std::int64_t r = 0; r < rows; ++r) to[r * weights_row_] = weights[c * rows + r];
    }
    return packed;
  };
  weights_ = origin.Packed(PackedForm::kTaps, {w[0], rows, groups}, pack);
  most_threads_ = std::max<std::int64_t>(MaxThreads(), 1);
}

void TapProduct::Resize(const Shape& x, const Window& window) {
  batch_ = x[0];
  first_ = kAxes - window.rank;
  pixels_ = elements_ = 1;
  for (int i = 0; i < kAxes; ++i) {
    axes_[i].Fill(i < first_ ? WindowAxis{1, 1} : window.axes[i - first_]);
    if (i <= first_) continue;
    pixels_ *= axes_[i].window.input;
    elements_ *= axes_[i].window.output;
  }
  const Axis& first = axes_[first_];
  const std::int64_t pixels =
      std::min(kPartFloats / (block_ * taps_), kPanelFloats / channels_) / pixels_;
  const std::int64_t overlap = first.MostReaching(1);  // of two slabs, which are to be longer
  const std::int64_t inputs = std::min(std::max(pixels, 4 * overlap), first.window.input);
  const std::int64_t most = (first.window.output - 1) / first.window.stride + 1;
  slab_ = std::min(inputs, most) * first.window.stride;
  slabs_ = (first.window.output - 1) / slab_ + 1;
  most_lanes_ = BestTile().RoundedUp(first.MostReaching(slab_) * pixels_);
}

std::int64_t TapProduct::PhaseFloats() const {
  const WindowAxis& last = axes_.back().window;
  const std::int64_t results = first_ == kAxes - 1 ? slab_ : last.output;
  return WholeLines((results - 1) / last.stride + 1);
}

TapProduct::Buffers TapProduct::Divide(char* scratch, std::int64_t* bytes) const {
  std::int64_t at = 0;
  const auto take = [&](auto*& pointer, std::int64_t count) {
    using Element = std::remove_reference_t<decltype(*pointer)>;
    if (scratch != nullptr) pointer = reinterpret_cast<Element*>(scratch + at);
    at += WholeLines(count * std::int64_t{sizeof(Element) / sizeof(float)}) *
          std::int64_t{sizeof(float)};
  };
  const WindowAxis& last = axes_.back().window;
  const std::int64_t length = first_ == kAxes - 1 ? slab_ : last.output;
  const std::int64_t lines = slab_ * elements_ / length;
  Buffers buffers = {};
  take(buffers.panels, most_lanes_ * channels_);
  take(buffers.parts, most_lanes_ * block_ * taps_);
  take(buffers.line, PhaseFloats() * last.stride);
  take(buffers.sums, post_.residual ? slab_ * elements_ : 0);
  take(buffers.terms, lines * (axes_[0].most * axes_[1].most * last.kernel + last.stride));
  take(buffers.ends, lines);
  if (bytes != nullptr) *bytes = at;
  return buffers;
}

std::int64_t TapProduct::ScratchBytes() const noexcept {
  std::int64_t bytes = 0;
  Divide(nullptr, &bytes);
  return most_threads_ * bytes;
}

TapProduct::Piece TapProduct::PieceAt(std::int64_t number) const {
  Piece piece;
  piece.image = number / slabs_;
  const std::int64_t begin = number % slabs_ * slab_;
  piece.results = {begin, std::min(begin + slab_, axes_[first_].window.output)};
  piece.inputs = axes_[first_].Reaching(piece.results);
  piece.pixels = piece.inputs.size() * pixels_;
  piece.lanes = BestTile().RoundedUp(piece.pixels);
  return piece;
}

void TapProduct::Run(const float* x, const float* residual, float* y,
                     void* scratch) const noexcept {
  if (!post_.residual) residual = nullptr;
  const std::int64_t pieces = batch_ * slabs_, blocks = groups_ * Blocks();
  // Where there are few of them, threads share the outputs of each.
  const std::int64_t shares = std::clamp<std::int64_t>(most_threads_ / pieces, 1, blocks);
  const std::int64_t products = most_lanes_ * channels_ * taps_ * outputs_ * groups_;
  const std::int64_t threads = std::clamp<std::int64_t>(pieces * products / kTapGrain, 1,
                                                        std::min(most_threads_, pieces * shares));
  const std::int64_t bytes = ScratchBytes() / most_threads_;
  Parallel(threads, 1, [&](std::int64_t begin, std::int64_t end) {
    const Buffers buffers = Divide(static_cast<char*>(scratch) + begin * bytes, nullptr);
    const std::int64_t last = pieces * shares * end / threads;
    for (std::int64_t i = pieces * shares * begin / threads; i < last; ++i) {
      const std::int64_t share = i % shares;
      RunPiece(PieceAt(i / shares), {blocks * share / shares, blocks * (share + 1) / shares}, x,
               residual, y, buffers);
    }
  });
}

// Of all groups, a block of outputs after the other.
void TapProduct::RunPiece(const Piece& piece, Range blocks, const float* x, const float* residual,
                          float* y, const Buffers& buffers) const {
  const std::int64_t whole = axes_[first_].window.output * elements_;
  const std::int64_t count = piece.results.size() * elements_;
  const Lines lines = FindTerms(piece, buffers);
  for (std::int64_t i = blocks.begin; i < blocks.end; ++i) {
    const std::int64_t group = i / Blocks(), begin = i % Blocks() * block_;
    if (i == blocks.begin || begin == 0) PackPanels(piece, group, x, buffers.panels);
    const Range outputs{begin, std::min(begin + block_, outputs_)};
    Multiply(piece, group, outputs, buffers);
    for (std::int64_t o = outputs.begin; o < outputs.end; ++o) {
      const std::int64_t output = group * outputs_ + o;
      const std::int64_t at =
          (piece.image * groups_ * outputs_ + output) * whole + piece.results.begin * elements_;
      float* const sums = residual == nullptr ? y + at : buffers.sums;
      Sum(lines, buffers.parts + (o - outputs.begin) * taps_ * piece.lanes,
          bias_[static_cast<std::size_t>(output)], buffers.line, sums);
      Finish(residual == nullptr ? nullptr : residual + at, count, sums, y + at);
    }
  }
}

// Blocks of channels, and in each the panels: for each channel so many next elements.
void TapProduct::PackPanels(const Piece& piece, std::int64_t group, const float* x,
                            float* panels) const {
  const std::int64_t image = axes_[first_].window.input * pixels_;
  const float* const from =
      x + (piece.image * groups_ + group) * channels_ * image + piece.inputs.begin * pixels_;
  for (std::int64_t begin = 0; begin < channels_; begin += kInputs) {
    const std::int64_t end = std::min(begin + kInputs, channels_);
    for (std::int64_t at = 0; at < piece.lanes; at += PanelWidth()) {
      const std::int64_t width = std::min(PanelWidth(), piece.lanes - at);
      const std::int64_t count = std::min(width, piece.pixels - at);
      for (std::int64_t c = begin; c < end; ++c, panels += width) {
        std::copy_n(from + c * image + at, count, panels);
        std::fill(panels + count, panels + width, 0.0f);
      }
    }
  }
}

void TapProduct::Multiply(const Piece& piece, std::int64_t group, Range outputs,
                          const Buffers& buffers) const {
  const std::int64_t num_rows = outputs.size() * taps_;
  const float* const weights =
      weights_.get() + (group * outputs_ + outputs.begin) * taps_ * weights_row_;
  PanelTile tile = {};
  tile.panel = buffers.panels;
  tile.x_row = weights_row_;
  tile.added_row = tile.y_row = piece.lanes;
  for (std::int64_t begin = 0; begin < channels_; begin += kInputs) {
    tile.inputs = std::min(kInputs, channels_ - begin);
    for (std::int64_t at = 0; at < piece.lanes; at += PanelWidth()) {
      const std::int64_t width = std::min(PanelWidth(), piece.lanes - at);
      for (std::int64_t r = 0; r < num_rows;) {
        const std::int64_t rows = TileRows(num_rows - r, BestTile().rows);
        tile.x = weights + r * weights_row_ + begin;
        tile.y = buffers.parts + r * piece.lanes + at;
        tile.added = begin == 0 ? nullptr : tile.y;
        MultiplyTile(tile, rows, width);
        r += rows;
      }
      tile.panel += tile.inputs * width;
    }
  }
}

TapProduct::Range TapProduct::Results(const Piece& piece, int axis) const {
  return axis == first_ ? piece.results : Range{0, axes_[axis].window.output};
}
TapProduct::Range TapProduct::Inputs(const Piece& piece, int axis) const {
  return axis == first_ ? piece.inputs : Range{0, axes_[axis].window.input};
}

TapProduct::Lines TapProduct::FindTerms(const Piece& piece, const Buffers& buffers) const {
  const Range rows = Results(piece, 0), middles = Results(piece, 1);
  Term* term = buffers.terms;
  std::int64_t count = 0;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (std::int64_t middle = middles.begin; middle < middles.end; ++middle) {
      term = FindTerms(piece, row, middle, term);
      buffers.ends[count++] = term - buffers.terms;
    }
  }
  return {buffers.terms, buffers.ends, count, Results(piece, 2).size(), axes_.back().window.stride,
          PhaseFloats()};
}

// Those of one line, phase by phase, each of which starts with all its elements; returns their end.
TapProduct::Term* TapProduct::FindTerms(const Piece& piece, std::int64_t row, std::int64_t middle,
                                        Term* term) const {
  const Axis& outer = axes_[0];
  const Axis& inner = axes_[1];
  const Axis& last = axes_[2];
  const Range rows = Inputs(piece, 0), middles = Inputs(piece, 1), columns = Inputs(piece, 2);
  const Range results = Results(piece, 2);
  const std::int64_t stride = last.window.stride;
  auto tap = last.taps.begin();
  for (std::int64_t phase = 0; phase < std::min(stride, results.size()); ++phase) {
    const std::int64_t length = CeilQuotient(results.size() - phase, stride);
    const Term whole{-1, phase * PhaseFloats(), length, true};
    const auto end =
        std::find_if(tap, last.taps.end(), [&](const Tap& t) { return t.phase > phase; });
    const Term* const first = term;
    const auto add = [&](const Reach& r, const Reach& m, const Tap& t) {
      const std::int64_t shift = t.shift + columns.begin - results.begin / stride;
      const std::int64_t from = std::max<std::int64_t>(shift, 0);
      const std::int64_t count = std::min(shift + columns.size(), length) - from;
      if (count <= 0) return;
      const bool starts = term == first && count == length;
      if (term == first && !starts) *term++ = whole;
      const std::int64_t line = (r.input - rows.begin) * middles.size() + m.input - middles.begin;
      const std::int64_t number =
          (r.tap * inner.window.kernel + m.tap) * last.window.kernel + t.number;
      *term++ = {number * piece.lanes + line * columns.size() + from - shift, whole.to + from,
                 count, starts};
    };
    outer.Each(row, [&](const Reach& r) {
      inner.Each(middle, [&](const Reach& m) {
        std::for_each(tap, end, [&](const Tap& t) { add(r, m, t); });
      });
    });
    if (term == first) *term++ = whole;
    tap = end;
  }
  return term;
}

void TapProduct::Finish(const float* residual, std::int64_t count, float* sums, float* y) const {
  if (residual != nullptr && !post_.activation_first) Add(count, residual, sums);
  Activate(post_, 1, count, 0, nullptr, sums);
  if (residual != nullptr && post_.activation_first) Add(count, residual, sums);
  if (sums != y) std::copy_n(sums, count, y);
}

}  // namespace dragoman::rt

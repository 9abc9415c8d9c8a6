// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms: of whole tensors, and of windows of signals (stft, istft).
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <utility>

#include "core/ir/dtype_kinds.h"
#include "core/lowering/complex.h"
#include "core/lowering/fourier.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {
namespace {

Scaling TakeScaling(CallComposer& c) {
  const std::string norm = c.Has("norm") ? c.Text("norm") : "backward";
  if (norm != "backward" && norm != "ortho" && norm != "forward")
    c.Fail(InvalidInput("norm '" + norm + "' is unknown"));
  return {norm};
}

Value* TakeSignal(CallComposer& c) {
  Value* x = c.Floating("self");
  return IsHalf(c.dtype(x)) ? c.Fail("transforms of halves") : x;
}

Line TakeLine(CallComposer& c, Value* x) {
  Line line;
  line.axis = c.AxisArgument("dim", x);
  if (c.Has("n")) line.length = c.Take(c.call().IntValue("n"));
  return line;
}

// The lines of a transform along several axes: arguments `s` and `dim`.
std::vector<Line> TakeLines(CallComposer& c, Value* x) {
  const int rank = c.Rank(x);
  std::vector<dragoman::Number> sizes;
  if (c.Has("s")) sizes = c.Take(c.call().Scalars("s"));
  std::vector<std::int64_t> axes;
  if (c.Has("dim")) {
    axes = c.Take(c.call().IntList("dim"));
  } else {
    const int count = c.Has("s") ? static_cast<int>(sizes.size()) : rank;
    for (int i = 0; i < count; ++i) axes.push_back(rank - count + i);
  }
  if (c.Has("s") && sizes.size() != axes.size()) c.Fail(InvalidInput("s and dim differ in length"));
  std::vector<Line> lines;
  for (std::size_t i = 0; i < axes.size() && !c.failed(); ++i) {
    Line line{c.Axis(axes[i], rank), nullptr};
    const bool whole = sizes.empty() || (sizes[i].known() && sizes[i].AsInt() == -1);
    if (!whole) line.length = c.Take(c.call().NumberValue(sizes[i], DType::kI64));
    lines.push_back(line);
  }
  if (lines.empty() && !c.failed()) c.Fail("a transform along no axis");
  return lines;
}

// The operator called `fft_` + kind + "", "2" or "n".
struct TransformKind {
  std::string_view name;
  bool real_input;   // starts with a real signal, and gives half of its spectrum
  bool real_output;  // starts with half of a spectrum
  bool inverse;
};
constexpr TransformKind kTransformKinds[] = {
    {"fft", false, false, false}, {"ifft", false, false, true}, {"rfft", true, false, false},
    {"irfft", false, true, true}, {"hfft", false, true, false}, {"ihfft", true, false, true},
};

const TransformKind& KindOf(std::string_view type) {
  type.remove_prefix(std::string_view("fft_").size());
  if (type.back() == '2' || type.back() == 'n') type.remove_suffix(1);
  return *std::find_if(std::begin(kTransformKinds), std::end(kTransformKinds) - 1,
                       [&](const TransformKind& kind) { return kind.name == type; });
}

Value* TransformLines(CallComposer& c, Value* x, std::vector<Line> lines,
                      const TransformKind& kind) {
  const Scaling scaling = TakeScaling(c);
  const Line last = lines.back();
  if (kind.real_input) {
    if (IsComplex(c.dtype(x))) return c.Fail(InvalidInput("expected a real operand"));
    x = Transform(c, x, last, false, {"backward"}, Spectrum::kHalf);
    Value* n = last.length != nullptr ? last.length : c.Size(c.Tensor("self"), last.axis);
    if (kind.inverse) x = Conjugate(c, x);
    const DType part = RealPart(c.dtype(x));
    if (Value* divisor = scaling.Divisor(c, n, kind.inverse, part))
      x = FromPairs(c, c.Div(PairsOf(c, x), divisor));
    lines.pop_back();
  } else {
    x = AsComplex(c, x);
  }
  if (kind.real_output) lines.pop_back();
  for (const Line& line : lines) x = Transform(c, x, line, kind.inverse, scaling);
  if (!kind.real_output) return x;
  return RealSignal(c, kind.inverse ? x : Conjugate(c, x), last, true,
                    kind.inverse ? scaling
                                 : Scaling{scaling.norm == "backward"  ? "forward"
                                           : scaling.norm == "forward" ? "backward"
                                                                       : "ortho"});
}

// How stft and istft cut a signal into frames.
struct Framing {
  std::int64_t size = 0;    // of a transform
  std::int64_t hop = 0;     // between the starts of two frames
  Value* window = nullptr;  // of that size
};

Framing TakeFraming(CallComposer& c, DType dtype) {
  Framing framing;
  framing.size = c.Int("n_fft");
  framing.hop = c.IntOr("hop_length", framing.size / 4);
  const std::int64_t length = c.IntOr("win_length", framing.size);
  if (!c.failed() && (framing.size < 1 || framing.hop < 1 || length < 1 || length > framing.size))
    c.Fail(InvalidInput("n_fft, hop_length or win_length is out of range"));
  Value* window = c.OptionalTensor("window");
  if (IsComplex(c.dtype(window))) c.Fail("complex windows");
  window = window != nullptr ? c.Cast(window, dtype) : c.Full(c.Ints({length}), 1, dtype);
  const std::int64_t left = (framing.size - length) / 2;
  Value* pads = c.Ints({left, framing.size - length - left});
  framing.window = length == framing.size ? window : c.Op("Pad", {window, pads});
  return framing;
}

// Element i·hop + j of a signal is element (i, j) of its frames: these indices for `count` frames.
Value* FrameIndices(Composer& c, const Framing& framing, Value* count) {
  Value* starts = c.Mul(c.Iota(count), c.Int(framing.hop));
  return c.Add(c.Unsqueeze(starts, {1}), c.Iota(c.Int(framing.size)));
}

// The sum of frames (batch, count, size) where they overlap.
Value* OverlapAdd(Composer& c, const Framing& framing, Value* frames) {
  Value* count = c.Size(frames, 1);
  Value* batch = c.SizeVector(frames, 0, 1);
  Value* indices = c.Reshape(FrameIndices(c, framing, count), {1, -1});
  Value* flat = c.Reshape(frames, c.ConcatSizes({batch, MergedSize(c, frames, 1, 2)}));
  Value* length = c.Add(c.Mul(c.Sub(count, 1), c.Int(framing.hop)), c.Int(framing.size));
  Value* zeros = c.Full(c.ConcatSizes({batch, c.Vector(length)}), 0, c.dtype(frames));
  return c.Op("ScatterElements", {zeros, c.Expand(indices, c.Shape(flat)), flat},
              {{"axis", std::int64_t{1}}, {"reduction", "add"}});
}

// The signal of istft: frames (batch, count, size), times the window, added where they overlap, and
// divided by the sum of squared windows.
Value* JoinFrames(CallComposer& c, const Framing& framing, Value* frames) {
  Value* signal = OverlapAdd(c, framing, c.Mul(frames, framing.window));
  Value* square = c.Unsqueeze(c.Mul(framing.window, framing.window), {0, 1});
  Value* one = c.Ints({1});
  Value* frame_shape = c.ConcatSizes({one, c.SizeVector(frames, 1, 1), c.Ints({framing.size})});
  Value* weights = OverlapAdd(c, framing, c.Expand(square, frame_shape));
  const std::int64_t start = c.Bool("center") ? framing.size / 2 : 0;
  Value* end = c.Ints({start > 0 ? -start : kEnd});
  if (c.Has("length")) end = c.Vector(c.Add(c.Take(c.call().IntValue("length")), c.Int(start)));
  Value* result = c.Slice(c.Div(signal, weights), 1, c.Ints({start}), end, one);
  if (!c.Has("length")) return result;
  Value* wanted = c.Vector(c.Take(c.call().IntValue("length")));
  Value* missing = c.Max(c.Sub(wanted, c.SizeVector(result, 1, 1)), 0);
  return c.Op("Pad", {result, c.Concat({c.Ints({0, 0, 0}), missing}, 0)});
}

Value* LowerFourier(CallComposer& c) {
  Value* x = TakeSignal(c);
  std::vector<Line> lines;
  if (c.call().Declares("s")) {
    lines = TakeLines(c, x);
  } else {
    lines = {TakeLine(c, x)};
  }
  if (c.failed()) return nullptr;
  return TransformLines(c, x, std::move(lines), KindOf(c.call().op().type));
}

// _fft_r2c, _fft_c2r, _fft_c2c: what decomposed programs call along several axes, scaled by a
// number.
Value* LowerFourierCore(CallComposer& c) {
  Value* x = TakeSignal(c);
  std::vector<Line> lines;
  for (std::int64_t axis : c.Take(c.call().IntList("dim")))
    lines.push_back({c.Axis(axis, c.Rank(x)), nullptr});
  const std::int64_t normalization = c.Int("normalization");
  const bool from_real = c.call().op().type == "_fft_r2c";
  const bool to_real = c.call().op().type == "_fft_c2r";
  const bool inverse = to_real || !(from_real || c.Bool("forward"));
  if (c.failed()) return nullptr;
  if (lines.empty()) return from_real ? AsComplex(c, x) : x;
  if (normalization < 0 || normalization > 2)
    return c.Refuse("normalization = " + std::to_string(normalization));
  // 0: as they are, 1: divided by the root of the number of elements, 2: by it.
  const std::string divided = inverse ? "backward" : "forward";
  const std::string plain = inverse ? "forward" : "backward";
  const Scaling scaling{normalization == 1 ? "ortho" : normalization == 2 ? divided : plain};
  const Line last = lines.back();
  if (from_real) {
    const bool half = c.Bool("onesided");
    x = half ? Transform(c, x, last, false, scaling, Spectrum::kHalf)
             : Transform(c, AsComplex(c, x), last, false, scaling);
  }
  if (from_real || to_real) lines.pop_back();
  for (const Line& line : lines) x = Transform(c, x, line, inverse, scaling);
  if (!to_real) return x;
  return RealSignal(c, x, {last.axis, c.Take(c.call().IntValue("last_dim_size"))}, true, scaling);
}

// fft_fftshift, fft_ifftshift: halves exchanged along axes.
Value* LowerFourierShift(CallComposer& c) {
  Value* x = c.Tensor("self");
  const bool inverse = c.call().op().type == "fft_ifftshift";
  Value* one = c.Ints({1});
  for (std::int64_t axis : c.AxesArgument("dim", x)) {
    const int along = static_cast<int>(axis);
    Value* size = c.SizeVector(x, along, 1);
    Value* half = c.Div(inverse ? size : c.Add(size, 1), 2);
    Value* front = c.Slice(x, along, c.Ints({0}), half, one);
    x = c.Concat({c.Slice(x, along, half, c.Ints({kEnd}), one), front}, along);
  }
  return x;
}

// fft_fftfreq, fft_rfftfreq: the frequencies of a transform's results.
Value* LowerFourierFrequencies(CallComposer& c) {
  Value* n = c.Take(c.call().IntValue("n"));
  if (c.Take(c.call().Scalar("n")).known() && c.Int("n") < 1)
    return c.Fail(c.call().Invalid("n must be positive"));
  const bool half = c.call().op().type == "fft_rfftfreq";
  Value* i = c.Iota(half ? c.Add(c.Div(n, 2), 1) : n);
  if (!half) i = c.Where(c.Less(c.Mul(i, 2), n), i, c.Sub(i, n));
  Value* length = c.Mul(c.Cast(n, DType::kF64), c.FloatOr("d", 1));
  return c.Cast(c.Mul(c.Cast(i, DType::kF64), c.Div(1, length)), c.DTypeOr("dtype", kDefaultFloat));
}

// Frames of the signal, times the window, transformed: (batch, frequency, frame).
Value* LowerStft(CallComposer& c) {
  Value* x = TakeSignal(c);
  if (c.BoolOr("align_to_window", false)) return c.Refuse("align_to_window = True");
  if (c.call().Declares("center") && c.Bool("center")) return c.Refuse("center = True");
  const bool batched = c.Rank(x) == 2;
  const bool half = c.BoolOr("onesided", !IsComplex(c.dtype(x)));
  const Framing framing = TakeFraming(c, RealPart(c.dtype(x)));
  const int axis = batched ? 1 : 0;
  Value* length = c.Size(x, axis);
  Value* count = c.Add(c.Div(c.Sub(length, c.Int(framing.size)), c.Int(framing.hop)), 1);
  Value* frames = c.Gather(x, FrameIndices(c, framing, count), axis);
  frames = c.Mul(frames, framing.window);
  const Scaling scaling{c.BoolOr("normalized", false) ? "ortho" : "backward"};
  const Line line{axis + 1, nullptr};
  Value* spectra =
      Transform(c, frames, line, false, scaling, half ? Spectrum::kHalf : Spectrum::kWhole);
  spectra = c.SwapAxes(spectra, axis, axis + 1);
  return c.BoolOr("return_complex", IsComplex(c.dtype(x))) ? spectra : PairsOf(c, spectra);
}

// What stft has taken apart.
Value* LowerIstft(CallComposer& c) {
  Value* x = TakeSignal(c);
  if (!IsComplex(c.dtype(x))) x = FromPairs(c, x);
  const bool batched = c.Rank(x) == 3;
  if (!batched) x = c.Unsqueeze(x, {0});
  const Framing framing = TakeFraming(c, RealPart(c.dtype(x)));
  const Scaling scaling{c.BoolOr("normalized", false) ? "ortho" : "backward"};
  Value* spectra = c.SwapAxes(x, 1, 2);
  Value* signal = nullptr;
  if (c.BoolOr("return_complex", false)) {
    const Parts frames = PartsOf(c, Transform(c, spectra, {2, nullptr}, true, scaling));
    signal = FromParts(c, {JoinFrames(c, framing, frames.re), JoinFrames(c, framing, frames.im)});
  } else {
    const Line line{2, c.Int(framing.size)};
    signal = JoinFrames(c, framing, RealSignal(c, spectra, line, true, scaling));
  }
  return batched ? signal : c.Squeeze(signal, {0});
}

}  // namespace

std::span<const OpRow> FourierRows() {
  static constexpr OpRow kRows[] = {
      {"aten._fft_c2c", LowerFourierCore, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten._fft_c2r", LowerFourierCore, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten._fft_r2c", LowerFourierCore, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_fft", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_fft2", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_fftfreq", LowerFourierFrequencies, {.order = ResultOrder::kUnknown}},
      {"aten.fft_fftn", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_fftshift", LowerFourierShift, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_hfft", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_hfft2", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_hfftn", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_ifft", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_ifft2", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_ifftn", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_ifftshift", LowerFourierShift, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_ihfft", LowerFourier, {.order = ResultOrder::kUnknown}},
      {"aten.fft_ihfft2", LowerFourier, {.order = ResultOrder::kUnknown}},
      {"aten.fft_ihfftn", LowerFourier, {.order = ResultOrder::kUnknown}},
      {"aten.fft_irfft", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_irfft2", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_irfftn", LowerFourier, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.fft_rfft", LowerFourier, {.order = ResultOrder::kUnknown}},
      {"aten.fft_rfft2", LowerFourier, {.order = ResultOrder::kUnknown}},
      {"aten.fft_rfftfreq", LowerFourierFrequencies, {.order = ResultOrder::kUnknown}},
      {"aten.fft_rfftn", LowerFourier, {.order = ResultOrder::kUnknown}},
      {"aten.istft", LowerIstft, {.complex = true, .order = ResultOrder::kUnknown}},
      {"aten.stft", LowerStft, {.complex = true, .order = ResultOrder::kUnknown}},
  };
  return kRows;
}

}  // namespace dragoman::torch

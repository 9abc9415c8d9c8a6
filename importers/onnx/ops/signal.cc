// SPDX-License-Identifier: Apache-2.0
// STFT, MelWeightMatrix: signals as spectra.
#include <numbers>
#include <string>

#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

// An operand of one element as an int64 of rank 0.
Value* IntScalar(OpComposer& f, Value* operand) {
  return f.Op("Reshape", {f.Cast(operand, DType::kI64), f.Ints({})});
}

// 2595 log10(1 + hertz / 700).
Value* MelOf(OpComposer& f, Value* hertz) {
  Value* log =
      f.Op("Log", {f.Op("Add", {f.Op("Div", {hertz, f.Number(700, hertz)}), f.Number(1, hertz)})});
  return f.Op("Mul", {log, f.Number(2595 / std::numbers::ln10, hertz)});
}

Value* HertzOf(OpComposer& f, Value* mel) {
  Value* power = f.Op("Pow", {f.Number(10, mel), f.Op("Div", {mel, f.Number(2595, mel)})});
  return f.Op("Mul", {f.Op("Sub", {power, f.Number(1, mel)}), f.Number(700, mel)});
}

// Elements `first` to the one before `end`, which is first + count, as one line.
Value* Line(OpComposer& f, Value* x, std::int64_t first, Value* count) {
  Value* end = f.Op("Add", {count, f.Ints({first})});
  Value* taken = f.Op("Slice", {x, f.Ints({first}), end, f.Ints({0})});
  return f.Op("Unsqueeze", {taken, f.Ints({0})});
}

}  // namespace

// signal (batch, length, 1 or 2) to (batch, frames, frequencies, 2).
LoweredResults LowerStft(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  Value* signal = op.operand(0);
  Value* window = op.operand(2);
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> onesided, op.TakeInt("onesided"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  OpComposer f(op);
  if (rank == 2) signal = f.Op("Unsqueeze", {signal, f.Ints({2})});
  Value* length = f.Size(signal, 1);
  Value* size = length;
  if (op.operand(3) != nullptr) {
    size = IntScalar(f, op.operand(3));
  } else if (window != nullptr) {
    size = f.Op("Size", {window});
  }
  Value* step = IntScalar(f, op.operand(1));
  Value* later = f.Op("Div", {f.Op("Sub", {length, size}), step});
  Value* starts = f.Op("Mul", {f.Iota(f.Op("Add", {later, f.Int(1)})), step});
  Value* places = f.Op("Add", {f.Op("Unsqueeze", {starts, f.Ints({1})}), f.Iota(size)});
  Value* frames = f.Op("Gather", {signal, places}, {{"axis", std::int64_t{1}}});
  if (window != nullptr) frames = f.Op("Mul", {frames, f.Op("Unsqueeze", {window, f.Ints({1})})});
  return f.Finish({f.Op("DFT", {frames, nullptr, f.Int(2)}, {{"onesided", onesided.value_or(1)}},
                        op.ResultName(0))});
}

// Triangles over the frequencies of a transform, each from the peak of the one before to the peak
// of the one after, at equal distances in mel. Computed in f64.
LoweredResults LowerMelWeightMatrix(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> asked, op.TakeInt("output_datatype"));
  const std::int64_t dtype = asked.value_or(static_cast<std::int64_t>(DType::kF32));
  if (!IsDTypeNumber(dtype)) return op.Invalid("output_datatype is " + std::to_string(dtype));
  DRAGOMAN_TRY(op.Require({0, 1, 2, 3, 4}));
  OpComposer f(op);
  const auto real = [&](Value* x) { return f.Cast(x, DType::kF64); };
  Value* triangles = IntScalar(f, op.operand(0));
  Value* size = IntScalar(f, op.operand(1));
  Value* edges = f.Op("Add", {triangles, f.Int(2)});
  Value* low = MelOf(f, real(op.operand(3)));
  Value* high = MelOf(f, real(op.operand(4)));
  Value* distance = f.Op("Div", {f.Op("Sub", {high, low}), real(edges)});
  Value* mel = f.Op("Add", {f.Op("Mul", {real(f.Iota(edges)), distance}), low});
  Value* scaled = f.Op("Mul", {real(f.Op("Add", {size, f.Int(1)})), HertzOf(f, mel)});
  Value* bins = f.Op("Floor", {f.Op("Div", {scaled, real(op.operand(2))})});

  Value* count = f.Op("Unsqueeze", {triangles, f.Ints({0})});
  Value* start = Line(f, bins, 0, count);
  Value* peak = Line(f, bins, 1, count);
  Value* end = Line(f, bins, 2, count);
  Value* frequencies = f.Op("Add", {f.Op("Div", {size, f.Int(2)}), f.Int(1)});
  Value* bin = f.Op("Unsqueeze", {real(f.Iota(frequencies)), f.Ints({1})});
  const auto slope = [&](Value* from, Value* to) {
    return f.Op("Div", {f.Op("Sub", {bin, from}), f.Op("Sub", {to, from})});
  };
  Value* zero = f.Number(0, bins);
  Value* rises = f.Op("And", {f.Op("Less", {start, bin}), f.Op("Less", {bin, peak})});
  Value* falls = f.Op("And", {f.Op("Less", {peak, bin}), f.Op("Less", {bin, end})});
  Value* sides =
      f.Op("Where", {rises, slope(start, peak), f.Op("Where", {falls, slope(end, peak), zero})});
  Value* weights = f.Op("Where", {f.Op("Equal", {bin, peak}), f.Number(1, bins), sides});
  return f.Finish({f.NamedCast(weights, static_cast<DType>(dtype), op.ResultName(0))});
}

}  // namespace dragoman

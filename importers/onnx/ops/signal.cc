// STFT, MelWeightMatrix: signals as spectra.
#include <numbers>
#include <string>

#include "importers/onnx/ops/formula.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

// An operand of one element as an int64 of rank 0.
Value* IntScalar(Formula& f, Value* operand) {
  return f.Add("Reshape", {f.Cast(operand, DType::kI64), f.Ints({})});
}

// 2595 log10(1 + hertz / 700).
Value* MelOf(Formula& f, Value* hertz) {
  Value* log = f.Add(
      "Log", {f.Add("Add", {f.Add("Div", {hertz, f.Scalar(700, hertz)}), f.Scalar(1, hertz)})});
  return f.Add("Mul", {log, f.Scalar(2595 / std::numbers::ln10, hertz)});
}

Value* HertzOf(Formula& f, Value* mel) {
  Value* power = f.Add("Pow", {f.Scalar(10, mel), f.Add("Div", {mel, f.Scalar(2595, mel)})});
  return f.Add("Mul", {f.Add("Sub", {power, f.Scalar(1, mel)}), f.Scalar(700, mel)});
}

// Elements `first` to the one before `end`, which is first + count, as one line.
Value* Line(Formula& f, Value* x, std::int64_t first, Value* count) {
  Value* end = f.Add("Add", {count, f.Ints({first})});
  Value* taken = f.Add("Slice", {x, f.Ints({first}), end, f.Ints({0})});
  return f.Add("Unsqueeze", {taken, f.Ints({0})});
}

}  // namespace

// signal (batch, length, 1 or 2) to (batch, frames, frequencies, 2).
LoweredResults LowerStft(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  Value* signal = op.operand(0);
  Value* window = op.operand(2);
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> onesided, op.TakeInt("onesided"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  Formula f(op);
  if (rank == 2) signal = f.Add("Unsqueeze", {signal, f.Ints({2})});
  Value* length = f.Size(signal, 1);
  Value* size = length;
  if (op.operand(3) != nullptr) {
    size = IntScalar(f, op.operand(3));
  } else if (window != nullptr) {
    size = f.Add("Size", {window});
  }
  Value* step = IntScalar(f, op.operand(1));
  Value* later = f.Add("Div", {f.Add("Sub", {length, size}), step});
  Value* starts = f.Add("Mul", {f.Iota(f.Add("Add", {later, f.Int(1)})), step});
  Value* places = f.Add("Add", {f.Add("Unsqueeze", {starts, f.Ints({1})}), f.Iota(size)});
  Value* frames = f.Add("Gather", {signal, places}, {{"axis", std::int64_t{1}}});
  if (window != nullptr) frames = f.Add("Mul", {frames, f.Add("Unsqueeze", {window, f.Ints({1})})});
  return f.Finish({f.Add("DFT", {frames, nullptr, f.Int(2)}, {{"onesided", onesided.value_or(1)}},
                         op.ResultName(0))});
}

// Triangles over the frequencies of a transform, each from the peak of the one before to the peak
// of the one after, at equal distances in mel. Computed in f64.
LoweredResults LowerMelWeightMatrix(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> asked, op.TakeInt("output_datatype"));
  const std::int64_t dtype = asked.value_or(static_cast<std::int64_t>(DType::kF32));
  if (!IsDTypeNumber(dtype)) return op.Invalid("output_datatype is " + std::to_string(dtype));
  DRAGOMAN_TRY(op.Require({0, 1, 2, 3, 4}));
  Formula f(op);
  const auto real = [&](Value* x) { return f.Cast(x, DType::kF64); };
  Value* triangles = IntScalar(f, op.operand(0));
  Value* size = IntScalar(f, op.operand(1));
  Value* edges = f.Add("Add", {triangles, f.Int(2)});
  Value* low = MelOf(f, real(op.operand(3)));
  Value* high = MelOf(f, real(op.operand(4)));
  Value* distance = f.Add("Div", {f.Add("Sub", {high, low}), real(edges)});
  Value* mel = f.Add("Add", {f.Add("Mul", {real(f.Iota(edges)), distance}), low});
  Value* scaled = f.Add("Mul", {real(f.Add("Add", {size, f.Int(1)})), HertzOf(f, mel)});
  Value* bins = f.Add("Floor", {f.Add("Div", {scaled, real(op.operand(2))})});

  Value* count = f.Add("Unsqueeze", {triangles, f.Ints({0})});
  Value* start = Line(f, bins, 0, count);
  Value* peak = Line(f, bins, 1, count);
  Value* end = Line(f, bins, 2, count);
  Value* frequencies = f.Add("Add", {f.Add("Div", {size, f.Int(2)}), f.Int(1)});
  Value* bin = f.Add("Unsqueeze", {real(f.Iota(frequencies)), f.Ints({1})});
  const auto slope = [&](Value* from, Value* to) {
    return f.Add("Div", {f.Add("Sub", {bin, from}), f.Add("Sub", {to, from})});
  };
  Value* zero = f.Scalar(0, bins);
  Value* rises = f.Add("And", {f.Add("Less", {start, bin}), f.Add("Less", {bin, peak})});
  Value* falls = f.Add("And", {f.Add("Less", {peak, bin}), f.Add("Less", {bin, end})});
  Value* sides =
      f.Add("Where", {rises, slope(start, peak), f.Add("Where", {falls, slope(end, peak), zero})});
  Value* weights = f.Add("Where", {f.Add("Equal", {bin, peak}), f.Scalar(1, bins), sides});
  return f.Finish({f.Cast(weights, static_cast<DType>(dtype), op.ResultName(0))});
}

}  // namespace dragoman

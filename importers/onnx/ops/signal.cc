// SPDX-License-Identifier: Apache-2.0
// DFT, STFT, MelWeightMatrix: signals as spectra.
#include <numbers>
#include <string>
#include <string_view>

#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/around_axis.h"
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

// The real signal, along axis `along`, whose spectrum begins with x: what is after the half of
// `length` places mirrors the places before it, conjugated.
Value* RealSignal(OpComposer& f, Value* x, Value* length, int along, std::string_view name = "") {
  const int rank = f.Rank(x);
  if (f.failed()) return nullptr;
  Value* given = f.Size(x, along);
  length = length != nullptr ? IntScalar(f, length) : f.Mul(f.Sub(given, 1), 2);
  Value* places = f.Iota(length);
  Value* in_half = f.LessOrEqual(places, f.Div(length, 2));
  Value* from = f.Where(in_half, places, f.Sub(length, places));
  Value* taken = f.Gather(x, f.Min(from, f.Sub(given, 1)), along);
  Value* is_given = f.CastLike(f.Less(from, given), x);
  Value* sign = f.Where(in_half, is_given, f.Neg(is_given));
  Value* parts = f.Concat({f.Unsqueeze(is_given, {1}), f.Unsqueeze(sign, {1})}, 1);
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank), 1);
  sizes[static_cast<std::size_t>(along)] = -1;
  sizes.back() = 2;
  Value* whole = f.Mul(taken, f.Reshape(parts, sizes));
  Value* signal = f.Op("DFT", {whole, nullptr, f.Int(along)}, {{"inverse", std::int64_t{1}}});
  return f.Op("Slice", {signal, f.Ints({0}), f.Ints({1}), f.Ints({rank - 1})}, {}, name);
}

LoweredResults LowerRealSignal(OpLowering& op) {
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  OpComposer f(op);
  Value* x = op.operand(0);
  if (rank < 2 || f.KnownSize(x, rank - 1) == 1)
    return op.Invalid("the spectrum of a real signal is not complex");
  Value* axis = op.operand(2) != nullptr ? op.operand(2) : f.Int(-2);
  if (const auto known = op.builder.KnownInts(axis); known && known->size() == 1) {
    const int along = f.Axis(known->front(), rank);
    if (along == rank - 1) return op.Invalid("the last axis cannot be transformed");
    return f.Finish({RealSignal(f, x, op.operand(1), along, op.ResultName(0))});
  }
  const AroundAxis around = SplitAroundAxis(f, x, axis, rank);
  Value* signal =
      RealSignal(f, f.Op("Reshape", {around.parts, f.Ints({0, 0, -1, 2})}), op.operand(1), 1);
  Value* sizes = f.Where(around.is_axis, f.Size(signal, 1), around.sizes);
  sizes = f.Concat({f.Slice(sizes, 0, 0, -1), f.Ints({1})}, 0);
  return f.Finish({f.Op("Reshape", {signal, sizes}, {}, op.ResultName(0))});
}

}  // namespace

// Below opset 20, the axis is an attribute.
LoweredResults LowerDft(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> attribute, op.TakeInt("axis"));
  if (op.opset < 20) {
    op.operands.resize(2);
    op.operands.push_back(op.builder.Int(attribute.value_or(1)));
  }
  const auto is_set = [&](std::string_view name) {
    const Attribute* flag = Find(op.attributes, name);
    return flag != nullptr && flag->As<std::int64_t>() != nullptr && *flag->As<std::int64_t>() != 0;
  };
  if (!is_set("inverse") || !is_set("onesided")) return op.Emit("DFT");
  op.attributes.clear();
  return LowerRealSignal(op);
}

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

// SPDX-License-Identifier: Apache-2.0
// Quantisation in training: values that are rounded to the steps of integers.
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/lowering/math.h"
#include "core/lowering/rounding.h"
#include "importers/tensorflow/ops/quantized_form.h"

namespace dragoman::tf {
namespace {

// The range that quantisation covers, moved so that 0 is one of its steps.
struct Grid {
  float scale = 1;
  std::int64_t zero = 0;
  std::int64_t least = 0;
  std::int64_t most = 255;
};

// As TensorFlow's kernel computes it, in float32.
Grid NudgedGrid(float min, float max, std::int64_t bits, bool narrow) {
  Grid grid;
  grid.least = narrow ? 1 : 0;
  grid.most = (std::int64_t{1} << bits) - 1;
  const auto least = static_cast<float>(grid.least);
  const auto most = static_cast<float>(grid.most);
  grid.scale = (max - min) / (most - least);
  const float from_min = least - min / grid.scale;
  if (from_min < least) {
    grid.zero = grid.least;
  } else if (from_min > most) {
    grid.zero = grid.most;
  } else {
    grid.zero = static_cast<std::int64_t>(std::round(from_min));
  }
  return grid;
}

// Integers of a type that QuantizeLinear gives, in a tensor of `sizes`.
dragoman::Tensor ZeroPoints(const Ints& zeros, const Ints& sizes, bool wide) {
  std::vector<std::uint8_t> narrow(zeros.begin(), zeros.end());
  std::vector<std::uint16_t> words(zeros.begin(), zeros.end());
  if (wide) return dragoman::Tensor::Of<std::uint16_t>(sizes, words);
  return dragoman::Tensor::Of<std::uint8_t>(sizes, narrow);
}

// The integers of a constant, by TensorFlow's kernel: halves are rounded up. In float32.
dragoman::Tensor Stored(const dragoman::Tensor& x, const std::vector<Grid>& grids) {
  Ints integers;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const Grid& grid = grids[static_cast<std::size_t>(i) % grids.size()];
    const float low = static_cast<float>(grid.least - grid.zero) * grid.scale;
    const float high = static_cast<float>(grid.most - grid.zero) * grid.scale;
    const float inverse = 1 / grid.scale;
    const float zero = std::floor(-low * inverse + 0.5F);
    const float clamped = std::max(std::min(static_cast<float>(x.FloatAt(i)), high), low);
    const float steps = std::floor((clamped - low) * inverse - zero + 0.5F);
    integers.push_back(
        std::clamp(static_cast<std::int64_t>(steps) + grid.zero, grid.least, grid.most));
  }
  return ZeroPoints(integers, {x.sizes().begin(), x.sizes().end()}, grids.front().most > 255);
}

// Each channel, the last axis, has a grid; or all have one. QuantizeLinear takes halves to the even
// integer, where TensorFlow rounds them up: what is not a constant goes to the grid by TensorFlow's
// arithmetic, in float32, before it is quantised, which then changes nothing.
Value* OnGrids(Call& c, Value* x, const std::vector<Grid>& grids, bool per_channel) {
  const auto count = static_cast<std::int64_t>(grids.size());
  const Ints sizes = per_channel ? Ints{count} : Ints{};
  std::vector<float> scales;
  std::vector<float> lows;
  std::vector<float> highs;
  std::vector<float> inverses;
  std::vector<float> zero_steps;  // from the grid's lower end to 0
  Ints zeros;
  for (const Grid& grid : grids) {
    scales.push_back(grid.scale);
    zeros.push_back(grid.zero);
    lows.push_back(static_cast<float>(grid.least - grid.zero) * grid.scale);
    inverses.push_back(1 / grid.scale);
    zero_steps.push_back(std::floor(-lows.back() * inverses.back() + 0.5F));
    highs.push_back(static_cast<float>(grid.most - grid.zero) * grid.scale);
  }
  const Grid& some = grids.front();
  const bool wide = some.most > 255;
  const auto constant = [&](const std::vector<float>& values) {
    return c.builder().Constant(dragoman::Tensor::Of<float>(sizes, values));
  };
  const bool known =
      x != nullptr && x->is_constant() && x->tensor() != nullptr &&
      x->tensor()->dtype() == DType::kF32 &&
      std::all_of(x->tensor()->data<float>().begin(), x->tensor()->data<float>().end(),
                  [](float v) { return std::isfinite(v); });
  const std::int64_t channel_axis = per_channel ? c.Rank(x) - 1 : 0;
  if (c.failed()) return nullptr;
  if (known) {
    Value* integers = c.builder().Constant(Stored(*x->tensor(), grids));
    Value* zero_points = c.builder().Constant(ZeroPoints(zeros, sizes, wide));
    return c.Op("DequantizeLinear", {integers, constant(scales), zero_points},
                {{"axis", channel_axis}});
  }
  if (c.dtype(x) != DType::kF32) return c.Fail("other elements than float32");
  Value* from_low = c.Sub(c.Max(c.Min(x, constant(highs)), constant(lows)), constant(lows));
  Value* steps = c.Sub(c.Mul(from_low, constant(inverses)), constant(zero_steps));
  x = c.Mul(c.Floor(c.Add(steps, 0.5)), constant(scales));
  Value* scale = constant(scales);
  Value* zero = c.builder().Constant(ZeroPoints(zeros, sizes, wide));
  const std::int64_t axis = channel_axis;
  Value* stored = c.Op("QuantizeLinear", {x, scale, zero}, {{"axis", axis}});
  return c.Op("DequantizeLinear", {stored, scale, zero}, {{"axis", axis}});
}

Value* FakeQuantize(Call& c, const std::vector<float>& mins, const std::vector<float>& maxs,
                    bool per_channel) {
  const std::int64_t bits = c.IntAttribute("num_bits");
  const bool narrow = c.BoolAttribute("narrow_range");
  Value* x = c.Tensor(0);
  if (c.failed()) return nullptr;
  if (bits < 2 || bits > 16) return c.Fail(InvalidInput("num_bits is " + std::to_string(bits)));
  std::vector<Grid> grids;
  for (std::size_t i = 0; i < mins.size(); ++i) {
    if (!(mins[i] < maxs[i])) {
      // All of an empty range is 0.
      if (mins[i] == 0 && maxs[i] == 0 && !per_channel) return c.Mul(x, 0);
      return c.Fail(InvalidInput("an empty range"));
    }
    if (!std::isfinite(maxs[i] - mins[i])) return c.Fail(InvalidInput("an infinite range"));
    const float step = (maxs[i] - mins[i]) / static_cast<float>((1 << bits) - 1);
    if (!std::isnormal(step)) return c.Fail(InvalidInput("a range of steps too small for float32"));
    grids.push_back(NudgedGrid(mins[i], maxs[i], bits, narrow));
  }
  if (grids.empty() || (!per_channel && grids.size() != 1))
    return c.Fail(InvalidInput("the ends of the range are not one number"));
  return OnGrids(c, x, grids, per_channel);
}

// The same arithmetic with ends that are known at run time only: numbers, or one for each channel,
// the last axis.
Value* FakeQuantizeAtRunTime(Call& c, Value* min, Value* max) {
  Value* x = c.Tensor(0);
  const std::int64_t bits = c.IntAttribute("num_bits");
  const double least = c.BoolAttribute("narrow_range") ? 1 : 0;
  if (c.failed()) return nullptr;
  if (bits < 2 || bits > 16) return c.Fail(InvalidInput("num_bits is " + std::to_string(bits)));
  if (c.dtype(x) != DType::kF32) return c.Fail("other elements than float32");
  const double most = std::ldexp(1.0, static_cast<int>(bits)) - 1;
  Value* none = c.And(c.Equal(min, 0), c.Equal(max, 0));
  Value* fits = c.Cast(c.Or(none, c.Less(min, max)), DType::kI32);
  c.Assert(c.Greater(c.ReduceAll("ReduceMin", fits), 0),
           "'" + c.node().name() + "': an empty range");
  Value* scale = c.Where(none, 1, c.Div(c.Sub(max, min), most - least));
  Value* zero = RoundHalvesAway(c, c.Sub(least, c.Div(min, scale)));
  zero = c.Min(c.Max(zero, least), most);
  Value* low = c.Mul(c.Sub(least, zero), scale);
  Value* high = c.Mul(c.Sub(most, zero), scale);
  Value* inverse = c.Op("Reciprocal", {scale});
  Value* zero_steps = c.Floor(c.Add(c.Neg(c.Mul(low, inverse)), 0.5));
  Value* from_low = c.Sub(c.Max(c.Min(x, high), low), low);
  Value* steps = c.Floor(c.Add(c.Sub(c.Mul(from_low, inverse), zero_steps), 0.5));
  return c.Where(none, 0, c.Mul(steps, scale));
}

Value* LowerFakeQuantArgs(Call& c) {
  const auto min = static_cast<float>(c.FloatAttribute("min"));
  const auto max = static_cast<float>(c.FloatAttribute("max"));
  if (c.failed()) return nullptr;
  return FakeQuantize(c, {min}, {max}, false);
}

Value* LowerFakeQuantVars(Call& c, bool per_channel) {
  const dragoman::Tensor* min = c.Constant(1);
  const dragoman::Tensor* max = c.Constant(2);
  if (c.failed()) return nullptr;
  if (min == nullptr || max == nullptr) {
    const bool is_one = !per_channel;
    const auto end = [&](std::size_t i) {
      Value* given = c.Cast(c.Tensor(i), DType::kF32);
      return is_one ? c.Reshape(given, Ints()) : given;
    };
    return FakeQuantizeAtRunTime(c, end(1), end(2));
  }
  const bool fits = min->dtype() == DType::kF32 && max->dtype() == DType::kF32 &&
                    min->size() == max->size() && min->size() > 0;
  if (!fits) return c.Fail(InvalidInput("the ends of the range are not as many float32"));
  const auto low = min->data<float>();
  const auto high = max->data<float>();
  return FakeQuantize(c, {low.begin(), low.end()}, {high.begin(), high.end()}, per_channel);
}

// How QuantizeAndDequantize counts: steps from `least` to `most`, of size `steps` each.
struct GridSteps {
  float least = -128;
  float most = 127;
  std::vector<float> sizes;  // one, or one per channel
};

// As TensorFlow's kernel computes it, in float32: the end of the range that needs the larger steps
// gives their size.
float SizeOfSteps(float min, float max, const GridSteps& steps) {
  constexpr float kNone = std::numeric_limits<float>::max();
  const float from_min = steps.least * min > 0 ? steps.least / min : kNone;
  const float from_max = steps.most * max > 0 ? steps.most / max : kNone;
  return from_min < from_max ? min / steps.least : max / steps.most;
}

// Constants, or the attributes of the first version of the operator.
struct EndsOfSteps {
  std::optional<dragoman::Tensor> min;
  std::optional<dragoman::Tensor> max;
};

EndsOfSteps TakeEndsOfSteps(Call& c) {
  const auto attribute = [&](std::string_view name) {
    return dragoman::Tensor::Of<float>(
        {}, std::vector<float>{static_cast<float>(c.FloatAttribute(name))});
  };
  if (c.num_operands() < 3) return {attribute("input_min"), attribute("input_max")};
  const auto constant = [&](std::size_t i) {
    const dragoman::Tensor* tensor = c.Constant(i);
    return tensor != nullptr ? std::optional(*tensor) : std::nullopt;
  };
  return {constant(1), constant(2)};
}

// The ends are neither operands that only the run knows nor those of the elements.
bool AreEndsKnown(Call& c) {
  if (!c.BoolAttribute("range_given")) return false;
  return c.num_operands() < 3 || (c.Constant(1) != nullptr && c.Constant(2) != nullptr);
}

Integers TakeCounted(Call& c, std::int64_t bits) {
  const bool is_signed = c.BoolAttribute("signed_input");
  const bool narrow = c.BoolOr("narrow_range", false);
  if (!c.failed() && (bits < 2 || bits > 24))
    c.Fail(InvalidInput("num_bits is " + std::to_string(bits)));
  if (c.failed()) return {};
  const double all = std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits));
  return {(is_signed ? -all : 0) + (narrow ? 1 : 0), all - 1};
}

GridSteps TakeSteps(Call& c, const Integers& counted) {
  GridSteps steps{static_cast<float>(counted.least), static_cast<float>(counted.most), {}};
  const EndsOfSteps ends = TakeEndsOfSteps(c);
  const dragoman::Tensor* min = ends.min ? &*ends.min : nullptr;
  const dragoman::Tensor* max = ends.max ? &*ends.max : nullptr;
  if (c.failed()) return steps;
  if (min == nullptr || max == nullptr || min->size() != max->size() || min->size() == 0 ||
      min->dtype() != DType::kF32) {
    c.Fail("other elements than float32");
    return steps;
  }
  for (std::int64_t i = 0; i < min->size(); ++i) {
    const auto low = static_cast<float>(min->FloatAt(i));
    const auto high = static_cast<float>(max->FloatAt(i));
    steps.sizes.push_back(SizeOfSteps(low, high, steps));
    if (!(low <= high) || !(steps.sizes.back() > 0) || !std::isfinite(steps.sizes.back()))
      c.Fail(InvalidInput("an empty or infinite range"));
  }
  return steps;
}

Value* LowerQuantizeAndDequantize(Call& c) {
  Value* x = c.Tensor(0);
  const std::int64_t bits =
      c.num_operands() > 3 ? c.KnownInt(3, "num_bits") : c.IntAttribute("num_bits");
  const std::int64_t axis = c.Has("axis") ? c.IntAttribute("axis") : -1;
  const bool half_up = c.Has("round_mode") && c.TextAttribute("round_mode") == "HALF_UP";
  const Integers counted = TakeCounted(c, bits);
  if (!AreEndsKnown(c)) return QuantizeAndDequantizeAtRunTime(c, counted, axis, half_up);
  const GridSteps steps = TakeSteps(c, counted);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  const bool per_channel = axis >= 0;
  const auto count = static_cast<std::int64_t>(steps.sizes.size());
  if ((per_channel ? axis >= rank : count != 1) || c.dtype(x) != DType::kF32)
    return c.Fail("ranges that do not belong to an axis, or other elements than float32");
  const Ints sizes = per_channel ? Ints{count} : Ints{};
  Value* size = c.builder().Constant(dragoman::Tensor::Of<float>(sizes, steps.sizes));
  Value* along = per_channel ? AlongAxis(c, size, static_cast<int>(axis), rank) : size;
  Value* clipped = c.Max(c.Min(x, c.Mul(along, static_cast<double>(steps.most))),
                         c.Mul(along, static_cast<double>(steps.least)));
  if (bits != 8 || half_up) {
    Value* counted = c.Div(clipped, along);
    Value* whole = half_up ? c.Floor(c.Add(counted, 0.5)) : c.Op("Round", {counted});
    return c.Mul(whole, along);
  }
  const std::vector<std::int8_t> none(static_cast<std::size_t>(per_channel ? count : 1), 0);
  Value* zero =
      c.builder().Constant(steps.least < 0 ? dragoman::Tensor::Of<std::int8_t>(sizes, none)
                                           : ZeroPoints(Ints(none.size(), 0), sizes, false));
  const std::vector<NamedAttribute> attributes = {{"axis", per_channel ? axis : 0}};
  // The integers of the type go no further.
  const bool whole_type = steps.least == -128 || (steps.least == 0 && steps.most == 255);
  Value* stored = c.Op("QuantizeLinear", {whole_type ? x : clipped, size, zero}, attributes);
  return c.Op("DequantizeLinear", {stored, size, zero}, attributes);
}

}  // namespace

std::span<const OpRow> QuantizationRows() {
  static constexpr OpRow kRows[] = {
      {"FakeQuantWithMinMaxArgs", LowerFakeQuantArgs},
      {"FakeQuantWithMinMaxVars", With<LowerFakeQuantVars, false>},
      {"FakeQuantWithMinMaxVarsPerChannel", With<LowerFakeQuantVars, true>},
      {"QuantizeAndDequantize", LowerQuantizeAndDequantize},
      {"QuantizeAndDequantizeV2", LowerQuantizeAndDequantize},
      {"QuantizeAndDequantizeV3", LowerQuantizeAndDequantize},
      {"QuantizeAndDequantizeV4", LowerQuantizeAndDequantize},
  };
  return kRows;
}

}  // namespace dragoman::tf

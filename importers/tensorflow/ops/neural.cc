// Activations, attention over classes, quantisation in training, selection of boxes.
#include <algorithm>
#include <cmath>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/lowerings.h"

namespace dragoman::tf {

Value* LowerSoftmax(Call& c) {
  return c.Op(c.target(), {c.Tensor(0)}, {{"axis", std::int64_t{-1}}});
}

// The loss of each row and its gradient.
std::vector<Value*> LowerSoftmaxCrossEntropy(Call& c) {
  Value* logits = c.Tensor(0);
  Value* labels = c.Tensor(1);
  const int rank = c.Rank(logits);
  if (c.failed()) return {};
  if (c.target() == "sparse") {
    Value* classes = c.Iota(c.Size(logits, rank - 1));
    labels =
        c.CastLike(c.Equal(c.Unsqueeze(c.Cast(labels, DType::kI64), {rank - 1}), classes), logits);
  }
  const std::vector<NamedAttribute> last = {{"axis", std::int64_t{-1}}};
  Value* logs = c.Op("LogSoftmax", {logits}, last);
  Value* loss = c.Neg(c.ReduceSum(c.Mul(labels, logs), {rank - 1}));
  return {loss, c.Sub(c.Op("Softmax", {logits}, last), labels)};
}

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

// Each channel, the last axis, has a grid; or all have one.
Value* OnGrids(Call& c, Value* x, const std::vector<Grid>& grids, bool per_channel) {
  const auto count = static_cast<std::int64_t>(grids.size());
  const Ints sizes = per_channel ? Ints{count} : Ints{};
  std::vector<float> scales;
  std::vector<float> lows;
  std::vector<float> highs;
  Ints zeros;
  for (const Grid& grid : grids) {
    scales.push_back(grid.scale);
    zeros.push_back(grid.zero);
    lows.push_back(static_cast<float>(grid.least - grid.zero) * grid.scale);
    highs.push_back(static_cast<float>(grid.most - grid.zero) * grid.scale);
  }
  const Grid& some = grids.front();
  const bool wide = some.most > 255;
  const bool whole = some.least == 0 && (some.most == 255 || some.most == 65535);
  const auto constant = [&](const std::vector<float>& values) {
    return c.builder().Constant(dragoman::Tensor::Of<float>(sizes, values));
  };
  // The integers of the type go further than the grid.
  if (!whole) x = c.Min(c.Max(x, constant(lows)), constant(highs));
  Value* scale = constant(scales);
  Value* zero = c.builder().Constant(ZeroPoints(zeros, sizes, wide));
  const std::int64_t axis = per_channel ? c.Rank(x) - 1 : 0;
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
    grids.push_back(NudgedGrid(mins[i], maxs[i], bits, narrow));
  }
  if (grids.empty()) return c.Fail(InvalidInput("there is no range"));
  return OnGrids(c, x, grids, per_channel);
}

}  // namespace

Value* LowerFakeQuantArgs(Call& c) {
  const auto min = static_cast<float>(c.FloatAttribute("min"));
  const auto max = static_cast<float>(c.FloatAttribute("max"));
  if (c.failed()) return nullptr;
  return FakeQuantize(c, {min}, {max}, false);
}

Value* LowerFakeQuantVars(Call& c) {
  const dragoman::Tensor* min = c.Constant(1);
  const dragoman::Tensor* max = c.Constant(2);
  if (c.failed()) return nullptr;
  if (min == nullptr || max == nullptr) return c.Fail("a range that only run time tells");
  const bool fits = min->dtype() == DType::kF32 && max->dtype() == DType::kF32 &&
                    min->size() == max->size() && min->size() > 0;
  if (!fits) return c.Fail(InvalidInput("the ends of the range are not as many float32"));
  const auto low = min->data<float>();
  const auto high = max->data<float>();
  return FakeQuantize(c, {low.begin(), low.end()}, {high.begin(), high.end()},
                      c.target() == "channels");
}

namespace {

// The numbers of the boxes that are kept, int64 of rank 1.
Value* KeptBoxes(Call& c) {
  const std::size_t count = c.num_operands();
  Value* boxes = c.Unsqueeze(c.Cast(c.Tensor(0), DType::kF32), {0});
  Value* scores = c.Unsqueeze(c.Cast(c.Tensor(1), DType::kF32), {0, 1});
  std::vector<Value*> operands = {boxes, scores, c.Vector(c.Index(2))};
  if (count > 3) {
    operands.push_back(c.Vector(c.Cast(c.Tensor(3), DType::kF32)));
  } else {
    const auto threshold = static_cast<float>(c.FloatAttribute("iou_threshold"));
    operands.push_back(c.Vector(c.Number(threshold, DType::kF32)));
  }
  if (count > 4) {
    // None is left out below the least score that there is.
    const std::optional<double> least = c.KnownFloat(4);
    if (!least || *least > -std::numeric_limits<float>::max())
      operands.push_back(c.Vector(c.Cast(c.Tensor(4), DType::kF32)));
  }
  if (count > 5) {
    const std::optional<double> sigma = c.KnownFloat(5);
    if (!c.failed() && sigma != 0.0) return c.Fail("soft_nms_sigma other than 0");
  }
  return c.Select(c.Op("NonMaxSuppression", operands), 1, 2);
}

// `kept` with zeros behind, up to as many as operand 2 says.
Value* PadKept(Call& c, Value* kept) {
  Value* missing = c.Sub(c.Index(2), c.Size(kept, 0));
  return c.Op("Pad", {kept, c.ConcatSizes({c.Ints({0}), c.Vector(missing)})});
}

}  // namespace

Value* LowerNonMaxSuppression(Call& c) { return c.Cast(KeptBoxes(c), DType::kI32); }

// Padded, and how many there are.
std::vector<Value*> LowerNonMaxSuppressionV4(Call& c) {
  Value* kept = KeptBoxes(c);
  Value* count = c.Size(kept, 0);
  if (c.BoolAttribute("pad_to_max_output_size")) kept = PadKept(c, kept);
  return {c.Cast(kept, DType::kI32), c.Cast(count, DType::kI32)};
}

// The same with scores.
std::vector<Value*> LowerNonMaxSuppressionV5(Call& c) {
  Value* kept = KeptBoxes(c);
  Value* count = c.Size(kept, 0);
  Value* scores = c.Gather(c.Tensor(1), kept, 0);
  if (c.BoolAttribute("pad_to_max_output_size")) {
    scores = PadKept(c, scores);
    kept = PadKept(c, kept);
  }
  return {c.Cast(kept, DType::kI32), scores, c.Cast(count, DType::kI32)};
}

}  // namespace dragoman::tf

// SPDX-License-Identifier: Apache-2.0
// Images seen through a projective transform: rotated, sheared, moved.
#include "importers/tensorflow/ops/op_rows.h"

#include <optional>
#include <string>
#include <vector>

#include "core/lowering/math.h"
#include "core/lowering/rounding.h"

namespace dragoman::tf {
namespace {

// Where the pixels of the result come from: coordinates (images, height, width), float32.
struct Source {
  Value* y = nullptr;
  Value* x = nullptr;
  Value* finite = nullptr;  // bool
};

// Row i of `transforms` is a0 … a7: the pixel at (x, y) of the result is that at
// (a0 x + a1 y + a2, a3 x + a4 y + a5) / (a6 x + a7 y + 1) of image i.
Source Project(Call& c, Value* transforms, Value* height, Value* width) {
  const auto line = [&](Value* count) { return c.Cast(c.Iota(count), DType::kF32); };
  Value* y = c.Unsqueeze(line(height), {0, 2});
  Value* x = c.Unsqueeze(line(width), {0, 1});
  const auto coefficient = [&](std::int64_t i) {
    return c.Unsqueeze(c.Select(transforms, 1, i), {1, 2});
  };
  const auto form = [&](std::int64_t i) {
    return c.Add(c.Mul(coefficient(i), x), c.Mul(coefficient(i + 1), y));
  };
  Value* scale = c.Add(form(6), 1);
  Source source;
  source.finite = c.NotEqual(scale, 0);
  Value* divisor = c.Where(source.finite, scale, 1);
  source.x = c.Div(c.Add(form(0), coefficient(2)), divisor);
  source.y = c.Div(c.Add(form(3), coefficient(5)), divisor);
  return source;
}

// abcd as dcba|abcd|dcba; `length` is of float32.
Value* Reflect(Call& c, Value* at, Value* length) {
  Value* period = c.Mul(length, 2);
  Value* turns = c.Mul(period, Trunc(c, c.Div(c.Neg(at), period)));
  Value* below = c.Add(at, turns);
  below = c.Where(c.Less(below, c.Neg(length)), c.Add(below, period), c.Sub(c.Neg(below), 1));
  Value* above = c.Sub(at, c.Mul(period, Trunc(c, c.Div(at, period))));
  above = c.Where(c.GreaterOrEqual(above, length), c.Sub(c.Sub(period, above), 1), above);
  return c.Where(c.Less(at, 0), below, above);
}

// abcd as abcd|abcd|abcd.
Value* Wrap(Call& c, Value* at, Value* length) {
  Value* last = c.Max(c.Sub(length, 1), 1);
  Value* below = c.Add(at, c.Mul(length, c.Add(Trunc(c, c.Div(c.Neg(at), last)), 1)));
  Value* above = c.Sub(at, c.Mul(length, Trunc(c, c.Div(at, last))));
  return c.Where(c.Less(at, 0), below, above);
}

// A coordinate within [0, length - 1] for each that lies beyond; all, where `mode` is CONSTANT,
// stay.
Value* Within(Call& c, const std::string& mode, Value* at, Value* length) {
  if (mode == "CONSTANT") return at;
  Value* last = c.Sub(length, 1);
  Value* beyond = c.Or(c.Less(at, 0), c.Greater(at, last));
  Value* moved = at;
  if (mode == "REFLECT") {
    moved = c.Where(beyond, Reflect(c, at, length), at);
  } else if (mode == "WRAP") {
    moved = c.Where(beyond, Wrap(c, at, length), at);
  } else if (mode != "NEAREST") {
    return c.Fail("fill_mode " + mode + " is not supported");
  }
  return c.Min(c.Max(moved, 0), last);
}

// Pixels of images (images, height, width, channels).
class ProjectedPixels {
 public:
  ProjectedPixels(Call& c, Value* images, Value* fill) : c_(c), images_(images), fill_(fill) {
    number_ = c.Unsqueeze(c.Iota(c.Size(images, 0)), {1, 2});
  }

  Value* height() { return c_.Cast(c_.Size(images_, 1), DType::kF32); }
  Value* width() { return c_.Cast(c_.Size(images_, 2), DType::kF32); }
  // At whole coordinates (images, height, width) of float32: (images, height, width, channels).
  Value* At(Value* y, Value* x) {
    const auto within = [&](Value* at, Value* length) {
      return c_.And(c_.GreaterOrEqual(at, 0), c_.Less(at, length));
    };
    Value* inside = c_.And(within(y, height()), within(x, width()));
    const auto index = [&](Value* at) { return c_.Cast(c_.Where(inside, at, 0), DType::kI64); };
    Value* sizes = c_.Shape(inside);
    std::vector<Value*> columns;
    for (Value* part : {number_, index(y), index(x)})
      columns.push_back(c_.Unsqueeze(c_.Expand(part, sizes), {3}));
    Value* pixels = c_.Op("GatherND", {images_, c_.Concat(std::move(columns), 3)});
    return c_.Where(c_.Unsqueeze(inside, {3}), pixels, fill_);
  }

 private:
  Call& c_;
  Value* images_;
  Value* fill_;
  Value* number_ = nullptr;
};

Value* Bilinear(Call& c, ProjectedPixels& pixels, Value* y, Value* x, DType type) {
  Value* top = c.Floor(y);
  Value* left = c.Floor(x);
  Value* bottom = c.Add(top, 1);
  Value* right = c.Add(left, 1);
  const auto share = [&](Value* a, Value* b) { return c.Unsqueeze(c.Sub(a, b), {3}); };
  const auto row = [&](Value* at) {
    const auto pixel = [&](Value* column) { return c.Cast(pixels.At(at, column), DType::kF32); };
    return c.Add(c.Mul(share(right, x), pixel(left)), c.Mul(share(x, left), pixel(right)));
  };
  Value* mixed = c.Add(c.Mul(share(bottom, y), row(top)), c.Mul(share(y, top), row(bottom)));
  return c.Cast(mixed, type);
}

Value* LowerImageProjectiveTransform(Call& c) {
  Value* images = c.Tensor(0);
  Value* transforms = c.Tensor(1);
  Value* size = c.Index(2);
  const DType type = c.dtype(images);
  const std::string interpolation = c.TextAttribute("interpolation");
  const std::string mode = c.TextAttribute("fill_mode");
  if (c.failed()) return nullptr;
  Value* fill = c.num_operands() > 3 ? c.Cast(c.Tensor(3), type) : c.Number(0, type);
  Source source = Project(c, transforms, c.Select(size, 0, 0), c.Select(size, 0, 1));
  ProjectedPixels pixels(c, images, fill);
  source.y = Within(c, mode, source.y, pixels.height());
  source.x = Within(c, mode, source.x, pixels.width());
  // One transform may be that of all images.
  Value* sizes = c.ConcatSizes({c.SizeVector(images, 0, 1), size});
  Value* y = c.Expand(source.y, sizes);
  Value* x = c.Expand(source.x, sizes);
  Value* result = nullptr;
  if (interpolation == "NEAREST") {
    result = pixels.At(RoundHalvesAway(c, y), RoundHalvesAway(c, x));
  } else if (interpolation == "BILINEAR") {
    result = Bilinear(c, pixels, y, x, type);
  } else {
    return c.Fail("interpolation " + interpolation + " is not supported");
  }
  return c.Where(c.Unsqueeze(source.finite, {3}), result, fill);
}

}  // namespace

std::span<const OpRow> ProjectiveRows() {
  static constexpr OpRow kRows[] = {
      {"ImageProjectiveTransformV2", LowerImageProjectiveTransform},
      {"ImageProjectiveTransformV3", LowerImageProjectiveTransform},
  };
  return kRows;
}

}  // namespace dragoman::tf

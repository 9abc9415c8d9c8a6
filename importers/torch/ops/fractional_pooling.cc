// SPDX-License-Identifier: Apache-2.0
// Maxima of windows whose places follow from given samples of [0, 1), as fractional_max_pool2d and
// 3d have them.
#include "importers/torch/ops/op_rows.h"

#include <optional>
#include <utility>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/pooling.h"

namespace dragoman::torch {
namespace {

struct Axis {
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel;
};

// Where window i begins: floor((i + u) a) - floor(u a), a = (in - kernel) / (out - 1), and the last
// at the end; with what it reads: (batch, channels, out, kernel). `u` is (batch, channels).
Value* Positions(Composer& c, const Axis& axis, Value* u) {
  const std::int64_t last = axis.in - axis.kernel;
  Value* taps = c.Iota(c.Int(axis.kernel));
  Value* column = c.Unsqueeze(u, {2});
  Value* starts = nullptr;
  if (axis.out == 1) {
    starts = c.Cast(c.Add(c.Mul(column, 0), static_cast<double>(last)), DType::kI64);
  } else {
    const double step = static_cast<double>(last) / static_cast<double>(axis.out - 1);
    Value* i = c.Iota(c.Int(axis.out));
    Value* moved = c.Floor(c.Mul(c.Add(c.CastLike(i, u), column), step));
    Value* first = c.Floor(c.Mul(column, step));
    Value* regular = c.Cast(c.Sub(moved, first), DType::kI64);
    starts = c.Where(c.Equal(i, c.Int(axis.out - 1)), c.Int(last), regular);
  }
  return c.Add(c.Unsqueeze(starts, {3}), taps);
}

// The sample of each axis, in the order of axes: torch's 2-d form has the columns first.
int SampleOf(int axis, int spatial) { return spatial == 2 ? 1 - axis : axis; }

Result<Results> LowerFractionalMaxPool(Call& call) {
  CallComposer c(call);
  const int spatial = SpatialAxes(call.op());
  const Batched batched = Batch(c, c.Tensor("self"), spatial);
  Value* x = batched.x;
  const auto axes = static_cast<std::size_t>(spatial);
  const std::vector<std::int64_t> kernel = c.Take(call.IntList("kernel_size", axes));
  const std::vector<std::int64_t> out = c.Take(call.IntList("output_size", axes));
  Value* samples = c.Tensor("random_samples");
  Value* places = c.Int(0);
  std::int64_t plane = 1;
  for (int i = 0; i < spatial && !c.failed(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const std::optional<std::int64_t> in = c.KnownSize(x, i + 2);
    if (!in) return call.Unsupported("sizes that are not known; state them with --shape");
    plane *= *in;
    Value* along =
        Positions(c, {*in, out[at], kernel[at]}, c.Select(samples, 2, SampleOf(i, spatial)));
    std::vector<std::int64_t> others;
    for (int j = 0; j < spatial; ++j) {
      if (j != i) others.insert(others.end(), {2 + j, 2 + spatial + j});
    }
    places = c.Add(c.Mul(places, c.Int(*in)), c.Unsqueeze(along, std::move(others)));
  }
  Value* channels = c.SizeVector(x, 0, 2);
  Value* lines = c.ConcatSizes({channels, c.Ints({-1})});
  Value* windows = c.ConcatSizes({channels, c.Ints(out), c.Ints({-1})});
  Value* flat = c.Reshape(x, c.ConcatSizes({channels, c.Ints({plane})}));
  Value* read =
      c.Op("GatherElements", {flat, c.Reshape(places, lines)}, {{"axis", std::int64_t{2}}});
  const std::int64_t last = spatial + 2;
  read = c.Reshape(read, windows);
  Value* chosen = c.Op("ArgMax", {read}, {{"axis", last}, {"keepdims", std::int64_t{1}}});
  const auto pick = [&](Value* value) {
    Value* picked = c.Op("GatherElements", {value, chosen}, {{"axis", last}});
    return Unbatch(c, c.Squeeze(picked, {last}), batched);
  };
  Value* values = pick(read);
  return c.Done({values, pick(c.Reshape(places, windows))});
}

}  // namespace

std::span<const OpRow> FractionalPoolingRows() {
  static constexpr OpRow kRows[] = {
      {"aten.fractional_max_pool2d", LowerFractionalMaxPool},
      {"aten.fractional_max_pool3d", LowerFractionalMaxPool},
  };
  return kRows;
}

}  // namespace dragoman::torch

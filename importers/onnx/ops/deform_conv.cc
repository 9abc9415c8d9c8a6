// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

struct DeformedKernel {
  std::vector<std::int64_t> size;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> pads;  // top, left, bottom, right
  std::int64_t taps() const { return size[0] * size[1]; }
};

// Where the taps read along one axis (0: rows, 1: columns), as numbers of elements. `offsets` is
// (images, taps, rows, columns).
Value* SamplePlaces(OpComposer& f, const DeformedKernel& kernel, std::size_t axis, Value* offsets) {
  std::vector<std::int64_t> taps;
  for (std::int64_t i = 0; i < kernel.taps(); ++i) {
    const std::int64_t tap = axis == 0 ? i / kernel.size[1] : i % kernel.size[1];
    taps.push_back(tap * kernel.dilations[axis] - kernel.pads[axis]);
  }
  Value* steps = f.Iota(f.Size(offsets, static_cast<std::int64_t>(axis) + 2));
  Value* starts = f.Op("Mul", {steps, f.Int(kernel.strides[axis])});
  if (axis == 0) starts = f.Op("Unsqueeze", {starts, f.Ints({1})});
  Value* base = f.Op("Add", {f.Op("Reshape", {f.Ints(taps), f.Ints({-1, 1, 1})}), starts});
  return f.Op("Add", {f.Cast(base, offsets->type().dtype()), offsets});
}

// One of the two elements beside each place along an axis: its index, how much it counts, and
// whether the image has it.
struct Neighbour {
  Value* index;
  Value* weight;
  Value* inside;
};

Neighbour NeighbourOf(OpComposer& f, Value* places, Value* size, bool after) {
  Value* below = f.Op("Floor", {places});
  Value* beyond = f.Op("Sub", {places, below});
  Value* index = f.Cast(below, DType::kI64);
  if (after) {
    index = f.Op("Add", {index, f.Int(1)});
  } else {
    beyond = f.Op("Sub", {f.Number(1, places), beyond});
  }
  Value* inside =
      f.Op("And", {f.Op("GreaterOrEqual", {index, f.Int(0)}), f.Op("Less", {index, size})});
  return {index, beyond, inside};
}

// Images (n, channels, elements) of `columns` columns, read between their elements at places (n,
// taps, rows, columns): (n, channels, places). What lies outside counts as zero.
Value* Sample(OpComposer& f, Value* images, Value* rows, Value* columns, Value* y, Value* x) {
  const auto flat = [&](Value* field) { return f.Op("Reshape", {field, f.Ints({0, 1, -1})}); };
  Value* sum = nullptr;
  for (const bool below : {false, true}) {
    for (const bool right : {false, true}) {
      const Neighbour row = NeighbourOf(f, y, rows, below);
      const Neighbour column = NeighbourOf(f, x, columns, right);
      Value* inside = f.Op("And", {row.inside, column.inside});
      Value* index = f.Op("Add", {f.Op("Mul", {row.index, columns}), column.index});
      index = flat(f.Op("Where", {inside, index, f.Int(0)}));
      Value* weight = f.Op("Mul", {row.weight, column.weight});
      weight = flat(f.Op("Where", {inside, weight, f.Number(0, weight)}));
      Value* shape = f.Concat({f.Ints({1}), f.SizeVector(images, 1, 1), f.Ints({1})}, 0);
      Value* taken = f.Op("GatherElements", {images, f.Op("Expand", {index, shape})},
                          {{"axis", std::int64_t{2}}});
      Value* part = f.Op("Mul", {taken, weight});
      sum = sum == nullptr ? part : f.Op("Add", {sum, part});
    }
  }
  return sum;
}

Result<std::optional<DeformedKernel>> TakeDeformedKernel(OpLowering& op) {
  DeformedKernel kernel;
  const auto take = [&](std::string_view name, std::vector<std::int64_t> otherwise,
                        std::vector<std::int64_t>& into) -> Result<void> {
    DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> given, op.TakeInts(name));
    into = given.value_or(std::move(otherwise));
    return {};
  };
  DRAGOMAN_TRY(take("kernel_shape", {}, kernel.size));
  DRAGOMAN_TRY(take("strides", {1, 1}, kernel.strides));
  DRAGOMAN_TRY(take("dilations", {1, 1}, kernel.dilations));
  DRAGOMAN_TRY(take("pads", {0, 0, 0, 0}, kernel.pads));
  const Shape* weights = op.operand(1)->type().shape();
  if (weights == nullptr || weights->size() != 4) return std::optional<DeformedKernel>();
  if (kernel.size.empty()) {
    if (!(*weights)[2].known() || !(*weights)[3].known()) return std::optional<DeformedKernel>();
    kernel.size = {(*weights)[2].value(), (*weights)[3].value()};
  }
  if (kernel.size.size() != 2 || kernel.strides.size() != 2 || kernel.dilations.size() != 2 ||
      kernel.pads.size() != 4)
    return op.Invalid("kernel_shape, strides, dilations or pads is not of two axes");
  return std::optional<DeformedKernel>(std::move(kernel));
}

}  // namespace

// Every tap of every place is sampled where its offset puts it; a convolution with a kernel of one
// column then adds them up. Images of two axes only.
LoweredResults LowerDeformConv(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  Value* x = op.operand(0);
  Value* weights = op.operand(1);
  Value* offset = op.operand(2);
  DRAGOMAN_ASSIGN(const std::optional<DeformedKernel> found, TakeDeformedKernel(op));
  if (!found) return op.EmitForeign();
  const DeformedKernel& kernel = *found;
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> group, op.TakeInt("group"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> offset_group, op.TakeInt("offset_group"));
  const std::int64_t fields = offset_group.value_or(1);
  if (fields < 1) return op.Invalid("offset_group is not positive");

  OpComposer f(op);
  Value* taps = f.Ints({kernel.taps()});
  Value* rows = f.SizeVector(offset, 2, 1);
  Value* columns = f.SizeVector(offset, 3, 1);
  Value* area = f.Op("Mul", {rows, columns});
  Value* field =
      f.Op("Reshape", {offset, f.Concat({f.Ints({-1}), taps, f.Ints({2}), rows, columns}, 0)});
  const auto along = [&](std::size_t axis) {
    const auto part = static_cast<std::int64_t>(axis);
    return SamplePlaces(f, kernel, axis,
                        f.Op("Gather", {field, f.Int(part)}, {{"axis", std::int64_t{2}}}));
  };
  Value* channels = f.Op("Div", {f.SizeVector(x, 1, 1), f.Ints({fields})});
  Value* elements = f.Op("Mul", {f.SizeVector(x, 2, 1), f.SizeVector(x, 3, 1)});
  Value* images = f.Op("Reshape", {x, f.Concat({f.Ints({-1}), channels, elements}, 0)});
  Value* samples = Sample(f, images, f.Size(x, 2), f.Size(x, 3), along(0), along(1));
  samples = f.Op("Reshape", {samples, f.Concat({f.Ints({0, 0}), taps, area}, 0)});
  if (Value* mask = op.operand(4); mask != nullptr) {
    Value* factors = f.Op("Reshape", {mask, f.Concat({f.Ints({-1, 1}), taps, area}, 0)});
    samples = f.Op("Mul", {samples, factors});
  }
  samples =
      f.Op("Reshape",
           {samples, f.Concat({f.SizeVector(x, 0, 1), f.SizeVector(x, 1, 1), taps, area}, 0)});
  Value* column = f.Op("Reshape", {weights, f.Ints({0, 0, kernel.taps(), 1})});
  Value* sums = f.Op("Conv", {samples, column, op.operand(3)}, {{"group", group.value_or(1)}});
  Value* shape = f.Concat({f.Ints({0, 0}), rows, columns}, 0);
  return f.Finish({f.Op("Reshape", {sums, shape}, {}, op.ResultName(0))});
}

}  // namespace dragoman

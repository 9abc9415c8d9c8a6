// SPDX-License-Identifier: Apache-2.0
// Operators that move data: attributes that became operands.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

LoweredResults LowerConcat(OpLowering& op) {
  if (!op.Has("axis")) op.attributes.emplace_back("axis", 1);
  return op.Emit("Concat");
}

// As in ONNX's reference, a scalar has one axis.
LoweredResults LowerNonZero(OpLowering& op) {
  if (op.operand(0) != nullptr && op.builder.rank(op.operand(0)) == 0) {
    DRAGOMAN_ASSIGN(
        op.operands[0],
        op.builder.Add("Reshape", {op.operand(0), op.Ints(std::vector<std::int64_t>{1})}));
  }
  return op.Emit("NonZero");
}

// From opset 27 on it takes halves, which are computed in f32 unless another type is given.
LoweredResults LowerRange(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> stash, op.TakeInt("stash_type"));
  const DType dtype = op.builder.dtype(op.operand(0));
  if (dtype != DType::kF16 && dtype != DType::kBF16) return op.Emit("Range");
  constexpr auto kOurs = static_cast<std::int64_t>(DType::kF32);
  if (stash.value_or(kOurs) != kOurs)
    return op.Unsupported("stash_type is " + std::to_string(*stash));
  OpComposer f(op);
  std::vector<Value*> wide;
  for (Value* operand : op.operands) wide.push_back(f.Cast(operand, DType::kF32));
  return f.Finish({f.NamedCast(f.Op("Range", wide), dtype, op.ResultName(0))});
}

// From opset 28 on, blocks may be counted within channels (CRD), as those of DepthToSpace.
LoweredResults LowerSpaceToDepth(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::string> mode, op.TakeString("mode"));
  if (mode.value_or("DCR") == "DCR") return op.Emit("SpaceToDepth");
  if (*mode != "CRD") return op.Invalid("mode is " + *mode + ", expected DCR or CRD");
  const auto* side = FindAs<std::int64_t>(op.attributes, "blocksize");
  if (side == nullptr || *side < 1 || *side > INT32_MAX)
    return op.Invalid("attribute 'blocksize' is missing, or not positive");
  OpComposer f(op);
  Value* blocks = f.Op("SpaceToDepth", op.operands, std::exchange(op.attributes, {}));
  Value* numbers = f.Reshape(f.Iota(f.Size(blocks, 1)), {*side * *side, -1});
  Value* order = f.Reshape(f.Transpose(numbers, {1, 0}), {-1});
  const std::int64_t channels = 1;
  return f.Finish({f.Op("Gather", {blocks, order}, {{"axis", channels}}, op.ResultName(0))});
}

LoweredResults LowerReshape(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> shape, op.TakeInts("shape"));
  if (!shape) return op.Invalid("attribute 'shape' is missing");
  op.operands.resize(1);
  op.operands.push_back(op.Ints(*shape));
  return op.Emit("Reshape");
}

namespace {

// Each axis once: ONNX Runtime takes a Squeeze that names one twice. Where neither the rank nor the
// axes are known they stay as they are.
void DropRepeatedAxes(OpLowering& op) {
  const std::optional<std::vector<std::int64_t>> given = op.builder.KnownInts(op.operand(1));
  if (!given) return;
  const std::int64_t rank = op.builder.rank(op.operand(0)).value_or(0);
  std::vector<std::int64_t> axes;
  for (const std::int64_t axis : *given) {
    const auto same = [&](std::int64_t other) {
      return axis == other || (rank > 0 && (axis - other == rank || other - axis == rank));
    };
    if (std::ranges::none_of(axes, same)) axes.push_back(axis);
  }
  if (axes.size() != given->size()) op.operands[1] = op.Ints(axes);
}

}  // namespace

// Squeeze and Unsqueeze.
LoweredResults LowerSqueeze(OpLowering& op) {
  if (op.opset < 13) {
    DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> axes, op.TakeInts("axes"));
    op.operands.resize(1);
    if (axes) op.operands.push_back(op.Ints(*axes));
  }
  if (op.source.op().type == "Squeeze" && op.operand(0) != nullptr && op.operand(1) != nullptr)
    DropRepeatedAxes(op);
  return op.Emit(op.source.op().type);
}

LoweredResults LowerReduce(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> axes, op.TakeInts("axes"));
  op.operands.resize(1);
  if (axes && !axes->empty()) op.operands.push_back(op.Ints(*axes));
  return op.Emit(op.source.op().type);
}

LoweredResults LowerSlice(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> starts, op.TakeInts("starts"));
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> ends, op.TakeInts("ends"));
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> axes, op.TakeInts("axes"));
  if (!starts || !ends) return op.Invalid("attributes 'starts' and 'ends' are needed");
  op.operands.resize(1);
  op.operands.push_back(op.Ints(*starts));
  op.operands.push_back(op.Ints(*ends));
  if (axes) op.operands.push_back(op.Ints(*axes));
  return op.Emit("Slice");
}

// As ONNX Runtime has it, and PyTorch's exporter expects it of `unbind`: keepdims counts where
// parts of one element are asked for by a number, as where their size is left out.
LoweredResults LowerSplitToSequence(OpLowering& op) {
  const Value* size = op.operand(1);
  const bool is_one = size != nullptr && op.builder.rank(size) == 0 &&
                      op.builder.KnownInts(size) == std::vector<std::int64_t>{1};
  if (is_one) op.operands.resize(1);
  return op.Emit("SplitToSequence");
}

// Sizes came as an attribute or, in opset 1, as an operand; from 13 on as an operand. Equal parts
// need their number.
LoweredResults LowerSplit(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> split, op.TakeInts("split"));
  if (split) {
    op.operands.resize(1);
    op.operands.push_back(op.Ints(*split));
  }
  if (op.operand(1) == nullptr) {
    op.operands.resize(1);
    op.attributes.emplace_back("num_outputs", static_cast<std::int64_t>(op.num_results()));
  }
  return op.Emit("Split");
}

LoweredResults LowerPad(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> pads, op.TakeInts("pads"));
  DRAGOMAN_ASSIGN(std::optional<std::vector<std::int64_t>> paddings, op.TakeInts("paddings"));
  DRAGOMAN_ASSIGN(std::optional<float> value, op.TakeFloat("value"));
  if (!pads) pads = paddings;
  if (!pads || op.operand(0) == nullptr) return op.Invalid("attribute 'pads' is missing");
  op.operands.resize(1);
  op.operands.push_back(op.Ints(*pads));
  DRAGOMAN_ASSIGN(Value * filler, op.Scalar(value.value_or(0.0f), op.operand(0)));
  op.operands.push_back(filler);
  return op.Emit("Pad");
}

namespace {

// Operand `i` if it is one known number, of a float type as opset 1 wants it or of integers.
std::optional<std::int64_t> WholeNumber(const OpLowering& op, std::size_t i) {
  const Value* value = op.operand(i);
  if (const auto ints = op.builder.KnownInts(value))
    return ints->size() == 1 ? std::optional(ints->front()) : std::nullopt;
  const Tensor* tensor = value != nullptr && value->is_constant() ? value->tensor() : nullptr;
  if (tensor == nullptr || tensor->size() != 1 || !IsFloating(tensor->dtype())) return std::nullopt;
  const double number = tensor->FloatAt(0);
  constexpr double kMost = 1LL << 53;
  if (!(std::fabs(number) <= kMost) || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace

// Tile-1 repeats one axis.
LoweredResults LowerTile(OpLowering& op) {
  DRAGOMAN_ASSIGN(int rank, op.Rank(0));
  const std::optional<std::int64_t> tiles = WholeNumber(op, 1), axis = WholeNumber(op, 2);
  if (!tiles || !axis)
    return op.Unsupported("tiles and axis of Tile in opset 1 must be constant whole numbers");
  if (*axis < 0 || *axis >= rank) return op.Invalid("axis is out of range");
  std::vector<std::int64_t> repeats(static_cast<std::size_t>(rank), 1);
  repeats[static_cast<std::size_t>(*axis)] = *tiles;
  return op.EmitOne("Tile", {op.operand(0), op.Ints(repeats)});
}

LoweredResults LowerTopK(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> k, op.TakeInt("k"));
  if (!k) return op.Invalid("attribute 'k' is missing");
  op.operands.resize(1);
  op.operands.push_back(op.Ints({*k}));
  return op.Emit("TopK");
}

LoweredResults LowerScatter(OpLowering& op) { return op.Emit("ScatterElements"); }

LoweredResults LowerGridSample(OpLowering& op) {
  for (NamedAttribute& attribute : op.attributes) {
    const auto* mode = attribute.value.As<std::string>();
    if (attribute.name != "mode" || mode == nullptr) continue;
    if (*mode == "bilinear")
      attribute.value = "linear";
    else if (*mode == "bicubic")
      attribute.value = "cubic";
  }
  return op.Emit("GridSample");
}

LoweredResults LowerRoiAlign(OpLowering& op) {
  if (!op.Has("coordinate_transformation_mode")) {
    op.attributes.emplace_back("coordinate_transformation_mode", "output_half_pixel");
  }
  return op.Emit("RoiAlign");
}

namespace {

// Below opset 11, sampling is at asymmetric coordinates.
LoweredResults EmitAsymmetricResize(OpLowering& op, Value* x, Value* scales,
                                    std::string_view nearest_mode) {
  DRAGOMAN_ASSIGN(std::optional<std::string> mode, op.TakeString("mode"));
  std::string kept = mode.value_or("nearest");
  if (kept == "bilinear") kept = "linear";
  return op.EmitOne("Resize", {x, nullptr, scales},
                    {{"coordinate_transformation_mode", "asymmetric"},
                     {"mode", Attribute(std::move(kept))},
                     {"nearest_mode", Attribute(std::string(nearest_mode))}});
}

enum class Part { kGrowing, kShrinking };

// The scales of one part, 1 in place of those of the other; nullptr if that part is empty.
Result<Value*> PartOf(OpLowering& op, Value* scales, Part part) {
  const bool growing = part == Part::kGrowing;
  const Tensor* known = scales->tensor();
  if (known == nullptr || known->dtype() != DType::kF32) {
    return op.builder.Add(growing ? "Max" : "Min", {scales, op.builder.Float(1)});
  }
  std::vector<float> kept;
  for (float s : known->data<float>())
    kept.push_back(growing ? std::max(s, 1.0f) : std::min(s, 1.0f));
  if (std::ranges::all_of(kept, [](float s) { return s == 1; })) return nullptr;
  return op.builder.Constant(Tensor::Of<float>(known->sizes(), kept));
}

}  // namespace

// Nearest of opset 10 rounds down along axes that grow and up along those that shrink (ONNX's text
// leaves it open; its tests of that opset and ONNX Runtime have it so).
LoweredResults LowerResize(OpLowering& op) {
  Value *x = op.operand(0), *scales = op.operand(1);
  if (scales == nullptr) return op.Invalid("has no scales");
  const auto* mode = FindAs<std::string>(op.attributes, "mode");
  if (mode != nullptr && *mode != "nearest") {
    return EmitAsymmetricResize(op, x, scales, "floor");
  }
  DRAGOMAN_ASSIGN(Value * growing, PartOf(op, scales, Part::kGrowing));
  DRAGOMAN_ASSIGN(Value * shrinking, PartOf(op, scales, Part::kShrinking));
  if (shrinking == nullptr) return EmitAsymmetricResize(op, x, scales, "floor");
  if (growing != nullptr) {
    DRAGOMAN_ASSIGN(x, op.builder.Add("Resize", {x, nullptr, growing},
                                      {{"coordinate_transformation_mode", "asymmetric"},
                                       {"mode", "nearest"},
                                       {"nearest_mode", "floor"}}));
  }
  return EmitAsymmetricResize(op, x, shrinking, "ceil");
}

LoweredResults LowerUpsample(OpLowering& op) {
  if (op.operand(1) != nullptr)
    return EmitAsymmetricResize(op, op.operand(0), op.operand(1), "floor");
  DRAGOMAN_ASSIGN(std::optional<std::vector<float>> scales, op.TakeFloats("scales"));
  DRAGOMAN_ASSIGN(std::optional<float> height, op.TakeFloat("height_scale"));
  DRAGOMAN_ASSIGN(std::optional<float> width, op.TakeFloat("width_scale"));
  if (!scales && height && width) scales = {1.0f, 1.0f, *height, *width};
  if (!scales) return op.Invalid("has no scales");
  const auto rank = static_cast<std::int64_t>(scales->size());
  Value* constant = op.builder.Constant(Tensor::Of<float>({rank}, *scales));
  return EmitAsymmetricResize(op, op.operand(0), constant, "floor");
}

}  // namespace dragoman

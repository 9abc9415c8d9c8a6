// SPDX-License-Identifier: Apache-2.0
// Layers: changed defaults, modes that went away.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

// scale * (x - mean) / sqrt(var + epsilon) + bias, with statistics of each position of an example.
LoweredResults NormalizeByPosition(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<float> epsilon, op.TakeFloat("epsilon"));
  DRAGOMAN_TRY(op.Require({0, 1, 2, 3, 4}));
  OpComposer f(op);
  Value* centred = f.Op("Sub", {op.operand(0), op.operand(3)});
  Value* variance = f.Op("Add", {op.operand(4), f.Number(epsilon.value_or(1e-5f), op.operand(4))});
  Value* scale = f.Op("Div", {op.operand(1), f.Op("Sqrt", {variance})});
  Value* scaled = f.Op("Mul", {centred, scale});
  return f.Finish({f.Op("Add", {scaled, op.operand(2)}, {}, op.ResultName(0))});
}

}  // namespace

// Inference only: is_test is gone, training_mode is off, and further results belong to
// training.
LoweredResults LowerBatchNormalization(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> is_test, op.TakeInt("is_test"));
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> spatial, op.TakeInt("spatial"));
  if (op.opset < 7 && is_test.value_or(0) == 0 && op.num_results() > 1) {
    return op.Unsupported("training-mode batch normalisation of opset " + std::to_string(op.opset));
  }
  for (std::size_t i = 1; i < op.num_results(); ++i) {
    const Value* result = op.source.result(i);
    if (result != nullptr && result->used()) {
      return op.Unsupported("result " + std::to_string(i) + " belongs to training, and is used");
    }
  }
  if (spatial.value_or(1) == 0) return NormalizeByPosition(op);
  return op.EmitOne("BatchNormalization", op.operands, std::exchange(op.attributes, {}));
}

LoweredResults LowerDropout(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<float> ratio, op.TakeFloat("ratio"));
  op.Drop("is_test");
  DRAGOMAN_TRY(op.Require({0}));
  op.operands.resize(1);
  if (ratio) op.operands.push_back(op.builder.Float(*ratio));
  const Value* mask = op.source.result(1);
  if (mask != nullptr && mask->used() && op.opset < 10) {
    return op.Unsupported("the mask of opset " + std::to_string(op.opset) + " is used");
  }
  return op.Emit("Dropout");
}

// Below opset 13 the operand is seen as a matrix, rows up to `axis`, and normalised by row.
LoweredResults LowerSoftmax(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<std::int64_t> given, op.TakeInt("axis"));
  const std::string& type = op.source.op().type;
  DRAGOMAN_ASSIGN(int rank, op.Rank(0));
  std::int64_t axis = given.value_or(1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank)
    return op.Invalid("axis " + std::to_string(*given) + " is out of range");
  // Without elements all axes are alike.
  const Shape* sizes = op.operand(0)->type().shape();
  const bool empty = std::ranges::any_of(*sizes, [](const Dim& d) { return d == Dim(0); });
  if (empty) axis = rank - 1;
  const auto is_one = [](const Dim& d) { return d == Dim(1); };
  if (axis < rank && std::all_of(sizes->begin() + axis + 1, sizes->end(), is_one))
    return op.EmitOne(type, {op.operand(0)}, {{"axis", axis}});
  DRAGOMAN_ASSIGN(Value * shape, op.builder.Add("Shape", {op.operand(0)}));
  DRAGOMAN_ASSIGN(Value * matrix, op.builder.Add("Flatten", {op.operand(0)}, {{"axis", axis}}));
  DRAGOMAN_ASSIGN(Value * normal, op.builder.Add(type, {matrix}, {{"axis", std::int64_t{1}}}));
  return op.EmitOne("Reshape", {normal, shape});
}

// In opset 1, p is a float.
LoweredResults LowerLpPool(OpLowering& op) {
  for (NamedAttribute& attribute : op.attributes) {
    const auto* p = attribute.value.As<float>();
    if (attribute.name != "p" || p == nullptr) continue;
    if (*p != static_cast<float>(static_cast<std::int64_t>(*p)))
      return op.Unsupported("p is not an integer");
    attribute.value = static_cast<std::int64_t>(*p);
  }
  return op.Emit(op.source.op().type);
}

// Below opset 9, one flag for the axes, and whether results are divided by the deviation.
LoweredResults LowerMeanVarianceNormalization(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> across, op.TakeInt("across_channels"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> divides, op.TakeInt("normalize_variance"));
  std::vector<std::int64_t> axes = {0, 2, 3};
  if (across.value_or(0) != 0) axes.insert(axes.begin() + 1, 1);
  if (divides.value_or(1) != 0)
    return op.EmitOne("MeanVarianceNormalization", {op.operand(0)}, {{"axes", axes}});
  DRAGOMAN_ASSIGN(Value * mean, op.builder.Add("ReduceMean", {op.operand(0), op.Ints(axes)}));
  return op.EmitOne("Sub", {op.operand(0), mean});
}

// Below opset 19, the scale is a float also where x holds integers.
LoweredResults LowerQuantizeLinear(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  const DType dtype = op.builder.dtype(op.operand(1));
  if (op.builder.dtype(op.operand(0)) != dtype && dtype != DType::kUnknown) {
    DRAGOMAN_ASSIGN(op.operands[0], op.builder.Add("Cast", {op.operand(0)},
                                                   {{"to", static_cast<std::int64_t>(dtype)}}));
  }
  return op.Emit("QuantizeLinear");
}

// Below opset 7, results beyond the first are computed on request.
LoweredResults LowerRecurrent(OpLowering& op) {
  op.Drop("output_sequence");
  return op.Emit(op.source.op().type);
}

// Below opset 21, scale and bias are one per group; later, one per channel.
LoweredResults LowerGroupNormalization(OpLowering& op) {
  DRAGOMAN_ASSIGN(int rank, op.Rank(0));
  const Attribute* groups = Find(op.attributes, "num_groups");
  const Dim channels = rank > 1 ? (*op.operand(0)->type().shape())[1] : Dim::Unknown();
  if (groups == nullptr || groups->As<std::int64_t>() == nullptr)
    return op.Invalid("has no num_groups");
  const std::int64_t count = *groups->As<std::int64_t>();
  if (count < 1 || (channels.known() && channels.value() % count != 0))
    return op.Invalid("num_groups does not divide the channels");
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  OpComposer f(op);
  Value* spread = channels.known()
                      ? f.Ints({count, channels.value() / count})
                      : f.Concat({f.Ints({count}), f.Div(f.SizeVector(op.operand(0), 1, 1),
                                                         static_cast<double>(count))},
                                 0);
  for (std::size_t i : {1, 2}) {
    const Shape* shape = op.operand(i)->type().shape();
    if (shape != nullptr &&
        (shape->size() != 1 || (shape->front().known() && shape->front() != Dim(count))))
      return op.Invalid(
          fmt::format("operand {} is {}; below opset 21 it has an element a group, {}", i,
                      op.operand(i)->type().ToString(), count));
    Value* repeated = f.Op("Expand", {f.Reshape(op.operand(i), {count, 1}), spread});
    op.operands[i] = f.Reshape(repeated, {channels.known() ? channels.value() : -1});
  }
  DRAGOMAN_TRY(f.status());
  return op.Emit("GroupNormalization");
}

}  // namespace dragoman

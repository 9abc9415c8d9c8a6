// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/node_attributes.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/expansion.h"
#include "exporters/onnx/form_change.h"
#include "exporters/onnx/lower_opset.h"

namespace dragoman {
namespace {

using Ints = Attribute::Ints;

std::string LowerReduce(Node& node) {
  const bool noop = IntAttribute(node, "noop_with_empty_axes") != 0;
  const Tensor* axes = ConstantAt(node, 1);
  const bool has_axes = node.operand(1) != nullptr && (axes == nullptr || axes->size() > 0);
  if (noop && !has_axes) return "it has noop_with_empty_axes";
  node.RemoveAttribute("noop_with_empty_axes");
  if (!has_axes && node.operand(1) != nullptr) {
    DropOperand(node, 1);
    return "";
  }
  return OperandToAttribute(node, 1, "axes");
}

std::string RefuseOtherThanNumbers(Node& node) {
  const DType dtype = node.operand(0)->type().dtype();
  const bool number = IsInteger(dtype) || IsFloating(dtype) || dtype == DType::kUnknown;
  return number ? "" : "it takes elements of type " + std::string(Name(dtype));
}

std::string LowerAxes(Node& node) { return OperandToAttribute(node, 1, "axes"); }

// What each of `parts` results of a Split along `axis` takes, of which the last takes the rest.
Value* PartSizes(Node& node, std::int64_t axis, std::int64_t parts) {
  const std::string name = node.result()->name() + ".parts";
  const Type type = Type::Tensor(DType::kI64, Shape{Dim(1)});
  const auto ints = [&](std::int64_t number) {
    return node.graph()->AddConstant(name, Tensor::Ints(Ints{number}));
  };
  const auto binary = [&](std::string_view op, Value* a, Value* b) {
    return InsertOp(node, op, {a, b}, type, name);
  };
  const auto rank = static_cast<std::int64_t>(node.operand(0)->type().shape()->size());
  Value* sizes =
      InsertOp(node, "Shape", {node.operand(0)}, Type::Tensor(DType::kI64, Shape{Dim(rank)}), name);
  Value* size = InsertOp(node, "Slice", {sizes, ints(axis), ints(axis + 1), ints(0)}, type, name);
  Value* part = binary("Div", binary("Add", size, ints(parts - 1)), ints(parts));
  std::vector<Value*> all(static_cast<std::size_t>(parts - 1), part);
  all.push_back(binary("Sub", size, binary("Mul", part, ints(parts - 1))));
  Value* joined = InsertOp(node, "Concat", all, Type::Tensor(DType::kI64, Shape{Dim(parts)}), name);
  joined->producer()->SetAttribute("axis", std::int64_t{0});
  return joined;
}

// Parts were equal before: sizes are stated unless they are known to be.
std::string LowerSplitCount(Node& node) {
  node.RemoveAttribute("num_outputs");
  if (node.operand(1) != nullptr) return "";
  const Shape* shape = node.operand(0)->type().shape();
  if (shape == nullptr) return "it splits an unknown rank into equal parts";
  std::int64_t axis = IntAttribute(node, "axis");
  if (axis < 0) axis += static_cast<std::int64_t>(shape->size());
  const Dim& size = (*shape)[static_cast<std::size_t>(axis)];
  const auto parts = static_cast<std::int64_t>(node.num_results());
  if (size.known() && size.value() % parts == 0) return "";
  while (node.num_operands() < 2) node.AddOperand(nullptr);
  node.set_operand(1, PartSizes(node, axis, parts));
  return "";
}

std::string LowerSplit(Node& node) { return OperandToAttribute(node, 1, "split"); }

// Pads of all axes in place of pads of some.
std::string LowerPadAxes(Node& node) {
  if (node.operand(3) == nullptr) return "";
  const Tensor* axes = ConstantAt(node, 3);
  const Tensor* pads = ConstantAt(node, 1);
  const std::optional<int> rank = node.operand(0)->type().rank();
  if (axes == nullptr || pads == nullptr || !rank) return "its axes are not known";
  const std::vector<std::int64_t> some = pads->ToInts();
  Ints all(static_cast<std::size_t>(*rank) * 2, 0);
  const std::vector<std::int64_t> places = axes->ToInts();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t place = places[i] < 0 ? places[i] + *rank : places[i];
    all[static_cast<std::size_t>(place)] = some[i];
    all[static_cast<std::size_t>(place + *rank)] = some[i + places.size()];
  }
  Value* old = node.operand(1);
  node.set_operand(1, node.graph()->AddConstant(old->name() + ".all", Tensor::Ints(all)));
  DropOperand(node, 3);
  return "";
}

// What lies before and after each axis, by axis.
struct AxisPads {
  std::int64_t axis = 0, before = 0, behind = 0;
};

// nullopt: it is not known, or elements go.
std::optional<std::vector<AxisPads>> ReadPads(const Node& pad) {
  const Tensor* pads = ConstantAt(pad, 1);
  const Tensor* axes = ConstantAt(pad, 3);
  const std::optional<int> rank = pad.operand(0)->type().rank();
  if (pads == nullptr || !rank || (axes == nullptr && pad.operand(3) != nullptr))
    return std::nullopt;
  Ints places(static_cast<std::size_t>(*rank));
  std::iota(places.begin(), places.end(), 0);
  if (axes != nullptr) places = axes->ToInts();
  const std::vector<std::int64_t> amounts = pads->ToInts();
  std::vector<AxisPads> read;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t axis = places[i] < 0 ? places[i] + *rank : places[i];
    read.push_back({axis, amounts[i], amounts[i + places.size()]});
    if (read.back().before < 0 || read.back().behind < 0) return std::nullopt;
  }
  return read;
}

// The ends of each axis are put at its other end, and the Pad adds nothing any more.
std::string LowerWrap(Node& node) {
  if (TextAttribute(node, "mode") != "wrap") return "";
  const auto pads = ReadPads(node);
  if (!pads || node.operand(0)->type().shape() == nullptr) return "it pads with mode wrap";
  const std::string name = node.result()->name() + ".wrapped";
  const auto ints = [&](std::int64_t number) {
    return node.graph()->AddConstant(name, Tensor::Ints(Ints{number}));
  };
  for (const AxisPads& pad : *pads) {
    Value* x = node.operand(0);
    const auto with_size = [&](const Dim& size) {
      Shape sizes = *x->type().shape();
      sizes[static_cast<std::size_t>(pad.axis)] = size;
      return x->type().WithShape(std::move(sizes));
    };
    const auto part = [&](std::int64_t begin, std::int64_t end, std::int64_t size) {
      return InsertOp(node, "Slice", {x, ints(begin), ints(end), ints(pad.axis)}, with_size(size),
                      name);
    };
    std::vector<Value*> parts = {x};
    if (pad.before > 0) parts.insert(parts.begin(), part(-pad.before, INT64_MAX, pad.before));
    if (pad.behind > 0) parts.push_back(part(0, pad.behind, pad.behind));
    if (parts.size() == 1) continue;
    const Dim size =
        (*x->type().shape())[static_cast<std::size_t>(pad.axis)] + Dim(pad.before + pad.behind);
    Value* joined = InsertOp(node, "Concat", parts, with_size(size), name);
    joined->producer()->SetAttribute("axis", pad.axis);
    node.set_operand(0, joined);
  }
  const std::size_t count = 2 * node.operand(0)->type().shape()->size();
  node.set_operand(1, node.graph()->AddConstant(name + ".none", Tensor::Ints(Ints(count, 0))));
  if (node.operand(3) != nullptr) DropOperand(node, 3);
  node.RemoveAttribute("mode");
  return "";
}

std::string LowerResize(Node& node) {
  if (node.attribute("axes") != nullptr) return "it has axes";
  if (TextAttribute(node, "keep_aspect_ratio_policy") != "stretch") {
    return "it has a keep_aspect_ratio_policy";
  }
  node.RemoveAttribute("keep_aspect_ratio_policy");
  return DropInt(node, "antialias", 0);
}

std::string RefuseSymmetric(Node& node) {
  return TextAttribute(node, "coordinate_transformation_mode", "") == "half_pixel_symmetric"
             ? "it has coordinate_transformation_mode half_pixel_symmetric"
             : "";
}

// Region and scales have no elements where they do not count.
std::string GiveResizeOperands(Node& node) {
  for (const std::size_t i : {1u, 2u}) {
    if (node.operand(i) != nullptr || i >= node.num_operands()) continue;
    const std::string name = node.result()->name() + (i == 1 ? ".roi" : ".scales");
    node.set_operand(i, node.graph()->AddConstant(name, Tensor::Of<float>({0}, {})));
  }
  return "";
}

std::string LowerRoiAlign(Node& node) {
  const std::string mode = TextAttribute(node, "coordinate_transformation_mode");
  if (mode != "output_half_pixel") return "it has coordinate_transformation_mode " + mode;
  node.RemoveAttribute("coordinate_transformation_mode");
  return "";
}

std::string RefuseExtremes(Node& node) {
  const std::string reduction = TextAttribute(node, "reduction");
  return reduction == "max" || reduction == "min" ? "it has reduction " + reduction : "";
}

std::string DropReduction(Node& node) {
  const std::string reduction = TextAttribute(node, "reduction");
  if (reduction != "none") return "it has reduction " + reduction;
  node.RemoveAttribute("reduction");
  return "";
}

std::string LowerGridSample(Node& node) {
  if (node.operand(0)->type().rank() != 4) return "its operand is not of rank 4";
  const std::string mode = TextAttribute(node, "mode");
  if (mode == "linear") node.SetAttribute("mode", "bilinear");
  if (mode == "cubic") node.SetAttribute("mode", "bicubic");
  return "";
}

std::string LowerAveragePool(Node& node) { return DropOnes(node, "dilations"); }

std::string LowerLpPool(Node& node) {
  std::string refusal = DropInt(node, "ceil_mode", 0);
  return refusal.empty() ? DropOnes(node, "dilations") : refusal;
}

std::string DropSaturate(Node& node) {
  node.RemoveAttribute("saturate");
  return "";
}

// The forms of set 21: blocks, and integers of 16 bits.
std::string DropBlocks(Node& node) {
  const auto is_wide = [&](const Value* value) {
    return value != nullptr && IsInteger(value->type().dtype()) &&
           Info(value->type().dtype()).bits == 16;
  };
  if (is_wide(node.operand(0)) || is_wide(node.operand(2)) || is_wide(node.result()))
    return "it has 16-bit integers";
  std::string refusal = DropInt(node, "block_size", 0);
  if (!refusal.empty()) return refusal;
  return DropInt(node, "output_dtype", 0);
}

std::string RefuseQuantizedAxis(Node& node) {
  if (node.operand(1)->type().rank() != 0) return "it is quantised per axis";
  node.RemoveAttribute("axis");
  return "";
}

std::string RefuseQuantizedType(Node& node) {
  const DType scale = node.operand(1)->type().dtype();
  return scale != DType::kF32 ? "its scale is not f32" : "";
}

std::string LowerDft(Node& node) {
  const Tensor* axis = ConstantAt(node, 2);
  if (axis == nullptr && node.operand(2) != nullptr) return "its axis is computed";
  node.SetAttribute("axis", axis != nullptr ? axis->ToInts().front() : -2);
  DropOperand(node, 2);
  return CountAxisFromFront(node);
}

// In front of `node`: operand 0 or, where one of the sizes that operand 1 computes is 0, nothing of
// those sizes.
Value* OrNothing(Node& node, const Tensor& zero) {
  Value* const x = node.operand(0);
  Value* const sizes = node.operand(1);
  const std::string name = node.result()->name() + ".nothing";
  const auto insert = [&](std::string_view op, std::vector<Value*> operands, DType dtype,
                          Shape shape) {
    return InsertOp(node, op, operands, Type::Tensor(dtype, std::move(shape)), name);
  };
  const Shape one_axis = *sizes->type().shape();
  Value* none = node.graph()->AddConstant(name + ".size", Tensor::Ints(Ints{0}));
  Value* flags = insert("Equal", {sizes, none}, DType::kBool, one_axis);
  Value* numbers = insert("Cast", {flags}, DType::kI32, one_axis);
  numbers->producer()->SetAttribute("to", static_cast<std::int64_t>(DType::kI32));
  Value* most = insert("ReduceMax", {numbers}, DType::kI32, {});
  most->producer()->SetAttribute("keepdims", std::int64_t{0});
  Value* empty = insert("Cast", {most}, DType::kBool, {});
  empty->producer()->SetAttribute("to", static_cast<std::int64_t>(DType::kBool));
  const auto branch = [&](std::string_view op, Value* operand) {
    auto body = std::make_shared<Graph>();
    Value* const operands[] = {operand};
    Node* made = body->Append(InternOp("onnx", op), operands);
    made->set_origin(node.origin());
    body->AddOutput(made->AddResult(name + "." + std::string(op), Type::Tensor(zero.dtype())));
    return body;
  };
  std::shared_ptr<Graph> nothing = branch("ConstantOfShape", sizes);
  nothing->first_node()->SetAttribute("value", zero);
  Value* chosen = InsertOp(node, "If", {empty}, Type::Tensor(zero.dtype()), name);
  chosen->producer()->SetAttribute("else_branch", Attribute(branch("Identity", x)));
  chosen->producer()->SetAttribute("then_branch", Attribute(std::move(nothing)));
  return chosen;
}

// A size of 0 was that of the operand: one without elements gives way to nothing of those sizes.
std::string DropAllowZero(Node& node) {
  if (IntAttribute(node, "allowzero") == 0) return DropInt(node, "allowzero", 0);
  const Tensor* wanted = ConstantAt(node, 1);
  const std::optional<std::vector<std::int64_t>> sizes =
      wanted != nullptr ? std::optional(wanted->ToInts()) : std::nullopt;
  if (sizes && std::ranges::count(*sizes, 0) == 0) {
    node.RemoveAttribute("allowzero");
    return "";
  }
  const Result<Tensor> zero = Tensor::Full(node.operand(0)->type().dtype(),
                                           sizes.value_or(std::vector<std::int64_t>{1}), 0);
  if (!zero.ok() || node.operand(1)->type().shape() == nullptr)
    return DropInt(node, "allowzero", 0);
  const std::string name = node.result()->name() + ".nothing";
  node.set_operand(0, sizes ? node.graph()->AddConstant(name, *zero) : OrNothing(node, *zero));
  node.RemoveAttribute("allowzero");
  return "";
}

DType OperandType(const Node& node, std::size_t i) {
  return node.operand(i) == nullptr ? DType::kUnknown : node.operand(i)->type().dtype();
}

std::string RefuseOtherScale(Node& node) {
  return OperandType(node, 0) != OperandType(node, 1)
             ? "its scale and bias have another type than its operand"
             : "";
}

std::string RefuseOtherStatistics(Node& node) {
  return OperandType(node, 0) != OperandType(node, 3)
             ? "its mean and variance have another type than its operand"
             : "";
}

std::string DropTrainingMode(Node& node) { return DropInt(node, "training_mode", 0); }

std::string DropLayout(Node& node) { return DropInt(node, "layout", 0); }

// Operator `type`, applied to the result of `node`, which is a `raw` now, takes its place and name.
Node& Follow(Node& node, std::string_view type, Type raw) {
  Value* y = node.result();
  Node* next = node.graph()->Insert(node.next(), InternOp("onnx", type), {});
  next->set_origin(node.origin());
  Value* result = next->AddResult(y->name(), y->type());
  y->ReplaceAllUsesWith(result);
  next->AddOperand(y);
  y->set_name(result->name() + ".raw");
  y->set_type(std::move(raw));
  return *next;
}

// Some of the sizes are a slice of all.
std::string LowerShape(Node& node) {
  const std::int64_t start = IntAttribute(node, "start");
  const Attribute* stated = node.attribute("end");
  const std::int64_t end =
      stated != nullptr ? *stated->As<std::int64_t>() : std::numeric_limits<std::int64_t>::max();
  node.RemoveAttribute("start");
  node.RemoveAttribute("end");
  if (start == 0 && stated == nullptr) return "";
  const std::optional<int> rank = node.operand(0)->type().rank();
  const Dim count = rank ? Dim(*rank) : Dim::Unknown();
  Node& slice = Follow(node, "Slice", Type::Tensor(DType::kI64, Shape{count}));
  const std::string& name = slice.result()->name();
  slice.AddOperand(node.graph()->AddConstant(name + ".from", Tensor::Ints(Ints{start})));
  slice.AddOperand(node.graph()->AddConstant(name + ".to", Tensor::Ints(Ints{end})));
  return "";
}

// Bools as numbers: the largest is positive if one is true, the smallest if all are, also of none.
std::string ReduceNumbers(Node& node) {
  const Value* x = node.operand(0);
  if (x->type().dtype() != DType::kBool) return "";
  const std::string name = node.result()->name();
  Value* numbers = InsertOp(node, "Cast", {node.operand(0)}, x->type().WithDType(DType::kF32),
                            name + ".numbers");
  numbers->producer()->SetAttribute("to", static_cast<std::int64_t>(DType::kF32));
  node.set_operand(0, numbers);
  Node& test = Follow(node, "Greater", node.result()->type().WithDType(DType::kF32));
  const float zero[] = {0};
  test.AddOperand(node.graph()->AddConstant(name + ".zero", Tensor::Of<float>({}, zero)));
  return "";
}

// The node works on its last axis, which operand and result exchange with axis `axis`.
void ExchangeWithLast(Node& node, std::int64_t axis, int rank) {
  Attribute::Ints perm(static_cast<std::size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[static_cast<std::size_t>(axis)], perm.back());
  Value* x = node.operand(0);
  Shape exchanged = *x->type().shape();
  std::swap(exchanged[static_cast<std::size_t>(axis)], exchanged.back());
  Value* moved = InsertOp(node, "Transpose", {x}, x->type().WithShape(exchanged),
                          node.result()->name() + ".exchanged");
  moved->producer()->SetAttribute("perm", perm);
  node.set_operand(0, moved);
  Follow(node, "Transpose", x->type().WithShape(exchanged)).SetAttribute("perm", perm);
}

// Before 13 all axes from `axis` on were one.
std::string LowerSoftmax(Node& node) {
  const std::optional<int> rank = node.operand(0)->type().rank();
  const std::int64_t axis = IntAttribute(node, "axis");
  if (axis != -1 && !rank) return "its axis may not be the last";
  std::int64_t place = axis < 0 ? axis + rank.value_or(0) : axis;
  const Shape* shape = node.operand(0)->type().shape();
  const auto is_one = [](const Dim& size) { return size == Dim(1); };
  if (axis != -1 && !std::all_of(shape->begin() + place + 1, shape->end(), is_one)) {
    ExchangeWithLast(node, place, *rank);
    place = -1;
  }
  node.SetAttribute("axis", axis == -1 ? axis : place == *rank - 1 ? -1 : place);
  return "";
}

// Before 12 nothing was said of the mask at inference.
std::string LowerDropout(Node& node) {
  if (node.result(1) != nullptr) return "it gives a mask";
  if (node.operand(2) != nullptr) return "it has a training mode";
  const Tensor* ratio = ConstantAt(node, 1);
  if (ratio == nullptr && node.operand(1) != nullptr) return "its ratio is computed";
  if (ratio != nullptr) {
    node.SetAttribute("ratio", static_cast<float>(ratio->FloatAt(0)));
    DropOperand(node, 1);
  }
  node.RemoveAttribute("seed");
  return "";
}

std::string DropSelectLast(Node& node) { return DropInt(node, "select_last_index", 0); }

std::string DropBatchDims(Node& node) { return DropInt(node, "batch_dims", 0); }

std::string RefuseMixedPow(Node& node) {
  return node.operand(0)->type().dtype() != node.operand(1)->type().dtype()
             ? "base and exponent have different types"
             : "";
}

std::string RefuseStrings(Node& node) {
  return node.operand(0)->type().dtype() == DType::kString ? "it compares strings" : "";
}

std::string RefuseIntegerPool(Node& node) {
  return IsInteger(node.operand(0)->type().dtype()) ? "it pools integers" : "";
}

std::string RefuseHalf(Node& node) {
  return node.operand(0)->type().dtype() == DType::kF16 ? "it takes f16" : "";
}

std::string RefuseOtherThanOptional(Node& node) {
  const Value* x = node.operand(0);
  const bool optional = x != nullptr && x->type().kind() == Type::Kind::kOptional;
  return optional ? "" : "its operand is not an optional";
}

// Sorted by type, newer changes first.
constexpr FormChange kChanges[] = {
    {"ArgMax", 12, DropSelectLast},
    {"ArgMin", 12, DropSelectLast},
    {"AveragePool", 19, LowerAveragePool},
    {"BatchNormalization", 15, RefuseOtherScale},
    {"BatchNormalization", 14, RefuseOtherStatistics},
    {"BatchNormalization", 14, DropTrainingMode},
    {"Cast", 19, DropSaturate},
    {"CumSum", 14, RefuseHalf},
    {"DFT", 20, LowerDft},
    {"DequantizeLinear", 21, DropBlocks},
    {"DequantizeLinear", 19, RefuseQuantizedType},
    {"DequantizeLinear", 13, RefuseQuantizedAxis},
    {"Dropout", 12, LowerDropout},
    {"Equal", 19, RefuseStrings},
    {"GRU", 14, DropLayout},
    {"GatherND", 12, DropBatchDims},
    {"GridSample", 20, LowerGridSample},
    {"Hardmax", 13, LowerSoftmax},
    {"IsInf", 20, RefuseHalf},
    {"LSTM", 14, DropLayout},
    {"LogSoftmax", 13, LowerSoftmax},
    {"LpPool", 18, LowerLpPool},
    {"MaxPool", 12, RefuseIntegerPool},
    {"OptionalGetElement", 18, RefuseOtherThanOptional},
    {"OptionalHasElement", 18, RefuseOtherThanOptional},
    {"Pad", 19, LowerWrap},
    {"Pad", 18, LowerPadAxes},
    {"Pad", 13, RefuseOtherThanNumbers},
    {"Pow", 12, RefuseMixedPow},
    {"QuantizeLinear", 21, DropBlocks},
    {"QuantizeLinear", 19, RefuseQuantizedType},
    {"QuantizeLinear", 13, RefuseQuantizedAxis},
    {"RNN", 14, DropLayout},
    {"ReduceL1", 18, LowerReduce},
    {"ReduceL2", 18, LowerReduce},
    {"ReduceLogSum", 18, LowerReduce},
    {"ReduceLogSumExp", 18, LowerReduce},
    {"ReduceMax", 20, ReduceNumbers},
    {"ReduceMax", 18, LowerReduce},
    {"ReduceMean", 18, LowerReduce},
    {"ReduceMin", 20, ReduceNumbers},
    {"ReduceMin", 18, LowerReduce},
    {"ReduceProd", 18, LowerReduce},
    {"ReduceSum", 13, LowerReduce},
    {"ReduceSumSquare", 18, LowerReduce},
    {"Reshape", 14, DropAllowZero},
    {"Resize", 19, RefuseSymmetric},
    {"Resize", 18, LowerResize},
    {"Resize", 13, GiveResizeOperands},
    {"RoiAlign", 16, LowerRoiAlign},
    {"ScatterElements", 18, RefuseExtremes},
    {"ScatterElements", 16, DropReduction},
    {"ScatterND", 18, RefuseExtremes},
    {"ScatterND", 16, DropReduction},
    {"Shape", 15, LowerShape},
    {"Softmax", 13, LowerSoftmax},
    {"Split", 18, LowerSplitCount},
    {"Split", 13, LowerSplit},
    {"Squeeze", 13, LowerAxes},
    {"Unsqueeze", 13, LowerAxes},
};

}  // namespace

std::span<const FormChange> LateFormChanges() { return kChanges; }

}  // namespace dragoman

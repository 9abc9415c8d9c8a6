// SPDX-License-Identifier: Apache-2.0
// The changes of opsets 8 to 11. Source: the operator schemas of onnx, docs/Changelog.md.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ir/node_attributes.h"
#include "core/ops/declared_attributes.h"
#include "exporters/onnx/form_change.h"
#include "exporters/onnx/lower_opset.h"

namespace dragoman {
namespace {

using Ints = Attribute::Ints;
using Floats = Attribute::Floats;

std::string PlainAxis(Node& node) { return CountAxisFromFront(node); }

std::string PlainAxes(Node& node) {
  return CountAxesFromFront(node, "axes", node.operand(0)->type().rank());
}

std::string PlainScanAxes(Node& node) {
  const auto rank_of = [](const Value* value) {
    return value != nullptr ? value->type().rank() : std::nullopt;
  };
  const auto scanned = static_cast<std::size_t>(IntAttribute(node, "num_scan_inputs"));
  const std::size_t states = node.num_operands() - scanned;
  const std::optional<int> in = rank_of(node.operand(states));
  const std::optional<int> out = rank_of(node.result(states));
  std::string refusal = CountAxesFromFront(node, "scan_input_axes", in);
  return refusal.empty() ? CountAxesFromFront(node, "scan_output_axes", out) : refusal;
}

std::string RefuseScan(Node&) { return "it has no batch axis"; }

// A new axis at the end is -1 in the older form too.
std::string LowerOneHot(Node& node) {
  if (IntAttribute(node, "axis") == -1) return "";
  return CountAxisFromFront(node, "axis", node.result()->type().rank());
}

std::string LowerUnsqueeze(Node& node) {
  return CountAxesFromFront(node, "axes", node.result()->type().rank());
}

// Both branches had to give the same sizes.
std::string RefuseTwoSizes(Node& node) {
  const std::vector<Graph*> branches = node.subgraphs();
  if (branches.size() != 2) return "";
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Shape* one = branches[0]->output(i)->type().shape();
    const Shape* other = branches[1]->output(i)->type().shape();
    if (one == nullptr || other == nullptr) continue;
    const bool equal = std::ranges::equal(*one, *other, [](const Dim& a, const Dim& b) {
      return !a.known() || !b.known() || a == b;
    });
    if (!equal) return "its branches give other sizes";
  }
  return "";
}

std::string DropCeilMode(Node& node) { return DropInt(node, "ceil_mode", 0); }

std::string LowerMaxPool10(Node& node) {
  std::string refusal = DropCeilMode(node);
  return refusal.empty() ? DropOnes(node, "dilations") : refusal;
}

std::string LowerMaxPool8(Node& node) {
  if (node.result(1) != nullptr) return "it gives indices";
  node.RemoveAttribute("storage_order");
  return "";
}

// A constant number as a float attribute, unless that cannot hold it.
std::string NumberToAttribute(Node& node, std::size_t i, std::string_view name) {
  if (node.operand(i) == nullptr) return "";
  const std::string what = "its " + std::string(name);
  const Tensor* tensor = ConstantAt(node, i);
  if (tensor == nullptr || tensor->size() != 1) return what + " is computed";
  const double value = tensor->FloatAt(0);
  const auto narrow = static_cast<float>(value);
  if (narrow != value && !std::isnan(value)) return what + " is not f32";
  node.SetAttribute(name, narrow);
  DropOperand(node, i);
  return "";
}

std::string LowerClip(Node& node) {
  std::string refusal = NumberToAttribute(node, 2, "max");
  return refusal.empty() ? NumberToAttribute(node, 1, "min") : refusal;
}

std::string LowerDepthToSpace(Node& node) {
  const std::string mode = TextAttribute(node, "mode", "DCR");
  if (mode != "DCR") return "it has mode " + mode;
  node.RemoveAttribute("mode");
  return "";
}

std::string RefuseOtherEquals(Node& node) {
  const DType dtype = node.operand(0)->type().dtype();
  const bool admitted = dtype == DType::kBool || dtype == DType::kI32 || dtype == DType::kI64;
  return admitted ? "" : "it compares neither bools, i32 nor i64";
}

std::string RefuseOtherThanFloats(Node& node) {
  return IsFloating(node.operand(0)->type().dtype()) ? "" : "its operand is not of floats";
}

// The third operand was not optional.
std::string LowerGemm(Node& node) {
  if (node.operand(2) != nullptr) return "";
  Result<Tensor> zero = Tensor::Full(node.operand(0)->type().dtype(), {1}, 0);
  if (!zero.ok()) return "it has no third operand";
  Value* c = node.graph()->AddConstant(node.result()->name() + ".zero", std::move(*zero));
  if (node.num_operands() > 2) {
    node.set_operand(2, c);
  } else {
    node.AddOperand(c);
  }
  return "";
}

std::string LowerPad(Node& node) {
  std::string refusal = RefuseOtherThanFloats(node);
  if (refusal.empty()) refusal = NumberToAttribute(node, 2, "value");
  return refusal.empty() ? OperandToAttribute(node, 1, "pads") : refusal;
}

Floats FloatsOf(const Tensor& tensor) {
  Floats floats;
  for (std::int64_t i = 0; i < tensor.size(); ++i)
    floats.push_back(static_cast<float>(tensor.FloatAt(i)));
  return floats;
}

// The scales of a Resize; nullopt if they are not known.
std::optional<Floats> ScalesOf(const Node& node) {
  const Tensor* sizes = ConstantAt(node, 3);
  const Shape* shape = node.operand(0)->type().shape();
  const Tensor* stated = ConstantAt(node, 2);
  if (sizes == nullptr && stated != nullptr) return FloatsOf(*stated);
  if (sizes == nullptr || shape == nullptr) return std::nullopt;
  const std::vector<std::int64_t> wanted = sizes->ToInts();
  Floats scales;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Dim& size = (*shape)[i];
    if (!size.known() || size.value() == 0) return std::nullopt;
    const float scale = static_cast<float>(wanted[i]) / static_cast<float>(size.value());
    if (std::floor(static_cast<float>(size.value()) * scale) != static_cast<float>(wanted[i]))
      return std::nullopt;
    scales.push_back(scale);
  }
  return scales;
}

// Where elements lie between others, runtimes round down or up below opset 11.
bool RoundsAlike(float scale) { return scale >= 1 || std::floor(1 / scale) * scale == 1; }

std::string LowerEarlyResize(Node& node) {
  const std::string mode = TextAttribute(node, "mode");
  if (mode == "cubic") return "it has mode cubic";
  const std::string place = TextAttribute(node, "coordinate_transformation_mode");
  if (place != "asymmetric") return "it has coordinate_transformation_mode " + place;
  const std::optional<Floats> scales = ScalesOf(node);
  if (!scales) return "its scales are computed";
  const std::string rounding = TextAttribute(node, "nearest_mode");
  if (mode == "nearest" && rounding != "floor") return "it has nearest_mode " + rounding;
  if (mode == "nearest" && !std::ranges::all_of(*scales, RoundsAlike))
    return "it takes the nearest of fewer elements";
  node.attributes().clear();
  node.SetAttribute("mode", mode);
  while (node.num_operands() > 1) node.RemoveTrailingOperand();
  const auto rank = static_cast<std::int64_t>(scales->size());
  node.AddOperand(node.graph()->AddConstant(node.result()->name() + ".factors",
                                            Tensor::Of<float>({rank}, *scales)));
  return "";
}

std::string LowerResizeToUpsample(Node& node) {
  const Tensor* scales = ConstantAt(node, 1);
  for (std::int64_t i = 0; i < scales->size(); ++i) {
    if (scales->FloatAt(i) < 1) return "it makes its operand smaller";
  }
  node.set_op(InternOp("onnx", "Upsample"));
  return "";
}

std::string LowerUpsample(Node& node) {
  node.SetAttribute("scales", FloatsOf(*ConstantAt(node, 1)));
  DropOperand(node, 1);
  return "";
}

std::string LowerScatter(Node& node) {
  node.set_op(InternOp("onnx", "Scatter"));
  return CountAxisFromFront(node);
}

std::string LowerSlice11(Node& node) {
  if (node.operand(3) == nullptr) return "";
  const Tensor* axes = ConstantAt(node, 3);
  const std::optional<int> rank = node.operand(0)->type().rank();
  if (axes == nullptr) return "its axes are computed";
  Ints plain = axes->ToInts();
  if (std::ranges::all_of(plain, [](std::int64_t axis) { return axis >= 0; })) return "";
  if (!rank) return "its axes count from the end of an unknown rank";
  for (std::int64_t& axis : plain) axis += axis < 0 ? *rank : 0;
  Tensor front = Tensor::Ints(plain);
  if (axes->dtype() == DType::kI32) {  // starts and ends are of that type, too
    const std::vector<std::int32_t> narrow(plain.begin(), plain.end());
    front = Tensor::Of<std::int32_t>(axes->sizes(), narrow);
  }
  node.set_operand(3, node.graph()->AddConstant(node.result()->name() + ".axes", std::move(front)));
  return "";
}

std::string LowerSlice10(Node& node) {
  if (node.operand(4) != nullptr) {
    const Tensor* steps = ConstantAt(node, 4);
    if (steps == nullptr) return "its steps are computed";
    const std::vector<std::int64_t> values = steps->ToInts();
    if (!std::ranges::all_of(values, [](std::int64_t step) { return step == 1; }))
      return "it has steps other than 1";
    DropOperand(node, 4);
  }
  std::string refusal = OperandToAttribute(node, 3, "axes");
  if (refusal.empty()) refusal = OperandToAttribute(node, 2, "ends");
  return refusal.empty() ? OperandToAttribute(node, 1, "starts") : refusal;
}

std::string LowerTopK11(Node& node) {
  std::string refusal = RefuseOtherThanFloats(node);
  if (refusal.empty()) refusal = DropInt(node, "largest", 1);
  if (!refusal.empty()) return refusal;
  node.RemoveAttribute("sorted");
  return IntAttribute(node, "axis") == -1 ? "" : CountAxisFromFront(node);
}

std::string LowerTopK10(Node& node) {
  const Tensor* k = ConstantAt(node, 1);
  if (k == nullptr) return "its k is computed";
  node.SetAttribute("k", k->ToInts().front());
  DropOperand(node, 1);
  return "";
}

// Before 8, operands of Max, Mean, Min and Sum did not broadcast.
std::string RefuseBroadcast(Node& node) {
  const Shape* first = node.operand(0)->type().shape();
  for (std::size_t i = 1; i < node.num_operands(); ++i) {
    const Shape* shape = node.operand(i)->type().shape();
    if (first == nullptr || shape == nullptr || *first != *shape) return "its operands broadcast";
  }
  return "";
}

std::string RefuseText(Node& node) {
  const bool text = node.operand(0)->type().dtype() == DType::kString ||
                    node.result()->type().dtype() == DType::kString;
  return text ? "it converts strings" : "";
}

// Sorted by type, newer changes first.
constexpr FormChange kEarlyChanges[] = {
    {"ArgMax", 11, PlainAxis},
    {"ArgMin", 11, PlainAxis},
    {"AveragePool", 10, DropCeilMode},
    {"Cast", 9, RefuseText},
    {"Clip", 11, LowerClip},
    {"Compress", 11, PlainAxis},
    {"Concat", 11, PlainAxis},
    {"DepthToSpace", 11, LowerDepthToSpace},
    {"Equal", 11, RefuseOtherEquals},
    {"Flatten", 11, PlainAxis},
    {"Flatten", 9, RefuseOtherThanFloats},
    {"Gather", 11, PlainAxis},
    {"Gemm", 11, LowerGemm},
    {"Hardmax", 11, PlainAxis},
    {"If", 11, RefuseTwoSizes},
    {"LogSoftmax", 11, PlainAxis},
    {"Max", 8, RefuseBroadcast},
    {"MaxPool", 10, LowerMaxPool10},
    {"MaxPool", 8, LowerMaxPool8},
    {"Mean", 8, RefuseBroadcast},
    {"Min", 8, RefuseBroadcast},
    {"OneHot", 11, LowerOneHot},
    {"Pad", 11, LowerPad},
    {"ReduceL1", 11, PlainAxes},
    {"ReduceL2", 11, PlainAxes},
    {"ReduceLogSum", 11, PlainAxes},
    {"ReduceLogSumExp", 11, PlainAxes},
    {"ReduceMax", 11, PlainAxes},
    {"ReduceMean", 11, PlainAxes},
    {"ReduceMin", 11, PlainAxes},
    {"ReduceProd", 11, PlainAxes},
    {"ReduceSum", 11, PlainAxes},
    {"ReduceSumSquare", 11, PlainAxes},
    {"Resize", 11, LowerEarlyResize},
    {"Resize", 10, LowerResizeToUpsample},
    {"Resize", 9, LowerUpsample},
    {"Scan", 11, PlainScanAxes},
    {"Scan", 9, RefuseScan},
    {"ScatterElements", 11, LowerScatter},
    {"Slice", 11, LowerSlice11},
    {"Slice", 10, LowerSlice10},
    {"Softmax", 11, PlainAxis},
    {"Split", 11, PlainAxis},
    {"Squeeze", 11, PlainAxes},
    {"Sum", 8, RefuseBroadcast},
    {"TopK", 11, LowerTopK11},
    {"TopK", 10, LowerTopK10},
    {"Unsqueeze", 11, LowerUnsqueeze},
};

}  // namespace

std::span<const FormChange> EarlyFormChanges() { return kEarlyChanges; }

}  // namespace dragoman

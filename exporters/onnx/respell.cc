// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/respell.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/interpreter/evaluate.h"
#include "core/ir/node_attributes.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/expansion.h"
#include "core/support/size_budget.h"
#include "exporters/onnx/form_change.h"

namespace dragoman {
namespace {

using Ints = Attribute::Ints;

// --- Normalisation over one element

bool NormalizesOneElement(const Node& node) {
  if (!node.Is("LayerNormalization") && !node.Is("RMSNormalization")) return false;
  const Shape* shape = node.operand(0)->type().shape();
  if (shape == nullptr) return false;
  std::int64_t axis = IntAttribute(node, "axis");
  if (axis < 0) axis += static_cast<std::int64_t>(shape->size());
  const Dim count = NumElements(Shape(shape->begin() + axis, shape->end()));
  return count.known() && count.value() <= 1;
}

// --- Resize

// One axis of a Resize, by its size and scale.
struct ResizedAxis {
  std::int64_t in = 0, out = 0;
  double scale = 1;
};

// The coordinate in the operand of position `i`, computed in T.
template <class T>
std::optional<T> CoordinateOf(std::int64_t i, const ResizedAxis& axis, const std::string& mode) {
  const T x = static_cast<T>(i), scale = static_cast<T>(axis.scale);
  const T in = static_cast<T>(axis.in), out = static_cast<T>(axis.out);
  if (mode == "asymmetric") return x / scale;
  if (mode == "half_pixel") return (x + T(0.5)) / scale - T(0.5);
  if (mode == "pytorch_half_pixel") return axis.out > 1 ? (x + T(0.5)) / scale - T(0.5) : T(0);
  if (mode == "align_corners") return axis.out > 1 ? x * (in - 1) / (out - 1) : T(0);
  return std::nullopt;
}

template <class T>
std::int64_t RoundedTo(T x, const std::string& rounding) {
  T rounded = std::floor(x);
  if (rounding == "ceil") rounded = std::ceil(x);
  if (rounding == "round_prefer_floor") rounded = x - rounded == T(0.5) ? rounded : std::round(x);
  if (rounding == "round_prefer_ceil") rounded = std::round(x);
  return static_cast<std::int64_t>(rounded);
}

// Whether computing in T gives `places`.
template <class T>
bool TakesPlaces(const std::vector<std::int64_t>& places, const ResizedAxis& axis,
                 const Node& node) {
  const std::string mode = TextAttribute(node, "coordinate_transformation_mode");
  const std::string rounding = TextAttribute(node, "nearest_mode");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::optional<T> x = CoordinateOf<T>(static_cast<std::int64_t>(i), axis, mode);
    if (!x) return true;  // no other reading is known
    const std::int64_t place = RoundedTo(*x, rounding);
    if (std::clamp<std::int64_t>(place, 0, axis.in - 1) != places[i]) return false;
  }
  return true;
}

// The elements that position for position of `axis` are taken, by the kernel of `node`. Errors: as
// of TakeExpanded.
Result<std::vector<std::int64_t>> PlacesOf(const Node& node, const ResizedAxis& axis) {
  const auto bytes = PackedBytes(DType::kI64, std::max(axis.in, axis.out));
  DRAGOMAN_TRY(TakeExpanded(0, bytes.value_or(UINT64_MAX)));
  Ints count(static_cast<std::size_t>(axis.in));
  std::iota(count.begin(), count.end(), 0);
  const Tensor x = Tensor::Ints(count);
  const bool scaled = node.operand(3) == nullptr;
  const std::vector<float> factor = {static_cast<float>(axis.scale)};
  const Tensor scale = Tensor::Of<float>({1}, factor);
  const Tensor size = Tensor::Ints(Ints{axis.out});
  Graph graph;
  Value* const operands[] = {graph.AddConstant("x", x), nullptr,
                             scaled ? graph.AddConstant("scale", scale) : nullptr,
                             scaled ? nullptr : graph.AddConstant("size", size)};
  Node* one = graph.Append(&node.op(), operands);
  for (const char* name : {"coordinate_transformation_mode", "mode", "nearest_mode"})
    one->SetAttribute(name, TextAttribute(node, name));
  one->AddResult("y", Type::Tensor(DType::kI64, Shape{Dim(axis.out)}));
  const Tensor* const tensors[] = {&x, nullptr, scaled ? &scale : nullptr,
                                   scaled ? nullptr : &size};
  DRAGOMAN_ASSIGN(const std::vector<Tensor> results, EvaluateOnTensors(*one, tensors));
  return results.front().ToInts();
}

// The axes of a Resize of known sizes to the nearest elements; nullopt: it is another.
std::optional<std::vector<ResizedAxis>> AxesOf(const Node& node) {
  if (!node.Is("Resize") || TextAttribute(node, "mode") != "nearest") return std::nullopt;
  const Value* x = node.operand(0);
  const Value* y = node.result();
  const bool plain = node.attribute("axes") == nullptr &&
                     TextAttribute(node, "keep_aspect_ratio_policy") == "stretch";
  if (!plain || x->type().shape() == nullptr || y->type().rank() != x->type().rank())
    return std::nullopt;
  const auto in = KnownShape(*x->type().shape());
  const auto out = KnownShape(*y->type().shape());
  const Tensor* scales = node.operand(3) == nullptr ? ConstantAt(node, 2) : nullptr;
  if (!in || !out || (scales == nullptr && node.operand(3) == nullptr)) return std::nullopt;
  std::vector<ResizedAxis> axes;
  for (std::size_t i = 0; i < in->size(); ++i) {
    if ((*in)[i] == 0 || (*out)[i] == 0) return std::nullopt;
    const double scale = scales != nullptr
                             ? scales->FloatAt(static_cast<std::int64_t>(i))
                             : static_cast<double>((*out)[i]) / static_cast<double>((*in)[i]);
    axes.push_back({(*in)[i], (*out)[i], scale});
  }
  return axes;
}

Status GatherNearest(Node& node) {
  const std::optional<std::vector<ResizedAxis>> axes = AxesOf(node);
  if (!axes) return {};
  std::vector<std::vector<std::int64_t>> places;
  bool agree = true;
  for (const ResizedAxis& axis : *axes) {
    if (axis.scale == 1) {
      places.emplace_back();
      continue;
    }
    DRAGOMAN_ASSIGN(std::vector<std::int64_t> taken, PlacesOf(node, axis));
    agree =
        agree && TakesPlaces<float>(taken, axis, node) && TakesPlaces<double>(taken, axis, node);
    places.push_back(std::move(taken));
  }
  if (agree) return {};
  Value* x = node.operand(0);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].empty()) continue;
    Shape sizes = *x->type().shape();
    sizes[i] = Dim((*axes)[i].out);
    const std::string name = node.result()->name() + ".axis" + std::to_string(i);
    Value* taken = node.graph()->AddConstant(name + ".taken", Tensor::Ints(places[i]));
    x = InsertOp(node, "Gather", {x, taken}, x->type().WithShape(std::move(sizes)), name);
    x->producer()->SetAttribute("axis", static_cast<std::int64_t>(i));
  }
  TakePlace(x, node);
  node.graph()->Erase(&node);
  return {};
}

// --- Pools behind a Pad

// Whether ONNX Runtime moves the zeros of a Pad into this pool, which then takes them for elements
// that are not there: a MaxPool skips these, and `ceil_mode` starts no window among them.
bool TakesZerosForPads(const Node& node) {
  const bool cares =
      node.Is("MaxPool") || (node.Is("AveragePool") && IntAttribute(node, "ceil_mode") != 0);
  if (!cares || TextAttribute(node, "auto_pad", "NOTSET") != "NOTSET") return false;
  const Node* pad = node.operand(0)->producer();
  if (pad == nullptr || !pad->Is("Pad") || TextAttribute(*pad, "mode", "constant") != "constant")
    return false;
  const Tensor* value = ConstantAt(*pad, 2);
  return pad->operand(2) == nullptr || (value != nullptr && value->FloatAt(0) == 0);
}

// ONNX Runtime leaves the Pad where it is if the pool has `auto_pad` VALID, or if another Pad
// stands between them, which adds no elements and whose number is not 0.
Status KeepZerosApart(Node& node) {
  const Ints* pads = IntsAttribute(node, "pads");
  const bool padded = pads != nullptr && std::ranges::any_of(*pads, [](auto n) { return n != 0; });
  if (!padded && IntAttribute(node, "ceil_mode") == 0) {
    node.RemoveAttribute("pads");
    node.SetAttribute("auto_pad", std::string("VALID"));
    return {};
  }
  Value* x = node.operand(0);
  if (x->type().shape() == nullptr) return {};
  const std::string name = x->name() + ".zeros_kept";
  DRAGOMAN_ASSIGN(const Tensor one, Tensor::Full(x->type().dtype(), {}, 1));
  Value* none = node.graph()->AddConstant(name + ".none",
                                          Tensor::Ints(Ints(2 * x->type().shape()->size(), 0)));
  Value* number = node.graph()->AddConstant(name + ".number", one);
  node.set_operand(0, InsertOp(node, "Pad", {x, none, number}, x->type(), name));
  return {};
}

// --- TopK of none, Loops without states

bool TakesNone(const Node& node) {
  const Tensor* k = node.Is("TopK") ? ConstantAt(node, 1) : nullptr;
  return k != nullptr && k->size() == 1 && k->ToInts().front() == 0;
}

void SliceNone(Node& node) {
  const Value* type_of = node.result(0) != nullptr ? node.result(0) : node.result(1);
  const std::string name = type_of->name() + ".none";
  const auto ints = [&](std::int64_t number) {
    return node.graph()->AddConstant(name, Tensor::Ints(Ints{number}));
  };
  const Type values = type_of->type().WithDType(node.operand(0)->type().dtype());
  Value* none =
      InsertOp(node, "Slice", {node.operand(0), ints(0), ints(0), ints(IntAttribute(node, "axis"))},
               values, name);
  Value* places = InsertOp(node, "Cast", {none}, values.WithDType(DType::kI64), name + ".places");
  places->producer()->SetAttribute("to", static_cast<std::int64_t>(DType::kI64));
  TakePlace(none, node, 0);
  TakePlace(places, node, 1);
  node.graph()->Erase(&node);
}

bool LacksStates(const Node& node) { return node.Is("Loop") && node.num_operands() <= 2; }

// The state is a number that comes back as it is.
void AddState(Node& node) {
  Graph& graph = *node.graph();
  const std::string name = "unused_state";
  Value* zero = graph.AddConstant(name, Tensor::Ints(Ints{0}));
  Value* const operands[] = {node.operand(0), node.operand(1), zero};
  Node* made = graph.Insert(&node, &node.op(), operands, node.name());
  made->set_origin(node.origin());
  for (NamedAttribute& attribute : node.attributes()) made->AddAttribute(std::move(attribute));
  node.attributes().clear();
  Graph& body = *made->subgraphs().front();
  Value* state = body.AddInput(name, zero->type());
  Value* const copied[] = {state};
  Node* copy = body.Append(InternOp("onnx", "Identity"), copied);
  std::vector<Value*> outputs = {body.output(0), copy->AddResult(name, zero->type())};
  for (std::size_t i = 1; i < body.num_outputs(); ++i) outputs.push_back(body.output(i));
  body.AddOutput(outputs.back());
  for (std::size_t i = 0; i < outputs.size(); ++i) body.SetOutput(i, outputs[i]);
  made->AddResult(name, zero->type());
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    Value* old = node.result(i);
    if (old == nullptr) {
      made->AddOmittedResult();
    } else {
      old->ReplaceAllUsesWith(made->AddResult(old->name(), old->type()));
    }
  }
  graph.Erase(&node);
}

Status Respell(Node& node, std::int64_t opset) {
  if (NormalizesOneElement(node)) return ReplaceByExpansion(node);
  if (TakesZerosForPads(node)) return KeepZerosApart(node);
  if (opset < 10 && TakesNone(node)) {
    SliceNone(node);
    return {};
  }
  if (opset < 11 && LacksStates(node)) {
    AddState(node);
    return {};
  }
  return GatherNearest(node);
}

}  // namespace

Status RespellForRuntimes(Graph& entry, std::int64_t opset) {
  Status status;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (status.ok()) status = Respell(node, opset);
    }
  });
  return status;
}

}  // namespace dragoman

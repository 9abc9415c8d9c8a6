// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/einsum_labels.h"
#include "core/rewrite/patterns/linear_patterns.h"
#include "runtime/params/einsum.h"

namespace dragoman {
namespace {

bool AreUsable(const AxisLabels& labels) {
  return AreDistinct(labels) && !Has(labels, rt::kEinsumEllipsis);
}

std::optional<EinsumEquation> ReadEquation(const Node& node) {
  const Result<Params> params = FindOp(node)->fill_params(node);
  if (!params.ok() || node.num_operands() != 2) return std::nullopt;
  const auto& einsum = params->As<rt::EinsumParams>();
  EinsumEquation equation;
  equation.output.assign(einsum.output.begin(), einsum.output.end());
  const std::int64_t* at = einsum.labels.begin();
  for (int i = 0; i < 2; ++i) {
    equation.operands[i].assign(at, at + einsum.operand_labels[i]);
    at += einsum.operand_labels[i];
    if (!AreUsable(equation.operands[i])) return std::nullopt;
  }
  return equation;
}

// Linear's result, as the labels of its axes: those of x but the last one, which is summed, and the
// others of the weight in the order in which the output has them. Empty for any other equation.
struct Labelled {
  AxisLabels weight;  // the order of the weight's axes as (outputs…, input)
  AxisLabels result;
};

std::optional<Labelled> ReadLinear(const AxisLabels& x, const AxisLabels& weight,
                                   const AxisLabels& output) {
  if (x.empty() || output.size() + 2 != x.size() + weight.size() || output.size() < x.size()) {
    return std::nullopt;
  }
  const std::int64_t summed = x.back();
  if (!Has(weight, summed) || Has(output, summed)) return std::nullopt;
  Labelled linear;
  const auto place = [&](std::int64_t label) {
    const auto found = std::ranges::find(weight, label);
    if (found != weight.end()) linear.weight.push_back(found - weight.begin());
    return found != weight.end();
  };
  linear.result.assign(x.begin(), x.end() - 1);
  for (std::int64_t label : linear.result) {
    if (!Has(output, label) || Has(weight, label)) return std::nullopt;
  }
  for (std::int64_t label : output) {
    if (Has(linear.result, label)) continue;
    if (!place(label)) return std::nullopt;
    linear.result.push_back(label);
  }
  place(summed);
  if (!AreDistinct(linear.weight) || !AreUsable(output)) return std::nullopt;
  return linear;
}

// An operand as the weight of a Linear.
struct WeightOperand {
  std::size_t index = 0;
  Labelled linear;
};

// Of two constants the one that gives the output as it is; or else the second.
std::optional<WeightOperand> FindWeight(const Node& node, const EinsumEquation& equation) {
  std::optional<WeightOperand> found;
  for (const std::size_t i : {std::size_t{1}, std::size_t{0}}) {
    const Tensor* tensor = ConstantOf(node.operand(i));
    if (tensor == nullptr || tensor->size() == 0) continue;
    auto linear = ReadLinear(equation.operands[1 - i], equation.operands[i], equation.output);
    if (linear && (!found || linear->result == equation.output)) found = {i, std::move(*linear)};
  }
  return found;
}

// Einsum would repeat an only one.
bool HasFeatures(const Value& x, std::int64_t count) {
  const Shape* shape = x.type().shape();
  return shape != nullptr && !shape->empty() && Equal(shape->back(), Dim(count)) == Truth::kYes;
}

// Einsum(x, W) = Linear(x, W'), with a Reshape after it unless W' has one axis of outputs, and a
// Transpose unless the axes of x come first, where a constant is summed over the last axis of x:
// "bi,oi->bo", "ghi,bti->btgh", "bi,gih->gbh".
Result<bool> FuseEinsum(Node& node, PassContext& context) {
  if (!node.Is("Einsum") || !IsFloating(node.result()->type().dtype())) return false;
  const auto equation = ReadEquation(node);
  const auto found = equation ? FindWeight(node, *equation) : std::nullopt;
  if (!found) return false;
  const auto& [operand, linear] = *found;
  Value* const weight = node.operand(operand);
  Value* const x = node.operand(1 - operand);
  if (!HasFeatures(*x, weight->tensor()->sizes()[static_cast<std::size_t>(linear.weight.back())]))
    return false;
  DRAGOMAN_ASSIGN(Value * ordered, TransposeConstant(*weight, linear.weight, context));
  const std::vector<std::int64_t> sizes = ordered->tensor()->sizes();
  const std::int64_t inputs = sizes.back();
  const Tensor matrix = ordered->tensor()->Reshaped({weight->tensor()->size() / inputs, inputs});
  Value* constant = context.AddConstant(*node.graph(), matrix, weight->name(), weight->origin());
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "dragoman.Linear", {{x, constant}}));
  if (sizes.size() != 2) {
    // 0 keeps a size.
    std::vector<std::int64_t> shape(equation->operands[1 - operand].size() - 1, 0);
    shape.insert(shape.end(), sizes.begin(), sizes.end() - 1);
    Value* target = context.AddConstant(*node.graph(), Tensor::Ints(shape), "sizes", {});
    DRAGOMAN_ASSIGN(y, context.Insert(node, "Reshape", {{y, target}}));
  }
  if (linear.result != equation->output) {
    std::vector<std::int64_t> perm;
    for (std::int64_t label : equation->output) {
      perm.push_back(std::ranges::find(linear.result, label) - linear.result.begin());
    }
    DRAGOMAN_ASSIGN(y, context.Insert(node, "Transpose", {{y}}, {{"perm", std::move(perm)}}));
  }
  return context.ReplaceIfAllowed(node, y);
}

// Whether both have a last axis, and the same axes before it.
bool HaveSameSizesBeforeLast(const Value& a, const Value& b) {
  const Shape* x = a.type().shape();
  const Shape* y = b.type().shape();
  if (x == nullptr || y == nullptr || x->empty() || x->size() != y->size()) return false;
  return std::equal(x->begin(), x->end() - 1, y->begin(),
                    [](const Dim& i, const Dim& j) { return Equal(i, j) == Truth::kYes; });
}

// The same last axis, so that a Reshape from one to the other moves rows only.
bool HaveSameLastSize(const Value& a, const Value& b) {
  const Shape* x = a.type().shape();
  const Shape* y = b.type().shape();
  return x != nullptr && y != nullptr && !x->empty() && !y->empty() &&
         Equal(x->back(), y->back()) == Truth::kYes;
}

// What an affine layer of rows multiplies by and adds.
Result<std::optional<AffineOperands>> ReadLayer(Node& node, PassContext& context) {
  if (node.Is("Gemm")) return ReadGemm(node, context);
  if (node.Is("MatMul")) return ReadMatMul(node, context);
  return std::optional(AffineOperands{node.operand(1), node.operand(2)});
}

// Whether a Reshape gives these sizes whatever the sizes of its operand are.
bool FixesSizes(const Node& node) {
  const Tensor* sizes = node.Is("Reshape") ? ConstantOf(node.operand(1)) : nullptr;
  if (sizes == nullptr) return false;
  const std::vector<std::int64_t> values = sizes->ToInts();
  return std::ranges::count(values, 0) == 0;
}

// The Linear of `x` in front of `layer`, whose rows are read by several nodes, too: what read them
// reads a Reshape of it.
Result<bool> PutLinearBefore(Node& layer, PassContext& context, Value* x,
                             const AffineOperands& affine) {
  const Shape* rows = layer.result()->type().shape();
  if (rows == nullptr || rows->size() != 2 || !rows->back().known() || rows->back() == Dim(0))
    return false;
  const std::int64_t sizes[] = {-1, rows->back().value()};
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(layer, "dragoman.Linear", {{x, affine.weight, affine.bias}}));
  Value* wanted = context.AddConstant(*layer.graph(), Tensor::Ints(sizes), "sizes", layer.origin());
  DRAGOMAN_ASSIGN(y, context.Insert(layer, "Reshape", {{y, wanted}}));
  return context.ReplaceIfAllowed(layer, y);
}

// Reshape(Gemm(Reshape(x, (rows, in)), W, b), sizes) = Reshape(Linear(x, transpose(W), b), sizes),
// without the Reshape where it gives the rows of x; also of Linear and MatMul, and with Squeeze and
// Unsqueeze
Result<bool> FuseGemmOfRows(Node& node, PassContext& context) {
  Node* layer = KeepsOrder(node) ? node.operand(0)->producer() : nullptr;
  // By name: what becomes a Linear.
  const bool is_layer =
      layer != nullptr && (layer->Is("Gemm") || layer->IsDragoman("Linear") || layer->Is("MatMul"));
  const Node* flatten = is_layer ? layer->operand(0)->producer() : nullptr;
  if (flatten == nullptr || !KeepsOrder(*flatten) || layer->graph() != node.graph()) return false;
  Value* x = flatten->operand(0);
  if (!HaveSameLastSize(*x, *flatten->result())) return false;
  const bool gives_rows = HaveSameSizesBeforeLast(*x, *node.result()) &&
                          HaveSameLastSize(*layer->result(), *node.result());
  if (!gives_rows && !(FixesSizes(node) && layer->result()->HasOneUse())) return false;
  DRAGOMAN_ASSIGN(const auto affine, ReadLayer(*layer, context));
  if (!affine) return false;
  if (!layer->result()->HasOneUse()) return PutLinearBefore(*layer, context, x, *affine);
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "dragoman.Linear", {{x, affine->weight, affine->bias}}));
  if (!gives_rows) {
    DRAGOMAN_ASSIGN(y, context.Insert(node, "Reshape", {{y, node.operand(1)}}));
  }
  return context.ReplaceIfAllowed(node, y);
}

// The sizes of `value` for a Reshape, with `last` in place of the last one; nullopt if more than
// one is not known, or one is 0.
std::optional<std::vector<std::int64_t>> SizesWithLast(const Value& value, std::int64_t last) {
  const Shape* shape = value.type().shape();
  if (shape == nullptr || shape->empty()) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (const Dim& size : *shape) sizes.push_back(size.known() ? size.value() : -1);
  sizes.back() = last;
  const bool fits = std::ranges::count(sizes, -1) <= 1 && std::ranges::count(sizes, 0) == 0;
  return fits ? std::optional(sizes) : std::nullopt;
}

// Reshape(Gemm(Reshape(x, (rows, in)), W, b), (…, out)) = Linear(Reshape(x, (…, in)), transpose(W),
// b), where the first Reshape makes features of several axes; also of Linear and MatMul, and with
// Unsqueeze after them
Result<bool> PlaceRows(Node& node, PassContext& context) {
  Node* layer = KeepsOrder(node) && !node.Is("Identity") ? node.operand(0)->producer() : nullptr;
  // By name: ReadLayer reads each of these in its own way.
  const bool is_layer = layer != nullptr && layer->result()->HasOneUse() &&
                        layer->graph() == node.graph() &&
                        (layer->Is("Gemm") || layer->IsDragoman("Linear") || layer->Is("MatMul"));
  const Node* flatten = is_layer ? layer->operand(0)->producer() : nullptr;
  if (flatten == nullptr || !flatten->Is("Reshape")) return false;
  const Value& rows = *flatten->result();
  if (HaveSameLastSize(*flatten->operand(0), rows) || rows.type().rank() != 2 ||
      !HaveSameLastSize(*layer->result(), *node.result())) {
    return false;
  }
  const Dim features = rows.type().shape()->back();
  const auto sizes =
      features.known() ? SizesWithLast(*node.result(), features.value()) : std::nullopt;
  if (!sizes) return false;
  DRAGOMAN_ASSIGN(const auto affine, ReadLayer(*layer, context));
  if (!affine) return false;
  Value* wanted = context.AddConstant(*node.graph(), Tensor::Ints(*sizes), "sizes", node.origin());
  DRAGOMAN_ASSIGN(Value * x, context.Insert(node, "Reshape", {{flatten->operand(0), wanted}}));
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "dragoman.Linear", {{x, affine->weight, affine->bias}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> ProductPatterns() {
  static constexpr Pattern kPatterns[] = {{"fuse-einsum", FuseEinsum},
                                          {"fuse-gemm-of-rows", FuseGemmOfRows},
                                          {"place-rows", PlaceRows},
                                          {"fuse-bias-of-rows", FuseBias}};
  return kPatterns;
}

}  // namespace dragoman

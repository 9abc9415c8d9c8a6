// SPDX-License-Identifier: Apache-2.0
// The product of torch's nn.Linear as its importer wrote it for operands of rank 3 and more:
//
//     a = reshape(broadcast_to(x, sizes of x), [-1, m, k])
//     w = reshape(broadcast_to(transpose(W), [.., k, n]), [-1, k, n])
//     y = squeeze(reshape(nn.batch_matmul(a, w), [.., m, n]), [])
//
// is x · Wᵀ where the sizes say that nothing but leading axes is joined, repeated and parted. One
// product whose Origin is all of these calls then stands for them; what it does not need is dead.
#include <vector>

#include "core/ir/find_as.h"
#include "core/lowering/composer.h"
#include "core/lowering/math.h"
#include "importers/relay/graph/relay_ops.h"
#include "importers/relay/lower/evaluator.h"
#include "importers/relay/lower/loop_form.h"
#include "importers/relay/ops/call.h"

namespace dragoman::relay {

struct LinearGroup {
  const Value* x = nullptr;
  const Value* joined = nullptr;   // x with its leading axes as one
  const Value* weight = nullptr;   // (k, n)
  bool transposed = false;         // (n, k) instead
  const Value* spread = nullptr;   // the same for all leading axes
  const Value* matrix = nullptr;   // the operand of the product
  std::vector<const Node*> calls;  // in the order of their operands
};

namespace {

// The call of `op` that gives `value`, through names that it was given; else nullptr.
const Node* ProducerOf(const Value* value, std::string_view op) {
  const Node* node = ProducerBehindNames(value);
  return node != nullptr && OperatorText(node->op()) == op && node->num_operands() >= 1 ? node
                                                                                        : nullptr;
}

// Passes `node` of operator `op`, if `value` comes from one.
const Value* Through(const Value* value, std::string_view op, std::vector<const Node*>& calls) {
  const Node* node = ProducerOf(value, op);
  if (node == nullptr) return value;
  calls.insert(calls.begin(), node);
  return node->operand(0);
}

bool IsSet(const Node& node, std::string_view name) {
  const auto* value = FindAs<bool>(node.attributes(), name);
  return value != nullptr && *value;
}

std::optional<LinearGroup> FindGroup(const Node& node) {
  LinearGroup group;
  std::vector<const Node*> tail;
  const Value* value = node.result();
  value = Through(value, "squeeze", tail);
  const Node* last = ProducerOf(value, "reshape");
  if (last == nullptr) return std::nullopt;
  tail.insert(tail.begin(), last);
  const Node* product = ProducerOf(last->operand(0), "nn.batch_matmul");
  if (product == nullptr || product->num_operands() != 2 || IsSet(*product, "transpose_a") ||
      IsSet(*product, "transpose_b"))
    return std::nullopt;
  tail.insert(tail.begin(), product);
  std::vector<const Node*> left;
  group.joined = product->operand(0);
  if (ProducerOf(group.joined, "reshape") == nullptr) return std::nullopt;
  group.x = Through(Through(group.joined, "reshape", left), "broadcast_to", left);
  std::vector<const Node*> right;
  group.matrix = product->operand(1);
  group.spread = Through(group.matrix, "reshape", right);
  group.weight = Through(group.spread, "broadcast_to", right);
  if (const Node* transpose = ProducerOf(group.weight, "transpose"))
    right.insert(right.begin(), transpose);
  for (const auto* calls : {&left, &right, &tail})
    group.calls.insert(group.calls.end(), calls->begin(), calls->end());
  return group;
}

bool Same(const Dim& a, const Dim& b) { return Equal(a, b) == dragoman::Truth::kYes; }

bool SameSizes(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!Same(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace

const Shape* Evaluator::ShapeOf(const Value* value, const Frame& frame) {
  const Abstract known = Get(value, frame);
  const auto* tensor = known.As<TensorRef>();
  if (tensor == nullptr) return nullptr;
  const Result<Value*> read = heap_.Read(builder(), *tensor);
  return read.ok() ? (*read)->type().shape() : nullptr;
}

std::optional<Abstract> Evaluator::EvaluateLinear(const Node& node, Frame& frame) {
  const std::string op = OperatorText(node.op());
  if (op == "reshape") {
    if (std::optional<Abstract> product = EvaluateRows(node, frame)) return product;
  }
  if (op != "reshape" && op != "squeeze") return std::nullopt;
  if (TransposesByDefault(source_)) return std::nullopt;
  const std::optional<LinearGroup> group = FindGroup(node);
  if (!group) return std::nullopt;
  const Shape* x = ShapeOf(group->x, frame);
  const Shape* joined = ShapeOf(group->joined, frame);
  const Shape* weight = ShapeOf(group->weight, frame);
  const Shape* spread = ShapeOf(group->spread, frame);
  const Shape* matrix = ShapeOf(group->matrix, frame);
  for (const Shape* shape : {x, joined, weight, spread, matrix}) {
    if (shape == nullptr) return std::nullopt;
  }
  const std::size_t rank = x->size();
  if (rank < 3 || joined->size() != 3 || weight->size() != 2 || matrix->size() != 3)
    return std::nullopt;
  const Dim& rows = (*x)[rank - 2];
  const Dim& inner = (*x)[rank - 1];
  const Dim& outer = (*weight)[1];
  Dim lead = 1;
  for (std::size_t i = 0; i + 2 < rank; ++i) lead = lead * (*x)[i];
  // Repetitions are of whole matrices.
  const auto ends_with_weight = [&](const Shape& shape) {
    return shape.size() >= 2 && Same(shape[shape.size() - 2], inner) &&
           Same(shape[shape.size() - 1], outer);
  };
  if (!SameSizes(*joined, {lead, rows, inner}) || !ends_with_weight(*weight) ||
      !ends_with_weight(*spread) || !ends_with_weight(*matrix))
    return std::nullopt;
  // A broadcast of x, if there is one, gives its own sizes: else the joined ones would differ.
  Shape result(x->begin(), x->end() - 1);
  result.push_back(outer);
  return AsProduct(node, *group, result, frame);
}

// reshape(nn.dense(reshape(x, [-1, k]), W), [.., n]): so rows of any number of axes are written.
std::optional<Abstract> Evaluator::EvaluateRows(const Node& node, Frame& frame) {
  const Node* product = ProducerOf(node.operand(0), "nn.dense");
  if (product == nullptr || product->num_operands() != 2) return std::nullopt;
  const auto* named = FindAs<std::string>(product->attributes(), "out_dtype");
  if (named != nullptr && !named->empty()) return std::nullopt;
  const Node* rows = ProducerOf(product->operand(0), "reshape");
  if (rows == nullptr) return std::nullopt;
  LinearGroup group;
  group.x = rows->operand(0);
  group.weight = product->operand(1);
  group.transposed = true;
  group.calls = {rows, product, &node};
  const Shape* x = ShapeOf(group.x, frame);
  const Shape* joined = ShapeOf(product->operand(0), frame);
  const Shape* weight = ShapeOf(group.weight, frame);
  if (x == nullptr || joined == nullptr || weight == nullptr || x->size() < 3 ||
      joined->size() != 2 || weight->size() != 2 || !Same(joined->back(), x->back()))
    return std::nullopt;
  Shape result(x->begin(), x->end() - 1);
  result.push_back(weight->front());
  return AsProduct(node, group, result, frame);
}

// The product that `group` is, if the last of its calls, `node`, has sizes `result`; else what that
// call gives.
Abstract Evaluator::AsProduct(const Node& node, const LinearGroup& group, const Shape& result,
                              Frame& frame) {
  const Abstract usual = CallOperator(node, OperatorText(node.op()), node.attributes(),
                                      Operands(node, 0, frame), frame);
  const auto* tensor = usual.As<TensorRef>();
  if (tensor == nullptr) return usual;
  const Result<Value*> reshaped = heap_.Read(builder(), *tensor);
  if (!reshaped.ok() || (*reshaped)->type().shape() == nullptr ||
      !SameSizes(*(*reshaped)->type().shape(), result))
    return usual;
  std::vector<OriginPtr> origins;
  for (const Node* call : group.calls) origins.push_back(OriginOf(*call, frame));
  const auto read = [&](const Value* value) {
    return heap_.Read(builder(), *Get(value, frame).As<TensorRef>());
  };
  Composer c(builder());
  builder().set_origin(Origin::Merge(origins));
  const Result<Value*> left = read(group.x);
  const Result<Value*> right = read(group.weight);
  if (!left.ok() || !right.ok()) return usual;
  Value* matrix = group.transposed ? c.Transpose(*right, {1, 0}) : *right;
  const Result<Value*> product = c.Done(MatMul(c, *left, matrix));
  return product.ok() ? heap_.NewTensor(*product) : usual;
}

}  // namespace dragoman::relay

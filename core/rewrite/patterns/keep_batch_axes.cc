// SPDX-License-Identifier: Apache-2.0
// Products of matrices for which the axes of a batch are made one, as decomposed programs of torch
// do for bmm: MatMul takes them as they are.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/producer.h"
#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/linear_patterns.h"

namespace dragoman {
namespace {

constexpr std::size_t kMatrix = 2;  // axes

bool HasSizes(const Value& value, const std::vector<Dim>& sizes) {
  const Shape* shape = value.type().shape();
  if (shape == nullptr || shape->size() != sizes.size()) return false;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (Equal((*shape)[i], sizes[i]) != Truth::kYes) return false;
  }
  return true;
}

// The batch of `like`, and the matrices of `operand`.
std::vector<Dim> SizesWithBatch(const Shape& like, const Shape& operand) {
  std::vector<Dim> sizes(like.begin(), like.end() - kMatrix);
  sizes.insert(sizes.end(), operand.end() - kMatrix, operand.end());
  return sizes;
}

// What `operand` is a Reshape of, if that is of `sizes`; else nullptr.
Value* BeforeReshape(const Value& operand, const std::vector<Dim>& sizes) {
  const Node* reshape = operand.producer();
  if (reshape == nullptr || !KeepsOrder(*reshape)) return nullptr;
  Value* x = reshape->operand(0);
  return HasSizes(*x, sizes) ? x : nullptr;
}

// Whether `node` makes several axes of a batch of one, or puts axes of size 1 to them.
bool SplitsBatch(const Node& node, const PassContext& context) {
  if (!node.Is("Unsqueeze")) return node.Is("Reshape");
  const auto axes = IntsOf(context, node.operand(1));
  const std::optional<int> rank = node.result()->type().rank();
  return axes && rank && std::ranges::all_of(*axes, [&](std::int64_t axis) {
           return FromFront(axis, *node.result()) < *rank - static_cast<int>(kMatrix);
         });
}

// `operand` with the batch that `node` gives; nullptr if its sizes are not known.
Result<Value*> InsertBatch(Value* operand, const std::vector<Dim>& sizes, Node& node,
                           PassContext& context) {
  if (node.Is("Unsqueeze")) return context.Insert(node, "Unsqueeze", {{operand, node.operand(1)}});
  std::vector<std::int64_t> known;
  for (const Dim& size : sizes) {
    if (!size.known() || size.value() == 0) return nullptr;
    known.push_back(size.value());
  }
  Value* wanted = context.AddConstant(*node.graph(), Tensor::Ints(known), "sizes", node.origin());
  return context.Insert(node, "Reshape", {{operand, wanted}});
}

// Whether matrices of both shapes are a batch of the same axes.
bool HaveSameBatch(const Shape& a, const Shape& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end() - kMatrix, b.begin(),
                    [](const Dim& i, const Dim& j) { return Equal(i, j) == Truth::kYes; });
}

// Reshape(MatMul(Reshape(a), Reshape(b))) = MatMul(a, b), where the Reshapes make one axis of those
// of a batch, and that again; also Unsqueeze(MatMul(Squeeze(a), Squeeze(b))). One operand may have
// had the fewer axes before
Result<bool> KeepBatchAxes(Node& node, PassContext& context) {
  const Node* product =
      SplitsBatch(node, context) ? ProducerOf(node.operand(0), "MatMul") : nullptr;
  const Shape* shape = product != nullptr ? node.result()->type().shape() : nullptr;
  if (shape == nullptr || !product->result()->HasOneUse()) return false;
  const Shape* flat = product->result()->type().shape();
  if (flat == nullptr || flat->size() <= kMatrix || shape->size() <= flat->size()) return false;
  if (!HasSizes(*node.result(), SizesWithBatch(*shape, *flat))) return false;
  std::vector<std::vector<Dim>> sizes;
  std::vector<Value*> operands;
  for (std::size_t i = 0; i < 2; ++i) {
    const Shape* own = product->operand(i)->type().shape();
    if (own == nullptr || !HaveSameBatch(*own, *flat)) return false;
    sizes.push_back(SizesWithBatch(*shape, *own));
    operands.push_back(BeforeReshape(*product->operand(i), sizes.back()));
  }
  if (operands[0] == nullptr && operands[1] == nullptr) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    if (operands[i] != nullptr) continue;
    DRAGOMAN_ASSIGN(operands[i], InsertBatch(product->operand(i), sizes[i], node, context));
    if (operands[i] == nullptr) return false;
  }
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "MatMul", operands));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> BatchPatterns() {
  static constexpr Pattern kPatterns[] = {{"keep-batch-axes", KeepBatchAxes}};
  return kPatterns;
}

}  // namespace dragoman

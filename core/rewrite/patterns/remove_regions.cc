// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/ir/producer.h"
#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

bool AllAre(const PassContext& context, const Value* value, std::int64_t wanted) {
  const auto ints = IntsOf(context, value);
  return ints &&
         std::all_of(ints->begin(), ints->end(), [wanted](std::int64_t i) { return i == wanted; });
}

// Slice(x, starts, ends, axes, steps = 1) = x, if it has the shape of x
Result<bool> RemoveSlice(Node& node, PassContext& context) {
  if (!node.Is("Slice") || !SameShape(*node.operand(0), *node.result())) return false;
  if (node.operand(4) != nullptr && !AllAre(context, node.operand(4), 1)) return false;
  return ReplaceByCopy(node, context, node.operand(0));
}

// Whether `value` is made of matrices as large as those of `expanded`.
bool HasMatricesOf(const Value& value, const Value& expanded) {
  const Shape* a = value.type().shape();
  const Shape* b = expanded.type().shape();
  if (a == nullptr || b == nullptr || a->size() < 2 || b->size() < 2) return false;
  return Equal(a->back(), b->back()) == Truth::kYes &&
         Equal((*a)[a->size() - 2], (*b)[b->size() - 2]) == Truth::kYes;
}

// MatMul(a, Expand(b, s)) = MatMul(a, b), if a has the sizes in front of the matrices of the
// product; the same with the operands exchanged
Result<bool> RemoveExpandOfProduct(Node& node, PassContext& context) {
  if (!node.Is("MatMul")) return false;
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    const Node* expand = node.operand(i)->producer();
    if (expand == nullptr || !expand->Is("Expand")) continue;
    if (!HasMatricesOf(*expand->operand(0), *node.operand(i)) ||
        !HasLeadingSizesOf(*node.operand(1 - i), *node.result()))
      continue;
    std::vector<Value*> operands = {node.operand(0), node.operand(1)};
    operands[i] = expand->operand(0);
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "MatMul", operands));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// f(a, Expand(b, s)) = f(a, b) for elementwise f, if another operand has the shape of the result.
// Not for Where: recurrences with lengths are found by conditions and states of one shape.
Result<bool> RemoveExpandOfElementwise(Node& node, PassContext&) {
  if (!IsElementwise(node) || IsUnary(node) || node.Is("Where")) return false;
  // What PRelu gives is as large as its first operand.
  for (std::size_t i = node.Is("PRelu") ? 1 : 0; i < node.num_operands(); ++i) {
    const Node* expand = ProducerOf(node.operand(i), "Expand");
    const auto has_all = [&](const Use& use) {
      return use.index() != i && use.value() != nullptr && SameShape(*use.value(), *node.result());
    };
    if (expand == nullptr || std::ranges::none_of(node.operands(), has_all)) continue;
    node.set_operand(i, expand->operand(0));
    return true;
  }
  return false;
}

// Transpose(x, perm = 0, 1, …) = x
Result<bool> RemoveTranspose(Node& node, PassContext& context) {
  if (!node.Is("Transpose")) return false;
  const Attribute::Ints* perm = IntsAttribute(node, "perm");
  if (perm == nullptr) {
    const auto rank = node.operand(0)->type().rank();
    if (!rank || *rank > 1) return false;
  } else if (!std::ranges::is_sorted(*perm)) {
    return false;
  }
  return ReplaceByCopy(node, context, node.operand(0));
}

}  // namespace

std::span<const Pattern> RegionPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"remove-slice", RemoveSlice},
      {"remove-transpose", RemoveTranspose},
      {"remove-expand-of-product", RemoveExpandOfProduct},
      {"remove-expand-of-elementwise", RemoveExpandOfElementwise},
  };
  return kPatterns;
}

}  // namespace dragoman

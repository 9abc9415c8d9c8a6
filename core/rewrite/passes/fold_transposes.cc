// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <optional>
#include <vector>

#include "core/rewrite/passes.h"
#include "core/rewrite/patterns/linear_patterns.h"

namespace dragoman {
namespace {

using Perm = std::vector<std::int64_t>;

constexpr std::size_t kSmallTransposeBytes = std::size_t{64} << 10;

std::optional<Perm> PermOf(const Node& node) {
  if (const Attribute::Ints* stated = IntsAttribute(node, "perm")) return *stated;
  const auto rank = node.operand(0)->type().rank();
  if (!rank) return std::nullopt;
  Perm perm(static_cast<std::size_t>(*rank));
  std::iota(perm.rbegin(), perm.rend(), 0);
  return perm;
}

// Transpose(Transpose(x, p), q) = Transpose(x, p[q])
Result<bool> MergeTransposes(Node& node, PassContext& context) {
  if (!node.Is("Transpose")) return false;
  Node* inner = node.operand(0)->producer();
  if (inner == nullptr || !inner->Is("Transpose")) return false;
  const std::optional<Perm> first = PermOf(*inner);
  const std::optional<Perm> second = PermOf(node);
  if (!first || !second || first->size() != second->size()) return false;
  Perm merged;
  for (std::int64_t axis : *second) merged.push_back((*first)[static_cast<std::size_t>(axis)]);
  context.Explain(node, "merged with " + inner->Describe());
  node.set_origin(Origin::Merge(inner->origin(), node.origin()));
  node.set_operand(0, inner->operand(0));
  node.SetAttribute("perm", merged);
  return true;
}

// Transpose(W, p) = a constant, unless others need a large W as it is
Result<bool> TransposeWeight(Node& node, PassContext& context) {
  if (!node.Is("Transpose")) return false;
  Value* weight = node.operand(0);
  const Tensor* tensor = ConstantOf(weight);
  const std::optional<Perm> perm = PermOf(node);
  if (tensor == nullptr || !perm || tensor->dtype() == DType::kString) return false;
  if (tensor->bytes().size() > kSmallTransposeBytes && !weight->HasOneUse()) return false;
  DRAGOMAN_ASSIGN(Value * transposed, TransposeConstant(*weight, *perm, context));
  return context.ReplaceIfAllowed(node, transposed);
}

}  // namespace

std::span<const Pattern> TransposePatterns() {
  static constexpr Pattern kPatterns[] = {
      {"merge-transposes", MergeTransposes},
      {"transpose-weight", TransposeWeight},
  };
  return kPatterns;
}

}  // namespace dragoman

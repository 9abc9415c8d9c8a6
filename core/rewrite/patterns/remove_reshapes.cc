#include <algorithm>

#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

constexpr int kMaxChain = 16;

// Operators that give the elements of their first operand in the same order.
bool KeepsElementOrder(const Node& node) {
  return node.Is("Reshape") || node.Is("Flatten") || node.Is("Squeeze") || node.Is("Unsqueeze");
}

// Reshape(…Squeeze(…x…)) = x, if it has the shape of x
Result<bool> RemoveReshapeBack(Node& node, PassContext& context) {
  if (!KeepsElementOrder(node)) return false;
  Value* x = node.operand(0);
  for (int i = 0; i < kMaxChain; ++i) {
    if (SameShape(*x, *node.result())) return context.ReplaceIfAllowed(node, x);
    if (x->producer() == nullptr || !KeepsElementOrder(*x->producer())) return false;
    x = x->producer()->operand(0);
  }
  return false;
}

// Reshape(Reshape(x, a), b) = Reshape(x, b), if b refers to no size of its operand
Result<bool> MergeReshapes(Node& node, PassContext& context) {
  if (!node.Is("Reshape")) return false;
  const Node* inner = node.operand(0)->producer();
  const Tensor* sizes = ConstantOf(node.operand(1));
  if (inner == nullptr || sizes == nullptr || !KeepsElementOrder(*inner)) return false;
  const std::vector<std::int64_t> values = sizes->ToInts();
  if (std::find(values.begin(), values.end(), 0) != values.end()) return false;
  context.Explain(node, "reads %" + inner->operand(0)->name() + " directly");
  node.set_origin(Origin::Merge(inner->origin(), node.origin()));
  node.set_operand(0, inner->operand(0));
  return true;
}

constexpr Pattern kPatterns[] = {
    {"remove-reshape-back", RemoveReshapeBack},
    {"merge-reshapes", MergeReshapes},
};

}  // namespace

std::span<const Pattern> ReshapePatterns() { return kPatterns; }

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/step_constants.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/equal_steps.h"
#include "core/support/bytes.h"

namespace dragoman {
namespace {

constexpr int kMaxAlike = 16;

bool Repeats(const Node& node) {
  return IsElementwise(node) || node.Is("Unsqueeze") || node.Is("Squeeze");
}

// Of an operator that is not elementwise, the further operands, as axes, say what it does.
bool IsParameter(const Node& node, std::size_t operand) {
  return operand > 0 && !IsElementwise(node);
}

}  // namespace

bool SameConstant(const Value* a, const Value* b) {
  const Tensor* x = ConstantOf(a);
  const Tensor* y = ConstantOf(b);
  return x != nullptr && y != nullptr && *x == *y;
}

bool MayStack(const Value* a, const Value* b) {
  const Tensor* x = ConstantOf(a);
  const Tensor* y = ConstantOf(b);
  if (x == nullptr || y == nullptr || x->dtype() != y->dtype() || x->sizes() != y->sizes()) {
    return false;
  }
  const auto is_wide = [](std::int64_t size) { return size != 1; };
  return Info(x->dtype()).bits % 8 == 0 && x->dtype() != DType::kString &&
         std::ranges::count_if(x->sizes(), is_wide) <= 1;
}

bool AreAlike(Value* a, Value* b, std::vector<Value*>& shared) {
  std::vector<std::pair<Value*, Value*>> open = {{a, b}};
  for (int count = 0; !open.empty(); ++count) {
    const auto [x, y] = open.back();
    open.pop_back();
    if (x == y) {
      if (x != nullptr) shared.push_back(x);
      continue;
    }
    if (count == kMaxAlike || x == nullptr || y == nullptr) return false;
    if (MayStack(x, y)) continue;
    const Node* p = x->producer();
    const Node* q = y->producer();
    if (p == nullptr || q == nullptr || !Repeats(*p) || !SameForm(*p, *q)) return false;
    for (std::size_t i = 0; i < p->num_operands(); ++i) {
      if (!IsParameter(*p, i)) {
        open.emplace_back(p->operand(i), q->operand(i));
      } else if (p->operand(i) != q->operand(i) && !SameConstant(p->operand(i), q->operand(i))) {
        return false;
      }
    }
  }
  return true;
}

Tensor StackConstants(std::span<const Value* const> values) {
  const Tensor& first = *ConstantOf(values.front());
  std::string bytes;
  for (const Value* value : values) bytes += AsText(ConstantOf(value)->bytes());
  std::vector<std::int64_t> sizes = first.sizes();
  sizes.insert(sizes.begin(), static_cast<std::int64_t>(values.size()));
  return Tensor::Make(first.dtype(), std::move(sizes), Buffer::Own(std::move(bytes))).value();
}

}  // namespace dragoman

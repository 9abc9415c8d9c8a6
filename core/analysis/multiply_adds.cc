// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/multiply_adds.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace dragoman {
namespace {

using Sizes = std::optional<std::vector<std::int64_t>>;
using Open = std::optional<std::int64_t>;

Sizes SizesOf(const Value* value, Open open) {
  if (value == nullptr || value->type().shape() == nullptr) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (const Dim& dim : *value->type().shape()) {
    if (!dim.known() && !open) return std::nullopt;
    sizes.push_back(dim.known() ? dim.value() : *open);
  }
  return sizes;
}

std::optional<std::int64_t> CountOf(const Sizes& sizes) {
  if (!sizes) return std::nullopt;
  std::int64_t count = 1;
  for (const std::int64_t size : *sizes) {
    if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
  }
  return count;
}

std::optional<std::int64_t> Product(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
  std::int64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
  return product;
}

// How the number of products follows from sizes.
enum class Rule {
  kWindow,      // elements of the result, each by a window of the weight
  kScattered,   // elements of the operand, each by a window of the weight
  kInner,       // elements of the result, each by the last axis of the first operand
  kTransposed,  // the same; attribute transA chooses the axis
  kRecurrent,   // steps by rows of the batch by all weights
};
struct CountedOp {
  std::string_view type;
  Rule rule;
  std::size_t x = 0;
  std::size_t w = 1;
};
constexpr CountedOp kCounted[] = {
    {"Conv", Rule::kWindow},
    {"ConvInteger", Rule::kWindow},
    {"QLinearConv", Rule::kWindow, 0, 3},
    {"ConvTranspose", Rule::kScattered},
    {"MatMul", Rule::kInner},
    {"MatMulInteger", Rule::kInner},
    {"QLinearMatMul", Rule::kInner, 0, 3},
    {"Linear", Rule::kInner},
    {"Gemm", Rule::kTransposed},
    {"LSTM", Rule::kRecurrent},
    {"GRU", Rule::kRecurrent},
    {"RNN", Rule::kRecurrent},
};

const CountedOp* FindCounted(const Node& node) {
  const auto* found = std::ranges::find_if(kCounted, [&](const CountedOp& counted) {
    return node.Is(counted.type) || node.IsDragoman(counted.type);
  });
  return found == std::end(kCounted) ? nullptr : found;
}

// Elements of a weight a channel, which is its leading axis.
std::optional<std::int64_t> WindowSize(const Sizes& w) {
  if (!w || w->empty()) return std::nullopt;
  return CountOf(std::vector<std::int64_t>(w->begin() + 1, w->end()));
}

std::optional<std::int64_t> InnerSize(const Node& node, const Sizes& x, Rule rule) {
  if (!x || x->empty()) return std::nullopt;
  const Attribute* trans = rule == Rule::kTransposed ? node.attribute("transA") : nullptr;
  const std::int64_t* transposed = trans != nullptr ? trans->As<std::int64_t>() : nullptr;
  return transposed != nullptr && *transposed != 0 ? x->front() : x->back();
}

std::optional<std::int64_t> RecurrentProducts(const Node& node, const Sizes& x, Open open) {
  const std::optional<std::int64_t> w = CountElements(node.operand(1), open);
  const std::optional<std::int64_t> r = CountElements(node.operand(2), open);
  if (!x || x->size() != 3 || !w || !r) return std::nullopt;
  return Product(Product((*x)[0], (*x)[1]), *w + *r);
}

}  // namespace

std::optional<std::int64_t> CountElements(const Value* value, Open open) {
  return CountOf(SizesOf(value, open));
}

std::optional<std::int64_t> MultiplyAdds(const Node& node) {
  return MultiplyAddsOf(node, std::nullopt);
}

std::optional<std::int64_t> MultiplyAddsOf(const Node& node, Open open) {
  const CountedOp* const counted = FindCounted(node);
  if (counted == nullptr) return 0;
  const Sizes x = SizesOf(node.operand(counted->x), open);
  const std::optional<std::int64_t> y = CountElements(node.result(0), open);
  switch (counted->rule) {
    case Rule::kWindow:
      return Product(y, WindowSize(SizesOf(node.operand(counted->w), open)));
    case Rule::kScattered:
      return Product(CountOf(x), WindowSize(SizesOf(node.operand(counted->w), open)));
    case Rule::kInner:
    case Rule::kTransposed:
      return Product(y, InnerSize(node, x, counted->rule));
    case Rule::kRecurrent:
      return RecurrentProducts(node, x, open);
  }
  return std::nullopt;
}

}  // namespace dragoman

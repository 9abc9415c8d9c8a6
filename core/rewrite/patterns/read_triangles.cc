// SPDX-License-Identifier: Apache-2.0
// Triangles of matrices, as decomposed programs of torch spell them: by masks that compare the
// place of a column with that of a row.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/producer.h"
#include "core/ops/op_def.h"
#include "core/rewrite/patterns/spelling_patterns.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

constexpr int kMaxMoves = 8;
constexpr std::int64_t kMostDiagonal = std::int64_t{1} << 40;

// By name: the comparisons that decide which of two numbers is less, and what they say of a
// difference a - b and a number k.
struct Comparison {
  std::string_view op;
  bool upper;           // a - b is k or more; else k or less
  std::int64_t beyond;  // what is added to k, so that k itself counts
};

constexpr Comparison kComparisons[] = {{"LessOrEqual", false, 0},
                                       {"Less", false, -1},
                                       {"GreaterOrEqual", true, 0},
                                       {"Greater", true, 1}};

const Comparison* FindComparison(const Node* node) {
  const auto found = std::ranges::find_if(kComparisons, [&](const Comparison& comparison) {
    return node != nullptr && node->Is(comparison.op);
  });
  return found == std::end(kComparisons) ? nullptr : found;
}

bool HoldsPlaces(const Value& value) {
  return value.type().dtype() == DType::kI64 || value.type().dtype() == DType::kI32;
}

// What `value` has in other sizes.
const Value* BeforeMoves(const Value* value) {
  for (int i = 0; i < kMaxMoves; ++i) {
    const Node* node = value->producer();
    if (node == nullptr || !KeepsOrder(*node)) break;
    value = node->operand(0);
  }
  return value;
}

std::optional<std::int64_t> NumberOf(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  return tensor != nullptr && tensor->size() == 1 ? std::optional(tensor->IntAt(0)) : std::nullopt;
}

// Whether they are integers from 0 on for sure: a difference of two such does not overflow.
bool IsCount(const Value* value) {
  if (value == nullptr || !HoldsPlaces(*value)) return false;
  const Value* numbers = BeforeMoves(value);
  if (const Tensor* tensor = ConstantOf(numbers)) {
    return std::ranges::all_of(tensor->ToInts(), [](std::int64_t number) { return number >= 0; });
  }
  const Node* range = ProducerOf(numbers, "Range");
  return range != nullptr && NumberOf(range->operand(0)).value_or(-1) >= 0 &&
         NumberOf(range->operand(2)).value_or(0) > 0;
}

// `value` without the axes of size 1 that an Unsqueeze put in front, where `other` has as many axes
// all the same.
Value* WithoutLeadingOnes(Value* value, const Value& other, const PassContext& context) {
  const Node* unsqueeze = ProducerOf(value, "Unsqueeze");
  auto axes = unsqueeze != nullptr ? IntsOf(context, unsqueeze->operand(1)) : std::nullopt;
  if (!axes || !value->type().rank() || value->type().rank() > other.type().rank()) return value;
  std::ranges::sort(*axes);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    if ((*axes)[i] != static_cast<std::int64_t>(i)) return value;
  }
  return unsqueeze->operand(0);
}

// a - b <= 0 as b >= a, a - b >= 0 as a >= b, likewise < and >, of places that count from 0
Result<bool> CompareDirectly(Node& node, PassContext& context) {
  const Comparison* comparison = FindComparison(&node);
  const Node* difference = comparison != nullptr ? ProducerOf(node.operand(0), "Sub") : nullptr;
  if (difference == nullptr || NumberOf(node.operand(1)) != 0 ||
      node.operand(1)->type().rank() != 0)
    return false;
  Value* a = difference->operand(0);
  Value* b = difference->operand(1);
  if (!IsCount(a) || !IsCount(b)) return false;
  a = WithoutLeadingOnes(a, *b, context);
  b = WithoutLeadingOnes(b, *a, context);
  if (!comparison->upper) std::swap(a, b);
  const std::string_view op = comparison->beyond == 0 ? "GreaterOrEqual" : "Greater";
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, op, {{a, b}}));
  return context.ReplaceIfAllowed(node, y);
}

// And(x, true) = x, where true is a number, or of the sizes of x
Result<bool> OmitTrueMask(Node& node, PassContext& context) {
  if (!node.Is("And")) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const Tensor* fill = StatedFill(node.operand(i));
    const Tensor* bits = fill != nullptr ? fill : ConstantOf(node.operand(i));
    Value* x = node.operand(1 - i);
    if (bits != nullptr && HasOnly(*bits, 1) && SameShape(*x, *node.result()))
      return context.ReplaceIfAllowed(node, x);
  }
  return false;
}

// The elements that a mask shows: those up to column `row + diagonal`, or from there on.
struct Triangle {
  std::int64_t diagonal = 0;
  bool upper = false;
};

bool HasOnlyOnes(const Shape& shape, std::size_t except) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != except && shape[i] != Dim(1)) return false;
  }
  return true;
}

// Whether `value` is 0, 1, … along the last axis but `after` of `x`, and has no other.
bool CountsAlong(const Value& value, std::size_t behind, const Value& x) {
  const Shape* shape = value.type().shape();
  const Shape& sizes = *x.type().shape();
  if (shape == nullptr || shape->size() > sizes.size() || shape->size() <= behind) return false;
  const std::size_t axis = shape->size() - 1 - behind;
  if (Equal((*shape)[axis], sizes[sizes.size() - 1 - behind]) != Truth::kYes ||
      !HasOnlyOnes(*shape, axis))
    return false;
  const Value* numbers = BeforeMoves(&value);
  if (const Tensor* tensor = ConstantOf(numbers)) {
    const std::vector<std::int64_t> places = tensor->ToInts();
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i] != static_cast<std::int64_t>(i)) return false;
    }
    return true;
  }
  const Node* range = ProducerOf(numbers, "Range");
  return range != nullptr && NumberOf(range->operand(0)) == 0 && NumberOf(range->operand(2)) == 1;
}

// Of a mask that compares columns and rows, or their difference and a number.
std::optional<Triangle> ReadComparedTriangle(const Value& mask, const Value& x) {
  const Node* node = mask.producer();
  const Comparison* comparison = FindComparison(node);
  if (comparison == nullptr) return std::nullopt;
  const Node* difference = ProducerOf(node->operand(0), "Sub");
  const auto number =
      difference != nullptr ? NumberOf(node->operand(1)) : std::optional(std::int64_t{0});
  const Node* terms = difference != nullptr ? difference : node;
  const Value& a = *terms->operand(0);
  const Value& b = *terms->operand(1);
  if (!number || !IsCount(&a) || !IsCount(&b) || std::abs(*number) > kMostDiagonal ||
      (difference != nullptr && node->operand(1)->type().rank() != 0))
    return std::nullopt;
  const std::int64_t diagonal = *number + comparison->beyond;
  if (CountsAlong(a, 0, x) && CountsAlong(b, 1, x)) return Triangle{diagonal, comparison->upper};
  if (CountsAlong(a, 1, x) && CountsAlong(b, 0, x)) return Triangle{-diagonal, !comparison->upper};
  return std::nullopt;
}

// Of a constant mask that shows some elements of a matrix, and hides some.
std::optional<Triangle> ReadConstantTriangle(const Tensor& mask, const Value& x) {
  const auto rank = static_cast<std::size_t>(mask.rank());
  const Shape& sizes = *x.type().shape();
  if (rank < 2 || rank > sizes.size()) return std::nullopt;
  const std::int64_t rows = mask.sizes()[rank - 2], columns = mask.sizes()[rank - 1];
  if (sizes[sizes.size() - 2] != Dim(rows) || sizes.back() != Dim(columns) ||
      mask.size() != rows * columns || mask.size() < 2)
    return std::nullopt;
  const std::vector<std::int64_t> shown = mask.ToInts();
  const bool upper =
      shown[static_cast<std::size_t>(columns) - 1] != 0;  // the last of the first row
  std::optional<std::int64_t> diagonal;
  const auto at = [&](std::int64_t i) { return i % columns - i / columns; };
  for (std::int64_t i = 0; i < mask.size(); ++i) {
    if (shown[static_cast<std::size_t>(i)] == 0) continue;
    diagonal = !diagonal ? at(i) : upper ? std::min(*diagonal, at(i)) : std::max(*diagonal, at(i));
  }
  bool hides = false;
  for (std::int64_t i = 0; diagonal && i < mask.size(); ++i) {
    const bool is_shown = shown[static_cast<std::size_t>(i)] != 0;
    hides = hides || !is_shown;
    if (is_shown != (upper ? at(i) >= *diagonal : at(i) <= *diagonal)) return std::nullopt;
  }
  return hides && diagonal ? std::optional(Triangle{*diagonal, upper}) : std::nullopt;
}

// Where(column - row <= k, x, 0) = Trilu(x, k), lower; with >= upper; a constant mask likewise
Result<bool> ReadTriangle(Node& node, PassContext& context) {
  if (!node.Is("Where") || !IsZero(node.operand(2))) return false;
  Value* x = node.operand(1);
  const Shape* shape = x->type().shape();
  if (shape == nullptr || shape->size() < 2 || !SameShape(*x, *node.result())) return false;
  const Tensor* mask = ConstantOf(node.operand(0));
  const auto triangle = mask != nullptr ? ReadConstantTriangle(*mask, *x)
                                        : ReadComparedTriangle(*node.operand(0), *x);
  if (!triangle) return false;
  std::vector<Value*> operands = {x};
  if (triangle->diagonal != 0)
    operands.push_back(context.AddConstant(*node.graph(), Tensor::Int(triangle->diagonal),
                                           "diagonal", node.origin()));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Trilu", operands,
                                            {{"upper", std::int64_t{triangle->upper ? 1 : 0}}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> TrianglePatterns() {
  static constexpr Pattern kPatterns[] = {{"compare-directly", CompareDirectly},
                                          {"omit-true-mask", OmitTrueMask},
                                          {"read-triangle", ReadTriangle}};
  return kPatterns;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/const_expr.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/ir/print.h"

namespace dragoman {
namespace {

using ExprKind = ConstExpr::Kind;

constexpr int kMaxExprNesting = 100;
constexpr std::int64_t kMaxRead = 1 << 20;  // elements of a constant that are looked at

// What may stand between a file's constant and its use as a weight. By name: the recurrence passes
// evaluate each (rewrite/recurrence/evaluate_const.cc).
constexpr std::string_view kFollowed[] = {"Add",     "Cast",   "Concat",    "Div",      "Expand",
                                          "Flatten", "Gather", "Mul",       "Neg",      "Pad",
                                          "Reshape", "Slice",  "Split",     "Squeeze",  "Sub",
                                          "Sum",     "Tile",   "Transpose", "Unsqueeze"};

bool IsFollowed(const Node& node) {
  return std::any_of(std::begin(kFollowed), std::end(kFollowed),
                     [&](std::string_view type) { return node.Is(type); });
}

std::int64_t ProductOf(std::span<const std::int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::string KeyOf(const Node& node, std::size_t result, const std::vector<ConstId>& operands) {
  std::string key = fmt::format("{}#{}", node.op().ToString(), result);
  for (ConstId id : operands) key += fmt::format(",{}", id);
  for (const NamedAttribute& attribute : node.attributes()) {
    key += fmt::format(";{}={}", attribute.name, PrintAttribute(attribute.value));
  }
  return key;
}

}  // namespace

ConstId ConstExprs::Intern(ConstExpr expr, std::string key) {
  const auto [found, is_new] = ids_.try_emplace(std::move(key), exprs_.size());
  if (is_new) exprs_.push_back(std::move(expr));
  return found->second;
}

ConstId ConstExprs::Make(ExprKind kind, std::vector<ConstId> operands,
                         std::vector<std::int64_t> ints, double scale,
                         std::vector<std::int64_t> sizes) {
  std::string key = fmt::format("{}:{}:{}:{}:{}", static_cast<int>(kind), fmt::join(operands, ","),
                                fmt::join(ints, ","), scale, fmt::join(sizes, ","));
  ConstExpr expr;
  expr.kind = kind;
  expr.operands = std::move(operands);
  expr.ints = std::move(ints);
  expr.scale = scale;
  expr.sizes = std::move(sizes);
  return Intern(std::move(expr), std::move(key));
}

ConstId ConstExprs::OfTensor(const Value& value) {
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr || tensor->dtype() == DType::kString) return kNoConst;
  std::vector<ConstId>& same = tensors_[tensor->Hash()];
  for (ConstId id : same) {
    if (*exprs_[id].value->tensor() == *tensor) return id;
  }
  ConstExpr expr;
  expr.value = &value;
  expr.sizes = tensor->sizes();
  exprs_.push_back(std::move(expr));
  same.push_back(static_cast<ConstId>(exprs_.size() - 1));
  return same.back();
}

ConstId ConstExprs::OfNode(const Node& node, std::size_t result) {
  if (node.Is("Identity")) return Of(node.operand(0));
  if (!IsFollowed(node)) return kNoConst;
  const Shape* shape = node.result(result)->type().shape();
  const auto sizes = shape != nullptr ? KnownShape(*shape) : std::nullopt;
  if (!sizes) return kNoConst;
  ConstExpr expr;
  for (const Use& use : node.operands()) {
    const ConstId id = use.value() != nullptr ? Of(use.value()) : kNoConst;
    if (id == kNoConst && use.value() != nullptr) return kNoConst;
    expr.operands.push_back(id);
  }
  if (node.Is("Transpose") && sizes->size() == 2) {
    const Attribute* perm = node.attribute("perm");
    if (perm == nullptr || *perm->As<Attribute::Ints>() == Attribute::Ints{1, 0}) {
      return Transpose(expr.operands.front());
    }
  }
  expr.kind = ExprKind::kNode;
  expr.ints = {static_cast<std::int64_t>(result)};
  expr.node = &node;
  expr.sizes = *sizes;
  std::string key = KeyOf(node, result, expr.operands);
  return Intern(std::move(expr), std::move(key));
}

ConstId ConstExprs::Of(const Value* value) {
  if (const auto found = of_values_.find(value); found != of_values_.end()) return found->second;
  if (nesting_ == kMaxExprNesting) return kNoConst;
  ++nesting_;
  ConstId id = kNoConst;
  if (value->is_constant()) {
    id = OfTensor(*value);
  } else if (value->producer() != nullptr) {
    id = OfNode(*value->producer(), value->index());
  }
  --nesting_;
  return of_values_[value] = id;
}

const Value* ConstExprs::Representative(const Value* value) {
  const ConstId id = value->is_constant() ? OfTensor(*value) : kNoConst;
  if (id == kNoConst) return value;
  const Value* first = exprs_[id].value;
  return first->graph() == value->graph() ? first : value;
}

ConstId ConstExprs::Transpose(ConstId matrix) {
  const ConstExpr& expr = exprs_[matrix];
  if (expr.kind == ExprKind::kTranspose) return expr.operands.front();
  return Make(ExprKind::kTranspose, {matrix}, {}, 0, {expr.sizes[1], expr.sizes[0]});
}

ConstId ConstExprs::Slice(ConstId a, int axis, std::int64_t begin, std::int64_t size) {
  if (a == kNoConst) return a;
  const ConstExpr& expr = exprs_[a];
  const auto at = static_cast<std::size_t>(axis);
  if (begin == 0 && size == expr.sizes[at]) return a;
  std::vector<std::int64_t> sizes = expr.sizes;
  sizes[at] = size;
  if (expr.kind == ExprKind::kTranspose) {
    return Transpose(Slice(expr.operands.front(), 1 - axis, begin, size));
  }
  if (expr.kind == ExprKind::kSlice && expr.ints[0] == axis) {
    return Make(ExprKind::kSlice, expr.operands, {axis, expr.ints[1] + begin}, 0, std::move(sizes));
  }
  if (expr.kind == ExprKind::kFill) {
    return Make(ExprKind::kFill, expr.operands, {}, expr.scale, std::move(sizes));
  }
  return Make(ExprKind::kSlice, {a}, {axis, begin}, 0, std::move(sizes));
}

ConstId ConstExprs::Concat(std::vector<ConstId> parts, int axis) {
  if (parts.size() == 1) return parts.front();
  const auto at = static_cast<std::size_t>(axis);
  std::vector<std::int64_t> sizes = exprs_[parts.front()].sizes;
  sizes[at] = 0;
  for (ConstId part : parts) sizes[at] += exprs_[part].sizes[at];
  return Make(ExprKind::kConcat, std::move(parts), {axis}, 0, std::move(sizes));
}

ConstId ConstExprs::Add(ConstId a, ConstId b) {
  if (a == kNoConst) return b;
  if (b == kNoConst) return a;
  const auto is_fill = [&](ConstId id) {
    return exprs_[id].kind == ExprKind::kFill && exprs_[id].operands.empty();
  };
  if (is_fill(a) && is_fill(b)) return Fill(exprs_[a].sizes, exprs_[a].scale + exprs_[b].scale);
  return Make(ExprKind::kAdd, {std::min(a, b), std::max(a, b)}, {}, 0, exprs_[a].sizes);
}

ConstId ConstExprs::Scale(ConstId a, double factor) {
  if (a == kNoConst || factor == 1) return a;
  const ConstExpr& expr = exprs_[a];
  if (expr.kind == ExprKind::kFill && expr.operands.empty()) {
    return Fill(expr.sizes, expr.scale * factor);
  }
  if (expr.kind == ExprKind::kScale) {
    return Scale(expr.operands.front(), expr.scale * factor);
  }
  return Make(ExprKind::kScale, {a}, {}, factor, expr.sizes);
}

ConstId ConstExprs::Reshape(ConstId a, std::vector<std::int64_t> sizes) {
  if (exprs_[a].sizes == sizes) return a;
  return Make(ExprKind::kReshape, {a}, {}, 0, std::move(sizes));
}

ConstId ConstExprs::Fill(std::vector<std::int64_t> sizes, double value) {
  return Make(ExprKind::kFill, {}, {}, value, std::move(sizes));
}

ConstId ConstExprs::FillWith(std::vector<std::int64_t> sizes, ConstId element) {
  const auto number = Uniform(element);
  if (number) return Fill(std::move(sizes), *number);
  return Make(ExprKind::kFill, {element}, {}, 0, std::move(sizes));
}

ConstId ConstExprs::Diagonal(ConstId vector) {
  const std::int64_t size = exprs_[vector].sizes.front();
  return Make(ExprKind::kDiagonal, {vector}, {}, 0, {size, size});
}

ConstId ConstExprs::Rows(ConstId matrix, ConstId vector) {
  return Make(ExprKind::kRows, {matrix, vector}, {}, 0, exprs_[matrix].sizes);
}

ConstId ConstExprs::Product(ConstId a, ConstId b) {
  return Make(ExprKind::kProduct, {a, b}, {}, 0, {exprs_[a].sizes[0], exprs_[b].sizes[1]});
}

bool ConstExprs::ForAll(ConstId a, const std::function<bool(std::int64_t, double)>& fits) const {
  const std::vector<std::int64_t>& sizes = exprs_[a].sizes;
  std::vector<std::int64_t> begin(sizes.size(), 0);
  for (; exprs_[a].kind == ExprKind::kSlice; a = exprs_[a].operands.front()) {
    begin[static_cast<std::size_t>(exprs_[a].ints[0])] += exprs_[a].ints[1];
  }
  const Tensor* tensor = exprs_[a].value != nullptr ? exprs_[a].value->tensor() : nullptr;
  const std::int64_t count = ProductOf(sizes);
  if (tensor == nullptr || count < 1 || count > kMaxRead) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t offset = 0, stride = 1, rest = i;
    for (std::size_t axis = sizes.size(); axis-- > 0; rest /= sizes[axis]) {
      offset += (begin[axis] + rest % sizes[axis]) * stride;
      stride *= tensor->sizes()[axis];
    }
    if (!fits(i, tensor->FloatAt(offset))) return false;
  }
  return true;
}

// Whether a constant varies along that axis only, as a bias that was added to zeros beforehand.
bool ConstExprs::IsRepeated(ConstId a, int axis) const {
  if (axis < 0) return false;
  const std::vector<std::int64_t>& sizes = exprs_[a].sizes;
  const std::int64_t along = sizes[static_cast<std::size_t>(axis)];
  const std::int64_t inner =
      ProductOf(std::span(sizes).subspan(static_cast<std::size_t>(axis) + 1));
  std::vector<std::optional<double>> first(static_cast<std::size_t>(along));
  return ForAll(a, [&](std::int64_t i, double element) {
    std::optional<double>& known = first[static_cast<std::size_t>(i / inner % along)];
    if (!known) known = element;
    return *known == element;
  });
}

ConstId ConstExprs::VectorAlong(ConstId a, int axis, int rank, std::int64_t size) {
  const std::vector<std::int64_t> sizes = exprs_[a].sizes;
  const int own = axis - (rank - static_cast<int>(sizes.size()));
  const std::int64_t count = ProductOf(sizes);
  const std::int64_t along = own >= 0 ? sizes[static_cast<std::size_t>(own)] : 1;
  if (count != along && (along != size || !IsRepeated(a, own))) return kNoConst;
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    if (i != own && count != along) a = Slice(a, i, 0, 1);
  }
  if (along == size) return Reshape(a, {size});
  return along == 1 ? FillWith({size}, a) : kNoConst;
}

std::optional<double> ConstExprs::Uniform(ConstId a) const {
  double factor = 1;
  for (; exprs_[a].kind == ExprKind::kReshape || exprs_[a].kind == ExprKind::kScale;
       a = exprs_[a].operands.front()) {
    if (exprs_[a].kind == ExprKind::kScale) factor *= exprs_[a].scale;
  }
  const ConstExpr& expr = exprs_[a];
  if (expr.kind == ExprKind::kFill && expr.operands.empty()) return factor * expr.scale;
  std::optional<double> number;
  const bool is_uniform = ForAll(a, [&](std::int64_t, double element) {
    if (!number) number = element;
    return *number == element;
  });
  return is_uniform && number ? std::optional(factor * *number) : std::nullopt;
}

}  // namespace dragoman

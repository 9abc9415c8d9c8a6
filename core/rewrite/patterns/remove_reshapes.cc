// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

constexpr int kMaxChain = 16;

// Whether the node gives the elements of its first operand in other sizes.
bool Reshapes(const Node& node) { return KeepsOrder(node) && !node.Is("Identity"); }

// Reshape(…Squeeze(…x…)) = x, if it has the shape of x
Result<bool> RemoveReshapeBack(Node& node, PassContext& context) {
  if (!Reshapes(node)) return false;
  Value* x = node.operand(0);
  for (int i = 0; i < kMaxChain; ++i) {
    if (SameShape(*x, *node.result())) return context.ReplaceIfAllowed(node, x);
    if (x->producer() == nullptr || !Reshapes(*x->producer())) return false;
    x = x->producer()->operand(0);
  }
  return false;
}

// The sizes of `shape`, -1 for the only open one; nullopt: more are open, or one is 0.
std::optional<std::vector<std::int64_t>> OwnSizes(const Shape* shape) {
  if (shape == nullptr) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (const Dim& size : *shape) sizes.push_back(size.known() ? size.value() : -1);
  if (std::ranges::count(sizes, -1) > 1 || std::ranges::count(sizes, 0) > 0) return std::nullopt;
  return sizes;
}

// Reshape(Reshape(x, a), b) = Reshape(x, b), if b refers to no size of its operand, or to one that
// follows from the others
Result<bool> MergeReshapes(Node& node, PassContext& context) {
  if (!node.Is("Reshape")) return false;
  const Node* inner = node.operand(0)->producer();
  const Tensor* sizes = ConstantOf(node.operand(1));
  if (inner == nullptr || sizes == nullptr || !Reshapes(*inner)) return false;
  const std::vector<std::int64_t> values = sizes->ToInts();
  if (std::ranges::count(values, 0) > 0) {
    const auto own = OwnSizes(node.result()->type().shape());
    if (!own) return false;
    node.set_operand(1, context.AddConstant(*node.graph(), Tensor::Ints(*own),
                                            node.operand(1)->name(), node.operand(1)->origin()));
  }
  context.Explain(node, "reads %" + inner->operand(0)->name() + " directly");
  node.set_origin(Origin::Merge(inner->origin(), node.origin()));
  node.set_operand(0, inner->operand(0));
  return true;
}

// Squeeze(Reshape(x, a)) = Reshape(x, b), for the sizes b of the result; Unsqueeze likewise
Result<bool> ReshapeAtOnce(Node& node, PassContext& context) {
  if (!node.Is("Squeeze") && !node.Is("Unsqueeze")) return false;
  const Node* inner = node.operand(0)->producer();
  const Shape* shape = node.result()->type().shape();
  if (inner == nullptr || !inner->Is("Reshape") || !inner->result()->HasOneUse()) return false;
  const std::optional<std::vector<std::int64_t>> sizes = OwnSizes(shape);
  if (!sizes) return false;
  Value* wanted = context.AddConstant(*node.graph(), Tensor::Ints(*sizes), "sizes", node.origin());
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Reshape", {{inner->operand(0), wanted}}));
  return context.ReplaceIfAllowed(node, y);
}

// Whether both have the same sizes along all axes but the first.
bool HaveSameSizesBehindFirst(const Value& a, const Value& b) {
  const Shape* x = a.type().shape();
  const Shape* y = b.type().shape();
  return x != nullptr && y != nullptr && !x->empty() && x->size() == y->size() &&
         std::equal(x->begin() + 1, x->end(), y->begin() + 1,
                    [](const Dim& i, const Dim& j) { return Equal(i, j) == Truth::kYes; });
}

// Reshape(Concat(Squeeze(a), Squeeze(b), …)) = Concat(a, b, …), along axis 0, if the rows are those
// of a, b, …
Result<bool> MergeReshapesOfParts(Node& node, PassContext& context) {
  const Node* concat = Reshapes(node) ? node.operand(0)->producer() : nullptr;
  if (concat == nullptr || !concat->Is("Concat") || !concat->result()->HasOneUse() ||
      AxisIn(*concat, *concat->result()) != 0) {
    return false;
  }
  std::vector<Value*> parts;
  for (const Use& use : concat->operands()) {
    const Node* move = use.value()->producer();
    if (move == nullptr || !Reshapes(*move)) return false;
    parts.push_back(move->operand(0));
    if (!HaveSameSizesBehindFirst(*parts.back(), *node.result())) return false;
  }
  DRAGOMAN_ASSIGN(Value * whole,
                  context.Insert(node, "Concat", parts, {{"axis", std::int64_t{0}}}));
  return context.ReplaceIfAllowed(node, whole);
}

using Axes = std::vector<std::int64_t>;

// The axes that are not of size 1, in order.
Axes LongAxes(const Shape& shape) {
  Axes axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != Dim(1)) axes.push_back(static_cast<std::int64_t>(i));
  }
  return axes;
}

// The axes of the operand of `node` that are `axes` of its result; nullopt if the node does more
// than put axes of size 1 to others, take them away, or change the order of axes.
std::optional<Axes> AxesBefore(const Node& node, const Axes& axes) {
  Axes before;
  if (node.Is("Transpose")) {
    const Attribute::Ints* perm = IntsAttribute(node, "perm");
    if (perm == nullptr) return std::nullopt;
    for (std::int64_t axis : axes) before.push_back((*perm)[static_cast<std::size_t>(axis)]);
    return before;
  }
  if (!Reshapes(node)) return std::nullopt;
  const Shape* from = node.operand(0)->type().shape();
  const Shape* to = node.result()->type().shape();
  if (from == nullptr || to == nullptr) return std::nullopt;
  const Axes old = LongAxes(*from), fresh = LongAxes(*to);
  const bool same = std::ranges::equal(old, fresh, [&](std::int64_t i, std::int64_t j) {
    const auto at = [](const Shape& shape, std::int64_t axis) {
      return shape[static_cast<std::size_t>(axis)];
    };
    return Equal(at(*from, i), at(*to, j)) == Truth::kYes;
  });
  if (!same) return std::nullopt;
  for (std::int64_t axis : axes) {
    const auto found = std::ranges::find(fresh, axis);
    if (found == fresh.end()) return std::nullopt;  // the size is known elsewhere only
    before.push_back(old[static_cast<std::size_t>(found - fresh.begin())]);
  }
  return before;
}

// The axes of size 1 without which `from` is `to`; empty if there are no such.
Axes OnesBetween(const Shape& from, const Shape& to) {
  Axes ones;
  std::size_t next = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (next < to.size() && Equal(from[i], to[next]) == Truth::kYes) {
      ++next;
    } else if (from[i] == Dim(1)) {
      ones.push_back(static_cast<std::int64_t>(i));
    } else {
      return {};
    }
  }
  return next == to.size() ? ones : Axes();
}

// How `from` becomes `to`, of the same long axes: Squeeze or Unsqueeze where axes of size 1 only go
// or come, or else Reshape.
struct MoveOfOnes {
  const char* type;
  Axes stated;  // axes or sizes
};

std::optional<MoveOfOnes> FindMove(const Shape& from, const Shape& to) {
  if (const Axes gone = OnesBetween(from, to); !gone.empty()) return MoveOfOnes{"Squeeze", gone};
  if (const Axes added = OnesBetween(to, from); !added.empty())
    return MoveOfOnes{"Unsqueeze", added};
  const auto sizes = KnownShape(to);
  // A size of 0 would keep another.
  if (!sizes || std::ranges::count(*sizes, 0) > 0) return std::nullopt;
  return MoveOfOnes{"Reshape", *sizes};
}

// Whether `node` is that move of `x` already. A Reshape may state its sizes as it likes.
bool IsMove(const Node& node, const Value* x, const MoveOfOnes& move) {
  if (node.operand(0) != x || !node.Is(move.type)) return false;
  const Tensor* stated = node.num_operands() > 1 ? ConstantOf(node.operand(1)) : nullptr;
  return node.Is("Reshape") || (stated != nullptr && stated->ToInts() == move.stated);
}

// The order of the axes of `from` in which it has the sizes of `to`: that of `axes` for the long
// ones of `to`, which are those of `from`, too.
Axes OrderOf(const Shape& from, const Shape& to, const Axes& axes) {
  Axes ones;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == Dim(1)) ones.push_back(static_cast<std::int64_t>(i));
  }
  Axes order;
  auto next_one = ones.begin();
  auto next_long = axes.begin();
  for (const Dim& size : to) order.push_back(size == Dim(1) ? *next_one++ : *next_long++);
  return order;
}

// What a chain of moves comes from.
struct MovedFrom {
  Value* x = nullptr;       // from which only axes of size 1 go or come
  Value* turned = nullptr;  // of which it is a Transpose by `perm`
  Axes perm;
  bool alone = true;  // nothing else reads what is between `turned` and the end
};

MovedFrom FollowMoves(const Node& node, const Shape& shape) {
  MovedFrom from;
  Axes axes = LongAxes(shape);
  bool reshapes = false, alone = true;
  const Node* at = &node;
  for (int i = 0; i < kMaxChain && at != nullptr; ++i) {
    const auto before = AxesBefore(*at, axes);
    if (!before) break;
    axes = *before;
    Value* operand = at->operand(0);
    const Shape* sizes = operand->type().shape();
    if (sizes == nullptr) break;
    reshapes = reshapes || Reshapes(*at);
    const bool moves_on = operand->producer() != nullptr && Reshapes(*operand->producer());
    if ((i > 0 || reshapes || moves_on) && std::ranges::is_sorted(axes)) from.x = operand;
    if (i > 0 && reshapes && sizes->size() == shape.size()) {
      from.turned = operand;
      from.perm = OrderOf(*sizes, shape, axes);
      from.alone = alone;
    }
    alone = alone && operand->HasOneUse();
    at = operand->producer();
  }
  return from;
}

// A chain of Transposes, and of others that put or take away axes of size 1, which leaves the long
// axes in their order, is the value before it, or a Squeeze, Unsqueeze or Reshape of that; one that
// puts as many axes as it takes away is a Transpose.
Result<bool> MergeMovesOfOnes(Node& node, PassContext& context) {
  if (!node.Is("Transpose") && !Reshapes(node)) return false;
  const Shape* shape = node.result()->type().shape();
  if (shape == nullptr) return false;
  MovedFrom from = FollowMoves(node, *shape);
  Value* x = from.x;
  const bool ends_in_move = x == node.operand(0) && !SameShape(*x, *node.result());
  if (from.turned != nullptr && (x == nullptr || (ends_in_move && from.alone))) {
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Transpose", {{from.turned}},
                                              {{"perm", std::move(from.perm)}}));
    return context.ReplaceIfAllowed(node, y);
  }
  if (x == nullptr) return false;
  if (SameShape(*x, *node.result())) return context.ReplaceIfAllowed(node, x);
  const auto move = FindMove(*x->type().shape(), *shape);
  if (!move || IsMove(node, x, *move)) return false;
  Value* operand = context.AddConstant(*node.graph(), Tensor::Ints(move->stated), "sizes", {});
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, move->type, {{x, operand}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> ReshapePatterns() {
  static constexpr Pattern kPatterns[] = {
      {"remove-reshape-back", RemoveReshapeBack}, {"merge-reshapes", MergeReshapes},
      {"reshape-at-once", ReshapeAtOnce},         {"merge-reshapes-of-parts", MergeReshapesOfParts},
      {"merge-moves-of-ones", MergeMovesOfOnes},
  };
  return kPatterns;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// Guards of softmax against what its operand cannot be, and masks that hide by a large number, as
// the bounds of scores show.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/analysis/guarded_softmax.h"
#include "core/analysis/value_bounds.h"
#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/passes.h"
#include "core/rewrite/safe_softmax.h"

namespace dragoman {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What is added to a score to hide it, at most; and what a score or another term is at least.
constexpr double kHides = -1e30;
constexpr double kShows = -1e20;
constexpr int kMostTerms = 8;  // of a sum of scores and masks

// What scores are a sum of.
struct Masked {
  std::vector<Node*> sums;    // each of which has a mask as operand
  std::vector<Value*> masks;  // the mask of each
};

bool HidesByNumber(const Value* value) {
  const Tensor* number = ConstantOf(value);
  return number != nullptr && number->size() == 1 && IsFloating(number->dtype()) &&
         number->FloatAt(0) <= kHides;
}

// Whether a mask of each row, along the last axis, leaves an element as it is and hides others.
bool ShowsEachRow(const Tensor& mask) {
  if (!IsFloating(mask.dtype()) || mask.rank() == 0 || mask.size() == 0) return false;
  const std::int64_t row = mask.sizes().back();
  bool shows = false, hides = false;
  for (std::int64_t i = 0; i < mask.size(); ++i) {
    const double element = mask.FloatAt(i);
    if (!(element <= kHides || (element >= kShows && element <= -kShows))) return false;
    shows = shows || element >= kShows;
    hides = hides || element <= kHides;
    if ((i + 1) % row != 0) continue;
    if (!shows) return false;
    shows = false;
  }
  return hides && row > 1;
}

bool ShowsByNumber(const Value* value) {
  const Tensor* number = ConstantOf(value);
  return number != nullptr && number->size() == 1 && IsFloating(number->dtype()) &&
         number->FloatAt(0) >= kShows && number->FloatAt(0) <= -kShows;
}

constexpr std::size_t kMostMoves = 4;  // between what a mask is made of and the scores

// The last nodes in front of `value` that only move or repeat elements, from the back.
std::vector<const Node*> MovesBefore(const Value* value) {
  std::vector<const Node*> moves;
  while (moves.size() < kMostMoves) {
    const Node* node = value->producer();
    if (node == nullptr || !(KeepsOrder(*node) || node->Is("Expand") || node->Is("Transpose")))
      break;
    moves.push_back(node);
    value = node->operand(0);
  }
  return moves;
}

// What hides elements where a condition, or another number, says so.
bool IsMask(const Value* value) {
  const std::vector<const Node*> moves = MovesBefore(value);
  if (!moves.empty()) value = moves.back()->operand(0);
  if (const Node* where = ProducerOf(value, "Where"))
    return (HidesByNumber(where->operand(1)) && ShowsByNumber(where->operand(2))) ||
           (ShowsByNumber(where->operand(1)) && HidesByNumber(where->operand(2)));
  const Node* product = ProducerOf(value, "Mul");
  return product != nullptr && HidesByNumber(product->operand(1));
}

class Simplifier {
 public:
  // `usual`: inputs are usual numbers, and no mask hides a whole row.
  Simplifier(Graph& graph, PassContext& context, bool usual, bool hides)
      : graph_(graph), context_(context), usual_(usual), hides_(hides) {}

  Result<bool> Run() {
    bool changed = false;
    if (usual_ && graph_.parent() == nullptr) {
      for (std::size_t i = 0; i < graph_.num_inputs(); ++i)
        bounds_.Assume(*graph_.input(i), {-kUsualInput, kUsualInput, false});
    }
    for (Node& node : graph_.nodes()) {
      Node* const before = node.prev();
      Value* by = nullptr;
      bounds_.Add(node);
      if (node.Is("Softmax")) {
        DRAGOMAN_ASSIGN(const bool hidden, ReadSoftmax(node));
        changed = changed || hidden;
      }
      if (const GuardedSoftmax guarded = ReadGuardedSoftmax(node); guarded.softmax != nullptr) {
        DRAGOMAN_ASSIGN(by, WithoutGuard(node, guarded));
      }
      Node* added = before != nullptr ? before->next() : graph_.first_node();
      for (; added != &node; added = added->next()) bounds_.Add(*added);
      if (by == nullptr || !PassContext::CanReplace(*node.result(), *by)) continue;
      context_.Replace(node, {&by, 1});
      changed = true;
    }
    return changed;
  }

 private:
  // Scores that are a sum of masks and what is bounded; nullopt: they are no such sum.
  std::optional<Masked> ReadMasked(Value* scores) {
    Masked masked;
    std::vector<Value*> open = {scores};
    bool is_bounded = false;
    for (int i = 0; !open.empty(); ++i) {
      if (i > kMostTerms) return std::nullopt;
      Value* term = open.back();
      open.pop_back();
      const Bounds bounds = bounds_.Of(term);
      if (bounds.low > kShows && bounds.high < -kShows) {
        is_bounded = true;
        continue;
      }
      Node* sum = term->producer();
      if (sum == nullptr || !sum->Is("Add") || sum->graph() != &graph_) return std::nullopt;
      for (std::size_t side = 0; side < 2; ++side) {
        Value* operand = sum->operand(side);
        const Tensor* constant = ConstantOf(operand);
        const bool is_mask =
            constant != nullptr ? ShowsEachRow(*constant) : usual_ && IsMask(operand);
        if (!is_mask) {
          open.push_back(operand);
          continue;
        }
        masked.sums.push_back(sum);
        masked.masks.push_back(operand);
      }
    }
    // Two masks may hide a whole row together.
    return is_bounded && masked.masks.size() == 1 ? std::optional(std::move(masked)) : std::nullopt;
  }

  static bool IsAlongLast(const Node& softmax) {
    const std::int64_t axis = IntAttribute(softmax, "axis");
    return axis == -1 || axis + 1 == softmax.operand(0)->type().rank().value_or(0);
  }

  // `mask` with -inf for what hides; nullptr: it has that already.
  Result<Value*> Hiding(Node& position, Value* mask) {
    const std::vector<const Node*> moves = MovesBefore(mask);
    if (!moves.empty()) mask = moves.back()->operand(0);
    DRAGOMAN_ASSIGN(Value * hiding, HidingUnmoved(position, mask));
    for (std::size_t i = moves.size(); i-- > 0 && hiding != nullptr;) {
      std::vector<Value*> operands = {hiding};
      for (std::size_t k = 1; k < moves[i]->num_operands(); ++k)
        operands.push_back(moves[i]->operand(k));
      DRAGOMAN_ASSIGN(
          hiding, context_.Insert(position, moves[i]->op().type, operands, moves[i]->attributes()));
    }
    return hiding;
  }

  // Of a mask that no node moves.
  Result<Value*> HidingUnmoved(Node& position, Value* mask) {
    if (const Tensor* tensor = ConstantOf(mask)) {
      DRAGOMAN_ASSIGN(Tensor hiding, WithInfinity(*tensor));
      if (hiding == *tensor) return nullptr;
      return context_.AddConstant(*position.graph(), std::move(hiding), mask->name(),
                                  mask->origin());
    }
    const Node* where = ProducerOf(mask, "Where");
    if (where == nullptr) return nullptr;
    const std::size_t side = HidesByNumber(where->operand(1)) ? 1 : 2;
    if (where->operand(side)->tensor()->FloatAt(0) == -kInfinity) return nullptr;
    std::vector<Value*> operands = {where->operand(0), where->operand(1), where->operand(2)};
    DRAGOMAN_ASSIGN(Tensor number, Tensor::Full(mask->type().dtype(), {}, -kInfinity));
    operands[side] =
        context_.AddConstant(*position.graph(), std::move(number), "hidden", position.origin());
    return context_.Insert(position, "Where", operands);
  }

  static Result<Tensor> WithInfinity(const Tensor& mask) {
    const auto hidden = [](const auto elements) {
      std::vector<std::remove_const_t<typename decltype(elements)::element_type>> copy(
          elements.begin(), elements.end());
      for (auto& element : copy) {
        if (element <= kHides) element = -std::numeric_limits<float>::infinity();
      }
      return copy;
    };
    if (mask.dtype() == DType::kF32)
      return Tensor::Of<float>(mask.sizes(), hidden(mask.data<float>()));
    if (mask.dtype() == DType::kF64)
      return Tensor::Of<double>(mask.sizes(), hidden(mask.data<double>()));
    return mask;
  }

  Result<bool> ReadSoftmax(Node& softmax) {
    const auto masked = IsAlongLast(softmax) ? ReadMasked(softmax.operand(0)) : std::nullopt;
    if (!masked) return false;
    const Bounds scores = bounds_.Of(softmax.operand(0));
    // A row that shows something is divided by a sum of at least 1.
    if (!scores.may_be_nan && scores.high < kInfinity)
      bounds_.Assume(*softmax.result(), {0, 1, false});
    return hides_ ? HideByInfinity(softmax, *masked) : false;
  }

  // Softmax(x + m) = Softmax(x + m'), where m' has -inf for numbers that leave nothing of exp(x)
  Result<bool> HideByInfinity(Node& softmax, const Masked& masked) {
    bool changed = false;
    for (std::size_t i = 0; i < masked.sums.size(); ++i) {
      Node& sum = *masked.sums[i];
      if (!sum.result()->HasOneUse() && !IsReadByGuard(sum, softmax)) continue;
      DRAGOMAN_ASSIGN(Value * mask, Hiding(sum, masked.masks[i]));
      if (mask == nullptr) continue;
      if (mask->producer() != nullptr) bounds_.Add(*mask->producer());
      for (std::size_t side = 0; side < 2; ++side) {
        if (sum.operand(side) == masked.masks[i]) sum.set_operand(side, mask);
      }
      bounds_.Add(sum);
      changed = true;
    }
    return changed;
  }

  // Whether nothing but the softmax and the maximum of its guard reads the scores.
  static bool IsReadByGuard(const Node& sum, const Node& softmax) {
    for (const Use* use = sum.result()->first_use(); use != nullptr; use = use->next()) {
      const Node* reader = use->user();
      if (reader == nullptr || (reader != &softmax && !reader->Is("ReduceMax"))) return false;
    }
    return true;
  }

  // What gives the same as `node`, a softmax with a guard; nullptr: nothing simpler does.
  Result<Value*> WithoutGuard(Node& node, const GuardedSoftmax& guarded) {
    Value* const none = nullptr;
    const Bounds scores = bounds_.Of(guarded.softmax->operand(0));
    const bool asks_nan = guarded.guard == GuardedSoftmax::Guard::kNan;
    // Else it is NaN for other reasons, too.
    if (asks_nan && (scores.may_be_nan || std::isinf(scores.high))) return none;
    const bool shows_rows =
        std::isfinite(scores.low) ||
        (IsAlongLast(*guarded.softmax) && ReadMasked(guarded.softmax->operand(0)).has_value());
    if (shows_rows) return guarded.softmax->result();
    if (!asks_nan || !guarded.softmax->operand(0)->type().rank()) return none;
    return InsertSafeSoftmax(*guarded.softmax, node, context_);
  }

  Graph& graph_;
  PassContext& context_;
  bool usual_;
  bool hides_;
  ValueBounds bounds_;
};

bool Has(const Graph& graph, bool (*what)(const Node& node)) {
  for (const Node& node : graph.nodes()) {
    if (what(node)) return true;
  }
  return false;
}

bool IsGuarded(const Node& node) { return ReadGuardedSoftmax(node).softmax != nullptr; }

bool MayBeMasked(const Node& node) {
  return node.Is("Softmax") && ProducerOf(node.operand(0), "Add") != nullptr;
}

}  // namespace

// Where(max(x) = -inf, 0, Softmax(x)) = Softmax(x), where x has something else in each row;
// Where(IsNaN(Softmax(x)), 0, Softmax(x)) = the same where no element is NaN or inf, too,
//   = Where(max(x) = -inf, 0, Softmax(x)) where rows may be -inf
Result<bool> OmitGuards(Graph& graph, PassContext& context) {
  return Has(graph, IsGuarded) ? Simplifier(graph, context, false, false).Run() : false;
}

Result<bool> HideByInfinity(Graph& graph, PassContext& context) {
  return Has(graph, MayBeMasked) ? Simplifier(graph, context, false, true).Run() : false;
}

Result<bool> AssumeUsualInputs(Graph& graph, PassContext& context) {
  const bool may_gain = Has(graph, IsGuarded) || Has(graph, MayBeMasked);
  return may_gain ? Simplifier(graph, context, true, true).Run() : false;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// Elementwise operators on a Concat of which parts are read afterwards, as where a mask is applied
// to the states of all layers at once: they are computed part by part.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

constexpr int kMaxHops = 3;  // elementwise operators in a row

// Elementwise, and all operands are given.
bool CanCut(const Node& node) {
  return IsElementwise(node) && std::ranges::all_of(node.operands(), [](const Use& use) {
           return use.value() != nullptr;
         });
}

// Whether parts of `value` are read, or of what elementwise operators make of it. What an iteration
// of a loop leaves to the next one may be.
bool IsReadInParts(const Value& value, int hops) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    const Node* user = use->user();
    if (user == nullptr) {
      if (value.graph()->parent() != nullptr) return true;
      continue;
    }
    // By name: the patterns of this file move these.
    if (user->Is("Gather") || user->Is("Slice") || user->Is("Split")) {
      if (use->index() == 0) return true;
    } else if (hops > 0 && CanCut(*user) && IsReadInParts(*user->result(), hops - 1)) {
      return true;
    }
  }
  return false;
}

class PartCutter {
 public:
  PartCutter(JoinedParts joined, Node& node, PassContext& context)
      : joined_(std::move(joined)), node_(node), context_(context) {}

  // Whether all operands of `node`, which is this node or one before it, can be cut.
  bool CanCutOperands(const Node& node) const {
    return std::ranges::all_of(node.operands(), [&](const Use& use) {
      return IsSameForParts(*use.value()) || HasWholeAxis(*use.value());
    });
  }

  // The parts of the result of an elementwise `node`.
  Result<std::vector<Value*>> Cut(Node& node, int hops) {
    std::vector<std::vector<Value*>> operands(joined_.size());
    for (const Use& use : node.operands()) {
      DRAGOMAN_ASSIGN(const std::vector<Value*> parts, PartsOf(use.value(), hops));
      for (std::size_t i = 0; i < parts.size(); ++i) operands[i].push_back(parts[i]);
    }
    std::vector<Value*> results;
    for (const std::vector<Value*>& of_part : operands) {
      DRAGOMAN_ASSIGN(Value * result,
                      context_.Insert(node_, FindOp(node)->Label(), of_part, node.attributes()));
      results.push_back(result);
    }
    return results;
  }

 private:
  bool IsSameForParts(const Value& value) const {
    const int own = OwnAxis(value);
    // All parts together may be one element, beside which they are empty.
    return value.type().rank() && !HasWholeAxis(value) && (own < 0 || SizeAlong(value, own) == 1);
  }

  bool HasWholeAxis(const Value& value) const {
    const int own = OwnAxis(value);
    return value.type().rank() && own >= 0 && SizeAlong(value, own) == joined_.begins.back();
  }

  // Where the parts lie in an operand of the node.
  int OwnAxis(const Value& value) const {
    return joined_.axis - (*node_.result()->type().rank() - value.type().rank().value_or(0));
  }

  Result<std::vector<Value*>> PartsOf(Value* value, int hops) {
    if (IsSameForParts(*value)) return std::vector<Value*>(joined_.size(), value);
    const int axis = OwnAxis(*value);
    const auto joined = ReadJoined(*value);
    if (joined && joined->axis == axis && joined->begins == joined_.begins) {
      std::vector<Value*> parts;
      for (const Use& use : joined->concat->operands()) parts.push_back(use.value());
      return parts;
    }
    Node* const producer = value->producer();
    if (hops > 0 && producer != nullptr && producer->graph() == node_.graph() &&
        CanCut(*producer) && value->HasOneUse() && CanCutOperands(*producer)) {
      return Cut(*producer, hops - 1);
    }
    return Slices(value, axis);
  }

  Result<std::vector<Value*>> Slices(Value* value, int axis) {
    std::vector<Value*> parts;
    for (std::size_t i = 0; i < joined_.size(); ++i) {
      DRAGOMAN_ASSIGN(Value * part, InsertSlice(value, joined_.begins[i], joined_.begins[i + 1],
                                                axis, node_, context_));
      parts.push_back(part);
    }
    return parts;
  }

  JoinedParts joined_;
  Node& node_;
  PassContext& context_;
};

// f(Concat(a, b), y) = Concat(f(a, y), f(b, y))
Result<bool> CutElementwise(Node& node, PassContext& context) {
  if (!CanCut(node)) return false;
  const Value& result = *node.result();
  for (const Use& use : node.operands()) {
    auto joined = ReadJoined(*use.value());
    if (!joined || joined->size() < 2 || use.value()->type().rank() != result.type().rank() ||
        SizeAlong(result, joined->axis) != joined->begins.back()) {
      continue;
    }
    if (!IsReadInParts(result, kMaxHops)) return false;
    const int axis = joined->axis;
    PartCutter cutter(std::move(*joined), node, context);
    if (!cutter.CanCutOperands(node)) return false;
    DRAGOMAN_ASSIGN(const std::vector<Value*> parts, cutter.Cut(node, kMaxHops));
    DRAGOMAN_ASSIGN(Value * whole,
                    context.Insert(node, "Concat", parts, {{"axis", std::int64_t{axis}}}));
    return context.ReplaceIfAllowed(node, whole);
  }
  return false;
}

}  // namespace

std::span<const Pattern> CutPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"cut-elementwise-of-concat", CutElementwise},
  };
  return kPatterns;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/identity_patterns.h"
#include "core/rewrite/zeros.h"

namespace dragoman {

Result<bool> ReplaceByCopy(Node& node, PassContext& context, Value* x) {
  if (context.ReplaceIfAllowed(node, x)) return true;
  DRAGOMAN_ASSIGN(Value * copy, context.Insert(node, "Identity", {{x}}));
  return context.ReplaceIfAllowed(node, copy);
}

namespace {

// Of constants that a model may hold twice.
constexpr std::size_t kSmallBytes = 4096;

// Identity(x) = x; a constant that nothing else reads is an output itself, and so is a copy of a
// small one.
Result<bool> RemoveIdentity(Node& node, PassContext& context) {
  if (!node.Is("Identity")) return false;
  Value* x = node.operand(0);
  if (context.ReplaceIfAllowed(node, x)) return true;
  const Tensor* tensor = ConstantOf(x);
  if (tensor == nullptr) return false;
  const bool is_small = tensor->dtype() != DType::kString && tensor->bytes().size() <= kSmallBytes;
  const bool is_shared = !x->HasOneUse();
  if (is_shared && !is_small) return false;
  if (is_shared || x->graph() != node.graph())
    x = context.AddConstant(*node.graph(), *x->tensor(), x->name(), x->origin());
  context.Replace(node, std::span<Value* const>(&x, 1));
  return true;
}

// Dropout(x, ratio, training = false) = x, and true throughout
Result<bool> RemoveDropout(Node& node, PassContext& context) {
  if (!node.Is("Dropout")) return false;
  if (const Value* training = node.operand(2)) {
    const Tensor* known = ConstantOf(training);
    if (known == nullptr || known->IntAt(0) != 0) return false;
  }
  Value* by[] = {node.operand(0), nullptr};
  if (const Value* mask = node.result(1); mask != nullptr && mask->used()) {
    DRAGOMAN_ASSIGN(Value * sizes, context.Insert(node, "Shape", {{by[0]}}));
    const Tensor kept = Tensor::Of<bool>({1}, {{true}});
    DRAGOMAN_ASSIGN(
        by[1], context.Insert(node, "ConstantOfShape", {{sizes}}, {{"value", Attribute(kept)}}));
  }
  DRAGOMAN_TRY(context.InsertCopies(node, by));
  context.Replace(node, by);
  return true;
}

// Cast(x: T, to = T) = x
Result<bool> RemoveCast(Node& node, PassContext& context) {
  if (!node.Is("Cast")) return false;
  const DType from = node.operand(0)->type().dtype();
  if (from == DType::kUnknown || IntAttribute(node, "to") != static_cast<int>(from)) {
    return false;
  }
  return ReplaceByCopy(node, context, node.operand(0));
}

// Clip(x) = Concat(x) = Max(x) = Min(x) = Sum(x) = Mean(x) = x. By name: these take any number of
// operands.
Result<bool> RemoveSingle(Node& node, PassContext& context) {
  constexpr std::string_view kOps[] = {"Clip", "Concat", "Max", "Min", "Sum", "Mean"};
  const auto is_absent = [](const Use& use) { return use.value() == nullptr; };
  const bool is_single =
      node.num_operands() > 0 && std::ranges::all_of(node.operands().subspan(1), is_absent);
  const bool gives_it = std::ranges::any_of(kOps, [&](std::string_view op) { return node.Is(op); });
  if (!is_single || !gives_it || node.operand(0) == nullptr) return false;
  return ReplaceByCopy(node, context, node.operand(0));
}

// Concat(x, y, z) = Concat(x, z), if y is empty
Result<bool> RemoveEmpty(Node& node, PassContext& context) {
  if (!node.Is("Concat")) return false;
  const int axis = AxisIn(node, *node.result());
  std::vector<Value*> parts;
  for (const Use& use : node.operands()) {
    const bool is_empty = SizeAlong(*use.value(), axis) == 0;
    if (!is_empty || use.value()->type().rank() != node.result()->type().rank()) {
      parts.push_back(use.value());
    }
  }
  if (parts.empty() || parts.size() == node.num_operands()) return false;
  DRAGOMAN_ASSIGN(Value * joined,
                  context.Insert(node, "Concat", parts, {{"axis", std::int64_t{axis}}}));
  return context.ReplaceIfAllowed(node, joined);
}

bool IsOnlyAdded(const Value& value) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr || !use->user()->Is("Add")) return false;
  }
  return true;
}

// OptionalGetElement(x) = x, of what is not an optional
Result<bool> RemoveGetElement(Node& node, PassContext& context) {
  if (!node.Is("OptionalGetElement")) return false;
  Value* x = node.operand(0);
  const Type::Kind kind = x != nullptr ? x->type().kind() : Type::Kind::kUnknown;
  if (kind != Type::Kind::kTensor && kind != Type::Kind::kSequence) return false;
  return ReplaceByCopy(node, context, x);
}

bool HasNegativeZeros(const Tensor& zeros) {
  for (std::int64_t i = 0; i < zeros.size(); ++i) {
    if (!std::signbit(zeros.FloatAt(i))) return false;
  }
  return true;
}

// x + 0 = x but for -0, whose sign must not matter. Not if the zeros are read otherwise, too: those
// may be the first state of a recurrence, which shows in what becomes of it.
Result<bool> RemoveZeros(Node& node, PassContext& context) {
  if (!node.Is("Add")) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const Value& zeros = *node.operand(i);
    Value* x = node.operand(1 - i);
    const Tensor* tensor = ConstantOf(&zeros);
    if (tensor == nullptr || !SameShape(*x, *node.result()) || !IsZeroTensor(*tensor)) continue;
    if (!IsOnlyAdded(zeros)) continue;
    const DType dtype = x->type().dtype();
    const bool signs = IsFloating(dtype) ? !HasNegativeZeros(*tensor) : IsComplex(dtype);
    if (signs && MayReadSignOfZero(*node.result())) continue;
    return context.ReplaceIfAllowed(node, x);
  }
  return false;
}

}  // namespace

std::span<const Pattern> CopyPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"remove-identity", RemoveIdentity}, {"remove-dropout", RemoveDropout},
      {"remove-cast", RemoveCast},         {"remove-single", RemoveSingle},
      {"remove-empty", RemoveEmpty},       {"remove-get-element", RemoveGetElement},
      {"remove-zeros", RemoveZeros},
  };
  return kPatterns;
}

}  // namespace dragoman

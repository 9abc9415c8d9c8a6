// SPDX-License-Identifier: Apache-2.0
// Moves what makes channels the last axis after the operators that read it: between convolutions
// of a network that has channels last, it meets the Transpose that makes them axis 1 again, and
// both go (fold_transposes.cc).
//
// Only Transposes of that kind are moved, of four axes and more, or after a convolution over one
// axis: others belong to what they stand at, such as the heads of an attention. Where graphs are
// compared, those go as far as they can, too: optimisers move them, and each in its own way.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/passes.h"
#include "core/rewrite/patterns/linear_patterns.h"

namespace dragoman {
namespace {

using Perm = std::vector<std::int64_t>;

// Whether what a convolution gives still has its channels after `node`. By name: other operators
// that move elements may bring the channels elsewhere.
bool KeepsChannels(const Node& node) {
  return IsElementwise(node) || node.Is("BatchNormalization") || node.Is("Concat") ||
         node.Is("Pad") || node.Is("Slice") || node.Is("Squeeze") || node.Is("Unsqueeze");
}

// Whether a convolution or a pool computes `value`, and what follows it up to there. By name: those
// of other frameworks that have channels last.
bool ComesFromConv(const Value* value) {
  constexpr int kFarEnough = 16;
  for (int step = 0; step < kFarEnough; ++step) {
    const Node* node = value != nullptr ? value->producer() : nullptr;
    if (node == nullptr) return false;
    if (node->Is("Conv") || node->Is("MaxPool") || node->Is("AveragePool")) return true;
    if (!KeepsChannels(*node)) return false;
    value = ConstantOf(node->operand(0)) != nullptr ? node->operand(1) : node->operand(0);
  }
  return false;
}

// (0, 2, 3, …, 1) of what gives `value`; nullptr: it is none such.
const Attribute::Ints* ChannelsLast(const Value* value) {
  const Node* node = ProducerOf(value, "Transpose");
  if (node == nullptr) return nullptr;
  const Attribute::Ints* perm = IntsAttribute(*node, "perm");
  if (perm == nullptr || perm->size() < 3 || perm->front() != 0 || perm->back() != 1)
    return nullptr;
  for (std::size_t i = 1; i + 1 < perm->size(); ++i) {
    if ((*perm)[i] != static_cast<std::int64_t>(i) + 1) return nullptr;
  }
  return perm->size() > 3 || ComesFromConv(node->operand(0)) ? perm : nullptr;
}

// The permutation of any Transpose that gives `value`; nullptr: none does.
const Attribute::Ints* AnyOrder(const Value* value) {
  const Node* node = ProducerOf(value, "Transpose");
  return node != nullptr ? IntsAttribute(*node, "perm") : nullptr;
}

// Which Transposes are moved: it gives the permutation of one that is, else nullptr.
using PermOf = const Attribute::Ints* (*)(const Value* value);

Perm Inverse(const Perm& perm) {
  Perm inverse(perm.size());
  for (std::size_t i = 0; i < perm.size(); ++i)
    inverse[static_cast<std::size_t>(perm[i])] = static_cast<std::int64_t>(i);
  return inverse;
}

// The axis of what is transposed that axis `axis` of the result is; kNoAxis: out of range.
constexpr std::int64_t kNoAxis = -1;
std::int64_t AxisBefore(const Perm& perm, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(perm.size());
  if (axis < 0) axis += rank;
  return axis >= 0 && axis < rank ? perm[static_cast<std::size_t>(axis)] : kNoAxis;
}

std::optional<Perm> AxesBefore(const Perm& perm, const Perm& axes) {
  Perm before;
  for (const std::int64_t axis : axes) {
    before.push_back(AxisBefore(perm, axis));
    if (before.back() == kNoAxis) return std::nullopt;
  }
  return before;
}

std::vector<Value*> OperandsOf(const Node& node) {
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) operands.push_back(use.value());
  return operands;
}

Value* IntsConstant(const Perm& values, Node& node, PassContext& context) {
  return context.AddConstant(*node.graph(), Tensor::Ints(values), "axes", node.origin());
}

std::vector<NamedAttribute> WithInt(const Node& node, std::string_view name, std::int64_t value) {
  std::vector<NamedAttribute> attributes = node.attributes();
  std::erase_if(attributes, [&](const NamedAttribute& given) { return given.name == name; });
  attributes.emplace_back(std::string(name), value);
  return attributes;
}

// Replaces `node` by itself of `operands`, with a Transpose by `perm` after each result.
Result<bool> PutBefore(Node& node, const std::vector<Value*>& operands,
                       std::vector<NamedAttribute> attributes, const Perm& perm,
                       PassContext& context) {
  DRAGOMAN_ASSIGN(Node * moved, context.InsertNode(node, FindOp(node)->Label(), operands,
                                                   std::move(attributes), node.num_results()));
  std::vector<Value*> results;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    Value* result = moved->result(i);
    if (perm.empty() || std::is_sorted(perm.begin(), perm.end())) {
      results.push_back(result);
      continue;
    }
    DRAGOMAN_ASSIGN(result, context.Insert(node, "Transpose", {{result}}, {{"perm", perm}}));
    results.push_back(result);
  }
  DRAGOMAN_TRY(context.InsertCopies(node, results));
  context.Explain(node, "computed with channels at axis 1");
  context.Replace(node, results);
  return true;
}

bool HasResultsOfRank(const Node& node, std::size_t rank) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr || result->type().rank() != static_cast<int>(rank)) return false;
  }
  return true;
}

bool IsOneNumber(const Value& value) {
  const Shape* shape = value.type().shape();
  return shape != nullptr && Equal(NumElements(*shape), Dim(1)) == Truth::kYes;
}

// f(Transpose(x)) = Transpose(f(x))
template <PermOf kPermOf>
Result<bool> SinkBehindUnary(Node& node, PassContext& context) {
  if (!IsUnary(node)) return false;
  const Attribute::Ints* perm = kPermOf(node.operand(0));
  if (perm == nullptr) return false;
  std::vector<Value*> operands = OperandsOf(node);
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (operands[i] != nullptr && !IsOneNumber(*operands[i])) return false;
  }
  operands[0] = operands[0]->producer()->operand(0);
  return PutBefore(node, operands, node.attributes(), Perm(*perm), context);
}

// How a value that broadcasts with a transposed tensor can do so with what is transposed.
enum class Move { kImpossible, kTransposed, kAsItIs, kAlongChannels, kConstant, kSmall };

template <PermOf kPermOf>
Move MoveOf(const Value* value, const Perm& perm) {
  const Attribute::Ints* own = kPermOf(value);
  if (own != nullptr && *own == perm) return Move::kTransposed;
  const Shape* shape = value != nullptr ? value->type().shape() : nullptr;
  if (shape == nullptr || shape->size() > perm.size()) return Move::kImpossible;
  const std::size_t rank = shape->size();
  // Whether axes `begin` to the last but one have size 1.
  const auto ones = [&](std::size_t begin) {
    for (std::size_t axis = begin; axis + 1 < rank; ++axis) {
      if (Equal((*shape)[axis], Dim(1)) != Truth::kYes) return false;
    }
    return true;
  };
  if (ones(0)) {
    const bool number = rank == 0 || Equal(shape->back(), Dim(1)) == Truth::kYes;
    return number ? Move::kAsItIs : Move::kAlongChannels;
  }
  if (const Tensor* tensor = ConstantOf(value))
    return tensor->dtype() != DType::kString ? Move::kConstant : Move::kImpossible;
  // A Transpose of any order in front of a small operand would be moved back here, forever.
  const bool may_transpose = kPermOf == ChannelsLast;
  return may_transpose && rank == perm.size() && ones(1) ? Move::kSmall : Move::kImpossible;
}

template <PermOf kPermOf>
Result<Value*> BeforeTranspose(Value* value, const Perm& perm, Node& node, PassContext& context) {
  const Move move = MoveOf<kPermOf>(value, perm);
  if (move == Move::kTransposed) return value->producer()->operand(0);
  if (move == Move::kAsItIs) return value;
  const Tensor* tensor = ConstantOf(value);
  if (move == Move::kAlongChannels) {
    Perm sizes(perm.size() - static_cast<std::size_t>(perm.back()), 1);
    sizes.front() = tensor != nullptr ? tensor->size() : -1;
    if (tensor != nullptr)
      return context.AddConstant(*node.graph(), tensor->Reshaped(sizes), value->name(),
                                 value->origin());
    Value* wanted = IntsConstant(sizes, node, context);
    return context.Insert(node, "Reshape", {{value, wanted}});
  }
  if (move == Move::kConstant) {
    Perm sizes(perm.size() - tensor->sizes().size(), 1);
    sizes.insert(sizes.end(), tensor->sizes().begin(), tensor->sizes().end());
    Value* whole =
        context.AddConstant(*node.graph(), tensor->Reshaped(sizes), value->name(), value->origin());
    return TransposeConstant(*whole, Inverse(perm), context);
  }
  return context.Insert(node, "Transpose", {{value}}, {{"perm", Inverse(perm)}});
}

// f(Transpose(x), Transpose(y), constant) = Transpose(f(x, y, transposed constant))
template <PermOf kPermOf>
Result<bool> SinkBehindBroadcasting(Node& node, PassContext& context) {
  if (!IsElementwise(node) || IsUnary(node)) return false;
  const Attribute::Ints* perm = nullptr;
  for (const Use& use : node.operands()) {
    if (perm == nullptr) perm = kPermOf(use.value());
  }
  if (perm == nullptr || node.result()->type().rank() != static_cast<int>(perm->size()))
    return false;
  const Perm order = *perm;
  for (const Use& use : node.operands()) {
    if (MoveOf<kPermOf>(use.value(), order) == Move::kImpossible) return false;
  }
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) {
    DRAGOMAN_ASSIGN(Value * operand, BeforeTranspose<kPermOf>(use.value(), order, node, context));
    operands.push_back(operand);
  }
  return PutBefore(node, operands, node.attributes(), order, context);
}

// Concat(Transpose(x), …) = Transpose(Concat(x, …))
template <PermOf kPermOf>
Result<bool> SinkBehindConcat(Node& node, PassContext& context) {
  if (!node.Is("Concat")) return false;
  const Attribute::Ints* perm = kPermOf(node.operand(0));
  if (perm == nullptr) return false;
  const Perm order = *perm;
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) {
    const Attribute::Ints* own = kPermOf(use.value());
    if (own == nullptr || *own != order) return false;
    operands.push_back(use.value()->producer()->operand(0));
  }
  const std::int64_t axis = AxisBefore(order, IntAttribute(node, "axis"));
  if (axis == kNoAxis) return false;
  return PutBefore(node, operands, WithInt(node, "axis", axis), order, context);
}

// Operators along an axis: Softmax, Split, quantisation with a scale for each channel.
template <PermOf kPermOf>
Result<bool> SinkBehindAxis(Node& node, PassContext& context) {
  if (AxisUseOf(node) != AxisUse::kAlong) return false;
  const Attribute::Ints* perm = kPermOf(node.operand(0));
  if (perm == nullptr || !HasResultsOfRank(node, perm->size())) return false;
  const Perm order = *perm;
  const std::int64_t axis = AxisBefore(order, IntAttribute(node, "axis"));
  if (axis == kNoAxis) return false;
  std::vector<Value*> operands = OperandsOf(node);
  operands[0] = operands[0]->producer()->operand(0);
  return PutBefore(node, operands, WithInt(node, "axis", axis), order, context);
}

// Reductions and Squeeze: their axes are those of what is transposed, and the others keep their
// order.
template <PermOf kPermOf>
Result<bool> SinkBehindAxes(Node& node, PassContext& context) {
  const bool squeezes = node.Is("Squeeze");
  const bool reduces = node.op().dialect == "onnx" && node.op().type.starts_with("Reduce");
  if (!squeezes && !reduces) return false;
  const Attribute::Ints* perm = kPermOf(node.operand(0));
  const auto stated = perm != nullptr ? IntsOf(context, node.operand(1)) : std::nullopt;
  if (!stated || stated->empty()) return false;
  const Perm order = *perm;
  const std::optional<Perm> axes = AxesBefore(order, *stated);
  if (!axes) return false;
  Perm behind = order;
  if (squeezes || IntAttribute(node, "keepdims") == 0) {
    std::erase_if(behind, [&](std::int64_t axis) {
      return std::find(axes->begin(), axes->end(), axis) != axes->end();
    });
    // Counted among those that are left.
    for (std::int64_t& axis : behind) {
      axis -= std::count_if(axes->begin(), axes->end(), [&](auto gone) { return gone < axis; });
    }
  }
  Perm sorted = *axes;
  std::sort(sorted.begin(), sorted.end());
  std::vector<Value*> operands = OperandsOf(node);
  operands[0] = operands[0]->producer()->operand(0);
  operands[1] = IntsConstant(sorted, node, context);
  return PutBefore(node, operands, node.attributes(), behind, context);
}

// The pads of a Pad of all axes, on axes in the order `perm`; nullopt: it is none such.
std::optional<Perm> PadsInOrder(const Node& pad, const Perm& perm, const PassContext& context) {
  if (!pad.Is("Pad") || pad.operand(3) != nullptr) return std::nullopt;
  const auto pads = IntsOf(context, pad.operand(1));
  if (!pads || pads->size() != 2 * perm.size()) return std::nullopt;
  Perm ordered;
  for (const std::size_t side : {std::size_t{0}, perm.size()}) {
    for (const std::int64_t axis : perm)
      ordered.push_back((*pads)[side + static_cast<std::size_t>(axis)]);
  }
  return ordered;
}

// Pad(Transpose(x)) = Transpose(Pad(x))
Result<bool> SinkBehindPad(Node& node, PassContext& context) {
  const Attribute::Ints* perm = node.Is("Pad") ? ChannelsLast(node.operand(0)) : nullptr;
  if (perm == nullptr) return false;
  const Perm order = *perm;
  const std::optional<Perm> pads = PadsInOrder(node, Inverse(order), context);
  if (!pads) return false;
  std::vector<Value*> operands = OperandsOf(node);
  operands[0] = operands[0]->producer()->operand(0);
  operands[1] = IntsConstant(*pads, node, context);
  return PutBefore(node, operands, node.attributes(), order, context);
}

bool IsReadByConv(const Value& value) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    if (use->user() != nullptr && use->user()->Is("Conv")) return true;
  }
  return false;
}

// Transpose(Pad(x)) = Pad(Transpose(x)) before a convolution, which takes the pads
// (merge_padding.cc). What comes from another one is left to sink-behind-pad.
Result<bool> LiftPad(Node& node, PassContext& context) {
  if (!node.Is("Transpose") || !IsReadByConv(*node.result())) return false;
  if (ChannelsLast(node.result()) != nullptr) return false;
  const Attribute::Ints* perm = IntsAttribute(node, "perm");
  Node* pad = node.operand(0)->producer();
  if (perm == nullptr || pad == nullptr || !node.operand(0)->HasOneUse()) return false;
  const std::optional<Perm> pads = PadsInOrder(*pad, *perm, context);
  if (!pads || ComesFromConv(pad->operand(0))) return false;
  DRAGOMAN_ASSIGN(Value * transposed,
                  context.Insert(node, "Transpose", {{pad->operand(0)}}, {{"perm", *perm}}));
  std::vector<Value*> operands = OperandsOf(*pad);
  operands[0] = transposed;
  operands[1] = IntsConstant(*pads, node, context);
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Pad", operands, pad->attributes()));
  return context.ReplaceIfAllowed(node, y);
}

template <PermOf kPermOf>
Result<bool> SinkBehindSlice(Node& node, PassContext& context) {
  if (!node.Is("Slice") || node.operand(1)->type().dtype() != DType::kI64) return false;
  const Attribute::Ints* perm = kPermOf(node.operand(0));
  const auto stated = perm != nullptr ? IntsOf(context, node.operand(3)) : std::nullopt;
  if (!stated) return false;
  const Perm order = *perm;
  const std::optional<Perm> axes = AxesBefore(order, *stated);
  if (!axes) return false;
  std::vector<Value*> operands = OperandsOf(node);
  operands[0] = operands[0]->producer()->operand(0);
  operands[3] = IntsConstant(*axes, node, context);
  return PutBefore(node, operands, node.attributes(), order, context);
}

// Gather(Transpose(x), i) = Transpose(Gather(x, i)), for one place or a list of places
template <PermOf kPermOf>
Result<bool> SinkBehindGather(Node& node, PassContext& context) {
  const Attribute::Ints* perm = node.Is("Gather") ? kPermOf(node.operand(0)) : nullptr;
  const auto places = perm != nullptr ? node.operand(1)->type().rank() : std::nullopt;
  if (!places || *places > 1) return false;
  Perm order = *perm;
  const std::int64_t axis = AxisBefore(order, IntAttribute(node, "axis"));
  if (axis == kNoAxis) return false;
  std::vector<Value*> operands = OperandsOf(node);
  operands[0] = operands[0]->producer()->operand(0);
  if (*places == 0) {
    std::erase(order, axis);
    for (std::int64_t& before : order) before -= before > axis ? 1 : 0;
  }
  return PutBefore(node, operands, WithInt(node, "axis", axis), order, context);
}

// Transpose(Unsqueeze(x, axes), p) = Unsqueeze(Transpose(x, r), axes'), which joins a Transpose
// that gives x
Result<bool> LiftUnsqueeze(Node& node, PassContext& context) {
  if (!node.Is("Transpose")) return false;
  const Attribute::Ints* perm = IntsAttribute(node, "perm");
  const Node* unsqueeze = node.operand(0)->producer();
  if (perm == nullptr || unsqueeze == nullptr || !unsqueeze->Is("Unsqueeze")) return false;
  const Node* inner = unsqueeze->operand(0)->producer();
  const auto stated = IntsOf(context, unsqueeze->operand(1));
  const bool joins = inner != nullptr && inner->Is("Transpose");
  if (!stated || (!joins && !unsqueeze->result()->HasOneUse())) return false;
  // Which axes of the whole are new, by their place before and after the Transpose.
  const auto rank = static_cast<std::int64_t>(perm->size());
  std::vector<bool> is_new(perm->size(), false);
  for (const std::int64_t axis : *stated)
    is_new[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
  Perm axes;
  Perm order;
  for (std::size_t i = 0; i < perm->size(); ++i) {
    const auto before = static_cast<std::size_t>((*perm)[i]);
    if (is_new[before]) {
      axes.push_back(static_cast<std::int64_t>(i));
    } else {
      const auto skipped = std::count(is_new.begin(), is_new.begin() + (*perm)[i], true);
      order.push_back((*perm)[i] - skipped);
    }
  }
  DRAGOMAN_ASSIGN(Value * transposed,
                  context.Insert(node, "Transpose", {{unsqueeze->operand(0)}}, {{"perm", order}}));
  Value* wanted = IntsConstant(axes, node, context);
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Unsqueeze", {{transposed, wanted}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> SinkingPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"sink-behind-unary", SinkBehindUnary<ChannelsLast>},
      {"sink-behind-broadcasting", SinkBehindBroadcasting<ChannelsLast>},
      {"sink-behind-concat", SinkBehindConcat<ChannelsLast>},
      {"sink-behind-axis", SinkBehindAxis<ChannelsLast>},
      {"sink-behind-axes", SinkBehindAxes<ChannelsLast>},
      {"sink-behind-pad", SinkBehindPad},
      {"sink-behind-slice", SinkBehindSlice<ChannelsLast>},
      {"lift-unsqueeze", LiftUnsqueeze},
      {"lift-pad", LiftPad},
  };
  return kPatterns;
}

std::span<const Pattern> AnyOrderPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"sink-any-behind-unary", SinkBehindUnary<AnyOrder>},
      {"sink-any-behind-broadcasting", SinkBehindBroadcasting<AnyOrder>},
      {"sink-any-behind-concat", SinkBehindConcat<AnyOrder>},
      {"sink-any-behind-axis", SinkBehindAxis<AnyOrder>},
      {"sink-any-behind-axes", SinkBehindAxes<AnyOrder>},
      {"sink-any-behind-slice", SinkBehindSlice<AnyOrder>},
      {"sink-any-behind-gather", SinkBehindGather<AnyOrder>},
  };
  return kPatterns;
}

}  // namespace dragoman

// What is read of a Concat and is one of its operands, as where the states of several layers pass
// from step to step in one tensor.
#include <vector>

#include "core/analysis/affine.h"
#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

// More operands are steps of a sequence, which is kept.
constexpr std::size_t kMaxParts = 8;

std::int64_t AxisOf(const Node& node, const Value& value) {
  const std::int64_t axis = IntAttribute(node, "axis", 0);
  return axis < 0 ? axis + value.type().rank().value_or(0) : axis;
}

struct Joined {
  const Node* concat = nullptr;
  std::int64_t axis = 0;
  std::vector<std::int64_t> begins;  // of the operands along `axis`, and the end
};

std::optional<Joined> ReadConcat(const Value& value) {
  const Node* concat = value.producer();
  if (concat == nullptr || !concat->Is("Concat") || concat->num_operands() > kMaxParts) {
    return std::nullopt;
  }
  Joined joined{concat, AxisOf(*concat, value), {0}};
  for (const Use& use : concat->operands()) {
    const auto size = SizeAlong(*use.value(), static_cast<int>(joined.axis));
    if (!size) return std::nullopt;
    joined.begins.push_back(joined.begins.back() + *size);
  }
  return joined;
}

// The operand that is elements begin .. end; nullptr: there is none.
Value* PartAt(const Joined& joined, std::int64_t begin, std::int64_t end) {
  for (std::size_t i = 0; i < joined.concat->num_operands(); ++i) {
    if (joined.begins[i] == begin && joined.begins[i + 1] == end) return joined.concat->operand(i);
  }
  return nullptr;
}

// Slice(Concat(a, b, …)) = b, if that is what it cuts out
Result<bool> ReadSlice(Node& node, PassContext& context) {
  if (!node.Is("Slice")) return false;
  const auto joined = ReadConcat(*node.operand(0));
  const auto begin = IntOf(context, node.operand(1));
  const auto axis = node.operand(3) != nullptr ? IntOf(context, node.operand(3)) : 0;
  const auto step = node.operand(4) != nullptr ? IntOf(context, node.operand(4)) : 1;
  if (!joined || !begin || !axis || step != 1) return false;
  const int rank = node.operand(0)->type().rank().value_or(0);
  const auto size = SizeAlong(*node.result(), static_cast<int>(joined->axis));
  if ((*axis < 0 ? *axis + rank : *axis) != joined->axis || !size) return false;
  const std::int64_t from = *begin < 0 ? *begin + joined->begins.back() : *begin;
  Value* part = PartAt(*joined, from, from + *size);
  return part != nullptr && context.ReplaceIfAllowed(node, part);
}

// Gather(Concat(a, b, …), i) = Squeeze(b), if b has size 1
Result<bool> ReadGather(Node& node, PassContext& context) {
  if (!node.Is("Gather") || node.operand(1)->type().rank() != 0) return false;
  const auto joined = ReadConcat(*node.operand(0));
  const auto index = IntOf(context, node.operand(1));
  if (!joined || !index || AxisOf(node, *node.operand(0)) != joined->axis) return false;
  const std::int64_t from = *index < 0 ? *index + joined->begins.back() : *index;
  Value* part = PartAt(*joined, from, from + 1);
  if (part == nullptr) return false;
  Value* axes = context.AddConstant(*node.graph(), Tensor::Ints(std::vector{joined->axis}), "axes",
                                    node.origin());
  DRAGOMAN_ASSIGN(part, context.Insert(node, "Squeeze", {{part, axes}}));
  return context.ReplaceIfAllowed(node, part);
}

// Split(Concat(a, b, …)) = a, b, …, if it cuts where they meet
Result<bool> ReadSplit(Node& node, PassContext& context) {
  if (!node.Is("Split")) return false;
  const auto joined = ReadConcat(*node.operand(0));
  if (!joined || AxisOf(node, *node.operand(0)) != joined->axis) return false;
  std::vector<Value*> parts;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    const auto size =
        result != nullptr ? SizeAlong(*result, static_cast<int>(joined->axis)) : std::nullopt;
    if (!size) return false;
    parts.push_back(PartAt(*joined, begin, begin + *size));
    if (parts.back() == nullptr || !PassContext::CanReplace(*result, *parts.back())) return false;
    begin += *size;
  }
  context.Replace(node, parts);
  return true;
}

constexpr Pattern kPatterns[] = {
    {"read-slice-of-concat", ReadSlice},
    {"read-gather-of-concat", ReadGather},
    {"read-split-of-concat", ReadSplit},
};

}  // namespace

std::span<const Pattern> PartPatterns() { return kPatterns; }

}  // namespace dragoman

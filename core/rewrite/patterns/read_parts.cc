// What is read of a Concat and is one of its operands, as where the states of several layers pass
// from step to step in one tensor.
#include <vector>

#include "core/analysis/affine.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

// The operand that is elements begin .. end; nullptr: there is none.
Value* PartAt(const JoinedParts& joined, std::int64_t begin, std::int64_t end) {
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (joined.begins[i] == begin && joined.begins[i + 1] == end) return joined.concat->operand(i);
  }
  return nullptr;
}

// Slice(Concat(a, b, …)) = b, if that is what it cuts out
Result<bool> ReadSlice(Node& node, PassContext& context) {
  if (!node.Is("Slice")) return false;
  const auto joined = ReadJoined(*node.operand(0));
  const auto begin = IntOf(context, node.operand(1));
  const auto axis = node.operand(3) != nullptr ? IntOf(context, node.operand(3)) : 0;
  const auto step = node.operand(4) != nullptr ? IntOf(context, node.operand(4)) : 1;
  if (!joined || !begin || !axis || step != 1) return false;
  const int rank = node.operand(0)->type().rank().value_or(0);
  const auto size = SizeAlong(*node.result(), joined->axis);
  if ((*axis < 0 ? *axis + rank : *axis) != joined->axis || !size) return false;
  const std::int64_t from = *begin < 0 ? *begin + joined->begins.back() : *begin;
  Value* part = PartAt(*joined, from, from + *size);
  return part != nullptr && context.ReplaceIfAllowed(node, part);
}

// Gather(Concat(a, b, …), i) = Squeeze(b), if b has size 1
Result<bool> ReadGather(Node& node, PassContext& context) {
  if (!node.Is("Gather") || node.operand(1)->type().rank() != 0) return false;
  const auto joined = ReadJoined(*node.operand(0));
  const auto index = IntOf(context, node.operand(1));
  if (!joined || !index || AxisIn(node, *node.operand(0)) != joined->axis) return false;
  const std::int64_t from = *index < 0 ? *index + joined->begins.back() : *index;
  Value* part = PartAt(*joined, from, from + 1);
  if (part == nullptr) return false;
  Value* axes = context.AddConstant(
      *node.graph(), Tensor::Ints(std::vector{std::int64_t{joined->axis}}), "axes", node.origin());
  DRAGOMAN_ASSIGN(part, context.Insert(node, "Squeeze", {{part, axes}}));
  return context.ReplaceIfAllowed(node, part);
}

// Split(Concat(a, b, …)) = a, b, …, if it cuts where they meet
Result<bool> ReadSplit(Node& node, PassContext& context) {
  if (!node.Is("Split")) return false;
  const auto joined = ReadJoined(*node.operand(0));
  if (!joined || AxisIn(node, *node.operand(0)) != joined->axis) return false;
  std::vector<Value*> parts;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    const auto size = result != nullptr ? SizeAlong(*result, joined->axis) : std::nullopt;
    if (!size) return false;
    parts.push_back(PartAt(*joined, begin, begin + *size));
    if (parts.back() == nullptr || !PassContext::CanReplace(*result, *parts.back())) return false;
    begin += *size;
  }
  DRAGOMAN_TRY(context.InsertCopies(node, parts));
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

// SPDX-License-Identifier: Apache-2.0
// A branch in place of the If: one whose condition is known, and one that gives by its masks what
// the other gives where that is taken.
#include <algorithm>
#include <optional>

#include "core/analysis/affine.h"
#include "core/ops/op_def.h"
#include "core/rewrite/inline_body.h"
#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

// If(true, then, else) = then, If(false, then, else) = else
Result<bool> TakeBranch(Node& node, PassContext& context) {
  if (!node.Is("If")) return false;
  const std::optional<std::int64_t> condition = IntOf(context, node.operand(0));
  if (!condition) return false;
  const Attribute* taken = node.attribute(*condition != 0 ? "then_branch" : "else_branch");
  if (taken == nullptr || taken->graph() == nullptr || !HasTensorsAlone(*taken->graph()))
    return false;
  context.Explain(node,
                  *condition != 0 ? "replaced by its then_branch" : "replaced by its else_branch");
  DRAGOMAN_TRY(InlineBody(node, *taken->graph(), {}, context));
  return true;
}

// The value that `value` is another name of.
const Value* Named(const Value* value) {
  const Node* node = value->producer();
  for (; node != nullptr && node->Is("Identity"); node = value->producer())
    value = node->operand(0);
  return value;
}

// What has the elements of a mask, perhaps in other sizes. By name: how masks are brought to the
// sizes of what they select from.
const Value* Source(const Value* value) {
  value = Named(value);
  const Node* node = value->producer();
  const bool moves =
      node != nullptr && (node->Is("Reshape") || node->Is("Unsqueeze") || node->Is("Expand"));
  return moves ? Named(node->operand(0)) : value;
}

// number < lengths, or not; `lengths` is what is compared.
struct Limit {
  std::int64_t number = 0;
  const Value* lengths = nullptr;
  bool within = true;
};

std::optional<Limit> ReadLimitOf(const Value& mask, const PassContext& context) {
  const Node* node = Source(&mask)->producer();
  const bool less = node != nullptr && node->Is("Less");
  if (!less && (node == nullptr || !node->Is("GreaterOrEqual"))) return std::nullopt;
  const std::optional<std::int64_t> number = IntOf(context, node->operand(0));
  if (!number || node->operand(0)->type().rank() != 0) return std::nullopt;
  return Limit{*number, Named(node->operand(1)), less};
}

// What `limits` is the largest or the smallest element of, as `reduction` says; nullptr: of none.
const Value* ReducedBy(const Value& limits, std::string_view reduction) {
  const Node* node = limits.producer();
  if (node == nullptr || !node->Is(reduction) || limits.type().rank() != 0) return nullptr;
  return Named(node->operand(0));
}

// What every element of `mask` is where `condition` is `holds`; nullopt: that is not said. No
// length is less than t + 1 where the least is not, and none is more than t where the largest is
// not.
std::optional<bool> MaskWhere(const Value& condition, bool holds, const Value& mask,
                              const PassContext& context) {
  const std::optional<Limit> whole = ReadLimitOf(condition, context);
  const std::optional<Limit> each = ReadLimitOf(mask, context);
  if (!whole || !each || whole->number != each->number) return std::nullopt;
  const bool within = whole->within == holds;
  const Value* lengths = ReducedBy(*whole->lengths, within ? "ReduceMin" : "ReduceMax");
  if (lengths == nullptr || lengths != each->lengths) return std::nullopt;
  return each->within == within;
}

// Whether `value` of the other branch is `outer`, a value from around the If, where the condition
// is `holds`.
bool Gives(const Value& value, const Value& outer, const Value& condition, bool holds,
           const PassContext& context) {
  const Value* given = Named(&value);
  if (given == &outer) return true;
  const Node* node = given->producer();
  if (node == nullptr || !node->Is("Where") || !(given->type() == outer.type())) return false;
  const std::optional<bool> mask = MaskWhere(condition, holds, *node->operand(0), context);
  return mask && Named(node->operand(*mask ? 1 : 2)) == &outer;
}

// Whether the nodes may run where the branch is not taken: they do nothing but compute, and no
// data, such as an index, make them fail.
bool MayRunAlways(const Graph& graph) {
  return std::all_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    const OpDef* def = FindOp(node);
    return def != nullptr && !def->effect && !def->random && !def->kernel.fallible &&
           node.subgraphs().empty();
  });
}

// If(t >= max(lengths), old, { … where(t >= lengths, old, new) }) = … where(t >= lengths, old, new)
Result<bool> TakeMaskedBranch(Node& node, PassContext& context) {
  if (!node.Is("If")) return false;
  for (const bool holds : {true, false}) {
    const Attribute* brief = node.attribute(holds ? "then_branch" : "else_branch");
    const Attribute* other = node.attribute(holds ? "else_branch" : "then_branch");
    if (brief == nullptr || other == nullptr) return false;
    const Graph& short_cut = *brief->graph();
    const Graph& whole = *other->graph();
    if (!MayRunAlways(whole) || !HasTensorsAlone(whole) || short_cut.num_outputs() == 0) continue;
    bool same = true;
    for (std::size_t i = 0; i < short_cut.num_outputs() && same; ++i) {
      const Value* outer = Named(short_cut.output(i));
      same = outer->graph() != &short_cut &&
             Gives(*whole.output(i), *outer, *node.operand(0), holds, context);
    }
    if (!same) continue;
    context.Explain(node, "replaced by the branch whose masks show what the other gives");
    DRAGOMAN_TRY(InlineBody(node, whole, {}, context));
    return true;
  }
  return false;
}

}  // namespace

std::span<const Pattern> BranchPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"take-branch", TakeBranch},
      {"take-masked-branch", TakeMaskedBranch},
  };
  return kPatterns;
}

}  // namespace dragoman

#include <algorithm>

#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

bool AllAre(const PassContext& context, const Value* value, std::int64_t wanted) {
  const auto ints = IntsOf(context, value);
  return ints &&
         std::all_of(ints->begin(), ints->end(), [wanted](std::int64_t i) { return i == wanted; });
}

// Slice(x, starts, ends, axes, steps = 1) = x, if it has the shape of x
Result<bool> RemoveSlice(Node& node, PassContext& context) {
  if (!node.Is("Slice") || !SameShape(*node.operand(0), *node.result())) return false;
  if (node.operand(4) != nullptr && !AllAre(context, node.operand(4), 1)) return false;
  return context.ReplaceIfAllowed(node, node.operand(0));
}

// Pad(x, 0) = x
Result<bool> RemovePad(Node& node, PassContext& context) {
  if (!node.Is("Pad") || !AllAre(context, node.operand(1), 0)) return false;
  return context.ReplaceIfAllowed(node, node.operand(0));
}

// Expand(x, s) = x, if it has the shape of x
Result<bool> RemoveExpand(Node& node, PassContext& context) {
  if (!node.Is("Expand") || !SameShape(*node.operand(0), *node.result())) return false;
  return context.ReplaceIfAllowed(node, node.operand(0));
}

// Tile(x, 1) = x
Result<bool> RemoveTile(Node& node, PassContext& context) {
  if (!node.Is("Tile") || !AllAre(context, node.operand(1), 1)) return false;
  return context.ReplaceIfAllowed(node, node.operand(0));
}

// Transpose(x, perm = 0, 1, …) = x
Result<bool> RemoveTranspose(Node& node, PassContext& context) {
  if (!node.Is("Transpose")) return false;
  const Attribute::Ints* perm = IntsAttribute(node, "perm");
  if (perm == nullptr) {
    const auto rank = node.operand(0)->type().rank();
    return rank && *rank <= 1 && context.ReplaceIfAllowed(node, node.operand(0));
  }
  if (!std::is_sorted(perm->begin(), perm->end())) return false;
  return context.ReplaceIfAllowed(node, node.operand(0));
}

}  // namespace

std::span<const Pattern> RegionPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"remove-slice", RemoveSlice},         {"remove-pad", RemovePad},
      {"remove-expand", RemoveExpand},       {"remove-tile", RemoveTile},
      {"remove-transpose", RemoveTranspose},
  };
  return kPatterns;
}

}  // namespace dragoman

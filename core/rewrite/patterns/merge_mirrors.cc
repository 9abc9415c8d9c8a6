// SPDX-License-Identifier: Apache-2.0
// Padding by elements of an axis: what spells it by indices, and what several Pads do together.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/spelling_patterns.h"

namespace dragoman {
namespace {

using IntList = std::vector<std::int64_t>;

// Which element of an axis of `size` stands at `place`, which may be before or after the axis.
std::int64_t ElementAt(std::int64_t place, std::int64_t size, std::string_view mode) {
  if (mode == "edge") return std::clamp<std::int64_t>(place, 0, size - 1);
  if (place < 0) return -place;
  return place < size ? place : 2 * (size - 1) - place;
}

// How many elements stand before those of the axis and after them, where `indices` read all of
// them in their order, and before and after them others as `mode` has it.
std::optional<IntList> PadsOf(const IntList& indices, std::int64_t size, std::string_view mode) {
  const std::int64_t added = std::ssize(indices) - size;
  if (added <= 0) return std::nullopt;
  for (std::int64_t before = 0; before <= added; ++before) {
    const std::int64_t most = std::max(before, added - before);
    if (mode == "reflect" && most >= size) continue;
    if (indices[static_cast<std::size_t>(before)] != 0) continue;
    bool fits = true;
    for (std::int64_t i = 0; fits && i < std::ssize(indices); ++i)
      fits = indices[static_cast<std::size_t>(i)] == ElementAt(i - before, size, mode);
    if (fits) return IntList{before, added - before};
  }
  return std::nullopt;
}

// Gather(x, (1, 0, 1, 2, 1)) = Pad(x, (1, 1), mode = reflect), and (0, 0, 1, 2, 2) mode = edge,
// along axes of images
Result<bool> ReadMirror(Node& node, PassContext& context) {
  constexpr int kFirstSpatial = 2;
  if (!node.Is("Gather")) return false;
  const Tensor* indices = ConstantOf(node.operand(1));
  const int axis = AxisIn(node, *node.operand(0));
  const auto size = SizeAlong(*node.operand(0), axis);
  if (indices == nullptr || indices->rank() != 1 || axis < kFirstSpatial || !size || *size == 0)
    return false;
  const IntList read = indices->ToInts();
  for (const char* mode : {"edge", "reflect"}) {
    const auto pads = PadsOf(read, *size, mode);
    if (!pads) continue;
    const auto constant = [&](const IntList& numbers, const char* name) {
      return context.AddConstant(*node.graph(), Tensor::Ints(numbers), name, node.origin());
    };
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Pad",
                                              {{node.operand(0), constant(*pads, "pads"), nullptr,
                                                constant({axis}, "axes")}},
                                              {{"mode", mode}}));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// A Pad with elements of what it pads: which axes, and by how much, in their order.
struct MirrorPads {
  IntList axes, before, behind;
  std::string mode;
};

std::optional<MirrorPads> ReadPads(const Node* node, const PassContext& context) {
  if (node == nullptr || !node->Is("Pad") || TextAttribute(*node, "mode") == "constant")
    return std::nullopt;
  const auto rank = node->operand(0)->type().rank();
  const auto pads = IntsOf(context, node->operand(1)), axes = IntsOf(context, node->operand(3));
  if (!rank || !pads || (node->operand(3) != nullptr && !axes)) return std::nullopt;
  MirrorPads read{.mode = std::string(TextAttribute(*node, "mode"))};
  const std::size_t count = pads->size() / 2;
  for (std::size_t i = 0; i < count; ++i) {
    if ((*pads)[i] == 0 && (*pads)[i + count] == 0) continue;
    read.axes.push_back(axes ? FromFront((*axes)[i], *node->operand(0)) : static_cast<int>(i));
    read.before.push_back((*pads)[i]);
    read.behind.push_back((*pads)[i + count]);
  }
  return read;
}

// The amounts of `parts`, which pad axes of their own, for all axes of what `node` pads.
Value* AmountsOfAllAxes(std::span<const MirrorPads> parts, Node& node, PassContext& context) {
  const auto rank = static_cast<std::size_t>(*node.operand(0)->type().rank());
  IntList pads(2 * rank, 0);
  for (const MirrorPads& part : parts) {
    for (std::size_t i = 0; i < part.axes.size(); ++i) {
      const auto axis = static_cast<std::size_t>(part.axes[i]);
      pads[axis] = part.before[i];
      pads[axis + rank] = part.behind[i];
    }
  }
  return context.AddConstant(*node.graph(), Tensor::Ints(pads), "pads", node.origin());
}

// Whether it may be a part of what read-wrap finds.
bool IsCutOrJoined(const Value& value) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    const Node* user = use->user();
    if (user != nullptr && (user->Is("Concat") || user->Is("Slice"))) return true;
  }
  return false;
}

// Slice(Pad(x)) = Pad(Slice(x)), where axes are padded that the Slice leaves as they are
Result<bool> CutBeforePad(Node& node, PassContext& context) {
  if (!node.Is("Slice") || IsCutOrJoined(*node.result())) return false;
  const Node* pad = node.operand(0)->producer();
  const auto pads = ReadPads(pad, context);
  const auto axes = IntsOf(context, node.operand(3));
  if (!pads || !axes) return false;
  for (const std::int64_t axis : *axes) {
    if (std::ranges::count(pads->axes, FromFront(axis, *pad->operand(0))) > 0) return false;
  }
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) operands.push_back(use.value());
  operands.front() = pad->operand(0);
  DRAGOMAN_ASSIGN(operands.front(), context.Insert(node, "Slice", operands));
  operands.resize(1);
  for (std::size_t i = 1; i < pad->num_operands(); ++i) operands.push_back(pad->operand(i));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Pad", operands, pad->attributes()));
  return context.ReplaceIfAllowed(node, y);
}

// Pad(Pad(x)) = Pad(x), where both pad axes, each others, in one way
Result<bool> MergePads(Node& node, PassContext& context) {
  const auto outer = ReadPads(&node, context);
  const Node* inner_node = outer ? node.operand(0)->producer() : nullptr;
  const auto inner = ReadPads(inner_node, context);
  if (!inner || inner->mode != outer->mode || !node.operand(0)->HasOneUse()) return false;
  for (const std::int64_t axis : outer->axes) {
    if (std::ranges::count(inner->axes, axis) > 0) return false;
  }
  const MirrorPads both[] = {*inner, *outer};
  Value* amounts = AmountsOfAllAxes(both, node, context);
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Pad", {{inner_node->operand(0), amounts}},
                                            {{"mode", outer->mode}}));
  return context.ReplaceIfAllowed(node, y);
}

// Pad(x, pads, axes) = Pad(x, pads) of all axes, unless it pads by a number
Result<bool> PadAllAxes(Node& node, PassContext& context) {
  const auto pads = ReadPads(&node, context);
  if (!pads || node.operand(3) == nullptr) return false;
  Value* amounts = AmountsOfAllAxes({&*pads, 1}, node, context);
  DRAGOMAN_ASSIGN(
      Value * y, context.Insert(node, "Pad", {{node.operand(0), amounts}}, {{"mode", pads->mode}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> MirrorPatterns() {
  static constexpr Pattern kPatterns[] = {{"read-mirror", ReadMirror},
                                          {"pad-all-axes", PadAllAxes},
                                          {"cut-before-pad", CutBeforePad},
                                          {"merge-pads", MergePads}};
  return kPatterns;
}

}  // namespace dragoman

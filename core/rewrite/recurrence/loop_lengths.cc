#include "core/rewrite/recurrence/loop_lengths.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dragoman {
namespace {

constexpr int kMaxHops = 8;

// Whether the elements are 0, 1, 2, …
bool CountsSteps(const Value& value, const Inference& inference) {
  const Value* at = &value;
  for (int hop = 0; hop < kMaxHops && at->producer() != nullptr; ++hop) {
    const Node& node = *at->producer();
    if (!node.Is("Unsqueeze") && !node.Is("Reshape") && !node.Is("Cast")) break;
    at = node.operand(0);
  }
  if (const Node* node = at->producer(); node != nullptr && node->Is("Range")) {
    return inference.KnownInts(node->operand(0)) == std::vector<std::int64_t>{0} &&
           inference.KnownInts(node->operand(2)) == std::vector<std::int64_t>{1};
  }
  const auto ints = inference.KnownInts(at);
  if (!ints) return false;
  for (std::size_t i = 0; i < ints->size(); ++i) {
    if ((*ints)[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

Value* LengthsOf(const StepMask& mask, const LoopView& loop, bool reverse, AffineForms& forms) {
  const NumberOfStep number = [&](const Value& value,
                                  const MaskSlice* slice) -> std::optional<std::int64_t> {
    if (slice != nullptr) {
      return CountsSteps(value, forms.inference()) ? std::optional(0) : std::nullopt;
    }
    const auto found = loop.numbers.find(&value);
    const bool fits = found != loop.numbers.end() && found->second == reverse;
    return fits ? std::optional(0) : std::nullopt;
  };
  const SliceOfMask slice_of = [&](const Value& value) -> std::optional<MaskSlice> {
    const auto found = loop.slices.find(&value);
    if (found == loop.slices.end() || found->second.reverse != reverse) return std::nullopt;
    return MaskSlice{found->second.sequence, found->second.axis};
  };
  const auto limit = ReadLimit(mask, number, slice_of, forms);
  return limit && limit->number == 0 ? limit->lengths : nullptr;
}

}  // namespace dragoman

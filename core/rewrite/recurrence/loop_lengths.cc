// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/loop_lengths.h"

#include <cstdint>
#include <optional>

namespace dragoman {

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

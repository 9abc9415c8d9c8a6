// SPDX-License-Identifier: Apache-2.0
// States that are kept where a sequence of the batch has ended: where(t < length, new, old).
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_MASKED_STATES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_MASKED_STATES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/analysis/affine.h"
#include "core/rewrite/recurrence/layout.h"

namespace dragoman {

// Where `mask` holds.
struct StepMask {
  const Value* mask = nullptr;
  bool inverted = false;  // where it does not

  friend bool operator==(const StepMask&, const StepMask&) = default;
};

// `fresh` where the mask holds, else `kept`, or zeros if that is kNoAtom.
struct MaskedState {
  StepMask mask;
  AtomId fresh = kNoAtom;
  AtomId kept = kNoAtom;
};
// Which operand is fresh is asked for: what is kept may be computed as well, before the first cell.
using IsFresh = std::function<bool(AtomId)>;
std::optional<MaskedState> ReadMasked(AtomId atom, const IsFresh& is_fresh, AffineForms& forms);
// The same where it is known what is fresh.
std::optional<MaskedState> ReadMasked(AtomId atom, AtomId fresh, AffineForms& forms);
// What selects between all of `fresh` and something else.
std::vector<AtomId> FindMasked(AtomId fresh, AffineForms& forms);
// `fresh`, or what passes on in its place (kNoAtom: nothing), with zeros where `mask` does not
// hold.
std::vector<AtomId> FindZeroed(AtomId fresh, AtomId carried, const StepMask& mask,
                               AffineForms& forms);

// The mask of a step as number < length.
struct StepLimit {
  Value* lengths = nullptr;  // integers, one a sequence
  std::int64_t number = 0;
};
// The slice of a mask of all steps that is the mask of one.
struct MaskSlice {
  const Value* source = nullptr;
  std::int64_t axis = 0;
  std::int64_t index = 0;
};
using SliceOfMask = std::function<std::optional<MaskSlice>(const Value& value)>;
// The number that a value in the mask of a step is: a scalar, or the element of a vector that is
// taken by `slice`, if that is not nullptr; nullopt for any other.
using NumberOfStep =
    std::function<std::optional<std::int64_t>(const Value& value, const MaskSlice* slice)>;

std::optional<StepLimit> ReadLimit(const StepMask& mask, const NumberOfStep& number,
                                   const SliceOfMask& slice, AffineForms& forms);
// The same where steps are unrolled, so that their numbers are known.
std::optional<StepLimit> ReadLimit(const StepMask& mask, const PassContext& context,
                                   AffineForms& forms);

// Whether a mask that is a limit has an element for each of its lengths.
bool HasSizesOfLengths(const StepMask& mask);

// The operand sequence_lens for a sequence x (steps, batch, features) whose step i has the mask
// `first.number` + i < `first.lengths`: the difference, bounded by 0 and the number of steps.
// nullptr: there are not as many lengths as the batch has sequences.
Result<Value*> EmitLengths(const StepLimit& first, Value* x, LayoutBuilder& layout, Node& position,
                           PassContext& context);

// Whether a sequence x (steps, batch, features) with these lengths (nullptr: all of the steps) may
// have no step: then the last states are the initial ones.
bool MayBeEmpty(const Value& x, const Value* lengths);
// Which sequences have none, to be broadcast to (1, batch, features).
Result<Value*> EmitIsEmpty(Value* x, Value* lengths, LayoutBuilder& layout, Node& position,
                           PassContext& context);

// The hidden states `given` (steps, batch, features) with `other`, which is broadcast to that,
// where they are beyond `lengths` (batch): what masked steps pass on.
Result<Value*> EmitHeld(Value* given, Value* lengths, Value* other, LayoutBuilder& layout,
                        Node& position, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_MASKED_STATES_H_

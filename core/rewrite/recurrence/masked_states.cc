#include "core/rewrite/recurrence/masked_states.h"

#include <string_view>
#include <utility>

#include "core/rewrite/recurrence/sequence_steps.h"
#include "core/rewrite/recurrence/zeros.h"

namespace dragoman {
namespace {

constexpr int kMaxHops = 16;

// Operand `i` of a Where, at the features of its result `atom`.
AtomId OperandAtom(const Node& where, std::size_t i, const Atom& atom, AffineForms& forms) {
  const Value* operand = where.operand(i);
  if (operand->type().rank() != atom.value->type().rank()) return kNoAtom;
  const AffineForm* form = forms.Of(operand, atom.axis);
  if (form == nullptr || form->segments.size() != 1) return kNoAtom;
  const AffineSegment& segment = form->segments.front();
  if (segment.size != atom.size) return kNoAtom;
  const AtomId id = AffineForms::AsAtom(segment);
  if (id != kNoAtom || segment.terms.empty()) return id;
  // What products read is an atom as it is, as the projection of a state.
  return forms.Intern({.value = operand, .axis = atom.axis, .size = atom.size});
}

bool MovesMask(const Node& node) {
  for (std::string_view type : {"Identity", "Unsqueeze", "Squeeze", "Reshape", "Expand"}) {
    if (node.Is(type)) return true;
  }
  return false;
}

// a < b and the like, as number < length or its opposite.
struct Comparison {
  bool number_first = true;
  std::int64_t shift = 0;  // of the number
  bool inverted = false;   // it is length <= number
};
std::optional<Comparison> ReadComparison(const Node& node, bool number_first) {
  const bool less = node.Is("Less");
  const bool less_or_equal = node.Is("LessOrEqual");
  const bool greater = node.Is("Greater");
  if (!less && !less_or_equal && !greater && !node.Is("GreaterOrEqual")) return std::nullopt;
  const bool strict = less || greater;
  const bool number_below = (less || less_or_equal) == number_first;
  // number <= length is number - 1 < length; length < number is not (number - 1 < length)
  const std::int64_t shift = strict == number_below ? 0 : -1;
  return Comparison{number_first, shift, !number_below};
}

// Whether a value that is broadcast to `rank` axes has more than one element along `axis`.
bool VariesAlong(const Value& value, std::int64_t axis, int rank) {
  const std::int64_t own = axis - (rank - value.type().rank().value_or(0));
  return own >= 0 && SizeAlong(value, static_cast<int>(own)) != 1;
}

}  // namespace

std::optional<MaskedState> ReadMasked(AtomId id, AtomId fresh, AffineForms& forms) {
  return ReadMasked(
      id, [fresh](AtomId other) { return other == fresh; }, forms);
}

std::optional<MaskedState> ReadMasked(AtomId id, const IsFresh& is_fresh, AffineForms& forms) {
  if (id == kNoAtom) return std::nullopt;
  const Atom atom = forms.atom(id);
  const Node* node = atom.step_axis < 0 ? atom.value->producer() : nullptr;
  const bool is_whole = atom.begin == 0 && SizeAlong(*atom.value, atom.axis) == atom.size;
  if (node == nullptr || !node->Is("Where") || !is_whole) return std::nullopt;
  for (const bool inverted : {false, true}) {
    const std::size_t fresh = inverted ? 2 : 1;
    MaskedState state{{node->operand(0), inverted}, OperandAtom(*node, fresh, atom, forms)};
    if (state.fresh == kNoAtom || !is_fresh(state.fresh)) continue;
    const bool zeros = IsZero(node->operand(3 - fresh));
    if (!zeros) state.kept = OperandAtom(*node, 3 - fresh, atom, forms);
    if (zeros || state.kept != kNoAtom) return state;
  }
  return std::nullopt;
}

std::vector<AtomId> FindMasked(AtomId fresh, AffineForms& forms) {
  std::vector<AtomId> found;
  const Atom atom = forms.atom(fresh);
  for (const Use* use = atom.value->first_use(); use != nullptr; use = use->next()) {
    const Node* user = use->user();
    if (user == nullptr || !user->Is("Where") || use->graph() != atom.value->graph()) continue;
    const Value* value = user->result();
    if (value->type().rank() != atom.value->type().rank()) continue;
    const AtomId id = forms.Intern({.value = value, .axis = atom.axis, .size = atom.size});
    if (ReadMasked(id, fresh, forms)) found.push_back(id);
  }
  return found;
}

std::optional<StepLimit> ReadLimit(const StepMask& mask, const NumberOfStep& number,
                                   const SliceOfMask& slice) {
  const Value* value = mask.mask;
  bool inverted = mask.inverted;
  std::optional<MaskSlice> cut;
  for (int hop = 0; hop < kMaxHops; ++hop) {
    if (!cut) cut = slice(*value);
    if (cut && cut->source != nullptr) value = std::exchange(cut->source, nullptr);
    const Node* node = value->producer();
    if (node == nullptr) return std::nullopt;
    for (const bool first : {true, false}) {
      const auto comparison = ReadComparison(*node, first);
      if (!comparison) break;
      const Value& counter = *node->operand(first ? 0 : 1);
      Value* lengths = Mutable(*node->operand(first ? 1 : 0));
      const int rank = value->type().rank().value_or(0);
      if (cut && (!VariesAlong(counter, cut->axis, rank) || VariesAlong(*lengths, cut->axis, rank)))
        continue;
      const auto count = number(counter, cut ? &*cut : nullptr);
      if (!count || !IsInteger(lengths->type().dtype())) continue;
      if (comparison->inverted != inverted) return std::nullopt;
      return StepLimit{lengths, *count + comparison->shift};
    }
    if (node->Is("Not")) {
      inverted = !inverted;
    } else if (cut || !MovesMask(*node)) {
      return std::nullopt;
    }
    value = node->operand(0);
  }
  return std::nullopt;
}

Result<Value*> EmitLengths(Value* lengths, Value* x, LayoutBuilder& layout, Node& position,
                           PassContext& context) {
  const Shape* shape = lengths->type().shape();
  const auto constant = [&](Tensor tensor) {
    return context.AddConstant(*position.graph(), std::move(tensor), "bound", {});
  };
  if (shape == nullptr) return static_cast<Value*>(nullptr);
  Dim count(1);
  for (const Dim& dim : *shape) count = count * dim;
  if (Equal(count, (*x->type().shape())[1]) != Truth::kYes) return static_cast<Value*>(nullptr);
  const auto to_type = [](DType dtype) {
    return std::vector<NamedAttribute>{{"to", static_cast<std::int64_t>(dtype)}};
  };
  DRAGOMAN_ASSIGN(lengths, layout.Reshape(lengths, {count}));
  if (lengths == nullptr) return lengths;
  DRAGOMAN_ASSIGN(lengths, context.Insert(position, "Cast", {{lengths}}, to_type(DType::kI64)));
  Value* most = nullptr;
  if (const auto steps = SizeAlong(*x, 0)) {
    most = constant(Tensor::Int(*steps));
  } else {
    DRAGOMAN_ASSIGN(most, context.Insert(position, "Shape", {{x}},
                                         {{"end", std::int64_t{1}}, {"start", std::int64_t{0}}}));
    DRAGOMAN_ASSIGN(most, layout.Squeeze(most, 0));
  }
  DRAGOMAN_ASSIGN(lengths,
                  context.Insert(position, "Clip", {{lengths, constant(Tensor::Int(0)), most}}));
  return context.Insert(position, "Cast", {{lengths}}, to_type(DType::kI32));
}

Result<Value*> EmitHeld(Value* given, Value* lengths, Value* other, LayoutBuilder& layout,
                        Node& position, PassContext& context) {
  const auto constant = [&](std::int64_t number) {
    return context.AddConstant(*position.graph(), Tensor::Int(number), "number", {});
  };
  Value* count = nullptr;
  if (const auto steps = SizeAlong(*given, 0)) {
    count = constant(*steps);
  } else {
    DRAGOMAN_ASSIGN(count, context.Insert(position, "Shape", {{given}},
                                          {{"end", std::int64_t{1}}, {"start", std::int64_t{0}}}));
    DRAGOMAN_ASSIGN(count, layout.Squeeze(count, 0));
  }
  DRAGOMAN_ASSIGN(Value * numbers,
                  context.Insert(position, "Range", {{constant(0), count, constant(1)}}));
  DRAGOMAN_ASSIGN(numbers, layout.Unsqueeze(numbers, {1, 2}));
  DRAGOMAN_ASSIGN(lengths, context.Insert(position, "Cast", {{lengths}},
                                          {{"to", static_cast<std::int64_t>(DType::kI64)}}));
  DRAGOMAN_ASSIGN(lengths, layout.Unsqueeze(lengths, {1}));
  DRAGOMAN_ASSIGN(Value * counts, context.Insert(position, "Less", {{numbers, lengths}}));
  return context.Insert(position, "Where", {{counts, given, other}});
}

}  // namespace dragoman

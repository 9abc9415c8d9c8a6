// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/masked_states.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/equal_steps.h"
#include "core/rewrite/recurrence/sequence_steps.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

constexpr int kMaxMaskHops = 16;
constexpr int kMaxSelectionNodes = 4;  // from a new state to what a mask makes of it

// `operand` of what selects, at the features of the result `atom` of that.
AtomId OperandAtom(const Value* operand, const Atom& atom, AffineForms& forms) {
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

// Of masks, and of states between the nodes of a selection.
bool KeepsOrRepeats(const Node& node) { return KeepsOrder(node) || node.Is("Expand"); }

// Elements of `chosen[0]` where the mask holds, else of `chosen[1]`; nullptr: zeros.
struct Selection {
  StepMask mask;
  const Value* chosen[2] = {nullptr, nullptr};
};

bool IsNumber(const Value* value, double number, AffineForms& forms) {
  const ConstId id = forms.consts().Of(value);
  return id != kNoConst && forms.consts().Uniform(id) == number;
}

// x, where `value` is 1 - x or -x + 1; else nullptr.
const Value* ComplementOf(const Value& value, AffineForms& forms) {
  const Node* node = value.producer();
  if (node == nullptr) return nullptr;
  if (node->Is("Sub")) return IsNumber(node->operand(0), 1, forms) ? node->operand(1) : nullptr;
  if (!node->Is("Add")) return nullptr;
  for (std::size_t i = 0; i < 2; ++i) {
    const Node* negated = node->operand(i)->producer();
    if (negated == nullptr || !IsNumber(node->operand(1 - i), 1, forms)) continue;
    if (negated->Is("Neg")) return negated->operand(0);
    if (negated->Is("Mul") && IsNumber(negated->operand(1), -1, forms)) return negated->operand(0);
  }
  return nullptr;
}

// Whether `node` repeats elements, which whatever reads them does anyway.
bool SpreadsOnly(const Node& node) {
  const auto rank = node.num_operands() > 0 ? node.operand(0)->type().rank() : std::nullopt;
  if (!rank || rank != node.result()->type().rank()) return false;
  if (node.Is("Expand")) return true;
  if (!node.Is("Tile")) return false;
  for (int axis = 0; axis < *rank; ++axis) {
    const Dim& from = (*node.operand(0)->type().shape())[static_cast<std::size_t>(axis)];
    const Dim& to = (*node.result()->type().shape())[static_cast<std::size_t>(axis)];
    if (from != Dim(1) && Equal(from, to) != Truth::kYes) return false;
  }
  return true;
}

// What a mask is the opposite of, or, as it is, a number for or spread; nullptr: none of these.
const Value* Peel(const Value& value, bool& inverted, AffineForms& forms) {
  const Node* node = value.producer();
  if (node == nullptr) return nullptr;
  if (node->Is("Cast") || SpreadsOnly(*node)) return node->operand(0);
  const Value* inner = node->Is("Not") ? node->operand(0) : ComplementOf(value, forms);
  inverted = inverted != (inner != nullptr);
  return inner;
}

// Whether the elements are bools, or 1 and 0 in their place.
bool HoldsBools(const Value* value, AffineForms& forms) {
  bool inverted = false;
  for (int hop = 0; hop < kMaxMaskHops; ++hop) {
    if (value->type().dtype() == DType::kBool) return true;
    const Value* inner = Peel(*value, inverted, forms);
    const Node* node = value->producer();
    // By name: parts of a mask.
    if (inner == nullptr && node != nullptr &&
        (KeepsOrRepeats(*node) || node->Is("Gather") || node->Is("Slice") || node->Is("Split"))) {
      inner = node->operand(0);
    }
    if (inner == nullptr) return false;
    value = inner;
  }
  return false;
}

// One of all that have the elements of the same value in the same sizes, the same for each: a state
// may shape its mask by itself.
const Value* FirstOfSizes(const Value& mask) {
  const Node* node = mask.producer();
  if (node == nullptr || !(node->Is("Reshape") || node->Is("Unsqueeze"))) return &mask;
  const auto is_known = [](const Dim& size) { return Equal(size, size) == Truth::kYes; };
  const Shape* shape = mask.type().shape();
  if (shape == nullptr || !std::ranges::all_of(*shape, is_known)) return &mask;
  for (const Use* use = node->operand(0)->first_use(); use != nullptr; use = use->next()) {
    const Node* other = use->user();
    if (other == nullptr || use->graph() != mask.graph()) continue;
    const bool shapes = other->Is("Reshape") || other->Is("Unsqueeze");
    if (shapes && other->operand(0) == node->operand(0) && other->result()->type() == mask.type())
      return other->result();
  }
  return &mask;
}

// A mask, as far as it does not matter how often it was cast or inverted.
StepMask PeelMask(const Value* value, AffineForms& forms) {
  StepMask mask{value};
  for (int hop = 0; hop < kMaxMaskHops; ++hop) {
    const Value* inner = Peel(*mask.mask, mask.inverted, forms);
    if (inner == nullptr) break;
    mask.mask = inner;
  }
  mask.mask = FirstOfSizes(*mask.mask);
  return mask;
}

Selection Select(const StepMask& mask, const Value* fits, const Value* other) {
  if (mask.inverted) std::swap(fits, other);
  return Selection{{mask.mask}, {fits, other}};
}

// mask * x, or Where with a 0.
std::optional<Selection> ReadProduct(const Value* value, AffineForms& forms) {
  const Node* node = value->producer();
  if (node == nullptr) return std::nullopt;
  if (node->Is("Where")) {
    const bool first = IsZero(node->operand(1));
    if (first == IsZero(node->operand(2))) return std::nullopt;
    return Select(PeelMask(node->operand(0), forms), first ? nullptr : node->operand(1),
                  first ? node->operand(2) : nullptr);
  }
  if (!node->Is("Mul")) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!HoldsBools(node->operand(i), forms)) continue;
    return Select(PeelMask(node->operand(i), forms), node->operand(1 - i), nullptr);
  }
  return std::nullopt;
}

// mask * (x - y) + y, of which `product` is the first term and y the other.
std::optional<Selection> ReadChange(const Value* product, const Value* y, AffineForms& forms) {
  const auto selection = ReadProduct(product, forms);
  if (!selection) return std::nullopt;
  const bool first = selection->chosen[0] != nullptr;
  const Node* change = selection->chosen[first ? 0 : 1]->producer();
  if (change == nullptr || !change->Is("Sub") || change->operand(1) != y) return std::nullopt;
  return Select({selection->mask.mask, !first}, change->operand(0), y);
}

// Whether `value` is what a mask makes of an initial state of zeros.
bool SelectsZeros(const Value& value) {
  const Node* node = value.producer();
  return node != nullptr && node->Is("Where") && IsZero(node->operand(1)) &&
         IsZero(node->operand(2));
}

// mask * x + (1 - mask) * y.
std::optional<Selection> ReadSum(const Node& sum, AffineForms& forms) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (auto change = ReadChange(sum.operand(i), sum.operand(1 - i), forms)) return change;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (SelectsZeros(*sum.operand(i))) return ReadProduct(sum.operand(1 - i), forms);
  }
  auto a = ReadProduct(sum.operand(0), forms);
  const auto b = a ? ReadProduct(sum.operand(1), forms) : std::nullopt;
  if (!b || a->mask != b->mask) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    if ((a->chosen[i] != nullptr) == (b->chosen[i] != nullptr)) return std::nullopt;
    if (a->chosen[i] == nullptr) a->chosen[i] = b->chosen[i];
  }
  return a;
}

std::optional<Selection> ReadSelection(const Node& node, AffineForms& forms) {
  if (node.Is("Where")) {
    return Select(PeelMask(node.operand(0), forms), node.operand(1), node.operand(2));
  }
  if (node.Is("Mul")) return ReadProduct(node.result(), forms);
  return node.Is("Add") ? ReadSum(node, forms) : std::nullopt;
}

// What nodes of the same graph that may select, or move what others select from, give of `value`.
void AddReaders(const Value& value, std::vector<const Value*>& results) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    const Node* user = use->user();
    if (user == nullptr || use->graph() != value.graph()) continue;
    bool may_select = KeepsOrRepeats(*user);
    // By name: what a selection is spelled by.
    for (std::string_view type : {"Where", "Mul", "Add", "Sub"}) {
      may_select = may_select || user->Is(type);
    }
    if (may_select) results.push_back(user->result());
  }
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

// Whether `mask` may differ among the features of `state`: a mask of sequences does not.
bool VariesOverFeatures(const Value& mask, const Atom& state) {
  const Value* value = &mask;
  for (int hop = 0; hop < kMaxMaskHops && value->producer() != nullptr; ++hop) {
    const Node& node = *value->producer();
    if (!node.Is("Expand") && !SpreadsOnly(node)) break;
    value = node.operand(0);
  }
  return VariesAlong(*value, state.axis, state.value->type().rank().value_or(0));
}

// What `value` has the elements of, in the same order: each step may shape the lengths by itself.
Value* Unshaped(Value* value) {
  for (int hop = 0; hop < kMaxMaskHops && value->producer() != nullptr; ++hop) {
    Node& node = *value->producer();
    if (KeepsOrder(node)) value = node.operand(0);
  }
  return value;
}

// Where the steps lie in what `node` moves; false: they are not told apart there.
bool MoveCut(const Node& node, MaskSlice& cut, AffineForms& forms) {
  const bool widens = node.Is("Unsqueeze");
  if (!widens && !node.Is("Squeeze")) return node.Is("Identity");
  const auto axes = forms.inference().KnownInts(node.operand(1));
  const int rank = (widens ? node.result() : node.operand(0))->type().rank().value_or(0);
  if (!axes) return false;
  std::set<std::int64_t> sorted;
  for (std::int64_t axis : *axes) sorted.insert(axis < 0 ? axis + rank : axis);
  for (std::int64_t axis : sorted) {
    if (widens && axis == cut.axis) return false;
  }
  if (widens) {
    cut.axis -= std::ranges::count_if(sorted, [&](std::int64_t axis) { return axis < cut.axis; });
    return true;
  }
  for (std::int64_t axis : sorted) cut.axis += axis <= cut.axis ? 1 : 0;
  return true;
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
  const auto selection = node != nullptr && is_whole ? ReadSelection(*node, forms) : std::nullopt;
  if (!selection || VariesOverFeatures(*selection->mask.mask, atom)) return std::nullopt;
  for (const bool inverted : {false, true}) {
    const Value* fresh = selection->chosen[inverted ? 1 : 0];
    const Value* other = selection->chosen[inverted ? 0 : 1];
    if (fresh == nullptr) continue;
    MaskedState state{{selection->mask.mask, inverted}, OperandAtom(fresh, atom, forms)};
    if (state.fresh == kNoAtom || !is_fresh(state.fresh)) continue;
    const bool zeros = other == nullptr || IsZero(other);
    if (!zeros) state.kept = OperandAtom(other, atom, forms);
    if (zeros || state.kept != kNoAtom) return state;
  }
  return std::nullopt;
}

std::vector<AtomId> FindMasked(AtomId fresh, AffineForms& forms) {
  std::vector<AtomId> found;
  const Atom atom = forms.atom(fresh);
  std::vector<const Value*> values;
  AddReaders(*atom.value, values);
  std::size_t next = 0;
  for (int level = 1; level < kMaxSelectionNodes; ++level) {
    for (const std::size_t end = values.size(); next < end; ++next) {
      if (!values[next]->producer()->Is("Add")) AddReaders(*values[next], values);
    }
  }
  const int rank = atom.value->type().rank().value_or(0);
  for (const Value* value : values) {
    const int own_rank = value->type().rank().value_or(0);
    if (own_rank != rank && atom.axis != rank - 1) continue;
    const int axis = own_rank == rank ? atom.axis : own_rank - 1;
    const AtomId id = forms.Intern({.value = value, .axis = axis, .size = atom.size});
    if (ReadMasked(id, fresh, forms)) found.push_back(id);
  }
  return found;
}

std::vector<AtomId> FindZeroed(AtomId fresh, AtomId carried, const StepMask& mask,
                               AffineForms& forms) {
  std::vector<AtomId> found;
  for (AtomId given : {fresh, carried}) {
    if (given == kNoAtom) continue;
    for (AtomId id : FindMasked(given, forms)) {
      const MaskedState masked = *ReadMasked(id, given, forms);
      if (masked.mask == mask && masked.kept == kNoAtom) found.push_back(id);
    }
  }
  return found;
}

std::optional<StepLimit> ReadLimit(const StepMask& mask, const NumberOfStep& number,
                                   const SliceOfMask& slice, AffineForms& forms) {
  const Value* value = mask.mask;
  bool inverted = mask.inverted;
  std::optional<MaskSlice> cut;
  for (int hop = 0; hop < kMaxMaskHops; ++hop) {
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
      return StepLimit{Unshaped(lengths), *count + comparison->shift};
    }
    const Value* inner = Peel(*value, inverted, forms);
    if (inner == nullptr && (cut ? MoveCut(*node, *cut, forms) : KeepsOrRepeats(*node))) {
      inner = node->operand(0);
    }
    if (inner == nullptr) return std::nullopt;
    value = inner;
  }
  return std::nullopt;
}

std::optional<StepLimit> ReadLimit(const StepMask& mask, const PassContext& context,
                                   AffineForms& forms) {
  const NumberOfStep number = [&](const Value& value,
                                  const MaskSlice* slice) -> std::optional<std::int64_t> {
    if (slice == nullptr) return IntOf(context, &value);
    const auto ints = IntsOf(context, &value);
    const bool fits = ints && slice->index < static_cast<std::int64_t>(ints->size());
    return fits ? std::optional((*ints)[static_cast<std::size_t>(slice->index)]) : std::nullopt;
  };
  const SliceOfMask slice_of = [&](const Value& value) -> std::optional<MaskSlice> {
    const auto slice = SliceOf(value, context);
    if (!slice) return std::nullopt;
    return MaskSlice{slice->source, slice->axis, slice->index};
  };
  return ReadLimit(mask, number, slice_of, forms);
}

bool HasSizesOfLengths(const StepMask& mask) {
  const Value* value = mask.mask;
  for (int hop = 0; hop < kMaxMaskHops && value->producer() != nullptr; ++hop) {
    const Node& node = *value->producer();
    if (ReadComparison(node, true)) return true;
    if (!KeepsOrder(node)) return false;
    value = node.operand(0);
  }
  return false;
}

Result<Value*> EmitLengths(const StepLimit& first, Value* x, LayoutBuilder& layout, Node& position,
                           PassContext& context) {
  Value* lengths = first.lengths;
  const Shape* shape = lengths->type().shape();
  const auto constant = [&](std::int64_t number) {
    return context.AddConstant(*position.graph(), Tensor::Int(number), "bound", {});
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
  DRAGOMAN_ASSIGN(Value * most, layout.Size(x, 0));
  if (first.number == 0) {
    DRAGOMAN_ASSIGN(lengths, context.Insert(position, "Clip", {{lengths, constant(0), most}}));
  } else {  // bounded first, so that no difference overflows
    Value* const number = constant(first.number);
    DRAGOMAN_ASSIGN(most, context.Insert(position, "Add", {{most, number}}));
    DRAGOMAN_ASSIGN(lengths, context.Insert(position, "Clip", {{lengths, number, most}}));
    DRAGOMAN_ASSIGN(lengths, context.Insert(position, "Sub", {{lengths, number}}));
  }
  return context.Insert(position, "Cast", {{lengths}}, to_type(DType::kI32));
}

bool MayBeEmpty(const Value& x, const Value* lengths) {
  const Shape* shape = x.type().shape();
  return lengths != nullptr || shape == nullptr || RangeOf(shape->front()).lower < 1;
}

Result<Value*> EmitIsEmpty(Value* x, Value* lengths, LayoutBuilder& layout, Node& position,
                           PassContext& context) {
  Value* count = lengths;
  if (count == nullptr) {
    DRAGOMAN_ASSIGN(count, layout.Size(x, 0));
  }
  DRAGOMAN_ASSIGN(Value * zero, layout.Zero(count->type().dtype()));
  DRAGOMAN_ASSIGN(Value * is_empty, context.Insert(position, "Equal", {{count, zero}}));
  return lengths != nullptr ? layout.Unsqueeze(is_empty, {0, 2}) : Result<Value*>(is_empty);
}

Result<Value*> EmitHeld(Value* given, Value* lengths, Value* other, LayoutBuilder& layout,
                        Node& position, PassContext& context) {
  const auto constant = [&](std::int64_t number) {
    return context.AddConstant(*position.graph(), Tensor::Int(number), "number", {});
  };
  DRAGOMAN_ASSIGN(Value * count, layout.Size(given, 0));
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

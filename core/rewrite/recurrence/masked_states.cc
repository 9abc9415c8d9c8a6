#include "core/rewrite/recurrence/masked_states.h"

#include <string_view>
#include <utility>

#include "core/rewrite/recurrence/sequence_steps.h"
#include "core/rewrite/recurrence/zeros.h"

namespace dragoman {
namespace {

constexpr int kMaxHops = 16;

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

bool MovesMask(const Node& node) {
  for (std::string_view type : {"Identity", "Unsqueeze", "Squeeze", "Reshape", "Expand"}) {
    if (node.Is(type)) return true;
  }
  return false;
}

// Elements of `chosen[0]` where the mask holds, else of `chosen[1]`; nullptr: zeros.
struct Selection {
  StepMask mask;
  const Value* chosen[2] = {nullptr, nullptr};
};

bool IsNumber(const Value* value, double number, AffineForms& forms) {
  const ConstId id = forms.consts().Of(value);
  return id != kNoConst && forms.consts().Uniform(id) == number;
}

// `value` as a mask whose elements are 1 and 0.
std::optional<StepMask> ReadNumbers(const Value* value, AffineForms& forms) {
  StepMask mask{value};
  if (const Node* node = value->producer();
      node != nullptr && node->Is("Sub") && IsNumber(node->operand(0), 1, forms)) {
    mask = {node->operand(1), true};
  }
  const Value* at = mask.mask;
  for (int hop = 0; hop < kMaxHops && at->producer() != nullptr; ++hop) {
    const Node& node = *at->producer();
    at = node.operand(0);
    if (node.Is("Cast") && at->type().dtype() == DType::kBool) {
      if (hop == 0) mask.mask = at;  // so that it does not matter how often it was cast
      return mask;
    }
    if (!MovesMask(node) && !node.Is("Gather") && !node.Is("Slice") && !node.Is("Split")) break;
  }
  return std::nullopt;
}

// mask * x
std::optional<Selection> ReadProduct(const Value* value, AffineForms& forms) {
  const Node* node = value->producer();
  if (node == nullptr || !node->Is("Mul")) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto mask = ReadNumbers(node->operand(i), forms);
    if (!mask) continue;
    Selection selection{{mask->mask}};
    selection.chosen[mask->inverted ? 1 : 0] = node->operand(1 - i);
    return selection;
  }
  return std::nullopt;
}

// A Where; mask * x; mask * x + (1 - mask) * y.
std::optional<Selection> ReadSelection(const Node& node, AffineForms& forms) {
  if (node.Is("Where")) return Selection{{node.operand(0)}, {node.operand(1), node.operand(2)}};
  if (node.Is("Mul")) return ReadProduct(node.result(), forms);
  if (!node.Is("Add")) return std::nullopt;
  auto a = ReadProduct(node.operand(0), forms);
  const auto b = a ? ReadProduct(node.operand(1), forms) : std::nullopt;
  if (!b || a->mask != b->mask) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    if ((a->chosen[i] != nullptr) == (b->chosen[i] != nullptr)) return std::nullopt;
    if (a->chosen[i] == nullptr) a->chosen[i] = b->chosen[i];
  }
  return a;
}

// What nodes of the same graph that may select give of `value`.
void AddReaders(const Value& value, std::vector<const Value*>& results) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    const Node* user = use->user();
    if (user == nullptr || use->graph() != value.graph()) continue;
    if (user->Is("Where") || user->Is("Mul") || user->Is("Add")) results.push_back(user->result());
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
  if (!selection) return std::nullopt;
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
  for (std::size_t i = 0, count = values.size(); i < count; ++i) {
    if (values[i]->producer()->Is("Mul")) AddReaders(*values[i], values);
  }
  for (const Value* value : values) {
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
    const bool is_number = node->Is("Cast") && node->operand(0)->type().dtype() == DType::kBool;
    if (node->Is("Not")) {
      inverted = !inverted;
    } else if (!is_number && (cut || !MovesMask(*node))) {
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

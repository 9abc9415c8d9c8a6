// SPDX-License-Identifier: Apache-2.0
// The part of AffineForms that follows operators which move elements.
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

using Kind = AffineTerm::Kind;

// A Slice along one axis.
struct Cut {
  int axis = 0;
  std::int64_t begin = 0;  // as it stands: counted from the end if negative
  std::int64_t stride = 1;
};

std::optional<Cut> ReadCut(const Node& slice, const Inference& inference) {
  const auto only = [&](std::size_t operand, std::int64_t fallback) {
    if (slice.operand(operand) == nullptr) return std::optional(fallback);
    const auto ints = inference.KnownInts(slice.operand(operand));
    return ints && ints->size() == 1 ? std::optional(ints->front()) : std::nullopt;
  };
  const auto rank = slice.operand(0)->type().rank();
  const auto begin = only(1, 0), axis = only(3, 0), stride = only(4, 1);
  if (!rank || !begin || !axis || !stride) return std::nullopt;
  return Cut{static_cast<int>(*axis < 0 ? *axis + *rank : *axis), *begin, *stride};
}

int AxisOf(const Node& node, int rank) {
  const std::int64_t axis = IntAttribute(node, "axis");
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// The runs of one value that follow one another are one run.
bool Continues(const Atom& a, const Atom& b) {
  Atom next = a;
  next.begin += a.size;
  next.size = b.size;
  return next == b;
}

// The sizes after `axis`, multiplied; nullopt if one is not known.
std::optional<std::int64_t> SizeBehind(const Shape& shape, std::size_t axis) {
  std::int64_t size = 1;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) {
    if (!shape[i].known() || __builtin_mul_overflow(size, shape[i].value(), &size)) {
      return std::nullopt;
    }
  }
  return size;
}

}  // namespace

AffineForms::FormOrNone AffineForms::Move(const Node& node, const Value& value, int axis,
                                          Mode mode) {
  if (node.Is("Identity")) {
    const AffineForm* form = Get(node.operand(0), axis, mode);
    return form != nullptr ? FormOrNone(*form) : std::nullopt;
  }
  if (KeepsOrder(node)) return Reshape(node, value, axis, mode);
  if (node.Is("Transpose")) return Transpose(node, axis, mode);
  if (node.Is("Concat")) return Concat(node, value, axis, mode);
  if (node.Is("Split")) return Split(node, value, axis, mode);
  if (node.Is("Slice")) return SliceNode(node, value, axis, mode);
  if (node.Is("Gather")) return Gather(node, value, axis, mode);
  return std::nullopt;
}

// The feature axis of the operand is the one of the same size with as many elements after it.
AffineForms::FormOrNone AffineForms::Reshape(const Node& node, const Value& value, int axis,
                                             Mode mode) {
  const Shape& to = *value.type().shape();
  const Shape* from = node.operand(0)->type().shape();
  const auto at = static_cast<std::size_t>(axis);
  const auto behind = SizeBehind(to, at);
  if (from == nullptr || !behind) return std::nullopt;
  for (std::size_t i = from->size(); i-- > 0;) {
    if (!(*from)[i].known() || (*from)[i].value() != to[at].value()) continue;
    if (SizeBehind(*from, i) != behind) continue;
    const AffineForm* form = Get(node.operand(0), static_cast<int>(i), mode);
    if (form == nullptr) return std::nullopt;
    AffineForm copy = *form;
    copy.aligned = false;
    return copy;
  }
  return std::nullopt;
}

AffineForms::FormOrNone AffineForms::Transpose(const Node& node, int axis, Mode mode) {
  const Shape* from = node.operand(0)->type().shape();
  if (from == nullptr) return std::nullopt;
  Attribute::Ints perm(from->size());
  std::iota(perm.rbegin(), perm.rend(), 0);
  if (const Attribute* stated = node.attribute("perm")) perm = *stated->As<Attribute::Ints>();
  // The other axes that have more than one element must stay in order.
  const std::int64_t feature = perm[static_cast<std::size_t>(axis)];
  std::int64_t last = -1;
  for (std::int64_t source : perm) {
    if (source == feature || (*from)[static_cast<std::size_t>(source)] == Dim(1)) continue;
    if (source < last) return std::nullopt;
    last = source;
  }
  const AffineForm* form = Get(node.operand(0), static_cast<int>(feature), mode);
  if (form == nullptr) return std::nullopt;
  AffineForm copy = *form;
  copy.aligned = false;
  return copy;
}

AffineForms::FormOrNone AffineForms::Concat(const Node& node, const Value& value, int axis,
                                            Mode mode) {
  if (AxisOf(node, *value.type().rank()) != axis) return std::nullopt;
  AffineForm joined;
  joined.aligned = true;
  for (const Use& use : node.operands()) {
    const AffineForm* part = Get(use.value(), axis, mode);
    if (part == nullptr) return std::nullopt;
    joined.aligned = joined.aligned && part->aligned;
    for (const AffineSegment& segment : part->segments) {
      const AtomId before = joined.segments.empty() ? kNoAtom : AsAtom(joined.segments.back());
      const AtomId next = AsAtom(segment);
      if (before != kNoAtom && next != kNoAtom && Continues(atom(before), atom(next))) {
        Atom whole = atom(before);
        whole.size += segment.size;
        joined.segments.back() = {whole.size, {AffineTerm{.atom = Intern(whole)}}, kNoConst};
        continue;
      }
      joined.segments.push_back(segment);
    }
  }
  return joined;
}

AffineForms::FormOrNone AffineForms::Features(const Value& operand, int axis, std::int64_t begin,
                                              std::int64_t size, Mode mode) {
  const AffineForm* form = Get(&operand, axis, mode);
  if (form == nullptr) return std::nullopt;
  AffineForm part;
  part.aligned = form->aligned;
  for (const AffineSegment& segment : form->segments) {
    const std::int64_t from = std::clamp<std::int64_t>(begin, 0, segment.size);
    const std::int64_t to = std::clamp<std::int64_t>(begin + size, 0, segment.size);
    if (from < to) part.segments.push_back(SliceSegment(segment, from, to - from));
    begin -= segment.size;
  }
  return part;
}

AffineForms::FormOrNone AffineForms::Every(const Value& operand, int axis, std::int64_t begin,
                                           std::int64_t stride) {
  const AffineForm* form = Get(&operand, axis, Mode::kAffine);
  if (form == nullptr || form->segments.size() != 1) return std::nullopt;
  AffineSegment segment = form->segments.front();
  const bool is_product = std::ranges::any_of(
      segment.terms, [](const AffineTerm& term) { return term.kind == Kind::kMatrix; });
  if (!is_product || segment.size % stride != 0) return std::nullopt;
  const std::int64_t size = segment.size / stride;
  const auto rows = [&](ConstId id) {
    std::vector<std::int64_t> sizes = consts_.sizes(id);
    sizes[0] = size;
    std::vector<std::int64_t> cut = sizes;
    cut.insert(cut.begin() + 1, stride);
    return consts_.Reshape(consts_.Slice(consts_.Reshape(id, cut), 1, begin, 1), sizes);
  };
  for (AffineTerm& term : segment.terms) {
    if (term.kind == Kind::kScalar) {
      term.coefficient = consts_.Diagonal(consts_.Fill({segment.size}, term.scale));
    } else if (term.kind == Kind::kDiagonal) {
      term.coefficient = consts_.Diagonal(term.coefficient);
    }
    term = {Kind::kMatrix, term.atom, 1, rows(term.coefficient)};
  }
  if (segment.bias != kNoConst) segment.bias = rows(segment.bias);
  segment.size = size;
  return AffineForm{{segment}, false};
}

AffineForms::FormOrNone AffineForms::StepOfSlice(const Value& operand, int axis, int step_axis,
                                                 std::int64_t step, Mode mode) {
  const Node* node = operand.producer();
  if (node == nullptr || !node->Is("Slice") || step >= kIteration) return std::nullopt;
  const auto cut = ReadCut(*node, *inference_);
  if (!cut || cut->axis != step_axis || cut->stride != 1 || cut->begin < 0 ||
      !SizeAlong(operand, step_axis)) {
    return std::nullopt;
  }
  return Step(*node->operand(0), axis, step_axis, cut->begin + step, mode);
}

AffineForms::FormOrNone AffineForms::Step(const Value& operand, int axis, int step_axis,
                                          std::int64_t step, Mode mode) {
  const auto count = SizeAlong(operand, step_axis);
  const bool is_iteration = step >= kIteration;
  if (step < 0 && !count) return std::nullopt;
  if (step < 0) step += *count;
  if (step < 0 || (count && step >= *count && !is_iteration)) return std::nullopt;
  if (FormOrNone part = StepOfSlice(operand, axis, step_axis, step, mode)) return part;
  if (FormOrNone run = Run(operand, axis, step_axis, step, mode)) return run;
  if (mode == Mode::kAffine) {
    if (FormOrNone runs = SumOfRuns(operand, axis, step_axis, step)) return runs;
    if (FormOrNone form = StepOfProducts(operand, axis, step_axis, step)) return form;
  }
  const AffineForm* form = Get(&operand, axis, mode);
  if (form == nullptr) return std::nullopt;
  AffineForm part = *form;
  if (step < kIteration && SizeAlong(operand, step_axis) == 1) {  // all there is
    part.aligned = false;
    return part;
  }
  bool has_steps = false;
  for (const AffineSegment& segment : part.segments) {
    for (const AffineTerm& term : segment.terms) {
      has_steps = has_steps || atom(term.atom).step_axis >= 0;
    }
  }
  if (!part.aligned || has_steps) {
    if (mode == Mode::kAffine) {
      if (FormOrNone sum = StepOfSum(operand, axis, step_axis, step)) return sum;
    }
    part = Leaf(operand, axis, *SizeAlong(operand, axis));
  }
  for (AffineSegment& segment : part.segments) {
    for (AffineTerm& term : segment.terms) {
      Atom at_step = atom(term.atom);
      at_step.step_axis = step_axis;
      at_step.step = step;
      term.atom = Intern(at_step);
    }
    std::sort(segment.terms.begin(), segment.terms.end(),
              [](const AffineTerm& a, const AffineTerm& b) { return a.atom < b.atom; });
  }
  part.aligned = false;
  return part;
}

AffineForms::FormOrNone AffineForms::StepOfSum(const Value& operand, int axis, int step_axis,
                                               std::int64_t step) {
  const Node* node = operand.producer();
  const auto rank = operand.type().rank();
  if (node == nullptr || rank < 3 || axis != *rank - 1 || step_axis == axis) return std::nullopt;
  const bool is_linear = node->IsDragoman("Linear");
  if (is_linear || node->Is("MatMul")) {
    const ConstId weight = consts_.Of(node->operand(1));
    if (weight == kNoConst || consts_.sizes(weight).size() != 2) return std::nullopt;
    const FormOrNone wiring = Step(*node->operand(0), axis, step_axis, step, Mode::kWiring);
    if (!wiring) return std::nullopt;
    FormOrNone product = Apply(is_linear ? weight : consts_.Transpose(weight), *wiring);
    if (!product || !is_linear || node->operand(2) == nullptr) return product;
    const FormOrNone bias = Operand(*node->operand(2), operand, axis, *SizeAlong(operand, axis));
    return bias ? AddForms(*product, *bias) : std::nullopt;
  }
  if (!node->Is("Add")) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    if (consts_.Of(node->operand(i)) == kNoConst) continue;
    const Value& sum = *node->operand(1 - i);
    const FormOrNone bias = StepOfBias(*node->operand(i), operand, axis, step_axis, step);
    if (!bias || sum.type().rank() != rank) return std::nullopt;
    const FormOrNone part = Step(sum, axis, step_axis, step, Mode::kAffine);
    return part ? AddForms(*part, *bias) : std::nullopt;
  }
  return std::nullopt;
}

bool AffineForms::HoldsStackedProduct(const Value& value, int depth) {
  const Node* node = value.producer();
  if (node == nullptr || depth == 0) return false;
  if (node->Is("MatMul")) {
    const ConstId weight = consts_.Of(node->operand(1));
    return weight != kNoConst && consts_.sizes(weight).size() == 3;
  }
  if (node->Is("Transpose")) {
    const Node* inner = node->operand(0)->producer();
    return inner != nullptr && inner->Is("Reshape") && value.type().rank() == 3;
  }
  return node->Is("Add") && (HoldsStackedProduct(*node->operand(0), depth - 1) ||
                             HoldsStackedProduct(*node->operand(1), depth - 1));
}

AffineForms::FormOrNone AffineForms::StepOfProducts(const Value& operand, int axis, int step_axis,
                                                    std::int64_t step) {
  constexpr int kMaxSums = 4;
  if (operand.type().rank() != 3 || step_axis != 0 || axis != 2 || step >= kIteration ||
      !HoldsStackedProduct(operand, kMaxSums)) {
    return std::nullopt;
  }
  const Node& node = *operand.producer();
  if (node.Is("MatMul")) return StepOfProduct(node, axis, step);
  if (node.Is("Transpose")) {
    const Attribute* stated = node.attribute("perm");
    const Attribute::Ints perm =
        stated != nullptr ? *stated->As<Attribute::Ints>() : Attribute::Ints{2, 1, 0};
    return Run(*node.operand(0), static_cast<int>(perm[2]), static_cast<int>(perm[0]), step,
               Mode::kAffine);
  }
  FormOrNone sum;
  for (const Use& use : node.operands()) {
    const Value& part = *use.value();
    const bool is_bias = consts_.Of(&part) != kNoConst;
    if (!is_bias && part.type().rank() != 3) return std::nullopt;
    const FormOrNone form = is_bias ? StepOfBias(part, operand, axis, step_axis, step)
                                    : Step(part, axis, step_axis, step, Mode::kAffine);
    if (!form) return std::nullopt;
    sum = sum ? AddForms(*sum, *form) : form;
  }
  return sum;
}

AffineForms::FormOrNone AffineForms::StepOfProduct(const Node& product, int axis,
                                                   std::int64_t step) {
  const ConstId weights = consts_.Of(product.operand(1));
  const std::vector<std::int64_t> sizes = consts_.sizes(weights);
  const ConstId weight =
      consts_.Reshape(consts_.Slice(weights, 0, sizes[0] == 1 ? 0 : step, 1), {sizes[1], sizes[2]});
  const Value* factor = product.operand(0);
  if (const Node* node = factor->producer(); node != nullptr && node->Is("Expand")) {
    // What is the same for all steps before is so after it, too.
    const Value& narrow = *node->operand(0);
    const bool repeats = narrow.type().rank() == 2 || SizeAlong(narrow, 0) == 1;
    if (repeats && SizeAlong(narrow, narrow.type().rank().value_or(0) - 1) == sizes[1]) {
      factor = &narrow;
    }
  }
  const int rank = factor->type().rank().value_or(0);
  const int own = axis - (3 - rank);
  if (rank < 2 || rank > 3) return std::nullopt;
  if (rank == 2 || SizeAlong(*factor, 0) == 1) {
    return Apply(consts_.Transpose(weight), *factor, own);
  }
  const FormOrNone wiring = Step(*factor, own, 0, step, Mode::kWiring);
  return wiring ? Apply(consts_.Transpose(weight), *wiring) : std::nullopt;
}

AffineForms::FormOrNone AffineForms::StepOfBias(const Value& bias, const Value& sum, int axis,
                                                int step_axis, std::int64_t step) {
  const std::int64_t size = *SizeAlong(sum, axis);
  ConstId id = consts_.Of(&bias);
  const std::vector<std::int64_t>& sizes = consts_.sizes(id);
  const int own = step_axis - (*sum.type().rank() - static_cast<int>(sizes.size()));
  if (own >= 0 && sizes[static_cast<std::size_t>(own)] > 1) {
    if (step < 0 || step >= sizes[static_cast<std::size_t>(own)]) return std::nullopt;
    id = consts_.Slice(id, own, step, 1);
  }
  const ConstId vector = consts_.VectorAlong(id, axis, *sum.type().rank(), size);
  if (vector == kNoConst) return std::nullopt;
  return AffineForm{{AffineSegment{size, {}, vector}}, false};
}

AffineForms::FormOrNone AffineForms::Iteration(const Value& value, int axis, Mode mode) {
  const IterationOf& iteration = iterations_.at(&value);
  const bool keeps_axis = value.type().rank() == iteration.sequence->type().rank();
  if (keeps_axis && axis == iteration.step_axis) return std::nullopt;
  const int source = keeps_axis || axis < iteration.step_axis ? axis : axis + 1;
  if (SizeAlong(*iteration.sequence, source) != SizeAlong(value, axis)) return std::nullopt;
  return Step(*iteration.sequence, source, iteration.step_axis, iteration.step, mode);
}

AffineForms::FormOrNone AffineForms::Run(const Value& operand, int axis, int step_axis,
                                         std::int64_t step, Mode mode) {
  const Node* node = operand.producer();
  const bool interleaved = step_axis == axis + 1 && mode == Mode::kAffine;
  if (node == nullptr || !node->Is("Reshape") || step >= kIteration ||
      (step_axis != axis - 1 && !interleaved)) {
    return std::nullopt;
  }
  const Value& source = *node->operand(0);
  const Shape* from = source.type().shape();
  const auto size = SizeAlong(operand, axis);
  const auto count = SizeAlong(operand, step_axis);
  const int last = std::max(axis, step_axis);
  const auto behind = SizeBehind(*operand.type().shape(), static_cast<std::size_t>(last));
  std::int64_t whole = 0;
  if (from == nullptr || !size || !count || !behind ||
      __builtin_mul_overflow(*size, *count, &whole) || *count < 2) {
    return std::nullopt;
  }
  for (int i = static_cast<int>(from->size()) - 1; i >= 0; --i) {
    if (SizeAlong(source, i) != whole) continue;
    if (SizeBehind(*from, static_cast<std::size_t>(i)) != behind) continue;
    FormOrNone part = interleaved ? Every(source, i, step, *count)
                                  : Features(source, i, step * *size, *size, mode);
    if (part) part->aligned = false;
    return part;
  }
  return std::nullopt;
}

AffineForms::FormOrNone AffineForms::SumOfRuns(const Value& operand, int axis, int step_axis,
                                               std::int64_t step) {
  constexpr int kMaxSums = 8;
  FormOrNone sum;
  const Value* rest = &operand;
  for (int i = 0; i < kMaxSums && rest != nullptr; ++i) {
    const Node* node = rest->producer();
    if (node == nullptr || !node->Is("Add")) return std::nullopt;
    const Value* other = nullptr;
    for (const Use& use : node->operands()) {
      const bool is_bias = consts_.Of(use.value()) != kNoConst;
      if (!is_bias && use.value()->type().rank() != operand.type().rank()) return std::nullopt;
      const FormOrNone part = is_bias ? StepOfBias(*use.value(), operand, axis, step_axis, step)
                                      : Run(*use.value(), axis, step_axis, step, Mode::kAffine);
      if (!part && (is_bias || other != nullptr)) return std::nullopt;
      if (!part) other = use.value();
      if (part) sum = sum ? AddForms(*sum, *part) : part;
      if (part && !sum) return std::nullopt;
    }
    rest = other;
  }
  return rest == nullptr ? sum : std::nullopt;
}

AffineForms::FormOrNone AffineForms::Split(const Node& node, const Value& value, int axis,
                                           Mode mode) {
  const Value& operand = *node.operand(0);
  const int split = AxisOf(node, *value.type().rank());
  const auto begin = BeginOfPart(node, split, value.index());
  const auto size = SizeAlong(value, split);
  if (!begin || !size) return std::nullopt;
  if (split == axis) return Features(operand, axis, *begin, *size, mode);
  return *size == 1 ? Step(operand, axis, split, *begin, mode) : std::nullopt;
}

std::optional<std::int64_t> AffineForms::BeginOfPart(const Node& split, int axis,
                                                     std::size_t index) {
  const auto [found, is_new] = part_bounds_.try_emplace(&split);
  std::vector<std::int64_t>& bounds = found->second;
  if (is_new) bounds = BoundsOfParts(split, axis);
  return index < bounds.size() ? std::optional(bounds[index]) : std::nullopt;
}

AffineForms::FormOrNone AffineForms::SliceNode(const Node& node, const Value& value, int axis,
                                               Mode mode) {
  const Value& operand = *node.operand(0);
  const auto slice = ReadCut(node, *inference_);
  if (!slice) return std::nullopt;
  auto [cut, begin, stride] = *slice;
  const auto size = SizeAlong(value, cut);
  const auto whole = SizeAlong(operand, cut);
  if (!size) return std::nullopt;
  if (begin < 0 && whole) begin = std::max<std::int64_t>(begin + *whole, 0);
  if (stride != 1) {
    const bool is_every = stride > 1 && begin >= 0 && begin < stride && cut == axis &&
                          mode == Mode::kAffine && whole && *size * stride == *whole;
    return is_every ? Every(operand, axis, begin, stride) : std::nullopt;
  }
  if (cut == axis) return Features(operand, axis, begin, *size, mode);
  return *size == 1 ? Step(operand, axis, cut, begin, mode) : std::nullopt;
}

AffineForms::FormOrNone AffineForms::Gather(const Node& node, const Value& value, int axis,
                                            Mode mode) {
  const Value& operand = *node.operand(0);
  const auto rank = operand.type().rank();
  const auto indices = inference_->KnownInts(node.operand(1));
  const auto index_rank = node.operand(1)->type().rank();
  if (!rank || !indices || indices->size() != 1 || !index_rank) return std::nullopt;
  const int along = AxisOf(node, *rank);
  // The axis is replaced by those of the indices, all of size 1.
  const int shift = *index_rank - 1;
  if (axis >= along && axis < along + *index_rank) return std::nullopt;
  const int source = axis < along ? axis : axis - shift;
  if (SizeAlong(operand, source) != SizeAlong(value, axis)) return std::nullopt;
  return Step(operand, source, along, indices->front(), mode);
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/affine.h"

#include <algorithm>
#include <string_view>

#include "core/ir/find_as.h"
#include "core/ops/declared_attributes.h"

namespace dragoman {
namespace {

constexpr int kMaxNesting = 100;
constexpr std::size_t kMaxTerms = 32;
constexpr std::size_t kMaxSegments = 32;

using Kind = AffineTerm::Kind;

bool Before(const AffineTerm& a, const AffineTerm& b) {
  return std::pair(a.atom, a.kind) < std::pair(b.atom, b.kind);
}

std::size_t CountTerms(const AffineForm& form) {
  std::size_t count = 0;
  for (const AffineSegment& segment : form.segments) count += segment.terms.size();
  return count;
}

// By name: the operators that AffineForms::Sum reads.
bool IsSum(const Node& node) { return node.Is("Add") || node.Is("Sub") || node.Is("Sum"); }

}  // namespace

std::optional<std::int64_t> SizeAlong(const Value& value, int axis) {
  const Shape* shape = value.type().shape();
  if (shape == nullptr || axis < 0 || axis >= static_cast<int>(shape->size())) return std::nullopt;
  const Dim& dim = (*shape)[static_cast<std::size_t>(axis)];
  return dim.known() ? std::optional(dim.value()) : std::nullopt;
}

std::vector<std::int64_t> BoundsOfParts(const Node& split, int axis) {
  std::vector<std::int64_t> bounds = {0};
  for (std::size_t i = 0; i < split.num_results(); ++i) {
    const Value* part = split.result(i);
    const auto size = part != nullptr ? SizeAlong(*part, axis) : std::nullopt;
    if (!size) break;
    bounds.push_back(bounds.back() + *size);
  }
  return bounds;
}

const AffineForm* AffineForms::Of(const Value* value, int axis) {
  return Get(value, axis, Mode::kAffine);
}

const AffineForm* AffineForms::Wiring(const Value* value, int axis) {
  return Get(value, axis, Mode::kWiring);
}

const AffineForm* AffineForms::Definition(const Value* value, int axis) {
  const Node* node = value->producer();
  if (node == nullptr || !IsSum(*node)) return nullptr;
  return Get(value, axis, Mode::kDefinition);
}

const AffineForm* AffineForms::Spelling(const Value* value, int axis) {
  return IsSpelled(value) ? Get(value, axis, Mode::kDefinition) : nullptr;
}

// Values are larger than these small numbers: what is asked for in a row lies in a row.
std::size_t AffineForms::KeyHash::operator()(const FormKey& key) const {
  return std::hash<const Value*>()(key.value) + 4 * static_cast<std::size_t>(key.axis) +
         static_cast<std::size_t>(key.mode);
}

std::size_t AffineForms::KeyHash::operator()(const Atom& atom) const {
  std::size_t hash = std::hash<const Value*>()(atom.value);
  for (const std::int64_t part :
       {std::int64_t{atom.axis}, atom.begin, atom.size, std::int64_t{atom.step_axis}, atom.step}) {
    hash = hash * 31 + static_cast<std::size_t>(part);
  }
  return hash;
}

const AffineForm* AffineForms::Get(const Value* value, int axis, Mode mode) {
  const FormKey key{value, axis, mode};
  if (const auto found = forms_.find(key); found != forms_.end()) {
    return found->second ? &*found->second : nullptr;
  }
  const std::optional<std::int64_t> size = SizeAlong(*value, axis);
  if (!size || *size < 1) return nullptr;
  ++nesting_;
  FormOrNone form = nesting_ > kMaxNesting ? std::nullopt : Compute(*value, axis, *size, mode);
  --nesting_;
  const bool too_large =
      form && (form->segments.size() > kMaxSegments || CountTerms(*form) > kMaxTerms);
  if ((!form || too_large) && mode != Mode::kDefinition) form = Leaf(*value, axis, *size);
  FormOrNone& stored = forms_[key] = std::move(form);
  return stored ? &*stored : nullptr;
}

AffineForms::FormOrNone AffineForms::Compute(const Value& value, int axis, std::int64_t size,
                                             Mode mode) {
  if (mode == Mode::kAffine) {
    if (FormOrNone form = OfConstant(value, axis, size)) return form;
  }
  if (iterations_.contains(&value)) return Iteration(value, axis, mode);
  const Node* node = value.producer();
  if (node == nullptr) return std::nullopt;
  if (mode != Mode::kDefinition) {
    if (FormOrNone form = Move(*node, value, axis, mode)) return form;
  }
  if (mode == Mode::kWiring) return std::nullopt;
  FormOrNone form = Arithmetic(*node, value, axis, size, mode);
  if (mode == Mode::kAffine && form && SpellsFunction(*form)) {
    spelled_.insert(&value);
    return std::nullopt;
  }
  if (mode == Mode::kAffine && form && IsOfConstants(*form)) return std::nullopt;
  return form;
}

bool AffineForms::IsOfConstants(const AffineForm& form) {
  return std::ranges::all_of(form.segments, [&](const AffineSegment& segment) {
    return std::ranges::all_of(segment.terms, [&](const AffineTerm& term) {
      const Value* value = atom(term.atom).value;
      const Node* node = value->producer();
      const bool is_constant =
          consts_.Of(value) != kNoConst || (node != nullptr && node->Is("ConstantOfShape"));
      return term.kind == Kind::kScalar && is_constant;
    });
  });
}

AffineForms::FormOrNone AffineForms::OfConstant(const Value& value, int axis, std::int64_t size) {
  const ConstId id = consts_.Of(&value);
  if (id == kNoConst) return std::nullopt;
  const ConstId vector = consts_.VectorAlong(id, axis, *value.type().rank(), size);
  if (vector == kNoConst) return std::nullopt;
  return AffineForm{{AffineSegment{size, {}, vector}}, false};
}

AffineForm AffineForms::Leaf(const Value& value, int axis, std::int64_t size) {
  const AtomId atom = Intern({.value = &value, .axis = axis, .size = size});
  return {{AffineSegment{size, {AffineTerm{.atom = atom}}, kNoConst}}, true};
}

AtomId AffineForms::Intern(Atom atom) {
  atom.value = consts_.Representative(atom.value);
  const auto [found, is_new] = ids_.try_emplace(atom, static_cast<AtomId>(atoms_.size()));
  if (is_new) atoms_.push_back(&found->first);
  return found->second;
}

AtomId AffineForms::AsAtom(const AffineSegment& segment) {
  if (segment.bias != kNoConst || segment.terms.size() != 1) return kNoAtom;
  const AffineTerm& term = segment.terms.front();
  return term.kind == Kind::kScalar && term.scale == 1 ? term.atom : kNoAtom;
}

AtomId AffineForms::SliceAtom(AtomId id, std::int64_t begin, std::int64_t size) {
  Atom part = atom(id);
  part.begin += begin;
  part.size = size;
  return Intern(part);
}

AffineSegment AffineForms::SliceSegment(const AffineSegment& segment, std::int64_t begin,
                                        std::int64_t size) {
  if (begin == 0 && size == segment.size) return segment;
  AffineSegment part{size, segment.terms, consts_.Slice(segment.bias, 0, begin, size)};
  for (AffineTerm& term : part.terms) {
    if (term.kind != Kind::kMatrix) term.atom = SliceAtom(term.atom, begin, size);
    term.coefficient = consts_.Slice(term.coefficient, 0, begin, size);
  }
  std::sort(part.terms.begin(), part.terms.end(), Before);
  return part;
}

std::optional<AffineSegment> AffineForms::Slice(const AffineForm& form, std::int64_t begin,
                                                std::int64_t size) {
  for (const AffineSegment& segment : form.segments) {
    if (begin < segment.size) {
      if (begin + size > segment.size) return std::nullopt;
      return SliceSegment(segment, begin, size);
    }
    begin -= segment.size;
  }
  return std::nullopt;
}

AffineSegment AffineForms::Scale(const AffineSegment& a, double factor) {
  AffineSegment scaled{a.size, a.terms, consts_.Scale(a.bias, factor)};
  for (AffineTerm& term : scaled.terms) {
    if (term.kind == Kind::kScalar) {
      term.scale *= factor;
    } else {
      term.coefficient = consts_.Scale(term.coefficient, factor);
    }
  }
  return scaled;
}

AffineSegment AffineForms::Add(const AffineSegment& a, const AffineSegment& b) {
  AffineSegment sum{a.size, {}, consts_.Add(a.bias, b.bias)};
  std::merge(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
             std::back_inserter(sum.terms), Before);
  std::vector<AffineTerm> merged;
  for (const AffineTerm& term : sum.terms) {
    if (merged.empty() || Before(merged.back(), term)) {
      merged.push_back(term);
      continue;
    }
    merged.back().scale += term.scale;
    merged.back().coefficient = consts_.Add(merged.back().coefficient, term.coefficient);
  }
  sum.terms = std::move(merged);
  return sum;
}

AffineSegment AffineForms::Multiply(const AffineSegment& segment, ConstId vector) {
  AffineSegment product{segment.size, segment.terms, kNoConst};
  if (segment.bias != kNoConst) {
    const ConstId column = consts_.Reshape(segment.bias, {segment.size, 1});
    product.bias = consts_.Reshape(consts_.Rows(column, vector), {segment.size});
  }
  for (AffineTerm& term : product.terms) {
    if (term.kind == Kind::kScalar) {
      term.kind = Kind::kDiagonal;
      term.coefficient = consts_.Scale(vector, term.scale);
      term.scale = 1;
    } else if (term.kind == Kind::kMatrix) {
      term.coefficient = consts_.Rows(term.coefficient, vector);
    } else {
      const ConstId column = consts_.Reshape(term.coefficient, {segment.size, 1});
      term.coefficient = consts_.Reshape(consts_.Rows(column, vector), {segment.size});
    }
  }
  return product;
}

AffineForms::FormOrNone AffineForms::AddForms(const AffineForm& a, const AffineForm& b) {
  AffineForm sum;
  sum.aligned = a.aligned && b.aligned;
  std::size_t i = 0, j = 0;
  std::int64_t from_a = 0, from_b = 0;
  while (i < a.segments.size() && j < b.segments.size()) {
    const std::int64_t size = std::min(a.segments[i].size - from_a, b.segments[j].size - from_b);
    sum.segments.push_back(
        Add(SliceSegment(a.segments[i], from_a, size), SliceSegment(b.segments[j], from_b, size)));
    from_a += size;
    from_b += size;
    if (from_a == a.segments[i].size) ++i, from_a = 0;
    if (from_b == b.segments[j].size) ++j, from_b = 0;
  }
  return sum;
}

bool AffineForms::HoldsProduct(const AffineForm& form) const {
  for (const AffineSegment& segment : form.segments) {
    for (const AffineTerm& term : segment.terms) {
      if (term.kind != Kind::kScalar) continue;
      const Atom& a = atom(term.atom);
      const Node* node = a.step_axis < 0 ? a.value->producer() : nullptr;
      if (node == nullptr || IsSpelled(a.value)) continue;
      // By name: what a cell's state is spelled by.
      for (std::string_view type : {"Mul", "Add", "Sub", "Sum", "Where"}) {
        if (node->Is(type)) return true;
      }
    }
  }
  return false;
}

bool AffineForms::SpellsFunction(const AffineForm& form) {
  if (form.segments.size() != 1 || form.segments.front().terms.size() != 1) return false;
  const AffineSegment& segment = form.segments.front();
  const AffineTerm& term = segment.terms.front();
  const Atom& inner = atom(term.atom);
  const Node* node = inner.step_axis < 0 ? inner.value->producer() : nullptr;
  if (term.kind != Kind::kScalar || node == nullptr) return false;
  const auto shift = segment.bias == kNoConst ? std::optional(0.0) : consts_.Uniform(segment.bias);
  if (node->Is("Tanh")) return term.scale == 0.5 && shift == 0.5;
  if (node->Is("Sigmoid")) return term.scale == 2 && shift == -1;
  // By name: the three that bound.
  const bool is_bounded = node->Is("Clip") || node->Is("Min") || node->Is("Max");
  // clip(x, 0, 6) / 6; twice a clipped value is what a tanh by a sigmoid reads.
  return is_bounded && term.scale > 0 && term.scale < 1 && shift == 0;
}

AffineForms::FormOrNone AffineForms::Operand(const Value& operand, const Value& result, int axis,
                                             std::int64_t size) {
  const auto rank = result.type().rank();
  const auto own_rank = operand.type().rank();
  if (!rank || !own_rank) return std::nullopt;
  if (const ConstId id = consts_.Of(&operand); id != kNoConst) {
    const ConstId vector = consts_.VectorAlong(id, axis, *rank, size);
    if (vector != kNoConst) return AffineForm{{AffineSegment{size, {}, vector}}, true};
  }
  const int own_axis = axis - (*rank - *own_rank);
  if (SizeAlong(operand, own_axis) != size) return std::nullopt;
  const AffineForm* form = Of(&operand, own_axis);
  if (form == nullptr) return std::nullopt;
  AffineForm copy = *form;
  copy.aligned = copy.aligned && operand.type().shape() != nullptr &&
                 *operand.type().shape() == *result.type().shape();
  return copy;
}

AffineForms::FormOrNone AffineForms::Sum(const Node& node, const Value& value, int axis,
                                         std::int64_t size, Mode mode) {
  FormOrNone sum;
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    FormOrNone form = Operand(*node.operand(i), value, axis, size);
    if (!form || (mode == Mode::kAffine && HoldsProduct(*form))) return std::nullopt;
    if (node.Is("Sub") && i == 1) {
      for (AffineSegment& segment : form->segments) segment = Scale(segment, -1);
    }
    sum = sum ? AddForms(*sum, *form) : form;
  }
  return sum;
}

AffineForms::FormOrNone AffineForms::Multiple(const Node& node, const Value& value, int axis,
                                              std::int64_t size) {
  const bool divides = node.Is("Div");
  for (std::size_t i = divides ? 1 : 0; i < 2; ++i) {
    const ConstId id = consts_.Of(node.operand(i));
    if (id == kNoConst) continue;
    const ConstId vector = consts_.VectorAlong(id, axis, *value.type().rank(), size);
    if (vector == kNoConst) continue;
    FormOrNone form = Operand(*node.operand(1 - i), value, axis, size);
    if (!form) return std::nullopt;
    const auto number = consts_.Uniform(vector);
    if (divides && (!number || *number == 0)) return std::nullopt;
    std::int64_t begin = 0;
    for (AffineSegment& segment : form->segments) {
      const std::int64_t end = begin + segment.size;
      if (number && *number != 0) {
        segment = Scale(segment, divides ? 1 / *number : *number);
      } else {
        // With zeros, terms stay: one may be a gate, times a state that starts at zero.
        segment = Multiply(segment, consts_.Slice(vector, 0, begin, segment.size));
        if (number) segment.bias = kNoConst;
      }
      begin = end;
    }
    return form;
  }
  return std::nullopt;
}

AffineForms::FormOrNone AffineForms::Apply(ConstId matrix, const Value& operand, int axis) {
  const AffineForm* wiring = Wiring(&operand, axis);
  return wiring != nullptr ? Apply(matrix, *wiring) : std::nullopt;
}

AffineForms::FormOrNone AffineForms::Apply(ConstId matrix, const AffineForm& wiring) {
  const std::int64_t rows = consts_.sizes(matrix)[0];
  AffineForm product;
  product.segments.push_back(AffineSegment{rows, {}, kNoConst});
  product.aligned = wiring.aligned;
  std::int64_t begin = 0;
  for (const AffineSegment& segment : wiring.segments) {
    if (begin + segment.size > consts_.sizes(matrix)[1]) return std::nullopt;
    AffineSegment term{rows, {}, kNoConst};
    term.terms.push_back({.kind = Kind::kMatrix,
                          .atom = segment.terms.front().atom,
                          .coefficient = consts_.Slice(matrix, 1, begin, segment.size)});
    product.segments.front() = Add(product.segments.front(), term);
    begin += segment.size;
  }
  if (begin != consts_.sizes(matrix)[1]) return std::nullopt;
  return product;
}

AffineForms::FormOrNone AffineForms::Product(const Node& node, int axis) {
  const Value& a = *node.operand(0);
  const Value& b = *node.operand(1);
  const int rank = node.result()->type().rank().value_or(0);
  const int a_rank = a.type().rank().value_or(0);
  const int b_rank = b.type().rank().value_or(0);
  const ConstId right = consts_.Of(&b);
  if (right != kNoConst && b_rank == 2 && axis == rank - 1 && a_rank >= 1) {
    return Apply(consts_.Transpose(right), a, a_rank - 1);
  }
  const ConstId left = consts_.Of(&a);
  const bool along_columns = b_rank == 1 ? axis == 0 : axis == rank - 2;
  if (left == kNoConst || a_rank != 2 || b_rank > 2 || !along_columns) return std::nullopt;
  return Apply(left, b, 0);
}

AffineForms::FormOrNone AffineForms::Gemm(const Node& node, int axis) {
  const bool weight_first = axis == 0;
  const Value& weight = *node.operand(weight_first ? 0 : 1);
  const Value& operand = *node.operand(weight_first ? 1 : 0);
  const bool weight_swapped = IntAttribute(node, weight_first ? "transA" : "transB") != 0;
  const bool operand_swapped = IntAttribute(node, weight_first ? "transB" : "transA") != 0;
  ConstId matrix = consts_.Of(&weight);
  if (matrix == kNoConst || consts_.sizes(matrix).size() != 2) return std::nullopt;
  if (weight_first == weight_swapped) matrix = consts_.Transpose(matrix);
  const int contracted = weight_first ? 0 : 1;
  FormOrNone form = Apply(matrix, operand, operand_swapped ? 1 - contracted : contracted);
  if (!form) return std::nullopt;
  for (AffineSegment& segment : form->segments)
    segment = Scale(segment, FloatAttribute(node, "alpha"));
  if (node.operand(2) == nullptr) return form;
  FormOrNone bias = Operand(*node.operand(2), *node.result(), axis, form->segments.front().size);
  if (!bias) return std::nullopt;
  for (AffineSegment& segment : bias->segments)
    segment = Scale(segment, FloatAttribute(node, "beta"));
  return AddForms(*form, *bias);
}

ConstId AffineForms::BlockDiagonal(ConstId matrix, std::int64_t blocks) {
  if (blocks == 1) return matrix;
  const std::int64_t rows = consts_.sizes(matrix)[0] / blocks;
  const std::int64_t columns = consts_.sizes(matrix)[1];
  std::vector<ConstId> lines;
  for (std::int64_t i = 0; i < blocks; ++i) {
    std::vector<ConstId> line;
    if (i > 0) line.push_back(consts_.Fill({rows, i * columns}, 0));
    line.push_back(consts_.Slice(matrix, 0, i * rows, rows));
    if (i + 1 < blocks) line.push_back(consts_.Fill({rows, (blocks - 1 - i) * columns}, 0));
    lines.push_back(consts_.Concat(std::move(line), 1));
  }
  return consts_.Concat(std::move(lines), 0);
}

AffineForms::FormOrNone AffineForms::Conv(const Node& node, int axis) {
  const auto all = [&](std::string_view name, std::int64_t number) {
    const auto* ints = FindAs<Attribute::Ints>(node.attributes(), name);
    return ints == nullptr ||
           std::ranges::all_of(*ints, [&](std::int64_t entry) { return entry == number; });
  };
  const ConstId weight = axis == 1 ? consts_.Of(node.operand(1)) : kNoConst;
  if (weight == kNoConst || !all("strides", 1) || !all("pads", 0)) return std::nullopt;
  const std::vector<std::int64_t> sizes = consts_.sizes(weight);
  if (std::any_of(sizes.begin() + 2, sizes.end(), [](std::int64_t size) { return size != 1; })) {
    return std::nullopt;
  }
  const Attribute* group = node.attribute("group");
  const std::int64_t blocks = group != nullptr ? *group->As<std::int64_t>() : 1;
  if (blocks < 1 || blocks > static_cast<std::int64_t>(kMaxSegments) || sizes[0] % blocks != 0) {
    return std::nullopt;
  }
  const ConstId matrix = BlockDiagonal(consts_.Reshape(weight, {sizes[0], sizes[1]}), blocks);
  FormOrNone form = Apply(matrix, *node.operand(0), axis);
  if (!form || node.operand(2) == nullptr) return form;
  const ConstId bias = consts_.Of(node.operand(2));
  if (bias == kNoConst) return std::nullopt;
  return AddForms(*form, AffineForm{{AffineSegment{sizes[0], {}, bias}}, true});
}

AffineForms::FormOrNone AffineForms::Arithmetic(const Node& node, const Value& value, int axis,
                                                std::int64_t size, Mode mode) {
  if (IsSum(node)) return Sum(node, value, axis, size, mode);
  if (node.Is("Mul") || node.Is("Div")) return Multiple(node, value, axis, size);
  if (node.Is("MatMul")) return Product(node, axis);
  if (node.Is("Gemm")) return Gemm(node, axis);
  if (node.Is("Conv")) return Conv(node, axis);
  if (node.Is("Neg")) {
    FormOrNone form = Operand(*node.operand(0), value, axis, size);
    if (!form) return std::nullopt;
    for (AffineSegment& segment : form->segments) segment = Scale(segment, -1);
    return form;
  }
  if (!node.IsDragoman("Linear") || axis != value.type().rank().value_or(0) - 1) {
    return std::nullopt;
  }
  const ConstId weight = consts_.Of(node.operand(1));
  if (weight == kNoConst) return std::nullopt;
  FormOrNone form = Apply(weight, *node.operand(0), axis);
  if (!form || node.operand(2) == nullptr) return form;
  const FormOrNone bias = Operand(*node.operand(2), value, axis, size);
  return bias ? AddForms(*form, *bias) : std::nullopt;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/resize/size_tracer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/ir/for_each_value.h"
#include "core/ir/producer.h"
#include "core/ir/type_algebra.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/resize/new_sizes.h"

namespace dragoman {
namespace {

// Each round replaces a constant that the one before could not.
constexpr int kMaxRounds = 32;
// Values that are made of other sizes for one operand.
constexpr int kMaxGrown = 64;

bool AllKnown(const Shape& shape) { return std::ranges::all_of(shape, &Dim::known); }

// Operands 0 and 1 of products, and the axes over which they are summed; nullopt: no product.
std::optional<std::pair<Dim, Dim>> SummedSizes(const Node& node) {
  const Shape* a = node.operand(0) != nullptr ? node.operand(0)->type().shape() : nullptr;
  const Shape* b = node.operand(1) != nullptr ? node.operand(1)->type().shape() : nullptr;
  if (a == nullptr || b == nullptr || a->empty() || b->empty()) return std::nullopt;
  if (node.Is("MatMul")) return std::pair(a->back(), (*b)[b->size() < 2 ? 0 : b->size() - 2]);
  if (node.Is("dragoman.Linear") && b->size() == 2) return std::pair(a->back(), (*b)[1]);
  if (!node.Is("Gemm") || a->size() != 2 || b->size() != 2) return std::nullopt;
  return std::pair((*a)[IntAttribute(node, "transA") != 0 ? 0 : 1],
                   (*b)[IntAttribute(node, "transB") != 0 ? 1 : 0]);
}

bool BroadcastsOperands(const Node& node) {
  return !node.Is("Concat") && !node.Is("GatherElements");
}

}  // namespace

Result<SizeTracer> SizeTracer::Make(Graph& entry) {
  SizeTracer tracer;
  tracer.entry_ = &entry;
  DRAGOMAN_ASSIGN(tracer.context_, PassContext::Make(entry, nullptr));
  ForEachGraph(entry, [&](Graph& graph) {
    ForEachValue(graph, [&](Value& value) { tracer.old_types_[&value] = value.type(); });
  });
  return tracer;
}

Status SizeTracer::Trace(std::map<std::string, Dim> old_sizes, std::map<std::string, Dim> asked,
                         std::set<std::string> open) {
  old_sizes_ = std::move(old_sizes);
  asked_ = std::move(asked);
  open_ = std::move(open);
  for (int round = 0; round < kMaxRounds; ++round) {
    places_.clear();
    merged_.clear();
    parts_.clear();
    lost_.clear();
    const std::size_t changes = report_.changes.steps();
    for (const auto& input : entry_->inputs()) Remember(*input);
    Error refusals = Unsupported("");
    refusals.findings().clear();
    for (Node& node : entry_->nodes()) {
      Status status = TraceNode(node);
      if (status.ok()) continue;
      if (status.error().kind() == ErrorKind::kInternal) return status;
      Lose(node);
      for (Finding& finding : status.error().findings())
        refusals.findings().push_back(std::move(finding));
    }
    if (report_.changes.steps() != changes) continue;
    if (!refusals.findings().empty()) return refusals;
    ForEachGraph(std::as_const(*entry_), [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) ReportKept(node);
    });
    return {};
  }
  return Internal("constants were replaced again and again");
}

Status SizeTracer::TraceNode(Node& node) {
  for (const Use& use : node.operands()) {
    if (lost_.contains(use.value())) {
      Lose(node);
      return {};
    }
  }
  if (node.Is("Reshape")) DRAGOMAN_TRY(ChangeReshape(node));
  if (node.Is("Expand")) DRAGOMAN_TRY(ChangeExpand(node));
  if (node.Is("Resize")) DRAGOMAN_TRY(ChangeResize(node));
  // By name: operators whose operands have sizes in common.
  if (IsElementwise(node) || node.Is("Concat") || node.Is("MatMul") || node.Is("GatherElements"))
    DRAGOMAN_TRY(ChangeOperands(node));
  DRAGOMAN_TRY(Infer(node));
  DRAGOMAN_TRY(CheckSizes(node));
  RememberParts(node, HasTarget(node) ? TargetOf(node) : std::nullopt);
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) Remember(*node.result(i));
  }
  return {};
}

Status SizeTracer::Infer(Node& node) {
  const Status status = InferNewSizes(node, context_.inference);
  if (!status.ok()) return Refuse(node, status.error().findings().front().message);
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    const Shape* before = result != nullptr ? OldShape(result) : nullptr;
    if (before == nullptr || !AllKnown(*before)) continue;
    const Shape* now = result->type().shape();
    const bool agrees =
        now != nullptr && std::ranges::equal(*before, *now, [&](const Dim& old, const Dim& size) {
          const Dim own = size.Substitute(old_sizes_);
          return own == old || (node.Is("Slice") && !own.known());  // ReportKept reports it
        });
    if (agrees) continue;
    const std::string found = now != nullptr ? TextOf(*now) : "that are not known";
    node.result(i)->set_type(old_types_.at(result));
    // What depends on no input keeps its sizes: its file may state more than inference knows.
    if (Computed(*result)) continue;
    return Refuse(node, fmt::format("its result would be of sizes {}, which are not {} at those of "
                                    "the model",
                                    found, TextOf(*before)));
  }
  return {};
}

// What inference takes as stated: as many elements before as after a Reshape, equal sizes that are
// summed over.
Status SizeTracer::CheckSizes(const Node& node) const {
  const Shape* from = node.operand(0) != nullptr ? node.operand(0)->type().shape() : nullptr;
  if (node.Is("Reshape") && from != nullptr && !AllKnown(*from)) {
    const Shape* to = node.result()->type().shape();
    if (to == nullptr || Equal(NumElements(*from), NumElements(*to)) != Truth::kYes)
      return Refuse(node, "its operand of sizes " + TextOf(*from) +
                              " has not as many elements as its result of " +
                              (to != nullptr ? TextOf(*to) : "unknown sizes"));
  }
  if (node.Is("Split") && node.operand(1) != nullptr && from != nullptr) {
    const std::int64_t stated = IntAttribute(node, "axis");
    const auto axis = static_cast<std::size_t>(stated < 0 ? stated + std::ssize(*from) : stated);
    if (IsOpen(node.operand(0), axis) && context_.inference.KnownInts(node.operand(1)))
      return Refuse(node,
                    "its constant sizes are not those of an axis of " + (*from)[axis].ToString());
  }
  const auto summed = SummedSizes(node);
  if (summed && summed->first.known() != summed->second.known()) {
    return Refuse(node, fmt::format("it sums over {} elements of one operand and {} of the other",
                                    summed->first.ToString(), summed->second.ToString()));
  }
  for (const Graph* body : node.subgraphs()) DRAGOMAN_TRY(CheckBody(*body));
  return {};
}

Status SizeTracer::CheckBody(const Graph& body) const {
  for (const Node& node : body.nodes()) DRAGOMAN_TRY(CheckSizes(node));
  return {};
}

void SizeTracer::Remember(Value& value) {
  const Shape* shape = value.type().shape();
  for (std::size_t axis = 0; shape != nullptr && axis < shape->size(); ++axis) {
    if ((*shape)[axis].symbolic()) places_.emplace((*shape)[axis].ToString(), Place{&value, axis});
  }
}

void SizeTracer::Lose(Node& node) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) lost_.insert(node.result(i));
  }
}

const Shape* SizeTracer::OldShape(const Value* value) const {
  const auto found = old_types_.find(value);
  if (found != old_types_.end()) return found->second.shape();
  return value != nullptr && value->is_constant() ? value->type().shape() : nullptr;
}

bool SizeTracer::IsOpen(const Value* value, std::size_t axis) const {
  const Shape *before = OldShape(value), *now = value->type().shape();
  return before != nullptr && now != nullptr && axis < now->size() && axis < before->size() &&
         (*before)[axis].known() && !(*now)[axis].known();
}

Error SizeTracer::Refuse(const Node& node, std::string why) const {
  return Unsupported(std::move(why)).At(node.Describe());
}

std::string SizeTracer::TextOf(const Shape& shape) const {
  std::vector<std::string> sizes;
  for (const Dim& size : shape) sizes.push_back(size.Substitute(asked_).ToString());
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

void SizeTracer::ReportUnproven(const Node& node, const std::string& what) {
  report_.unproven.push_back(node.Describe() + ": " + what);
}

// Of a constant, which many nodes may read.
void SizeTracer::ReportOnce(std::string what) {
  if (std::ranges::count(report_.unproven, what) == 0) report_.unproven.push_back(std::move(what));
}

// --- Reshape, Expand

bool SizeTracer::IsProduct(const Dim& size) const {
  return merged_.contains(size.ToString()) || size.Symbols().size() > 1;
}

// Sizes that lie in one axis, from the outermost; {?}: their order is not known.
Shape SizeTracer::PartsOf(const Value& value, std::size_t axis) const {
  const Dim& size = (*value.type().shape())[axis];
  const auto parts = parts_.find({&value, axis});
  if (parts != parts_.end()) return parts->second;
  return {IsProduct(size) ? Dim() : size};
}

// Sizes of one group, from `begin` on: `parts` one after the other, where products of them stand
// for one axis of `old_to` each.
bool SizeTracer::SplitGroup(const Shape& parts, const Shape& old_to, std::size_t begin,
                            Target& target) const {
  // A part of size 1 may belong to the axis before or after it.
  const auto fits_twice = [&](const Dim& part) {
    return !part.known() && part.Substitute(old_sizes_) == Dim(1);
  };
  if (std::ranges::any_of(parts, fits_twice)) return false;
  std::size_t next = 0;
  for (std::size_t j = 0; j < old_to.size(); ++j) {
    Shape taken;
    Dim old = 1;
    while (old != old_to[j]) {
      if (next == parts.size()) return false;
      old = old * parts[next].Substitute(old_sizes_);
      taken.push_back(parts[next++]);
      if (!old.known() || old.value() > old_to[j].value()) return false;
    }
    target.sizes[begin + j] = NumElements(taken);
    target.parts[begin + j] = std::move(taken);
  }
  return next == parts.size();
}

// The sizes of the result of a Reshape or Flatten of known sizes; nullopt: nothing shows them.
std::optional<SizeTracer::Target> SizeTracer::TargetOf(const Node& node) const {
  const Shape* old_from = OldShape(node.operand(0));
  const Shape* old_to = OldShape(node.result());
  const Shape& from = *node.operand(0)->type().shape();
  Target target{.sizes = *old_to, .parts = std::vector<Shape>(old_to->size())};
  std::size_t i = 0, j = 0;
  while (j < old_to->size()) {
    if ((*old_to)[j] == Dim(1)) {
      ++j;
      continue;
    }
    // One group: as few axes as have the same product.
    std::vector<std::size_t> group;
    Shape group_to = {(*old_to)[j++]};
    Dim before = 1, after = group_to.front();
    while (before != after) {
      const bool takes = !before.known() || !after.known() || before.value() < after.value();
      if (takes ? i == old_from->size() : j == old_to->size()) return std::nullopt;
      if (takes) {
        before = before * (*old_from)[i];
        if ((*old_from)[i] != Dim(1) || !from[i].known()) group.push_back(i);
        ++i;
      } else {
        after = after * (*old_to)[j];
        group_to.push_back((*old_to)[j++]);
      }
    }
    if (std::ranges::all_of(group, [&](std::size_t axis) { return from[axis].known(); })) continue;
    Dim product = 1;
    Shape parts;
    for (const std::size_t axis : group) {
      const Shape own = PartsOf(*node.operand(0), axis);
      parts.insert(parts.end(), own.begin(), own.end());
      product = product * from[axis];
    }
    if (group_to.size() > 1) {
      if (!SplitGroup(parts, group_to, j - group_to.size(), target)) return std::nullopt;
      continue;
    }
    target.sizes[j - 1] = product;
    const bool in_order = std::ranges::none_of(parts, &Dim::unknown);
    target.parts[j - 1] = in_order ? std::move(parts) : Shape{Dim()};
  }
  for (; i < from.size(); ++i) {
    if (!from[i].known()) return std::nullopt;
  }
  return target;
}

// The order of sizes that lie in axes of the results: as a Reshape puts them together; else as the
// operands have them, if all do in one order.
void SizeTracer::RememberParts(const Node& node, const std::optional<Target>& target) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    const Shape* shape = result != nullptr ? result->type().shape() : nullptr;
    for (std::size_t axis = 0; shape != nullptr && axis < shape->size(); ++axis) {
      const Dim& size = (*shape)[axis];
      if (!size.symbolic()) continue;
      const bool is_target = target && target->sizes == *shape;
      const Shape& parts = parts_[{result, axis}] =
          is_target ? target->parts[axis] : PartsBefore(node, size);
      if (parts.size() > 1) merged_.emplace(size.ToString(), parts);
    }
  }
}

Shape SizeTracer::PartsBefore(const Node& node, const Dim& size) const {
  if (!IsProduct(size)) return {size};
  const bool makes_order = node.Is("Reshape") || node.Is("Flatten") || !node.subgraphs().empty();
  if (makes_order) return {Dim()};
  std::optional<Shape> parts;
  for (const Use& use : node.operands()) {
    // A constant that was replaced is in the order of what it meets.
    const bool is_own = use.value() != nullptr && old_types_.contains(use.value());
    const Shape* shape = is_own ? use.value()->type().shape() : nullptr;
    for (std::size_t axis = 0; shape != nullptr && axis < shape->size(); ++axis) {
      if ((*shape)[axis] != size) continue;
      const Shape own = PartsOf(*use.value(), axis);
      if (parts && *parts != own) return {Dim()};
      parts = own;
    }
  }
  return parts.value_or(Shape{Dim()});
}

bool SizeTracer::HasTarget(const Node& node) const {
  if (!node.Is("Reshape") && !node.Is("Flatten")) return false;
  const Shape *old_from = OldShape(node.operand(0)), *old_to = OldShape(node.result());
  const Shape* from = node.operand(0)->type().shape();
  return old_from != nullptr && old_to != nullptr && from != nullptr && !AllKnown(*from) &&
         from->size() == old_from->size() && AllKnown(*old_from) && AllKnown(*old_to);
}

Result<bool> SizeTracer::ChangeReshape(Node& node) {
  if (!HasTarget(node)) return false;
  const Shape* from = node.operand(0)->type().shape();
  const std::optional<Target> made = TargetOf(node);
  const std::optional<Shape> target = made ? std::optional(made->sizes) : std::nullopt;
  const auto said = context_.inference.KnownInts(node.operand(1));
  if (Infer(node).ok() && CheckSizes(node).ok() &&
      (!target || *target == *node.result()->type().shape()))
    return false;
  if (!said) return false;
  if (!target)
    return Refuse(node, fmt::format("its constant [{}] does not show what it makes of sizes {}",
                                    fmt::join(*said, ", "), TextOf(*from)));
  Value* sizes = nullptr;
  if (const auto numbers = ReshapeSizes(*from, *target)) {
    sizes = Constant(Tensor::Ints(*numbers), node.operand(1)->name(), node);
  } else {
    DRAGOMAN_ASSIGN(sizes, Sizes(*target, node));
  }
  if (sizes == nullptr) return Refuse(node, "its sizes " + TextOf(*target) + " are nowhere else");
  report_.changes.Add({.node = node.Describe(),
                       .operand = 1,
                       .what = "its sizes are",
                       .after = TextOf(*target),
                       .before = fmt::format("[{}]", fmt::join(*said, ", "))});
  node.RemoveAttribute("allowzero");
  node.set_operand(1, sizes);
  return true;
}

// A size that the operand has already is stated by 1.
Result<bool> SizeTracer::ChangeExpand(Node& node) {
  const auto said = context_.inference.KnownInts(node.operand(1));
  const Shape* from = node.operand(0)->type().shape();
  if (!said || from == nullptr || said->size() < from->size()) return false;
  std::vector<std::int64_t> sizes = *said;
  const std::size_t lead = sizes.size() - from->size();
  for (std::size_t axis = 0; axis < from->size(); ++axis) {
    const Shape* before = OldShape(node.operand(0));
    if (IsOpen(node.operand(0), axis) && Dim(sizes[lead + axis]) == (*before)[axis])
      sizes[lead + axis] = 1;
  }
  if (sizes == *said) return false;
  report_.changes.Add({.node = node.Describe(),
                       .operand = 1,
                       .what = "its sizes are",
                       .after = fmt::format("[{}]", fmt::join(sizes, ", ")),
                       .before = fmt::format("[{}]", fmt::join(*said, ", "))});
  node.set_operand(1, Constant(Tensor::Ints(sizes), node.operand(1)->name(), node));
  return true;
}

// Sizes that an input has along these axes, as a map of its pixels has: no other model is known
// that states them.
Result<bool> SizeTracer::ChangeResize(Node& node) {
  const auto said = context_.inference.KnownInts(node.operand(3));
  const Shape* from = node.operand(0)->type().shape();
  if (!said || from == nullptr || said->size() != from->size()) return false;
  for (const auto& input : entry_->inputs()) {
    const Shape* sizes = input->type().shape();
    if (sizes == nullptr || sizes->size() != from->size()) continue;
    WantedSizes wanted;
    bool all = true;
    for (std::size_t axis = 0; axis < from->size(); ++axis) {
      if (!IsOpen(node.operand(0), axis)) continue;
      all = all && IsOpen(input.get(), axis) && (*OldShape(input.get()))[axis] == (*said)[axis];
      wanted.emplace(axis, (*sizes)[axis]);
    }
    if (!all || wanted.empty()) continue;
    DRAGOMAN_ASSIGN(const Value* grown, GrownResize(node, wanted, *node.result()));
    if (grown == nullptr) continue;
    const std::string what = "its result is of the sizes of input '" + input->name() + "'";
    report_.changes.Add({.node = node.Describe(), .operand = 3, .what = what});
    ReportUnproven(node, what + ", as it was");
    return true;
  }
  return false;
}

// --- Operands that have sizes in common

// The sizes that operands of a known size along an axis are to have, since another has an open one
// there; by operand, none for those that stay. None at all: a rank is not known.
std::vector<WantedSizes> SizeTracer::WantedOperands(const Node& node) const {
  const std::size_t count = IsUnary(node) ? 1 : node.num_operands();
  std::size_t rank = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Shape* shape = node.operand(i) != nullptr ? node.operand(i)->type().shape() : nullptr;
    if (shape == nullptr) return {};
    rank = std::max(rank, shape->size());
  }
  std::size_t skipped = SIZE_MAX;  // axis along which sizes need not be equal
  const bool broadcasts = BroadcastsOperands(node);
  if (!broadcasts) {
    const std::int64_t axis = IntAttribute(node, "axis");
    skipped = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  }
  const std::size_t end = node.Is("MatMul") ? rank - std::min<std::size_t>(rank, 2) : rank;
  std::vector<WantedSizes> wanted(count);
  for (std::size_t axis = 0; axis < end; ++axis) {
    if (axis == skipped) continue;
    std::optional<Dim> open;
    const auto own_axis = [&](std::size_t i) -> std::optional<std::size_t> {
      const std::size_t lead = rank - node.operand(i)->type().shape()->size();
      return axis < lead ? std::nullopt : std::optional(axis - lead);
    };
    for (std::size_t i = 0; i < count && !open; ++i) {
      const auto own = own_axis(i);
      if (own && IsOpen(node.operand(i), *own)) open = (*node.operand(i)->type().shape())[*own];
    }
    for (std::size_t i = 0; i < count && open; ++i) {
      const auto own = own_axis(i);
      if (!own) continue;
      const Dim& size = (*node.operand(i)->type().shape())[*own];
      if (size == *open || (size == Dim(1) && broadcasts)) continue;
      // Positions need not be as many as the table has rows, unless they were.
      if (node.Is("GatherElements") && (i == 1 || size != open->Substitute(old_sizes_))) continue;
      // Sizes that are open on both sides are equal where the model can be run.
      if (size.known()) wanted[i].emplace(*own, *open);
    }
  }
  return wanted;
}

Result<bool> SizeTracer::ChangeOperands(Node& node) {
  const std::vector<WantedSizes> wanted = WantedOperands(node);
  bool changed = false;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].empty()) continue;
    Value& operand = *node.operand(i);
    steps_ = kMaxGrown;
    DRAGOMAN_ASSIGN(Value * grown, Grown(operand, wanted[i], BroadcastsOperands(node), node));
    if (grown == nullptr) {
      const auto& [axis, size] = *wanted[i].begin();
      std::string why = fmt::format(
          "operand {}, '{}', is of size {} along axis {}, where another is of {}", i,
          operand.name(), (*operand.type().shape())[axis].ToString(), axis, size.ToString());
      if (Computed(operand)) {
        why +=
            "; its elements do not determine those of other sizes: dynamic_shapes of its exporter "
            "keeps the axis open, and generalize takes two exports";
      }
      return Refuse(node, std::move(why));
    }
    changed = true;
    report_.changes.Add(
        {.node = node.Describe(),
         .operand = i,
         .what = fmt::format("operand {}, '{}', follows its other operands", i, operand.name())});
    if (grown != &operand) node.set_operand(i, grown);
  }
  return changed;
}

}  // namespace dragoman

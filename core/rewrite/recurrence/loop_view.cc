// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/loop_view.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/elements.h"
#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

// Others round or wrap large numbers.
bool HoldsNumbersOfSteps(DType dtype) {
  return dtype == DType::kI32 || dtype == DType::kI64 || dtype == DType::kF64;
}

}  // namespace

std::optional<bool> CountsIterations(const IterationNumber& number, const Dim& trips) {
  if (number.factor == 1 && number.offset == Dim(0)) return false;
  const bool from_end = number.factor == -1 && Equal(number.offset, trips - Dim(1)) == Truth::kYes;
  return from_end ? std::optional(true) : std::nullopt;
}

bool CountsSteps(const Value& value, const Inference& inference) {
  constexpr int kMaxHops = 8;
  const Value* at = &value;
  for (int hop = 0; hop < kMaxHops && at->producer() != nullptr; ++hop) {
    const Node& node = *at->producer();
    const bool casts = node.Is("Cast") && HoldsNumbersOfSteps(at->type().dtype());
    if (!node.Is("Unsqueeze") && !node.Is("Reshape") && !casts) break;
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

std::int64_t EntryOf(const Node& node, std::string_view name, std::size_t i) {
  const Attribute::Ints* ints = IntsAttribute(node, name);
  return ints != nullptr && i < ints->size() ? (*ints)[i] : 0;
}

namespace {

LoopView ReadScan(Node& node) {
  LoopView view;
  view.node = &node;
  view.body = node.subgraphs().front();
  const auto num_slices = static_cast<std::size_t>(IntAttribute(node, "num_scan_inputs"));
  const std::size_t num_states = node.num_operands() - num_slices;
  for (std::size_t i = 0; i < num_states; ++i) {
    view.states.push_back(
        {node.operand(i), view.body->input(i), view.body->output(i), node.result(i)});
  }
  for (std::size_t i = 0; i < num_slices; ++i) {
    Value* sequence = node.operand(num_states + i);
    const int axis = FromFront(EntryOf(node, "scan_input_axes", i), *sequence);
    view.slices[view.body->input(num_states + i)] = {
        sequence, axis, EntryOf(node, "scan_input_directions", i) == 1};
    const Shape* shape = sequence->type().shape();
    if (i == 0 && shape != nullptr) view.trips = (*shape)[static_cast<std::size_t>(axis)];
  }
  for (std::size_t i = num_states; i < view.body->num_outputs(); ++i) {
    Value* result = node.result(i);
    const std::int64_t axis = EntryOf(node, "scan_output_axes", i - num_states);
    view.collections.push_back({view.body->output(i), result,
                                result != nullptr ? FromFront(axis, *result) : 0,
                                EntryOf(node, "scan_output_directions", i - num_states) == 1});
  }
  return view;
}

// All of a Loop but what depends on the numbers of its iterations.
LoopView ReadLoop(Node& node) {
  LoopView view;
  view.node = &node;
  view.body = node.subgraphs().front();
  const std::size_t num_states = std::max<std::size_t>(node.num_operands(), 2) - 2;
  for (std::size_t i = 0; i < num_states; ++i) {
    view.states.push_back(
        {node.operand(i + 2), view.body->input(i + 2), view.body->output(i + 1), node.result(i)});
  }
  for (std::size_t i = num_states; i + 1 < view.body->num_outputs(); ++i) {
    view.collections.push_back({view.body->output(i + 1), node.result(i), 0, false});
  }
  return view;
}

// number < limit
struct NumberLimit {
  IterationNumber number;
  Dim limit;
};
constexpr std::size_t kMaxConditions = 16;
constexpr std::int64_t kMaxStride = 64;
constexpr std::int64_t kMaxFactor = kMaxStride * kMaxStride;

bool CastsTo(const Node* node, bool (*is)(DType)) {
  return node != nullptr && node->Is("Cast") && is(node->result()->type().dtype());
}

// A quotient of integers that is computed in floats, as torch writes the length of a range with a
// step; of a step of 1 an optimiser leaves no quotient. Floats hold sizes up to 2^24 exactly, more
// steps than a sequence has.
Dim QuotientOf(const Value* value, const PassContext& context) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  if (!CastsTo(node, IsInteger)) return Dim::Unknown();
  node = node->operand(0)->producer();
  const bool up = node != nullptr && node->Is("Ceil");
  if (up) node = node->operand(0)->producer();
  const Node* dividend = node;
  double divisor = 1;
  if (node != nullptr && node->Is("Div")) {
    const Tensor* by = ConstantOf(node->operand(1));
    if (by == nullptr || by->size() != 1) return Dim::Unknown();
    divisor = by->FloatAt(0);
    dividend = node->operand(0)->producer();
  }
  if (!CastsTo(dividend, IsFloating) || std::trunc(divisor) != divisor || divisor == 0 ||
      std::abs(divisor) > kMaxStride) {
    return Dim::Unknown();
  }
  const Dim element = OnlyElement(context.inference.Know(dividend->operand(0)));
  if (element.unknown()) return Dim::Unknown();
  const bool back = divisor < 0;
  const Dim number = back ? Dim(0) - element : element;
  const Dim step(static_cast<std::int64_t>(std::abs(divisor)));
  if (up) return CeilDiv(number, step);
  return LessEqual(Dim(0), number) == Truth::kYes ? FloorDiv(number, step) : Dim::Unknown();
}

class LoopReader {
 public:
  LoopReader(Node& node, const PassContext& context) : node_(node), context_(context) {}

  std::optional<LoopView> Read() {
    const bool is_scan = node_.Is("Scan");
    LoopView view = is_scan ? ReadScan(node_) : ReadLoop(node_);
    if (is_scan) {
      trips_ = view.trips;
      for (const auto& [value, slice] : view.slices) EnterCountedSlice(*value, slice);
    } else {
      iterations_[view.body->input(0)] = {1, Dim(0)};
    }
    FindCounters(view);
    for (const Node& node : view.body->nodes()) VisitNumber(node);
    if (!is_scan && !ReadTrips(view)) return std::nullopt;
    view.trips = trips_;
    for (const Node& node : view.body->nodes()) VisitNumber(node);  // by the count of iterations
    for (Node& node : view.body->nodes()) VisitSlice(node, view);
    for (const auto& [value, number] : iterations_) {
      if (const auto from_end = CountsIterations(number, trips_)) view.numbers[value] = *from_end;
    }
    view.iterations = std::move(iterations_);
    return view;
  }

 private:
  // How often the loop runs: a number, or as long as a counter is below a limit. False if it may
  // end otherwise.
  bool ReadTrips(const LoopView& view) {
    const Value* condition = view.body->output(0);
    const bool goes_on = IsTrue(condition) || condition == view.body->input(1);
    if (!goes_on) return ReadLimits(*condition);
    if (node_.operand(1) != nullptr && !IsTrue(node_.operand(1))) return false;
    const Value* count = node_.operand(0);
    // A sequence is as long as there are iterations, so their number is not negative.
    const Node* most = count != nullptr ? count->producer() : nullptr;
    if (most != nullptr && most->Is("Max") && most->num_operands() == 2 &&
        IntsOf(context_, most->operand(1)) == std::vector<std::int64_t>{0}) {
      count = most->operand(0);
    }
    trips_ = OnlyElement(context_.inference.Know(count));
    if (trips_.unknown()) trips_ = QuotientOf(count, context_);
    return true;
  }

  // while (counter < limit), with counter + 1 < limit in the body; or several such at once.
  bool ReadLimits(const Value& condition) {
    const auto inner = ReadConjunction(&condition);
    const auto outer = ReadConjunction(node_.operand(1));
    if (!inner || inner->empty() || !outer) return false;
    for (const auto& [number, limit] : *inner) {
      const Dim iterations = limit - number.offset + Dim(1);
      const bool fits =
          &number == &inner->front().number || Equal(iterations, trips_) == Truth::kYes;
      if (number.factor != 1 || !fits) return false;
      trips_ = iterations;
    }
    if (trips_.known() && trips_.value() < 1) return false;
    for (const auto& [number, limit] : *outer) {
      const Dim iterations = limit - number.offset;
      const bool holds = iterations.known() && iterations.value() > 0;
      if (number.factor != 0 || (!holds && Equal(iterations, trips_) != Truth::kYes)) return false;
    }
    if (node_.operand(0) == nullptr) return true;
    const Dim most = OnlyElement(context_.inference.Know(node_.operand(0)));
    return IsUnlimited(most) || Equal(most, trips_) == Truth::kYes;
  }

  static bool IsUnlimited(const Dim& most) { return most.known() && most.value() >= INT32_MAX; }

  // The comparisons that must all hold, without those that always do; nullopt: it is something
  // else.
  std::optional<std::vector<NumberLimit>> ReadConjunction(const Value* condition) const {
    std::vector<NumberLimit> limits;
    std::vector<const Value*> open = {condition};
    for (std::size_t visited = 0; !open.empty(); ++visited) {
      if (visited == kMaxConditions) return std::nullopt;
      const Value* value = open.back();
      open.pop_back();
      if (value == nullptr || IsTrue(value) || value == node_.subgraphs().front()->input(1)) {
        continue;
      }
      const Node* node = value->producer();
      if (node != nullptr && node->Is("And")) {
        open.push_back(node->operand(0));
        open.push_back(node->operand(1));
        continue;
      }
      const auto limit = ReadLess(*value);
      if (!limit) return std::nullopt;
      if (limit->limit.known() && limit->limit.value() >= INT32_MAX) continue;
      limits.push_back(*limit);
    }
    return limits;
  }

  // number < limit
  std::optional<NumberLimit> ReadLess(const Value& condition) const {
    const Node* node = condition.producer();
    if (node == nullptr || (!node->Is("Less") && !node->Is("Greater"))) return std::nullopt;
    const std::size_t less = node->Is("Less") ? 0 : 1;
    const auto number = NumberOf(node->operand(less));
    const auto limit = NumberOf(node->operand(1 - less));
    if (!number || !limit || limit->factor != 0) return std::nullopt;
    return NumberLimit{*number, limit->offset};
  }

  // A slice of 0, 1, 2, … is the number of the iteration, or of its counterpart from the end.
  void EnterCountedSlice(const Value& value, const LoopSlice& slice) {
    if (value.type().shape() == nullptr || !(NumElements(*value.type().shape()) == Dim(1))) return;
    if (!CountsSteps(*slice.sequence, context_.inference)) return;
    iterations_[&value] =
        slice.reverse ? IterationNumber{-1, trips_ - Dim(1)} : IterationNumber{1, Dim(0)};
  }

  // A state that starts at a number and grows by one.
  void FindCounters(const LoopView& view) {
    for (const LoopState& state : view.states) {
      const Node* step = state.output->producer();
      if (step == nullptr || !step->Is("Add")) continue;
      const auto start = context_.inference.Know(state.initial);
      if (!start.elements || start.elements->size() != 1) continue;
      for (std::size_t i = 0; i < 2; ++i) {
        if (step->operand(i) != state.input) continue;
        const auto by = IntsOf(context_, step->operand(1 - i));
        if (by == std::vector<std::int64_t>{1})
          iterations_[state.input] = {1, start.elements->front()};
      }
    }
  }

  std::optional<IterationNumber> NumberOf(const Value* value) const {
    if (value == nullptr) return std::nullopt;
    if (const auto found = iterations_.find(value); found != iterations_.end())
      return found->second;
    const Knowledge knowledge = context_.inference.Know(value);
    if (!knowledge.elements || knowledge.elements->size() != 1) return std::nullopt;
    return IterationNumber{0, knowledge.elements->front()};
  }

  // By name: the arithmetic of counters and bounds, each by its own rule.
  void VisitNumber(const Node& node) {
    if (node.Is("Where")) {
      VisitChoice(node);
    } else if (node.Is("Max") || node.Is("Min") || node.Is("Clip")) {
      VisitBound(node);
    } else if (node.Is("Add") || node.Is("Sub") || node.Is("Mul") || node.Is("Div")) {
      const auto a = NumberOf(node.operand(0));
      const auto b = NumberOf(node.operand(1));
      if (!a || !b || (a->factor == 0 && b->factor == 0)) return;
      if (node.Is("Mul")) return VisitMultiple(node, *a, *b);
      if (node.Is("Div")) return VisitQuotient(node, *a, *b);
      const bool minus = node.Is("Sub");
      Enter(node, {minus ? a->factor - b->factor : a->factor + b->factor,
                   minus ? a->offset - b->offset : a->offset + b->offset});
    } else if (node.Is("Identity") || node.Is("Cast") || node.Is("Unsqueeze") ||
               node.Is("Squeeze") || node.Is("Reshape")) {
      // By name: one number stays what it is.
      const auto found = iterations_.find(node.operand(0));
      if (found != iterations_.end()) iterations_[node.result()] = IterationNumber(found->second);
    } else if (node.Is("Gather") && node.operand(0)->type().rank() == 1 &&
               CountsSteps(*node.operand(0), context_.inference)) {
      const auto found = iterations_.find(node.operand(1));
      const bool from_front = found != iterations_.end() && found->second.factor > 0 &&
                              LessEqual(Dim(0), found->second.offset) == Truth::kYes;
      if (from_front) iterations_[node.result()] = IterationNumber(found->second);
    }
  }

  Dim Lowest(const IterationNumber& number) const {
    return number.factor < 0 ? number.offset + Dim(number.factor) * (trips_ - Dim(1))
                             : number.offset;
  }
  Dim Highest(const IterationNumber& number) const {
    return number.factor > 0 ? number.offset + Dim(number.factor) * (trips_ - Dim(1))
                             : number.offset;
  }

  // Whether a number is never below `low` nor above `high`; nullptr: no bound.
  bool IsWithin(const IterationNumber& number, const Value* low, const Value* high) const {
    const auto bound = [&](const Value* value) {
      const auto known = NumberOf(value);
      return known && known->factor == 0 ? known->offset : Dim::Unknown();
    };
    return (low == nullptr || LessEqual(bound(low), Lowest(number)) == Truth::kYes) &&
           (high == nullptr || LessEqual(Highest(number), bound(high)) == Truth::kYes);
  }

  // A number that is kept within bounds in which it is anyway.
  void VisitBound(const Node& node) {
    if (node.Is("Clip")) {
      const auto number = NumberOf(node.operand(0));
      if (number && IsWithin(*number, node.operand(1), node.operand(2))) {
        Follow(node, *node.operand(0));
      }
      return;
    }
    for (std::size_t i = 0; i < 2 && node.num_operands() == 2; ++i) {
      const auto number = NumberOf(node.operand(i));
      const Value* bound = node.operand(1 - i);
      const bool is_low = node.Is("Max");
      if (number && IsWithin(*number, is_low ? bound : nullptr, is_low ? nullptr : bound)) {
        Follow(node, *node.operand(i));
      }
    }
  }

  // A choice that is the same in all iterations, as between a number and what it means if negative.
  void VisitChoice(const Node& node) {
    const auto less = ReadLess(*node.operand(0));
    if (!less) return;
    const bool always = LessEqual(Highest(less->number) + Dim(1), less->limit) == Truth::kYes;
    const bool never = LessEqual(less->limit, Lowest(less->number)) == Truth::kYes;
    if (always || never) Follow(node, *node.operand(always ? 1 : 2));
  }

  void Follow(const Node& node, const Value& value) {
    const Shape* shape = node.result()->type().shape();
    const auto found = iterations_.find(&value);
    if (found == iterations_.end() || shape == nullptr || !(NumElements(*shape) == Dim(1))) return;
    iterations_[node.result()] = IterationNumber(found->second);
  }

  // A few times a number, or that many backwards.
  void VisitMultiple(const Node& node, const IterationNumber& a, const IterationNumber& b) {
    const Dim& times = a.factor == 0 ? a.offset : b.offset;
    const IterationNumber& number = a.factor == 0 ? b : a;
    if ((a.factor != 0 && b.factor != 0) || !times.known()) return;
    if (times.value() < -kMaxStride || times.value() > kMaxStride) return;
    Enter(node, {times.value() * number.factor, times * number.offset});
  }

  // Chains of sums and products in a file may not overflow.
  void Enter(const Node& node, IterationNumber number) {
    if (std::abs(number.factor) <= kMaxFactor) iterations_[node.result()] = std::move(number);
  }

  // Without a rest.
  void VisitQuotient(const Node& node, const IterationNumber& number, const IterationNumber& by) {
    const std::int64_t divisor = by.factor == 0 && by.offset.known() ? by.offset.value() : 0;
    if (divisor <= 0 || !number.offset.known()) return;
    if (number.factor % divisor != 0 || number.offset.value() % divisor != 0) return;
    iterations_[node.result()] = {number.factor / divisor, Dim(number.offset.value() / divisor)};
  }

  void VisitSlice(Node& node, LoopView& view) {
    if (node.Is("Gather")) {
      AddSlice(node, node.operand(1), static_cast<int>(IntAttribute(node, "axis")), view);
    } else if (node.Is("Slice")) {
      VisitCut(node, view);
    }
  }

  void VisitCut(Node& node, LoopView& view) {
    const auto end = NumberOf(node.operand(2));
    const auto begin = NumberOf(node.operand(1));
    const auto axes = node.operand(3) != nullptr ? IntsOf(context_, node.operand(3))
                                                 : std::vector<std::int64_t>{0};
    const bool steps = node.operand(4) != nullptr &&
                       IntsOf(context_, node.operand(4)) != std::vector<std::int64_t>{1};
    if (!begin || !end || !axes || axes->size() != 1 || steps) return;
    if (begin->factor != end->factor || !(end->offset - begin->offset == Dim(1))) return;
    const Shape* shape = node.operand(0)->type().shape();
    const int axis = FromFront(axes->front(), *node.operand(0));
    if (shape != nullptr && CountsIterations(*begin, trips_) &&
        HasOneForEachIteration((*shape)[static_cast<std::size_t>(axis)])) {
      view.cuts[&node] = axis;
    }
    AddSlice(node, node.operand(1), axis, view);
  }

  bool HasOneForEachIteration(const Dim& length) const {
    return Equal(length, trips_) == Truth::kYes ||
           Equal(length, Max(trips_, Dim(0))) == Truth::kYes;
  }

  // The slice of every iteration if these are all of the sequence, in order or backwards.
  void AddSlice(Node& node, const Value* index, int axis, LoopView& view) {
    const auto found = iterations_.find(index);
    Value* sequence = node.operand(0);
    const Shape* shape = sequence->type().shape();
    if (found == iterations_.end() || shape == nullptr || sequence->graph() == view.body) return;
    axis = FromFront(axis, *sequence);
    const Dim& length = (*shape)[static_cast<std::size_t>(axis)];
    const IterationNumber& number = found->second;
    if (!HasOneForEachIteration(length)) return AddPart(node, number, axis, length, view);
    if (number.factor == 1 && number.offset == Dim(0)) {
      view.slices[node.result()] = {sequence, axis, false};
    } else if (number.factor == -1 && Equal(number.offset, length - Dim(1)) == Truth::kYes) {
      view.slices[node.result()] = {sequence, axis, true};
    }
  }

  // The part of a sequence that the iterations read.
  void AddPart(Node& node, const IterationNumber& number, int axis, const Dim& length,
               LoopView& view) {
    const std::int64_t stride = std::abs(number.factor);
    if (stride < 1 || stride > kMaxStride) return;
    const Dim begin =
        number.factor > 0 ? number.offset : number.offset - Dim(stride) * (trips_ - Dim(1));
    if (!begin.known() || begin.value() < 0) return;
    if (const auto rest = RestBehind(begin, stride, length)) {
      view.parts.push_back({&node, axis, begin.value(), *rest, stride});
    }
  }

  // How many slices come after the last iteration's, or at least so many that no further iteration
  // would find one; nullopt: it is not known, or there are too few slices.
  std::optional<std::int64_t> RestBehind(const Dim& begin, std::int64_t stride,
                                         const Dim& length) const {
    const Dim rest = length - begin - Dim(stride) * (trips_ - Dim(1)) - Dim(1);
    if (rest.known()) return rest.value() >= 0 ? std::optional(rest.value()) : std::nullopt;
    for (std::int64_t behind = 0; behind < stride; ++behind) {
      const Dim iterations = FloorDiv(length - Dim(behind) - begin + Dim(stride - 1), Dim(stride));
      if (Equal(iterations, trips_) == Truth::kYes) return behind;
    }
    return std::nullopt;
  }

  Node& node_;
  const PassContext& context_;
  Dim trips_;  // unknown if they are
  std::unordered_map<const Value*, IterationNumber> iterations_;
};

Status GatherFromPart(const LoopPart& part, Node& loop, PassContext& context) {
  Node& node = *part.node;
  LayoutBuilder outside(context, loop);
  DRAGOMAN_ASSIGN(Value * slice,
                  outside.Slice(node.operand(0), part.axis, part.begin,
                                part.rest == 0 ? INT64_MAX : -part.rest, part.stride));
  const auto constant = [&](std::int64_t number) {
    return context.AddConstant(*node.graph(), Tensor::Int(number), "number", node.origin());
  };
  DRAGOMAN_ASSIGN(Value * number, context.Insert(node, "Cast", {{node.operand(1)}},
                                                 {{"to", static_cast<std::int64_t>(DType::kI64)}}));
  DRAGOMAN_ASSIGN(number, context.Insert(node, "Sub", {{number, constant(part.begin)}}));
  if (part.stride != 1) {
    DRAGOMAN_ASSIGN(number, context.Insert(node, "Div", {{number, constant(part.stride)}}));
  }
  DRAGOMAN_ASSIGN(Value * gathered, context.Insert(node, "Gather", {{slice, number}},
                                                   {{"axis", std::int64_t{part.axis}}}));
  context.Replace(node, {{gathered}});
  return {};
}

}  // namespace

Result<bool> GatherSlices(const LoopView& loop, PassContext& context) {
  bool changed = false;
  for (const LoopPart& part : loop.parts) {
    DRAGOMAN_TRY(GatherFromPart(part, *loop.node, context));
    changed = true;
  }
  for (Node* node = loop.body->first_node(); node != nullptr;) {
    Node* const next = node->next();
    const auto found = loop.cuts.find(node);
    if (found != loop.cuts.end() && SizeAlong(*node->result(), found->second) != 1) {
      DRAGOMAN_ASSIGN(Value * slice,
                      context.Insert(*node, "Gather", {{node->operand(0), node->operand(1)}},
                                     {{"axis", std::int64_t{found->second}}}));
      changed = context.ReplaceIfAllowed(*node, slice) || changed;
    }
    node = next;
  }
  return changed;
}

std::optional<LoopView> ViewLoop(Node& node, const PassContext& context) {
  if ((!node.Is("Loop") && !node.Is("Scan")) || node.subgraphs().size() != 1 || HasEffect(node)) {
    return std::nullopt;
  }
  return LoopReader(node, context).Read();
}

}  // namespace dragoman

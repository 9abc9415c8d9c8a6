// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/equal_steps.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "core/analysis/affine.h"
#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/recurrence/batch_operator.h"
#include "core/rewrite/recurrence/step_constants.h"

namespace dragoman {
namespace {

constexpr std::int64_t kNoLevel = -1;
// The first steps may differ, where what they read is zero and was folded away.
constexpr std::size_t kMaxSkippedLevels = 3;
constexpr std::int64_t kMaxLevels = 1 << 16;
// A step of more nodes is the rest of the model.
constexpr std::size_t kMaxStepNodes = 5'000;
// Weights whose products mark steps.
constexpr std::size_t kMaxAnchors = 4;

std::optional<StepSlice> GatheredSlice(const Node& node, const PassContext& context) {
  const auto index = IntOf(context, node.operand(1));
  if (!index || node.operand(1)->type().rank() != 0) return std::nullopt;
  const int axis = AxisIn(node, *node.operand(0));
  const auto size = SizeAlong(*node.operand(0), axis);
  if (!size || *index < -*size || *index >= *size) return std::nullopt;
  return StepSlice{node.operand(0), axis, *index < 0 ? *index + *size : *index, false};
}

std::optional<StepSlice> CutSlice(const Node& node, const PassContext& context) {
  const auto start = IntOf(context, node.operand(1));
  const auto given = IntOf(context, node.operand(3));
  const auto step = node.operand(4) != nullptr ? IntOf(context, node.operand(4)) : 1;
  if (!start || (node.operand(3) != nullptr && !given) || step != 1) return std::nullopt;
  const int axis = FromFront(given.value_or(0), *node.operand(0));
  const auto size = SizeAlong(*node.operand(0), axis);
  if (!size || SizeAlong(*node.result(), axis) != 1) return std::nullopt;
  const std::int64_t from = *start < 0 ? std::max<std::int64_t>(*start + *size, 0) : *start;
  return StepSlice{node.operand(0), axis, from, true};
}

std::optional<StepSlice> PartSlice(const Node& node, const Value& part) {
  const int axis = AxisIn(node, *node.operand(0));
  const auto size = SizeAlong(*node.operand(0), axis);
  if (!size || static_cast<std::size_t>(*size) != node.num_results()) return std::nullopt;
  if (SizeAlong(part, axis) != 1) return std::nullopt;
  return StepSlice{node.operand(0), axis, static_cast<std::int64_t>(part.index()), true};
}

// Between kinds of nodes that a step may have.
bool MayRoll(const Node& node) {
  const OpDef* def = FindOp(node);
  return def != nullptr && node.subgraphs().empty() && !def->effect && !def->random &&
         node.num_operands() > 0;
}

// Whether each step may read a constant of its own there.
bool TakesConstants(const Node& node, std::size_t operand) {
  if (IsElementwise(node) || node.Is("Concat")) return true;
  return operand == 2 && (node.IsDragoman("Linear") || node.Is("Gemm"));
}

class Finder {
 public:
  Finder(Graph& graph, const PassContext& context, bool backwards)
      : graph_(graph), context_(context), backwards_(backwards) {}

  std::optional<EqualSteps> Find() {
    FindSlices();
    count_ = num_slices_;
    if (auto steps = FindByLevels()) return steps;
    for (const auto& anchors : FindAnchors()) {
      anchors_ = anchors;
      count_ = static_cast<std::int64_t>(anchors.size()) + 1;
      if (auto steps = FindByLevels()) return steps;
    }
    return std::nullopt;
  }

 private:
  std::optional<EqualSteps> FindByLevels() {
    if (count_ < static_cast<std::int64_t>(kMinRolledSteps)) return std::nullopt;
    SortIntoLevels();
    std::size_t begin = 0;
    while (begin < levels_.size() && levels_[begin].empty()) ++begin;
    const std::size_t end = std::min(begin + kMaxSkippedLevels, levels_.size() - 1);
    for (first_ = begin; first_ < end; ++first_) {
      EqualSteps steps;
      steps.backwards = backwards_;
      if (!Compare(first_, steps)) continue;
      while (AppendStep(steps)) continue;
      if (steps.steps.size() >= kMinRolledSteps) return steps;
    }
    return std::nullopt;
  }

  // Nodes that may be one in each step, where steps are not marked by the slices that they read:
  // products by one weight, and operators of one kind with it.
  std::vector<std::unordered_set<const Node*>> FindAnchors() {
    std::vector<std::unordered_set<const Node*>> groups;
    std::map<std::pair<const OpName*, const Value*>, std::size_t> places;  // looked up only
    for (const Node& node : graph_.nodes()) {
      const Value* weight = node.operand(1);
      const Tensor* tensor = ConstantOf(weight);
      if (tensor == nullptr || tensor->sizes().size() < 2) continue;
      const auto [place, is_new] = places.try_emplace({&node.op(), weight}, groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].insert(&node);
    }
    std::erase_if(groups, [](const auto& group) { return group.size() < kMinRolledSteps; });
    if (groups.size() > kMaxAnchors) groups.resize(kMaxAnchors);
    return groups;
  }

  std::int64_t LevelOf(const StepSlice& slice) const {
    if (!anchors_.empty()) return kNoLevel;
    return backwards_ ? count_ - 1 - (slice.index - lowest_) : slice.index - lowest_;
  }

  // Those of which a value has enough.
  void FindSlices() {
    std::map<std::pair<const Value*, std::int64_t>, std::size_t> counts;  // by source and axis
    for (Node& node : graph_.nodes()) {
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        if (node.result(i) == nullptr) continue;
        const std::optional<StepSlice> slice = SliceOf(*node.result(i), context_);
        if (!slice || slice->source->is_constant()) continue;
        slices_[node.result(i)] = *slice;
        ++counts[{slice->source, slice->axis}];
      }
    }
    std::erase_if(slices_, [&](const auto& slice) {
      return counts.at({slice.second.source, slice.second.axis}) < kMinRolledSteps;
    });
    if (slices_.empty()) return;
    const auto index = [](const auto& slice) { return slice.second.index; };
    lowest_ = index(*std::ranges::min_element(slices_, {}, index));
    // Sizes, and so indices, may be any that the file claims.
    std::erase_if(slices_, [&](const auto& slice) { return index(slice) - lowest_ >= kMaxLevels; });
    num_slices_ = index(*std::ranges::max_element(slices_, {}, index)) - lowest_ + 1;
  }

  std::int64_t LevelOf(const Value* value) const {
    const auto slice = slices_.find(value);
    if (slice != slices_.end()) {
      const bool is_of_step = LevelOfValue(slice->second.source) == kNoLevel;
      return is_of_step ? LevelOf(slice->second) : LevelOfValue(slice->second.source);
    }
    return LevelOfValue(value);
  }
  std::int64_t LevelOfValue(const Value* value) const {
    const Node* producer = value != nullptr ? value->producer() : nullptr;
    const auto found = level_.find(producer);
    return found != level_.end() ? found->second : kNoLevel;
  }
  // Whether `value` is a slice that steps are counted by.
  const StepSlice* StepSliceAt(const Value* value) const {
    const auto found = slices_.find(value);
    if (found == slices_.end() || LevelOfValue(found->second.source) != kNoLevel) return nullptr;
    return &found->second;
  }

  // Whether the results of `node` are slices that steps are counted by.
  bool AddSlices(const Node& node) {
    bool any = false;
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      const StepSlice* slice = StepSliceAt(node.result(i));
      if (slice == nullptr) continue;
      any = true;
      slices_of_[slice->source][slice->index].push_back(node.result(i));
    }
    return any;
  }

  // Of what the node and its bodies read.
  std::int64_t LevelOfOperands(const Node& node) const {
    std::int64_t level = kNoLevel;
    for (const Use& use : node.operands()) level = std::max(level, LevelOf(use.value()));
    for (const Graph* body : node.subgraphs()) {
      ForEachGraph(*body, [&](const Graph& graph) {
        for (const Node& inner : graph.nodes()) {
          for (const Use& use : inner.operands()) level = std::max(level, LevelOf(use.value()));
        }
        for (const Use& use : graph.outputs()) level = std::max(level, LevelOf(use.value()));
      });
    }
    return level;
  }

  void SortIntoLevels() {
    level_.clear();
    slices_of_.clear();
    levels_.assign(static_cast<std::size_t>(count_), {});
    for (Node& node : graph_.nodes()) {
      if (AddSlices(node)) continue;
      std::int64_t level = LevelOfOperands(node);
      if (anchors_.contains(&node)) ++level;
      if (level == kNoLevel) continue;
      level_[&node] = level;
      levels_[static_cast<std::size_t>(level)].push_back(&node);
    }
  }

  // The levels `first` and the next, node by node.
  bool Compare(std::size_t first, EqualSteps& steps) {
    const std::vector<Node*>& now = levels_[first];
    const std::vector<Node*>& next = levels_[first + 1];
    if (now.empty() || now.size() != next.size() || now.size() > kMaxStepNodes) return false;
    place_.clear();
    for (std::size_t i = 0; i < now.size(); ++i) {
      place_[now[i]] = i;
      place_[next[i]] = i;
    }
    step_of_.clear();
    for (std::size_t i = 0; i < now.size(); ++i) {
      step_of_[now[i]] = 0;
      step_of_[next[i]] = 1;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (!MayRoll(*now[i]) || !SameForm(*now[i], *next[i])) return false;
      std::vector<StepOperand>& operands = steps.operands.emplace_back();
      for (std::size_t j = 0; j < now[i]->num_operands(); ++j) {
        const auto operand = CompareOperands(now[i]->operand(j), next[i]->operand(j), steps);
        const bool is_constant = operand && operand->kind == StepOperand::Kind::kConstant;
        if (!operand || (is_constant && !TakesConstants(*now[i], j))) return false;
        operands.push_back(*operand);
      }
    }
    steps.steps = {now, next};
    return !steps.states.empty();
  }

  std::optional<StepOperand> CompareOperands(Value* now, Value* next, EqualSteps& steps) const {
    StepOperand operand;
    operand.value = now;
    if (now == next || SameConstant(now, next)) return operand;
    if (now == nullptr || next == nullptr) return std::nullopt;
    if (MayStack(now, next)) {
      operand.kind = StepOperand::Kind::kConstant;
      return operand;
    }
    if (AreOuter(now, next)) {
      operand.kind = StepOperand::Kind::kAlike;
      return operand;
    }
    const StepSlice* slice = StepSliceAt(now);
    const StepSlice* next_slice = StepSliceAt(next);
    if (slice != nullptr && next_slice != nullptr) {
      operand.kind = StepOperand::Kind::kSlice;
      operand.slice = *slice;
      if (!IsSlice(*next_slice, *slice, 1)) return std::nullopt;
      return operand;
    }
    const auto place = place_.find(next->producer());
    if (place == place_.end()) return std::nullopt;
    operand.node = place->second;
    operand.result = next->index();
    if (step_of_.at(next->producer()) == 1) {
      operand.kind = StepOperand::Kind::kInner;
      const auto inner = place_.find(now->producer());
      if (inner == place_.end() || step_of_.at(now->producer()) != 0 ||
          inner->second != operand.node || now->index() != next->index()) {
        return std::nullopt;
      }
      return operand;
    }
    operand.kind = StepOperand::Kind::kState;
    const std::pair state(operand.node, operand.result);
    const auto found = std::ranges::find(steps.states, state);
    if (found != steps.states.end()) {
      const auto i = static_cast<std::size_t>(found - steps.states.begin());
      return steps.initial[i] == now ? std::optional(operand) : std::nullopt;
    }
    steps.states.push_back(state);
    steps.initial.push_back(now);
    return operand;
  }

  // Whether both are computed alike, outside of the steps.
  bool AreOuter(Value* a, Value* b) const {
    std::vector<Value*> shared;
    return LevelOf(a) == kNoLevel && LevelOf(b) == kNoLevel && AreAlike(a, b, shared);
  }

  // Whether `slice` is `first`, `steps` steps later.
  bool IsSlice(const StepSlice& slice, const StepSlice& first, std::size_t steps) const {
    const auto offset = static_cast<std::int64_t>(steps);
    return slice.source == first.source && slice.axis == first.axis &&
           slice.keeps_axis == first.keeps_axis &&
           slice.index == first.index + (backwards_ ? -offset : offset);
  }

  // The step that follows the last one, by what its nodes must read. False: there is none, or none
  // can follow it.
  bool AppendStep(EqualSteps& steps) {
    const std::size_t number = steps.steps.size();
    const std::size_t at = first_ + number;
    if (at >= levels_.size()) return false;
    const std::size_t size = steps.operands.size();
    const Node* missing = nullptr;
    std::vector<Node*> step;
    std::unordered_set<const Node*> taken;
    for (std::size_t i = 0; i < size; ++i) {
      Node* node = FindNode(steps, i, number, step, taken);
      if (node == nullptr && missing == nullptr) missing = steps.steps.back()[i];
      if (node != nullptr) taken.insert(node);
      step.push_back(node);
    }
    const bool may_miss = at + 1 == levels_.size() && !taken.empty();
    if (missing != nullptr && !may_miss) {
      steps.end = "matched " + std::to_string(number) + " of " + std::to_string(levels_.size()) +
                  " steps; step " + std::to_string(at) + " has nothing like " + missing->Describe();
      return false;
    }
    steps.steps.push_back(std::move(step));
    return missing == nullptr;
  }

  Node* FindNode(const EqualSteps& steps, std::size_t i, std::size_t number,
                 const std::vector<Node*>& step, const std::unordered_set<const Node*>& taken) {
    const Node& model = *steps.steps.back()[i];
    const std::vector<StepOperand>& operands = steps.operands[i];
    for (std::size_t j = 0; j < operands.size(); ++j) {
      if (operands[j].kind < StepOperand::Kind::kSlice) continue;
      if (operands[j].kind == StepOperand::Kind::kSlice) {
        for (Value* slice : SlicesAt(operands[j].slice, number)) {
          if (Node* node = ReaderOf(*slice, model, steps, i, number, step, taken)) return node;
        }
        return nullptr;
      }
      const Value* value = ValueOf(operands[j], steps, step);
      return value != nullptr ? ReaderOf(*value, model, steps, i, number, step, taken) : nullptr;
    }
    return nullptr;
  }

  std::vector<Value*> SlicesAt(const StepSlice& first, std::size_t number) {
    const auto offset = static_cast<std::int64_t>(number);
    const std::int64_t index = first.index + (backwards_ ? -offset : offset);
    const auto& of_source = slices_of_.at(first.source);
    const auto found = of_source.find(index);
    return found != of_source.end() ? found->second : std::vector<Value*>();
  }

  static const Value* ValueOf(const StepOperand& operand, const EqualSteps& steps,
                              const std::vector<Node*>& step) {
    const Node* node = operand.kind == StepOperand::Kind::kState ? steps.steps.back()[operand.node]
                                                                 : step[operand.node];
    return node != nullptr ? node->result(operand.result) : nullptr;
  }

  Node* ReaderOf(const Value& value, const Node& model, const EqualSteps& steps, std::size_t i,
                 std::size_t number, const std::vector<Node*>& step,
                 const std::unordered_set<const Node*>& taken) const {
    for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
      Node* node = use->user();
      if (node == nullptr || use->graph() != &graph_ || taken.contains(node)) continue;
      if (SameForm(model, *node) && Reads(*node, steps, i, number, step)) return node;
    }
    return nullptr;
  }

  bool Reads(const Node& node, const EqualSteps& steps, std::size_t i, std::size_t number,
             const std::vector<Node*>& step) const {
    for (std::size_t j = 0; j < node.num_operands(); ++j) {
      const StepOperand& operand = steps.operands[i][j];
      Value* const value = node.operand(j);
      if (operand.kind == StepOperand::Kind::kOuter) {
        if (value != operand.value && !SameConstant(value, operand.value)) return false;
      } else if (operand.kind == StepOperand::Kind::kConstant) {
        if (!MayStack(value, operand.value)) return false;
      } else if (operand.kind == StepOperand::Kind::kAlike) {
        if (value == nullptr || !AreOuter(value, operand.value)) return false;
      } else if (operand.kind == StepOperand::Kind::kSlice) {
        const StepSlice* slice = StepSliceAt(value);
        if (slice == nullptr || !IsSlice(*slice, operand.slice, number)) return false;
      } else if (value == nullptr || value != ValueOf(operand, steps, step)) {
        return false;
      }
    }
    return true;
  }

  Graph& graph_;
  const PassContext& context_;
  const bool backwards_;
  std::int64_t lowest_ = 0;                  // index of a slice
  std::int64_t num_slices_ = 0;              // from that one on
  std::int64_t count_ = 0;                   // of steps
  std::unordered_set<const Node*> anchors_;  // if there are any, each begins a step
  std::size_t first_ = 0;                    // the level of the first step
  std::vector<std::vector<Node*>> levels_;
  // All maps are looked up, never iterated.
  std::unordered_map<const Value*, StepSlice> slices_;
  // By source and index, looked up only.
  std::unordered_map<const Value*, std::unordered_map<std::int64_t, std::vector<Value*>>>
      slices_of_;
  std::unordered_map<const Node*, std::int64_t> level_;
  std::unordered_map<const Node*, std::size_t> place_;    // in its level
  std::unordered_map<const Node*, std::size_t> step_of_;  // of the two that are compared
};

}  // namespace

std::vector<Value*> EqualSteps::Own(std::size_t node, std::size_t operand) const {
  std::vector<Value*> values;
  for (const std::vector<Node*>& step : steps) {
    if (step[node] != nullptr) values.push_back(step[node]->operand(operand));
  }
  return values;
}

bool SameForm(const Node& a, const Node& b) {
  if (&a.op() != &b.op() || a.num_operands() != b.num_operands() ||
      a.num_results() != b.num_results() || a.attributes().size() != b.attributes().size()) {
    return false;
  }
  return std::ranges::all_of(a.attributes(), [&](const NamedAttribute& attribute) {
    const Attribute* other = b.attribute(attribute.name);
    return other != nullptr && Identical(attribute.value, *other);
  });
}

std::optional<StepSlice> SliceOf(const Value& value, const PassContext& context) {
  const Node* node = value.producer();
  if (node == nullptr) return std::nullopt;
  if (node->Is("Gather")) return GatheredSlice(*node, context);
  if (node->Is("Slice")) return CutSlice(*node, context);
  if (node->Is("Split")) return PartSlice(*node, value);
  return std::nullopt;
}

std::optional<EqualSteps> FindEqualSteps(Graph& graph, const PassContext& context, bool backwards) {
  return Finder(graph, context, backwards).Find();
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/passes.h"
#include "core/rewrite/reader.h"
#include "core/rewrite/recurrence/batch_steps.h"
#include "core/rewrite/recurrence/equal_steps.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/step_constants.h"

namespace dragoman {
namespace {

constexpr int kMaxChains = 64;  // of a graph, in one run of the pass

// A result of each step that nodes outside of the steps read.
struct Collected {
  std::size_t node = 0;
  std::size_t result = 0;
  std::int64_t axis = 0;     // along which the steps' values are put together
  bool reversed = false;     // the last step comes first
  bool squeezed = false;     // without the axis, which has size 1 there
  Node* concat = nullptr;    // that puts them together
  std::size_t position = 0;  // of the first of them among its operands
  Value* whole = nullptr;
};

class Rolling {
 public:
  Rolling(Graph& graph, EqualSteps& steps, PassContext& context)
      : graph_(graph), steps_(steps), context_(context) {}

  // False, and nothing has changed, if it cannot be done.
  Result<bool> Run() {
    if (!FitStates()) return false;
    for (const auto& step : steps_.steps) members_.insert(step.begin(), step.end());
    members_.erase(nullptr);
    FindCollected();
    if (!FindPosition() || !context_.sites.Take(*steps_.steps.front().front())) return false;
    context_.Explain(*steps_.steps.front().front(),
                     std::to_string(steps_.steps.size()) + " equal steps rolled into a Scan" +
                         (steps_.end.empty() ? "" : "; " + steps_.end));
    DRAGOMAN_ASSIGN(Node * scan, InsertScan());
    for (std::size_t i = 0; i < collected_.size(); ++i) {
      collected_[i].whole = scan->result(steps_.states.size() + i);
      DRAGOMAN_TRY(InsertParts(collected_[i]));
    }
    for (const Collected& collected : collected_) DRAGOMAN_TRY(ReplaceConcat(collected));
    ReplaceSteps(*scan);
    return true;
  }

 private:
  std::size_t length() const { return steps_.steps.size(); }
  const Value& NextOf(std::size_t state) const {
    const auto [node, result] = steps_.states[state];
    return *steps_.steps.front()[node]->result(result);
  }

  bool StatesFit() const {
    for (std::size_t i = 0; i < steps_.states.size(); ++i) {
      if (steps_.initial[i] == nullptr || !SameShape(*steps_.initial[i], NextOf(i))) return false;
    }
    return true;
  }

  // Where initial states are smaller than states, the first step stays as it is.
  bool FitStates() {
    if (StatesFit()) return true;
    if (length() <= kMinRolledSteps) return false;
    for (std::size_t i = 0; i < steps_.states.size(); ++i) {
      const auto [node, result] = steps_.states[i];
      steps_.initial[i] = steps_.steps.front()[node]->result(result);
    }
    for (auto& operands : steps_.operands) {
      for (StepOperand& operand : operands) operand.slice.index += steps_.backwards ? -1 : 1;
    }
    steps_.steps.erase(steps_.steps.begin());
    return StatesFit();
  }

  // By others than the steps, and than the Concat where it puts the steps' values together.
  bool IsReadOutside(const Value& value, const Collected& collected = {}) const {
    for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
      if (use->user() == nullptr) return true;
      const bool is_collected = use->user() == collected.concat &&
                                use->index() >= collected.position &&
                                use->index() < collected.position + length();
      if (!is_collected && !members_.contains(use->user())) return true;
    }
    return false;
  }
  bool IsState(std::size_t node, std::size_t result) const {
    return std::ranges::find(steps_.states, std::pair(node, result)) != steps_.states.end();
  }

  void FindCollected() {
    const std::vector<Node*>& first = steps_.steps.front();
    for (std::size_t i = 0; i < first.size(); ++i) {
      for (std::size_t j = 0; j < first[i]->num_results(); ++j) {
        const std::size_t count = length() - (IsState(i, j) ? 1 : 0);
        bool read = false;
        for (std::size_t t = 0; t < count && !read; ++t) {
          const Value* value = steps_.At(t, i, j);
          read = value != nullptr && IsReadOutside(*value);
        }
        if (read) collected_.push_back(Collect(i, j));
      }
    }
  }

  Collected Collect(std::size_t i, std::size_t j) const {
    Collected made;
    made.node = i;
    made.result = j;
    const Value& first = *steps_.steps.front()[i]->result(j);
    for (const Use* use = first.first_use(); use != nullptr; use = use->next()) {
      Node* const concat = use->user();
      if (concat == nullptr || !concat->Is("Concat") || members_.contains(concat)) continue;
      if (concat->graph() == &graph_ && Fits(*concat, use->index(), made)) return made;
    }
    return made;
  }

  // Whether the steps' values stand in `concat` one after the other, the first of them at `at`.
  bool Fits(Node& concat, std::size_t at, Collected& made) const {
    const Value& first = *concat.operand(at);
    const auto rank = first.type().rank();
    if (!rank) return false;
    std::int64_t axis = IntAttribute(concat, "axis");
    if (axis < 0) axis += *rank;
    const Dim size = (*first.type().shape())[static_cast<std::size_t>(axis)];
    if (!size.known() || size.value() != 1) return false;
    for (const bool reversed : {false, true}) {
      const std::size_t begin = reversed ? at + 1 - length() : at;
      if (begin > at || begin + length() > concat.num_operands()) continue;
      bool all = true;
      for (std::size_t t = 0; t < length() && all; ++t) {
        const std::size_t place = reversed ? at - t : at + t;
        all = concat.operand(place) == steps_.At(t, made.node, made.result);
      }
      if (!all) continue;
      made.axis = axis;
      made.reversed = reversed;
      made.squeezed = true;
      made.concat = &concat;
      made.position = begin;
      return true;
    }
    return false;
  }

  // What the steps' own values are computed from; nullopt if they are not computed alike.
  std::optional<std::vector<Value*>> SharedByOwn() const {
    std::vector<Value*> shared;
    for (std::size_t i = 0; i < steps_.operands.size(); ++i) {
      for (std::size_t j = 0; j < steps_.operands[i].size(); ++j) {
        if (!steps_.operands[i][j].is_own()) continue;
        const std::vector<Value*> values = steps_.Own(i, j);
        for (Value* value : values) {
          if (!AreAlike(values.front(), value, shared)) return std::nullopt;
        }
      }
    }
    return shared;
  }

  // The Scan goes before the first node that reads what the steps give; all that the steps read
  // must come before it.
  bool FindPosition() {
    auto& index = order_;
    for (Node& node : graph_.nodes()) index.emplace(&node, index.size());
    position_ = steps_.steps.front().front();
    for (Node* member : members_) {
      if (index.at(member) > index.at(position_)) position_ = member;
    }
    const auto consider = [&](const Value& value) {
      for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
        Node* const reader = ReaderIn(graph_, *use);
        if (reader == nullptr || members_.contains(reader)) continue;
        if (index.at(reader) < index.at(position_)) position_ = reader;
      }
    };
    for (const Node* member : members_) {
      for (std::size_t j = 0; j < member->num_results(); ++j) {
        if (member->result(j) != nullptr) consider(*member->result(j));
      }
    }
    const auto is_before = [&](const Value* value) {
      const Node* producer = value != nullptr ? value->producer() : nullptr;
      const auto found = index.find(producer);
      return found == index.end() || found->second < index.at(position_);
    };
    for (const auto& operands : steps_.operands) {
      for (const StepOperand& operand : operands) {
        if (operand.kind == StepOperand::Kind::kOuter && !is_before(operand.value)) return false;
        if (operand.kind == StepOperand::Kind::kSlice && !is_before(operand.slice.source)) {
          return false;
        }
      }
    }
    const auto shared = SharedByOwn();
    return shared && std::ranges::all_of(*shared, is_before) &&
           std::ranges::all_of(steps_.initial, is_before);
  }

  Value* Ints(std::int64_t value) {
    return context_.AddConstant(graph_, Tensor::Ints(std::vector{value}), "ints", {});
  }

  // All slices that the steps read of a tensor, along its axis. It may have none for the last step.
  Result<Value*> Scanned(const StepSlice& first) {
    const Shape& shape = *first.source->type().shape();
    const std::int64_t size = shape[static_cast<std::size_t>(first.axis)].value();
    const std::int64_t exist = steps_.backwards ? first.index + 1 : size - first.index;
    const auto count = std::min(static_cast<std::int64_t>(length()), exist);
    const std::int64_t begin = steps_.backwards ? exist - count : first.index;
    Value* whole = first.source;
    if (count != size) {
      Value* const operands[] = {whole, Ints(begin), Ints(begin + count), Ints(first.axis)};
      DRAGOMAN_ASSIGN(whole, context_.Insert(*position_, "Slice", operands));
    }
    return WithLast(whole, static_cast<std::size_t>(count), first.axis);
  }

  // The value of the body in place of a slice, whose axis a Scan takes away.
  Value* SliceInput(const StepSlice& slice, Graph& body) {
    Shape shape = *slice.source->type().shape();
    shape.erase(shape.begin() + slice.axis);
    const DType dtype = slice.source->type().dtype();
    Value* input = body.AddInput(context_.UniqueName(slice.source->name() + ".step"),
                                 Type::Tensor(dtype, std::move(shape)));
    if (!slice.keeps_axis) return input;
    Value* const axes =
        context_.AddConstant(body, Tensor::Ints(std::vector{slice.axis}), "axes", {});
    Node* wide = body.Append(FindOp("Unsqueeze")->name, std::vector<Value*>{input, axes});
    return wide->AddResult(context_.UniqueName(input->name()));
  }

  // An operand of the body in place of what each step has its own of.
  struct OwnOperand {
    std::size_t node = 0;
    std::size_t operand = 0;
    Value* input = nullptr;
  };

  // What a Scan is made of.
  struct Draft {
    std::shared_ptr<Graph> body = std::make_shared<Graph>();
    ValueMap map;  // values of the model step to those of the body
    std::vector<OwnOperand> own;
    std::vector<Value*> operands;
    Attribute::Ints input_axes;
    Attribute::Ints output_axes;
    Attribute::Ints output_directions;
  };

  // The second step is the model: its states are results of the first, each a value of its own.
  const std::vector<Node*>& model() const { return steps_.steps[1]; }

  Result<Node*> InsertScan() {
    Draft draft;
    draft.body->set_name("body");
    AddStates(draft);
    DRAGOMAN_TRY(AddSlices(draft));
    DRAGOMAN_TRY(AddOwn(draft));
    if (draft.input_axes.empty()) AddIterations(draft);
    CloneModel(draft);
    AddOutputs(draft);
    const Attribute::Ints directions(draft.input_axes.size(), steps_.backwards ? 1 : 0);
    Node* scan = graph_.Insert(position_, FindOp("Scan")->name, draft.operands);
    scan->SetAttribute("body", draft.body);
    scan->SetAttribute("num_scan_inputs", static_cast<std::int64_t>(draft.input_axes.size()));
    scan->SetAttribute("scan_input_axes", draft.input_axes);
    scan->SetAttribute("scan_input_directions", directions);
    scan->SetAttribute("scan_output_axes", draft.output_axes);
    scan->SetAttribute("scan_output_directions", draft.output_directions);
    for (std::size_t i = 0; i < draft.body->num_outputs(); ++i) {
      scan->AddResult(context_.UniqueName(draft.body->output(i)->name()));
    }
    DRAGOMAN_TRY(context_.inference.InferNode(*scan));
    return scan;
  }

  void AddStates(Draft& draft) {
    draft.operands = steps_.initial;
    for (std::size_t i = 0; i < steps_.states.size(); ++i) {
      const Value& next = NextOf(i);
      draft.map[&next] = draft.body->AddInput(context_.UniqueName(next.name()), next.type());
    }
  }

  Status AddSlices(Draft& draft) {
    for (std::size_t i = 0; i < model().size(); ++i) {
      for (std::size_t j = 0; j < model()[i]->num_operands(); ++j) {
        const StepOperand& operand = steps_.operands[i][j];
        const Value* value = model()[i]->operand(j);
        if (operand.kind != StepOperand::Kind::kSlice || draft.map.contains(value)) continue;
        DRAGOMAN_ASSIGN(Value * whole, Scanned(operand.slice));
        draft.operands.push_back(whole);
        draft.input_axes.push_back(operand.slice.axis);
        draft.map[value] = SliceInput(operand.slice, *draft.body);
      }
    }
    return {};
  }

  // What each step has its own of becomes slices of one value, in the order of time.
  Status AddOwn(Draft& draft) {
    std::map<StepFamily, Value*> inputs;  // looked up only
    for (std::size_t i = 0; i < model().size(); ++i) {
      for (std::size_t j = 0; j < model()[i]->num_operands(); ++j) {
        if (!steps_.operands[i][j].is_own()) continue;
        StepFamily values = steps_.Own(i, j);
        if (steps_.backwards) std::ranges::reverse(values);
        Value*& input = inputs[values];
        if (input == nullptr) {
          DRAGOMAN_ASSIGN(input, OwnInput(values, draft));
        }
        draft.own.push_back({i, j, input});
      }
    }
    return {};
  }

  Result<Value*> OwnInput(const StepFamily& values, Draft& draft) {
    const auto unknown = [](const StepFamily&) -> Result<std::optional<BatchedSteps>> {
      return std::optional<BatchedSteps>();
    };
    StepBatcher batcher(unknown, context_, *position_);
    DRAGOMAN_ASSIGN(const auto batched, batcher.Batch(values));
    const bool is_batched = batched && !batched->shared;
    DRAGOMAN_ASSIGN(Value * whole, is_batched ? batched->value : Stacked(values));
    DRAGOMAN_ASSIGN(whole, WithLast(whole, values.size(), 0));
    draft.operands.push_back(whole);
    draft.input_axes.push_back(0);
    const Value& first = *values.front();
    return draft.body->AddInput(context_.UniqueName(first.name() + ".step"), first.type());
  }

  // A value of the `count` steps that have one, with one for each: the last step reads any.
  Result<Value*> WithLast(Value* whole, std::size_t count, std::int64_t axis) {
    if (count == length()) return whole;
    LayoutBuilder layout(context_, *position_);
    DRAGOMAN_ASSIGN(Value * last, layout.Slice(whole, axis, 0, 1));
    std::vector<Value*> parts = {whole, last};
    if (steps_.backwards) std::ranges::reverse(parts);
    return layout.Concat(parts, axis);
  }

  // Moves what the steps' own values are computed by before the Scan: what these share is there.
  void BringForward(const StepFamily& values) {
    std::map<std::size_t, Node*> late;
    std::vector<Value*> open = values;
    while (!open.empty()) {
      Node* const node = open.back() != nullptr ? open.back()->producer() : nullptr;
      open.pop_back();
      const auto place = order_.find(node);
      if (place == order_.end() || place->second < order_.at(position_)) continue;
      if (!late.emplace(place->second, node).second) continue;
      for (const Use& use : node->operands()) open.push_back(use.value());
    }
    for (const auto& [place, node] : late) graph_.MoveBefore(node, position_);
  }

  // Values, one per step, along a new axis 0.
  Result<Value*> Stacked(const StepFamily& values) {
    BringForward(values);
    LayoutBuilder layout(context_, *position_);
    std::vector<Value*> wide;
    for (Value* value : values) {
      DRAGOMAN_ASSIGN(Value * one, layout.Unsqueeze(value, {0}));
      wide.push_back(one);
    }
    return layout.Concat(wide, 0);
  }

  // The numbers of the steps: a Scan has one input at least.
  void AddIterations(Draft& draft) {
    std::vector<std::int64_t> iterations(length());
    std::iota(iterations.begin(), iterations.end(), 0);
    draft.operands.push_back(
        context_.AddConstant(graph_, Tensor::Ints(iterations), "iterations", {}));
    draft.input_axes.push_back(0);
    draft.body->AddInput(context_.UniqueName("iteration"), Type::Tensor(DType::kI64, Shape{}));
  }

  void CloneModel(Draft& draft) {
    auto own = draft.own.begin();
    for (std::size_t i = 0; i < model().size(); ++i) {
      const Node* node = model()[i];
      Node* copy = CloneNode(*node, *draft.body, nullptr, draft.map);
      for (std::size_t j = 0; j < copy->num_results(); ++j) {
        Value* result = copy->result(j);
        if (result != nullptr) result->set_name(context_.UniqueName(result->name()));
      }
      for (; own != draft.own.end() && own->node == i; ++own) {
        copy->set_operand(own->operand, own->input);
      }
    }
  }

  void AddOutputs(Draft& draft) {
    for (const auto& [node, result] : steps_.states) {
      draft.body->AddOutput(draft.map.at(model()[node]->result(result)));
    }
    for (const Collected& collected : collected_) {
      draft.body->AddOutput(BodyOutput(collected, draft.map, *draft.body));
      draft.output_axes.push_back(collected.axis);
      draft.output_directions.push_back(collected.reversed ? 1 : 0);
    }
  }

  Value* BodyOutput(const Collected& collected, const ValueMap& map, Graph& body) {
    const Node& node = *model()[collected.node];
    Value* const value = map.at(node.result(collected.result));
    if (!collected.squeezed) return value;
    const auto axes = IntsOf(context_, node.operand(1));
    if (node.Is("Unsqueeze") && axes == std::vector{collected.axis}) {
      return value->producer()->operand(0);
    }
    Value* const axis =
        context_.AddConstant(body, Tensor::Ints(std::vector{collected.axis}), "axes", {});
    Node* narrow = body.Append(FindOp("Squeeze")->name, std::vector<Value*>{value, axis});
    return narrow->AddResult(context_.UniqueName(value->name()));
  }

  // The steps' values become one operand of the Concat, or all of it.
  Status ReplaceConcat(const Collected& collected) {
    if (collected.concat == nullptr) return {};
    Node& concat = *collected.concat;
    std::vector<Value*> operands;
    for (std::size_t i = 0; i < concat.num_operands(); ++i) {
      const bool rolled = i >= collected.position && i < collected.position + length();
      if (!rolled) operands.push_back(concat.operand(i));
      if (i == collected.position) operands.push_back(collected.whole);
    }
    Value* whole = collected.whole;
    if (operands.size() > 1 || !PassContext::CanReplace(*concat.result(), *whole)) {
      const bool single = operands.size() == 1;
      DRAGOMAN_ASSIGN(
          whole, context_.Insert(concat, single ? "Identity" : "Concat", operands,
                                 single ? std::vector<NamedAttribute>{} : concat.attributes()));
    }
    context_.Replace(concat, std::span<Value* const>(&whole, 1));
    return {};
  }

  // What single steps' values are read for, apart from the Concat.
  Status InsertParts(const Collected& collected) {
    const std::size_t count = length() - (IsState(collected.node, collected.result) ? 1 : 0);
    for (std::size_t t = 0; t < count; ++t) {
      const Value* value = steps_.At(t, collected.node, collected.result);
      if (value == nullptr || !IsReadOutside(*value, collected)) continue;
      const std::size_t place = collected.reversed ? length() - 1 - t : t;
      Value* const index =
          context_.AddConstant(graph_, Tensor::Int(static_cast<std::int64_t>(place)), "step", {});
      DRAGOMAN_ASSIGN(Value * part,
                      context_.Insert(*position_, "Gather", {{collected.whole, index}},
                                      {{"axis", collected.axis}}));
      if (collected.squeezed) {
        DRAGOMAN_ASSIGN(part,
                        context_.Insert(*position_, "Unsqueeze", {{part, Ints(collected.axis)}}));
      }
      parts_[value] = part;
    }
    return {};
  }

  void ReplaceSteps(Node& scan) {
    for (std::size_t i = 0; i < steps_.states.size(); ++i) {
      const auto [node, result] = steps_.states[i];
      parts_[steps_.At(length() - 1, node, result)] = scan.result(i);
    }
    // Last things first, so that what is left to read a value is outside of the steps.
    for (auto step = steps_.steps.rbegin(); step != steps_.steps.rend(); ++step) {
      for (auto node = step->rbegin(); node != step->rend(); ++node) {
        if (*node == nullptr) continue;
        std::vector<Value*> by;
        for (std::size_t j = 0; j < (*node)->num_results(); ++j) {
          const Value* result = (*node)->result(j);
          const auto part = parts_.find(result);
          by.push_back(result != nullptr && part != parts_.end() ? part->second : nullptr);
        }
        scan.set_origin(Origin::Merge(scan.origin(), (*node)->origin()));
        context_.Replace(**node, by);
      }
    }
  }

  Graph& graph_;
  EqualSteps& steps_;
  PassContext& context_;
  std::unordered_set<Node*> members_;
  std::unordered_map<const Value*, Value*> parts_;  // of steps' values, looked up only
  std::vector<Collected> collected_;
  Node* position_ = nullptr;
  std::unordered_map<const Node*, std::size_t> order_;  // of the nodes before anything is inserted
};

}  // namespace

Result<bool> RerollLoops(Graph& graph, PassContext& context) {
  if (graph.parent() != nullptr && graph.parent()->IsDragoman("Fused")) return false;
  bool changed = false;
  for (const bool backwards : {false, true}) {
    for (int chain = 0; chain < kMaxChains; ++chain) {
      std::optional<EqualSteps> steps = FindEqualSteps(graph, context, backwards);
      if (!steps) break;
      DRAGOMAN_ASSIGN(const bool rolled, Rolling(graph, *steps, context).Run());
      if (!rolled) break;
      changed = true;
    }
  }
  return changed;
}

}  // namespace dragoman

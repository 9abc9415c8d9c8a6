// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/split_states.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/affine.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/list_elements.h"
#include "core/rewrite/recurrence/layout.h"

namespace dragoman {
namespace {

// The parts of states of this rank lie along an axis of their own, which they lose if they can.
constexpr int kStackedRank = 3;
constexpr std::size_t kMaxElements = 64;  // of a list

// What several states are in place of one.
struct StateParts {
  std::vector<Value*> initial;  // outside
  std::vector<Value*> next;     // in the body
  // What they are together, before `position`.
  std::function<Result<Value*>(std::vector<Value*> parts, Node& position)> join;
};

// Whether `node` takes elements out of `state` by their place along `axis`.
bool TakesPart(const Node& node, const Value& state, int axis, const PassContext& context) {
  if (node.Is("Split")) return AxisIn(node, state) == axis;
  if (node.Is("Gather")) return AxisIn(node, state) == axis && IntsOf(context, node.operand(1));
  if (!node.Is("Slice") || node.operand(3) == nullptr) return false;
  const auto given = IntOf(context, node.operand(3));
  return given && (*given < 0 ? *given + *state.type().rank() : *given) == axis;
}

// How the state is cut; nullopt: it is not.
std::optional<JoinedParts> ReadCut(const LoopState& state, const PassContext& context) {
  const Value& input = *state.input;
  auto cut = ReadJoined(*state.output);
  if (!cut || cut->size() < 2 || state.output->graph() != input.graph() ||
      input.type().rank() != state.output->type().rank() ||
      SizeAlong(input, cut->axis) != cut->begins.back()) {
    return std::nullopt;
  }
  for (const Use* use = input.first_use(); use != nullptr; use = use->next()) {
    const Node* reader = use->user();
    if (reader == nullptr || reader->graph() != input.graph() ||
        !TakesPart(*reader, input, cut->axis, context)) {
      return std::nullopt;
    }
  }
  return cut;
}

Result<StateParts> PartsOfCut(const LoopView& loop, const LoopState& state, const JoinedParts& cut,
                              PassContext& context) {
  const bool may_squeeze = *state.input->type().rank() >= kStackedRank;
  const auto is_squeezed = [=](std::size_t part) { return may_squeeze && cut.size(part) == 1; };
  StateParts parts;
  LayoutBuilder before(context, *loop.node);
  LayoutBuilder inside(context, *state.output->producer());
  for (std::size_t i = 0; i < cut.size(); ++i) {
    DRAGOMAN_ASSIGN(Value * initial,
                    before.Slice(state.initial, cut.axis, cut.begins[i], cut.begins[i + 1]));
    Value* next = cut.concat->operand(i);
    if (is_squeezed(i)) {
      DRAGOMAN_ASSIGN(initial, before.Squeeze(initial, cut.axis));
      DRAGOMAN_ASSIGN(next, inside.Squeeze(next, cut.axis));
    }
    parts.initial.push_back(initial);
    parts.next.push_back(next);
  }
  const int axis = cut.axis;
  parts.join = [=, &context](std::vector<Value*> values, Node& position) -> Result<Value*> {
    LayoutBuilder layout(context, position);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!is_squeezed(i)) continue;
      DRAGOMAN_ASSIGN(values[i], layout.Unsqueeze(values[i], {axis}));
    }
    return layout.Concat(values, axis);
  };
  return parts;
}

// How many elements a list has at the begin and at the end of each iteration; nullopt: it is not a
// list, or it grows.
std::optional<std::size_t> CountElements(const LoopState& state, const PassContext& context) {
  if (state.initial->type().kind() != Type::Kind::kSequence || state.output == state.input ||
      state.output->graph() != state.input->graph()) {
    return std::nullopt;
  }
  const auto initial = ElementsOf(*state.initial, context);
  if (!initial || initial->empty() || initial->size() > kMaxElements) return std::nullopt;
  const std::vector<Value*> any(initial->size(), state.input);
  const auto next = ElementsOf(*state.output, context, {state.input, any});
  if (!next || next->size() != initial->size()) return std::nullopt;
  return initial->size();
}

Result<StateParts> PartsOfList(const LoopView& loop, const LoopState& state, std::size_t count,
                               PassContext& context) {
  StateParts parts;
  parts.initial = *ElementsOf(*state.initial, context);
  KnownList begin{state.input, {}};
  Node& first = *loop.body->first_node();
  for (std::size_t i = 0; i < count; ++i) {
    Value* place = context.AddConstant(*loop.body, Tensor::Int(static_cast<std::int64_t>(i)),
                                       "place", first.origin());
    DRAGOMAN_ASSIGN(Value * element, context.Insert(first, "SequenceAt", {{state.input, place}}));
    begin.elements.push_back(element);
  }
  parts.next = *ElementsOf(*state.output, context, begin);
  parts.join = [&context](const std::vector<Value*>& elements, Node& position) {
    return context.Insert(position, "SequenceConstruct", elements);
  };
  return parts;
}

// A list to which each iteration adds a value at its end, and of which iterations read the last
// element: that at -1, or, where the list begins with one, at the number of the iteration.
struct GrowingList {
  Value* first = nullptr;             // the last element at the begin
  Value* added = nullptr;             // in the body
  std::vector<Node*> readers;         // of the last element, in the body
  std::vector<Node*> readers_behind;  // the same, after the loop
};

bool IsAppended(const LoopState& state) {
  const Node* insert = state.output->producer();
  return insert != nullptr && insert->Is("SequenceInsert") && insert->operand(2) == nullptr &&
         insert->operand(0) == state.input && insert->graph() == state.input->graph();
}

std::vector<Node*> ReadersOfElements(const Value& list) {
  std::vector<Node*> readers;
  for (const Use* use = list.first_use(); use != nullptr; use = use->next()) {
    Node* reader = use->user();
    const bool fits = reader != nullptr && reader->Is("SequenceAt") &&
                      reader->graph() == list.graph() && use->index() == 0;
    if (fits) readers.push_back(reader);
  }
  return readers;
}

std::optional<GrowingList> ReadGrowing(const LoopView& loop, const LoopState& state,
                                       const PassContext& context) {
  if (state.initial->type().kind() != Type::Kind::kSequence || !IsAppended(state)) {
    return std::nullopt;
  }
  const auto initial = ElementsOf(*state.initial, context);
  if (!initial || initial->empty()) return std::nullopt;
  GrowingList list{initial->back(), state.output->producer()->operand(1), {}, {}};
  if (list.first->type().dtype() != list.added->type().dtype() ||
      !SameShape(*list.first, *list.added)) {
    return std::nullopt;
  }
  const bool begins_with_one = initial->size() == 1;
  for (Node* reader : ReadersOfElements(*state.input)) {
    const Value& place = *reader->operand(1);
    const auto number = loop.numbers.find(&place);
    const bool is_newest = begins_with_one && number != loop.numbers.end() && !number->second;
    if (is_newest || IntOf(context, &place) == -1) list.readers.push_back(reader);
  }
  if (state.last != nullptr) {
    for (Node* reader : ReadersOfElements(*state.last)) {
      if (IntOf(context, reader->operand(1)) == -1) list.readers_behind.push_back(reader);
    }
  }
  return list.readers.empty() ? std::nullopt : std::optional(std::move(list));
}

// The list, and its last element.
StateParts PartsOfGrowing(const LoopView& loop, const LoopState& state, const GrowingList& list,
                          PassContext& context) {
  StateParts parts;
  parts.initial = {state.initial, list.first};
  parts.next = {state.output, list.added};
  parts.join = [=, &context, body = loop.body](const std::vector<Value*>& both,
                                               Node& position) -> Result<Value*> {
    for (Node* reader : position.graph() == body ? list.readers : list.readers_behind) {
      context.ReplaceIfAllowed(*reader, both[1]);
    }
    return both[0];
  };
  return parts;
}

// Makes the loop anew, with a state for each part.
class StateSplitter {
 public:
  StateSplitter(const LoopView& view, std::size_t index, StateParts parts, PassContext& context)
      : node_(*view.node),
        body_(*view.body),
        index_(index),
        parts_(std::move(parts)),
        context_(context) {}

  Result<Node*> Split() {
    const std::size_t count = parts_.initial.size();
    context_.Explain(
        node_, fmt::format("state %{} becomes {} states", body_.input(Position())->name(), count));
    const std::vector<Value*> operands = Operands();
    DRAGOMAN_TRY(ReplaceInputs());
    DRAGOMAN_TRY(ReplaceOutputs());
    std::vector<NamedAttribute> attributes = std::move(node_.attributes());
    node_.attributes().clear();
    const std::size_t results = node_.num_results() + count - 1;
    DRAGOMAN_ASSIGN(Node * made, context_.InsertNode(node_, node_.op().type, operands,
                                                     std::move(attributes), results));
    std::vector<Value*> by;
    for (std::size_t i = 0, next = 0; i < node_.num_results(); ++i) {
      if (i != index_) {
        by.push_back(made->result(next++));
        continue;
      }
      std::vector<Value*> lasts;
      for (std::size_t part = 0; part < count; ++part) lasts.push_back(made->result(next++));
      DRAGOMAN_ASSIGN(Value * last, parts_.join(lasts, node_));
      by.push_back(last);
    }
    context_.Replace(node_, by);
    return made;
  }

 private:
  // The operand, and the input of the body, of the state that is split.
  std::size_t Position() const { return index_ + (node_.Is("Loop") ? 2 : 0); }

  std::vector<Value*> Operands() const {
    std::vector<Value*> operands;
    for (const Use& use : node_.operands()) operands.push_back(use.value());
    const auto at = operands.begin() + static_cast<std::ptrdiff_t>(Position());
    operands.insert(operands.erase(at), parts_.initial.begin(), parts_.initial.end());
    return operands;
  }

  // Inputs are added at the end only, so all are made anew, in order.
  Status ReplaceInputs() {
    const std::size_t count = body_.num_inputs();
    ValueMap now;
    for (std::size_t i = 0; i < count; ++i) {
      Value* old = body_.input(i);
      if (i != Position()) {
        now[old] = body_.AddInput(old->name(), old->type());
        continue;
      }
      std::vector<Value*> inputs;
      for (const Value* initial : parts_.initial) {
        inputs.push_back(body_.AddInput(context_.UniqueName(old->name()), initial->type()));
      }
      DRAGOMAN_ASSIGN(now[old], parts_.join(inputs, *body_.first_node()));
    }
    ForEachGraph(body_, [&](Graph& graph) { graph.Redirect(now); });
    for (std::size_t i = 0; i < count; ++i) {
      context_.inference.Forget(body_.input(0));
      body_.RemoveInput(0);
    }
    return {};
  }

  Status ReplaceOutputs() {
    const std::size_t position = index_ + (node_.Is("Loop") ? 1 : 0);
    std::vector<Value*> outputs;
    for (const Use& use : body_.outputs()) outputs.push_back(use.value());
    Node& end = *outputs[position]->producer();
    while (body_.num_outputs() > 0) body_.RemoveOutput(body_.num_outputs() - 1);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (i != position) {
        body_.AddOutput(outputs[i]);
        continue;
      }
      for (Value* part : parts_.next) {
        if (part->graph() != &body_) {
          DRAGOMAN_ASSIGN(part, context_.Insert(end, "Identity", {{part}}));
        }
        body_.AddOutput(part);
      }
    }
    return {};
  }

  Node& node_;
  Graph& body_;
  std::size_t index_;  // of the state
  StateParts parts_;
  PassContext& context_;
};

}  // namespace

Result<Node*> SplitStates(const LoopView& loop, PassContext& context) {
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    const LoopState& state = loop.states[i];
    if (const auto cut = ReadCut(state, context)) {
      DRAGOMAN_ASSIGN(StateParts parts, PartsOfCut(loop, state, *cut, context));
      return StateSplitter(loop, i, std::move(parts), context).Split();
    }
    if (const auto count = CountElements(state, context)) {
      DRAGOMAN_ASSIGN(StateParts parts, PartsOfList(loop, state, *count, context));
      return StateSplitter(loop, i, std::move(parts), context).Split();
    }
    if (const auto list = ReadGrowing(loop, state, context)) {
      return StateSplitter(loop, i, PartsOfGrowing(loop, state, *list, context), context).Split();
    }
  }
  return static_cast<Node*>(nullptr);
}

}  // namespace dragoman

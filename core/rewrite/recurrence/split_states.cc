#include "core/rewrite/recurrence/split_states.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/affine.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/recurrence/layout.h"

namespace dragoman {
namespace {

// The parts of states of this rank lie along an axis of their own, which they lose if they can.
constexpr int kStackedRank = 3;

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

// Makes the loop anew, with a state for each part.
class StateSplitter {
 public:
  StateSplitter(const LoopView& view, std::size_t index, JoinedParts cut, PassContext& context)
      : node_(*view.node),
        body_(*view.body),
        index_(index),
        state_(view.states[index]),
        cut_(std::move(cut)),
        context_(context),
        squeezes_(*state_.input->type().rank() >= kStackedRank) {}

  Result<Node*> Split() {
    context_.Explain(node_,
                     fmt::format("state %{} becomes {} states", state_.input->name(), cut_.size()));
    DRAGOMAN_ASSIGN(const std::vector<Value*> operands, Operands());
    DRAGOMAN_TRY(ReplaceInputs());
    DRAGOMAN_TRY(ReplaceOutputs());
    std::vector<NamedAttribute> attributes = std::move(node_.attributes());
    node_.attributes().clear();
    const std::size_t results = node_.num_results() + cut_.size() - 1;
    DRAGOMAN_ASSIGN(Node * made, context_.InsertNode(node_, node_.op().type, operands,
                                                     std::move(attributes), results));
    std::vector<Value*> by;
    for (std::size_t i = 0, next = 0; i < node_.num_results(); ++i) {
      if (i != index_) {
        by.push_back(made->result(next++));
        continue;
      }
      std::vector<Value*> lasts;
      for (std::size_t part = 0; part < cut_.size(); ++part) {
        lasts.push_back(made->result(next++));
      }
      LayoutBuilder layout(context_, node_);
      DRAGOMAN_ASSIGN(Value * last, Join(lasts, layout));
      by.push_back(last);
    }
    context_.Replace(node_, by);
    return made;
  }

 private:
  bool IsSqueezed(std::size_t part) const { return squeezes_ && cut_.size(part) == 1; }

  // What the states are together.
  Result<Value*> Join(std::vector<Value*> parts, LayoutBuilder& layout) const {
    DRAGOMAN_TRY(Widen(parts, layout));
    return layout.Concat(parts, cut_.axis);
  }

  Status Widen(std::vector<Value*>& parts, LayoutBuilder& layout) const {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!IsSqueezed(i)) continue;
      DRAGOMAN_ASSIGN(parts[i], layout.Unsqueeze(parts[i], {cut_.axis}));
    }
    return {};
  }

  // The operand, and the input of the body, of the state that is cut.
  std::size_t Position() const { return index_ + (node_.Is("Loop") ? 2 : 0); }

  Result<std::vector<Value*>> Operands() {
    LayoutBuilder layout(context_, node_);
    std::vector<Value*> operands;
    for (std::size_t i = 0; i < node_.num_operands(); ++i) {
      if (i != Position()) {
        operands.push_back(node_.operand(i));
        continue;
      }
      for (std::size_t part = 0; part < cut_.size(); ++part) {
        DRAGOMAN_ASSIGN(Value * initial, layout.Slice(state_.initial, cut_.axis, cut_.begins[part],
                                                      cut_.begins[part + 1]));
        if (IsSqueezed(part)) {
          DRAGOMAN_ASSIGN(initial, layout.Squeeze(initial, cut_.axis));
        }
        operands.push_back(initial);
      }
    }
    return operands;
  }

  Type TypeOf(std::size_t part) const {
    const Type& whole = state_.input->type();
    Shape shape = *whole.shape();
    if (IsSqueezed(part)) {
      shape.erase(shape.begin() + cut_.axis);
    } else {
      shape[static_cast<std::size_t>(cut_.axis)] = Dim(cut_.size(part));
    }
    return Type::Tensor(whole.dtype(), std::move(shape));
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
      std::vector<Value*> parts;
      for (std::size_t part = 0; part < cut_.size(); ++part) {
        parts.push_back(body_.AddInput(context_.UniqueName(old->name()), TypeOf(part)));
      }
      LayoutBuilder layout(context_, *body_.first_node());
      DRAGOMAN_TRY(Widen(parts, layout));
      DRAGOMAN_ASSIGN(now[old], layout.Concat(parts, cut_.axis));
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
    Node* const concat = body_.output(position)->producer();
    std::vector<Value*> parts;
    for (const Use& use : concat->operands()) parts.push_back(use.value());
    LayoutBuilder layout(context_, *concat);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (IsSqueezed(i)) {
        DRAGOMAN_ASSIGN(parts[i], layout.Squeeze(parts[i], cut_.axis));
      } else if (parts[i]->graph() != &body_) {
        DRAGOMAN_ASSIGN(parts[i], context_.Insert(*concat, "Identity", {{parts[i]}}));
      }
    }
    std::vector<Value*> outputs;
    for (const Use& use : body_.outputs()) outputs.push_back(use.value());
    while (body_.num_outputs() > 0) body_.RemoveOutput(body_.num_outputs() - 1);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (i != position) {
        body_.AddOutput(outputs[i]);
        continue;
      }
      for (Value* part : parts) body_.AddOutput(part);
    }
    return {};
  }

  Node& node_;
  Graph& body_;
  std::size_t index_;  // of the state
  LoopState state_;
  JoinedParts cut_;
  PassContext& context_;
  bool squeezes_;
};

}  // namespace

Result<Node*> SplitStates(const LoopView& loop, PassContext& context) {
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    auto cut = ReadCut(loop.states[i], context);
    if (cut) return StateSplitter(loop, i, std::move(*cut), context).Split();
  }
  return static_cast<Node*>(nullptr);
}

}  // namespace dragoman

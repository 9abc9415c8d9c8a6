#include "core/rewrite/recurrence/split_states.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/analysis/affine.h"
#include "core/rewrite/recurrence/layout.h"

namespace dragoman {
namespace {

constexpr std::size_t kMaxParts = 32;
constexpr int kMaxDepth = 8;
// The parts of states of this rank lie along an axis of their own, which they lose if they can.
constexpr int kStackedRank = 3;

constexpr std::string_view kElementwise[] = {"Add", "Identity", "Mul", "Sub", "Where"};

bool IsElementwise(const Node& node) {
  return std::any_of(std::begin(kElementwise), std::end(kElementwise),
                     [&](std::string_view type) { return node.Is(type); });
}

int AxisOf(const Node& node, const Value& value) {
  const std::int64_t axis = IntAttribute(node, "axis", 0);
  return static_cast<int>(axis < 0 ? axis + value.type().rank().value_or(0) : axis);
}

// Where the state at `index` of a view is cut.
struct Cut {
  std::size_t index = 0;
  int axis = 0;
  std::vector<std::int64_t> begins;  // of the parts, and the end

  std::size_t num_parts() const { return begins.size() - 1; }
  std::int64_t size(std::size_t part) const { return begins[part + 1] - begins[part]; }
};

// Cuts `concat` where its operands meet; nullopt if their sizes are not known.
std::optional<Cut> ReadConcat(const Node& concat) {
  Cut cut{0, AxisOf(concat, *concat.result()), {0}};
  for (const Use& use : concat.operands()) {
    const auto size = SizeAlong(*use.value(), cut.axis);
    if (!size || *size < 1) return std::nullopt;
    cut.begins.push_back(cut.begins.back() + *size);
  }
  if (cut.num_parts() < 2 || cut.num_parts() > kMaxParts) return std::nullopt;
  return cut;
}

// Looks for the cut of one state.
class StateReader {
 public:
  StateReader(const LoopView& view, const LoopState& state, const PassContext& context)
      : body_(*view.body), state_(state), context_(context) {}

  std::optional<Cut> Read() {
    if (!state_.input->type().rank() || state_.output == state_.input) return std::nullopt;
    const Node* concat = FindConcat(*state_.output, 0);
    auto cut = concat != nullptr ? ReadConcat(*concat) : std::nullopt;
    if (!cut || SizeAlong(*state_.input, cut->axis) != cut->begins.back()) return std::nullopt;
    cut_ = std::move(*cut);
    if (!CanCut(*state_.output, 0)) return std::nullopt;
    for (const Use* use = state_.input->first_use(); use != nullptr; use = use->next()) {
      const Node* reader = use->user();
      if (reader == nullptr || reader->graph() != &body_) return std::nullopt;
      if (!between_.contains(reader) && !TakesPart(*reader)) return std::nullopt;
    }
    return std::move(cut_);
  }

 private:
  bool IsOfBody(const Node* node, int depth) const {
    return node != nullptr && node->graph() == &body_ && depth < kMaxDepth;
  }

  const Node* FindConcat(const Value& value, int depth) const {
    const Node* node = value.producer();
    if (!IsOfBody(node, depth)) return nullptr;
    if (node->Is("Concat")) return node;
    if (!IsElementwise(*node)) return nullptr;
    for (const Use& use : node->operands()) {
      const Node* found = FindConcat(*use.value(), depth + 1);
      if (found != nullptr && found->result()->type().rank() == state_.input->type().rank()) {
        return found;
      }
    }
    return nullptr;
  }

  // Whether `value` can be computed part by part.
  bool CanCut(const Value& value, int depth) {
    if (&value == state_.input) return true;
    const Node* node = value.producer();
    if (!IsOfBody(node, depth) || value.type().rank() != state_.input->type().rank()) return false;
    if (node->Is("Concat")) {
      const auto cut = ReadConcat(*node);
      return cut && cut->axis == cut_.axis && cut->begins == cut_.begins;
    }
    if (!IsElementwise(*node)) return false;
    between_.insert(node);
    return std::all_of(node->operands().begin(), node->operands().end(), [&](const Use& use) {
      return IsSameForParts(*use.value()) || CanCut(*use.value(), depth + 1);
    });
  }

  bool IsSameForParts(const Value& value) const {
    const auto rank = value.type().rank();
    if (!rank || *rank > *state_.input->type().rank()) return false;
    const int own = cut_.axis - (*state_.input->type().rank() - *rank);
    return own < 0 || SizeAlong(value, own) == 1;
  }

  bool TakesPart(const Node& node) const {
    if (node.Is("Gather")) {
      return AxisOf(node, *state_.input) == cut_.axis && IntsOf(context_, node.operand(1));
    }
    if (node.Is("Split")) return AxisOf(node, *state_.input) == cut_.axis;
    if (!node.Is("Slice") || node.operand(3) == nullptr) return false;
    const auto axis = IntOf(context_, node.operand(3));
    const int rank = *state_.input->type().rank();
    return axis && (*axis < 0 ? *axis + rank : *axis) == cut_.axis;
  }

  const Graph& body_;
  const LoopState& state_;
  const PassContext& context_;
  Cut cut_;
  std::unordered_set<const Node*> between_;  // the state and its new value; looked up only
};

// Makes the loop anew, with a state for each part.
class StateSplitter {
 public:
  StateSplitter(const LoopView& view, Cut cut, PassContext& context)
      : view_(view),
        node_(*view.node),
        body_(*view.body),
        state_(view.states[cut.index]),
        cut_(std::move(cut)),
        context_(context),
        squeezes_(*state_.input->type().rank() >= kStackedRank) {}

  Result<Node*> Split() {
    context_.Explain(
        node_, fmt::format("state %{} becomes {} states", state_.input->name(), cut_.num_parts()));
    DRAGOMAN_ASSIGN(const std::vector<Value*> operands, Operands());
    DRAGOMAN_TRY(ReplaceInputs());
    DRAGOMAN_TRY(ReplaceOutputs());
    std::vector<NamedAttribute> attributes = std::move(node_.attributes());
    node_.attributes().clear();
    const std::size_t results = node_.num_results() + cut_.num_parts() - 1;
    DRAGOMAN_ASSIGN(Node * made, context_.InsertNode(node_, node_.op().type, operands,
                                                     std::move(attributes), results));
    std::vector<Value*> by;
    for (std::size_t i = 0, next = 0; i < node_.num_results(); ++i) {
      if (i != cut_.index) {
        by.push_back(made->result(next++));
        continue;
      }
      std::vector<Value*> lasts;
      for (std::size_t part = 0; part < cut_.num_parts(); ++part) {
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
  std::size_t Position() const { return cut_.index + (node_.Is("Loop") ? 2 : 0); }

  Result<std::vector<Value*>> Operands() {
    LayoutBuilder layout(context_, node_);
    std::vector<Value*> operands;
    for (std::size_t i = 0; i < node_.num_operands(); ++i) {
      if (i != Position()) {
        operands.push_back(node_.operand(i));
        continue;
      }
      for (std::size_t part = 0; part < cut_.num_parts(); ++part) {
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
      for (std::size_t part = 0; part < cut_.num_parts(); ++part) {
        parts.push_back(body_.AddInput(context_.UniqueName(old->name()), TypeOf(part)));
      }
      LayoutBuilder layout(context_, *body_.first_node());
      DRAGOMAN_TRY(Widen(parts, layout));
      DRAGOMAN_ASSIGN(now[old], layout.Concat(parts, cut_.axis));
      parts_[now[old]] = std::move(parts);
    }
    ForEachGraph(body_, [&](Graph& graph) { graph.Redirect(now); });
    for (std::size_t i = 0; i < count; ++i) {
      context_.inference.Forget(body_.input(0));
      body_.RemoveInput(0);
    }
    return {};
  }

  Status ReplaceOutputs() {
    const std::size_t position = cut_.index + (node_.Is("Loop") ? 1 : 0);
    DRAGOMAN_ASSIGN(std::vector<Value*> parts, PartsOf(body_.output(position)));
    Node* const producer = body_.output(position)->producer();
    LayoutBuilder layout(context_, *producer);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (IsSqueezed(i)) {
        DRAGOMAN_ASSIGN(parts[i], layout.Squeeze(parts[i], cut_.axis));
      } else if (parts[i]->graph() != &body_) {
        DRAGOMAN_ASSIGN(parts[i], context_.Insert(*producer, "Identity", {{parts[i]}}));
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

  // `value`, which StateReader found that one can cut, part by part.
  Result<std::vector<Value*>> PartsOf(Value* value) {
    if (const auto found = parts_.find(value); found != parts_.end()) return found->second;
    Node& node = *value->producer();
    std::vector<Value*> parts;
    if (node.Is("Concat")) {
      for (const Use& use : node.operands()) parts.push_back(use.value());
      return parts;
    }
    std::vector<std::vector<Value*>> operands;  // by part
    operands.resize(cut_.num_parts());
    for (const Use& use : node.operands()) {
      const bool is_whole = use.value()->type().rank() == value->type().rank() &&
                            SizeAlong(*use.value(), cut_.axis) == cut_.begins.back();
      std::vector<Value*> cut(cut_.num_parts(), use.value());
      if (is_whole) {
        DRAGOMAN_ASSIGN(cut, PartsOf(use.value()));
      }
      for (std::size_t i = 0; i < cut.size(); ++i) operands[i].push_back(cut[i]);
    }
    for (const std::vector<Value*>& of_part : operands) {
      DRAGOMAN_ASSIGN(Value * part, context_.Insert(node, node.op().type, of_part));
      parts.push_back(part);
    }
    parts_[value] = parts;
    return parts;
  }

  const LoopView& view_;
  Node& node_;
  Graph& body_;
  LoopState state_;
  Cut cut_;
  PassContext& context_;
  bool squeezes_;
  std::unordered_map<const Value*, std::vector<Value*>> parts_;  // looked up only
};

}  // namespace

Result<Node*> SplitStates(const LoopView& loop, PassContext& context) {
  for (std::size_t i = 0; i < loop.states.size(); ++i) {
    auto cut = StateReader(loop, loop.states[i], context).Read();
    if (!cut) continue;
    cut->index = i;
    return StateSplitter(loop, std::move(*cut), context).Split();
  }
  return static_cast<Node*>(nullptr);
}

}  // namespace dragoman

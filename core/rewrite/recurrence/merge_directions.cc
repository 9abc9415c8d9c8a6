// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/merge_directions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/step_pieces.h"
#include "core/rewrite/recurrence/twin_inputs.h"
#include "core/rewrite/sequence_node.h"
#include "core/support/bytes.h"

namespace dragoman {
namespace {

constexpr std::size_t kWeights = 1;  // of the inputs
constexpr std::size_t kSequenceLens = 4;
constexpr std::size_t kInitialH = 5;
constexpr std::size_t kLastOperand = 8;  // that any of the operators has
constexpr int kMaxViews = 8;

bool IsLstm(const Node& node) { return node.Is("LSTM") || node.IsDragoman("LSTM"); }

bool Goes(const Node& node, std::string_view direction) {
  return TextAttribute(node, "direction") == direction;
}

bool IsInitialState(const Node& node, std::size_t operand) {
  return operand == kInitialH || (operand == kInitialH + 1 && IsLstm(node));
}

bool HasConstant(const Node& node, std::size_t i) { return ConstantOf(node.operand(i)) != nullptr; }

bool IsListOfFunctions(std::string_view attribute) {
  return attribute == "activations" || attribute == "activation_alpha" ||
         attribute == "activation_beta";
}

bool SameAttributes(const Node& a, const Node& b) {
  const auto fits = [](const Node& node, const Node& other) {
    return std::all_of(node.attributes().begin(), node.attributes().end(),
                       [&](const NamedAttribute& attribute) {
                         if (attribute.name == "direction") return true;
                         const Attribute* match = other.attribute(attribute.name);
                         return match != nullptr && Identical(attribute.value, *match);
                       });
  };
  return fits(a, b) && fits(b, a);
}

// Whether `forward` and `backward` can be one operator.
bool AreTwins(const Node& forward, const Node& backward) {
  if (&forward.op() != &backward.op() || !ReadTwinInputs(forward, backward)) return false;
  if (!SameAttributes(forward, backward) || IntAttribute(forward, "layout") != 0) return false;
  if (forward.operand(kSequenceLens) != backward.operand(kSequenceLens)) return false;
  for (std::size_t i = 1; i <= kLastOperand; ++i) {
    const Value* a = forward.operand(i);
    const Value* b = backward.operand(i);
    if (i == kSequenceLens || (a == nullptr && b == nullptr)) continue;
    if (a == nullptr || b == nullptr || !SameShape(*a, *b)) return false;
    if (!IsInitialState(forward, i) && (!HasConstant(forward, i) || !HasConstant(backward, i))) {
      return false;
    }
  }
  return true;
}

// Moves the views that `value` is made by to before `position`, if they start at something that
// is there. Views have one operand that is not a constant.
bool MoveViews(Value* value, Node& position,
               const std::unordered_map<const Node*, std::size_t>& order) {
  std::vector<Node*> views;
  while (value->producer() != nullptr && value->graph() == position.graph()) {
    Node* node = value->producer();
    const auto at = order.find(node);
    if (at != order.end() && at->second < order.at(&position)) break;
    // By name: views that are cheap to make again.
    const bool is_view = node->Is("Unsqueeze") || node->Is("Reshape") || node->Is("Transpose") ||
                         node->Is("Expand") || node->Is("Slice");
    if (!is_view || views.size() == kMaxViews) return false;
    for (std::size_t i = 1; i < node->num_operands(); ++i) {
      if (node->operand(i) != nullptr && !HasConstant(*node, i)) return false;
    }
    views.push_back(node);
    value = node->operand(0);
  }
  for (auto view = views.rbegin(); view != views.rend(); ++view) {
    position.graph()->MoveBefore(*view, &position);
  }
  return true;
}

Tensor Joined(const Tensor& a, const Tensor& b) {
  std::string bytes;
  for (const Tensor* part : {&a, &b}) bytes += AsText(part->bytes());
  std::vector<std::int64_t> sizes = a.sizes();
  sizes.front() += b.sizes().front();
  return Tensor::Make(a.dtype(), std::move(sizes), Buffer::Own(std::move(bytes))).value();
}

std::vector<NamedAttribute> Attributes(const Node& forward) {
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : forward.attributes()) {
    if (attribute.name == "direction") continue;
    NamedAttribute copy = attribute;
    if (IsListOfFunctions(attribute.name)) {
      if (const auto* names = attribute.value.As<Attribute::Strings>()) {
        Attribute::Strings twice = *names;
        twice.insert(twice.end(), names->begin(), names->end());
        copy.value = std::move(twice);
      } else if (const auto* floats = attribute.value.As<Attribute::Floats>()) {
        Attribute::Floats twice = *floats;
        twice.insert(twice.end(), floats->begin(), floats->end());
        copy.value = std::move(twice);
      }
    }
    attributes.push_back(std::move(copy));
  }
  attributes.emplace_back("direction", "bidirectional");
  return attributes;
}

// The weights of both for the inputs of both.
Tensor InputWeights(const Node& forward, const Node& backward, const TwinInputs& inputs) {
  const Tensor& a = *forward.operand(1)->tensor();
  const Tensor& b = *backward.operand(1)->tensor();
  if (inputs.own[0] == nullptr) return Joined(a, b);
  const std::int64_t own = *SizeAlong(*inputs.own[0], 2);
  const std::int64_t shared = a.sizes().back() - own;
  return Joined(WithZeroColumns(a, shared + own, own), WithZeroColumns(b, shared, own));
}

// The operator for both, before `position`, which is one of them.
Status Merge(Node& forward, Node& backward, Node& position, PassContext& context) {
  LayoutBuilder layout(context, position);
  const TwinInputs inputs = *ReadTwinInputs(forward, backward);
  std::vector<Value*> operands = {inputs.shared};
  if (inputs.own[0] != nullptr) {
    DRAGOMAN_ASSIGN(operands[0], layout.Concat({inputs.shared, inputs.own[0], inputs.own[1]}, 2));
  }
  for (std::size_t i = 1; i <= kLastOperand; ++i) {
    Value* a = forward.operand(i);
    Value* b = backward.operand(i);
    Value* joined = i == kSequenceLens ? a : nullptr;
    if (a != nullptr && IsInitialState(forward, i)) {
      DRAGOMAN_ASSIGN(joined, layout.Concat({a, b}, 0));
    } else if (a != nullptr && i != kSequenceLens) {
      Tensor both = i == kWeights ? InputWeights(forward, backward, inputs)
                                  : Joined(*a->tensor(), *b->tensor());
      joined = context.AddConstant(*position.graph(), std::move(both), a->name(), a->origin());
    }
    operands.push_back(joined);
  }
  const std::size_t num_results = IsLstm(forward) ? 3 : 2;
  operands.resize(std::max(forward.num_operands(), backward.num_operands()));
  DRAGOMAN_ASSIGN(Node * both, context.InsertNode(position, FindOp(forward)->Label(), operands,
                                                  Attributes(forward), num_results));
  both->set_origin(Origin::Merge(forward.origin(), backward.origin()));
  context.Explain(forward, "becomes bidirectional with " + backward.Describe());
  std::vector<Value*> halves[2];
  Node* const nodes[2] = {&forward, &backward};
  for (std::size_t half = 0; half < 2; ++half) {
    const auto index = static_cast<std::int64_t>(half);
    for (std::size_t i = 0; i < nodes[half]->num_results(); ++i) {
      const Value* result = nodes[half]->result(i);
      halves[half].push_back(nullptr);
      if (result == nullptr || !result->used()) continue;
      DRAGOMAN_ASSIGN(halves[half].back(),
                      layout.Slice(both->result(i), i == 0 ? 1 : 0, index, index + 1));
    }
  }
  for (std::size_t half = 0; half < 2; ++half) context.Replace(*nodes[half], halves[half]);
  return {};
}

// Whether the initial states of `node` are, or can be made, known before `position`.
bool BringStates(Node& node, Node& position,
                 const std::unordered_map<const Node*, std::size_t>& order) {
  for (std::size_t i = kInitialH; i <= kInitialH + 1; ++i) {
    if (!IsInitialState(node, i) || node.operand(i) == nullptr) continue;
    if (!MoveViews(node.operand(i), position, order)) return false;
  }
  return true;
}

// Whether what only `node` reads of the inputs is, or can be made, known before `position`.
Result<bool> BringInputs(Node& node, Node& position, PassContext& context) {
  const TwinInputs inputs = *ReadTwinInputs(node, position);
  if (inputs.own[0] == nullptr) return true;
  return HoistBefore({&position, &node, {&position}}, {{inputs.own[0]}}, {}, context);
}

}  // namespace

Result<bool> MergeDirections(Graph& graph, PassContext& context) {
  std::unordered_map<const Node*, std::size_t> order;
  std::vector<Node*> nodes;
  for (Node& node : graph.nodes()) {
    order.emplace(&node, order.size());
    if (IsRecurrent(node)) nodes.push_back(&node);
  }
  bool changed = false;
  std::unordered_map<const Value*, std::vector<Node*>> open;  // by input
  for (Node* node : nodes) {
    std::vector<Node*>& others = open[SharedInput(*node)];
    const bool backward = Goes(*node, "reverse");
    if (!backward && !Goes(*node, "forward")) continue;
    const auto twin = std::find_if(others.begin(), others.end(), [&](Node* other) {
      return Goes(*other, backward ? "forward" : "reverse") &&
             AreTwins(backward ? *other : *node, backward ? *node : *other) &&
             BringStates(*node, *other, order);
    });
    if (twin == others.end()) {
      others.push_back(node);
      continue;
    }
    Node* other = *twin;
    DRAGOMAN_ASSIGN(const bool known, BringInputs(*node, *other, context));
    if (!known || !context.sites.Take(*node)) continue;
    others.erase(twin);
    DRAGOMAN_TRY(backward ? Merge(*other, *node, *other, context)
                          : Merge(*node, *other, *other, context));
    changed = true;
  }
  return changed;
}

}  // namespace dragoman

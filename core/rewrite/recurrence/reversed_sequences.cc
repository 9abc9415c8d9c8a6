#include "core/rewrite/recurrence/reversed_sequences.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/sequence_steps.h"

namespace dragoman {
namespace {

constexpr int kMaxMoves = 8;
constexpr std::size_t kLengths = 4;

std::int64_t FromFront(std::int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

// Whether `value` is Range(first, limit, step).
bool IsRange(const Value& value, const Dim& first, const Dim& limit, std::int64_t step,
             const PassContext& context) {
  const Node* node = value.producer();
  if (node == nullptr || !node->Is("Range")) return false;
  const Dim wanted[] = {first, limit, Dim(step)};
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    const Knowledge known = context.inference.Know(node->operand(i));
    if (!known.elements || known.elements->size() != 1 ||
        Equal(known.elements->front(), wanted[i]) != Truth::kYes) {
      return false;
    }
  }
  return true;
}

std::optional<std::int64_t> ReversedAxis(const Node& node, const PassContext& context);

// Whether the elements are size - 1, …, 1, 0, of a size that only run time tells.
bool CountsDown(const Value& value, const Dim& size, const PassContext& context) {
  if (IsRange(value, size - Dim(1), Dim(-1), -1, context)) return true;
  const Node* node = value.producer();
  return node != nullptr && node->Is("Slice") && ReversedAxis(*node, context) == 0 &&
         IsRange(*node->operand(0), Dim(0), size, 1, context);
}

// The axis along which all of operand 0 is reversed; nullopt for any other node.
std::optional<std::int64_t> ReversedAxis(const Node& node, const PassContext& context) {
  const int rank = node.num_operands() > 0 && node.operand(0) != nullptr
                       ? node.operand(0)->type().rank().value_or(0)
                       : 0;
  if (rank == 0) return std::nullopt;
  if (node.Is("Slice")) {
    const auto start = IntOf(context, node.operand(1)), end = IntOf(context, node.operand(2));
    const auto axis = IntOf(context, node.operand(3)), step = IntOf(context, node.operand(4));
    if (!start || !end || !axis || step != -1) return std::nullopt;
    const std::int64_t at = FromFront(*axis, rank);
    const auto size = SizeAlong(*node.operand(0), static_cast<int>(at));
    const bool from_last = *start == -1 || (size && *start >= *size - 1);
    const bool to_first = *end < -INT32_MAX || (size && *end <= -*size - 1);
    return from_last && to_first ? std::optional(at) : std::nullopt;
  }
  if (!node.Is("Gather")) return std::nullopt;
  const std::int64_t axis = FromFront(IntAttribute(node, "axis", 0), rank);
  if (CountsDown(*node.operand(1),
                 (*node.operand(0)->type().shape())[static_cast<std::size_t>(axis)], context)) {
    return axis;
  }
  const auto size = SizeAlong(*node.operand(0), static_cast<int>(axis));
  const auto indices = IntsOf(context, node.operand(1));
  if (!indices || node.operand(1)->type().rank() != 1 || size.value_or(0) < 2 ||
      static_cast<std::int64_t>(indices->size()) != size) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < indices->size(); ++i) {
    if (FromFront((*indices)[i], static_cast<int>(*size)) !=
        *size - 1 - static_cast<std::int64_t>(i)) {
      return std::nullopt;
    }
  }
  return axis;
}

// Where axis `axis` of the result of a node that moves axes was in its operand 0.
std::optional<std::int64_t> AxisBefore(const Node& node, std::int64_t axis,
                                       const PassContext& context) {
  if (node.Is("Identity")) return axis;
  const int rank = node.result()->type().rank().value_or(0);
  if (node.Is("Transpose")) {
    const Attribute::Ints* perm = IntsAttribute(node, "perm");
    if (perm == nullptr) return rank - 1 - axis;
    return (*perm)[static_cast<std::size_t>(axis)];
  }
  const bool squeezes = node.Is("Squeeze");
  if (!squeezes && !node.Is("Unsqueeze")) return std::nullopt;
  const auto axes = node.operand(1) != nullptr ? IntsOf(context, node.operand(1)) : std::nullopt;
  if (!axes) return std::nullopt;
  std::vector<std::int64_t> sorted;
  const int wide = squeezes ? node.operand(0)->type().rank().value_or(0) : rank;
  for (std::int64_t a : *axes) sorted.push_back(FromFront(a, wide));
  std::ranges::sort(sorted);
  if (squeezes) {
    for (std::int64_t a : sorted) axis += a <= axis ? 1 : 0;
    return axis;
  }
  if (std::ranges::count(sorted, axis) > 0) return std::nullopt;
  return axis - std::ranges::count_if(sorted, [&](std::int64_t a) { return a < axis; });
}

// `value` as it would be without a reversal along `axis` that it is made of: inserted before
// `position`. nullptr if there is none.
Result<Value*> Unreversed(Value* value, std::int64_t axis, Node& position, PassContext& context) {
  std::vector<Node*> moves;
  for (int hop = 0; hop <= kMaxMoves; ++hop) {
    Node* node = value->graph() == position.graph() ? value->producer() : nullptr;
    if (node == nullptr) break;
    if (ReversedAxis(*node, context) == axis) {
      value = node->operand(0);
      for (auto move = moves.rbegin(); move != moves.rend(); ++move) {
        std::vector<Value*> operands = {value};
        if ((*move)->operand(1) != nullptr) operands.push_back((*move)->operand(1));
        const auto attributes = (*move)->attributes();
        DRAGOMAN_ASSIGN(value, context.Insert(position, FindOp(**move)->Label(), operands,
                                              {attributes.begin(), attributes.end()}));
        value->producer()->set_origin((*move)->origin());
      }
      return value;
    }
    const auto before = AxisBefore(*node, axis, context);
    if (!before) break;
    axis = *before;
    moves.push_back(node);
    value = node->operand(0);
  }
  return static_cast<Value*>(nullptr);
}

bool IsSequence(const Node& node) {
  return node.Is("LSTM") || node.IsDragoman("LSTM") || node.Is("GRU") || node.Is("RNN");
}

std::string Direction(const Node& node) { return TextAttribute(node, "direction", "forward"); }

Result<bool> Turn(Node& node, PassContext& context) {
  const bool backward = Direction(node) == "reverse";
  if ((!backward && Direction(node) != "forward") || node.operand(kLengths) != nullptr ||
      IntAttribute(node, "layout", 0) != 0) {
    return false;
  }
  DRAGOMAN_ASSIGN(Value * x, Unreversed(node.operand(0), 0, node, context));
  if (x == nullptr) return false;
  std::vector<Value*> operands = {x};
  for (std::size_t i = 1; i < node.num_operands(); ++i) operands.push_back(node.operand(i));
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.name != "direction") attributes.push_back(attribute);
  }
  if (!backward) attributes.emplace_back("direction", "reverse");
  DRAGOMAN_ASSIGN(Node * turned, context.InsertNode(node, FindOp(node)->Label(), operands,
                                                    std::move(attributes), node.num_results()));
  context.Explain(node, "goes the other way, since its input is reversed");
  std::vector<Value*> results;
  for (std::size_t i = 0; i < node.num_results(); ++i) results.push_back(turned->result(i));
  if (node.result(0) != nullptr && node.result(0)->used()) {
    LayoutBuilder layout(context, node);
    DRAGOMAN_ASSIGN(results[0], layout.Reverse(turned->result(0)));
  }
  context.Replace(node, results);
  return true;
}

}  // namespace

Result<bool> TurnReversedSequences(Graph& graph, PassContext& context) {
  std::vector<Node*> nodes;
  for (Node& node : graph.nodes()) {
    if (IsSequence(node) || ReversedAxis(node, context)) nodes.push_back(&node);
  }
  if (std::ranges::none_of(nodes, [](const Node* node) { return IsSequence(*node); })) return false;
  bool changed = false;
  for (Node* node : nodes) {
    if (IsSequence(*node)) {
      DRAGOMAN_ASSIGN(const bool turned, Turn(*node, context));
      changed = changed || turned;
      continue;
    }
    const auto axis = ReversedAxis(*node, context);
    if (!axis) continue;
    DRAGOMAN_ASSIGN(Value * value, Unreversed(node->operand(0), *axis, *node, context));
    if (value == nullptr || !PassContext::CanReplace(*node->result(), *value)) continue;
    context.Replace(*node, {{value}});
    changed = true;
  }
  return changed;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/projected_inputs.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/reversal.h"
#include "core/rewrite/sequence_node.h"
#include "core/support/bytes.h"

namespace dragoman {
namespace {

constexpr int kMaxInputHops = 8;
constexpr std::size_t kInputWeights = 1;
constexpr std::size_t kRecurrentWeights = 2;
constexpr std::size_t kBias = 3;

using Features = std::vector<std::int64_t>;  // along the last axis

// What an input is made of, the last node first.
struct Projection {
  Node* linear = nullptr;
  Features features;                        // of its result, in the order in which they are read
  std::vector<Node*> moves;                 // nodes after it that keep the features of each row
  std::unordered_set<const Node*> readers;  // all nodes after it, and the operator
};

int LastAxis(const Value& value) { return value.type().rank().value_or(0) - 1; }

// So many features from one on.
Features FeaturesFrom(std::int64_t first, std::int64_t count) {
  Features features(static_cast<std::size_t>(count));
  std::iota(features.begin(), features.end(), first);
  return features;
}

// The features that a Slice takes of all; nullopt for any other node.
std::optional<Features> SlicedFeatures(const Node& node, const PassContext& context) {
  if (!node.Is("Slice") || !node.operand(0)->type().rank()) return std::nullopt;
  const Value& whole = *node.operand(0);
  const int last = LastAxis(whole);
  const auto axis = node.operand(3) != nullptr ? IntOf(context, node.operand(3)) : 0;
  const auto step = node.operand(4) != nullptr ? IntOf(context, node.operand(4)) : 1;
  const auto begin = IntOf(context, node.operand(1));
  const auto size = SizeAlong(whole, last), count = SizeAlong(*node.result(), last);
  if (!axis || FromFront(*axis, whole) != last || step != 1 || !begin || !size || !count) {
    return std::nullopt;
  }
  const std::int64_t from = *begin < 0 ? *begin + *size : *begin;
  if (from < 0 || from + *count > *size) return std::nullopt;
  return FeaturesFrom(from, *count);
}

// The features that a part of a Split takes of all; nullopt for any other value.
std::optional<Features> SplitFeatures(const Value& part) {
  const Node& split = *part.producer();
  if (!split.Is("Split") || !split.operand(0)->type().rank()) return std::nullopt;
  const int last = LastAxis(*split.operand(0));
  if (AxisIn(split, *split.operand(0)) != last) return std::nullopt;
  const std::vector<std::int64_t> bounds = BoundsOfParts(split, last);
  const std::size_t index = part.index();
  if (index + 1 >= bounds.size()) return std::nullopt;
  return FeaturesFrom(bounds[index], bounds[index + 1] - bounds[index]);
}

std::optional<Features> PartFeatures(const Value& part, const PassContext& context) {
  if (part.producer() == nullptr) return std::nullopt;
  const auto sliced = SlicedFeatures(*part.producer(), context);
  return sliced ? sliced : SplitFeatures(part);
}

// The features of a value that `value` takes: a Slice, a part of a Split, or a Concat of such.
std::optional<Features> ChosenFeatures(const Value& value, const PassContext& context,
                                       Projection& found, Value*& whole) {
  const Node& node = *value.producer();
  if (!node.Is("Concat")) {
    whole = node.num_operands() > 0 ? node.operand(0) : nullptr;
    return PartFeatures(value, context);
  }
  if (AxisIn(node, *node.result()) != LastAxis(*node.result())) return std::nullopt;
  Features all;
  whole = nullptr;
  for (const Use& use : node.operands()) {
    const auto part = PartFeatures(*use.value(), context);
    if (!part) return std::nullopt;
    Node* const slice = use.value()->producer();
    if (whole != nullptr && slice->operand(0) != whole) return std::nullopt;
    whole = slice->operand(0);
    all.insert(all.end(), part->begin(), part->end());
    found.readers.insert(slice);
  }
  return all;
}

// Whether the node gives the rows of operand 0, which lie along the last axis, each as it is.
bool KeepsRows(const Node& node, const PassContext& context) {
  if (const auto reversal = ReadReversal(node, context)) {
    return reversal->axis != LastAxis(*node.result());
  }
  if (node.Is("Transpose")) {
    const Attribute::Ints* perm = IntsAttribute(node, "perm");
    return perm != nullptr && !perm->empty() && perm->back() == LastAxis(*node.result());
  }
  if (!KeepsOrder(node)) return false;
  const Value &from = *node.operand(0), &to = *node.result();
  const auto size = SizeAlong(from, LastAxis(from));
  return size.value_or(0) > 0 && SizeAlong(to, LastAxis(to)) == size;
}

bool IsRead(const Value& value, const std::unordered_set<const Node*>& readers) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr || !readers.contains(use->user())) return true;
  }
  return false;
}

bool HasConstants(const Node& linear) {
  const Tensor* weight = ConstantOf(linear.operand(1));
  if (weight == nullptr || weight->rank() != 2) return false;
  if (linear.operand(2) == nullptr) return true;
  const Tensor* bias = ConstantOf(linear.operand(2));
  return bias != nullptr && bias->sizes() == std::vector{weight->sizes().front()};
}

std::optional<Projection> FindProjection(Node& node, const PassContext& context) {
  Projection found;
  found.readers.insert(&node);
  Value* value = node.operand(0);
  const auto count = SizeAlong(*value, LastAxis(*value));
  if (!count) return std::nullopt;
  found.features.resize(static_cast<std::size_t>(*count));
  std::iota(found.features.begin(), found.features.end(), 0);
  for (int hop = 0; hop < kMaxInputHops && value->graph() == node.graph(); ++hop) {
    Node* producer = value->producer();
    if (producer == nullptr) break;
    if (producer->IsDragoman("Linear") && HasConstants(*producer)) {
      found.linear = producer;
      if (IsRead(*value, found.readers)) return std::nullopt;
      return found;
    }
    if (KeepsRows(*producer, context)) {
      found.moves.push_back(producer);
      value = producer->operand(0);
    } else {
      const auto chosen = ChosenFeatures(*value, context, found, value);
      if (!chosen) break;
      for (std::int64_t& feature : found.features) {
        feature = (*chosen)[static_cast<std::size_t>(feature)];
      }
    }
    found.readers.insert(producer);
  }
  return std::nullopt;
}

// The input of the projection in the order in which the operator reads its result; nullptr if sizes
// that this takes are not known.
Result<Value*> InputOf(const Projection& found, Node& position, PassContext& context) {
  LayoutBuilder layout(context, position);
  Value* value = found.linear->operand(0);
  for (auto move = found.moves.rbegin(); move != found.moves.rend() && value != nullptr; ++move) {
    if (KeepsOrder(**move)) {
      Shape shape = *(*move)->result()->type().shape();
      shape.back() = value->type().shape()->back();
      DRAGOMAN_ASSIGN(value, layout.Reshape(value, shape));
      continue;
    }
    std::vector<Value*> operands = {value};
    for (std::size_t i = 1; i < (*move)->num_operands(); ++i) {
      operands.push_back((*move)->operand(i));
    }
    const auto attributes = (*move)->attributes();
    DRAGOMAN_ASSIGN(value, context.Insert(position, FindOp(**move)->Label(), operands,
                                          {attributes.begin(), attributes.end()}));
  }
  return value;
}

// The feature that each row of a matrix takes, which has one 1 and else zeros; nullopt if one
// computes more.
std::optional<Features> FeaturesOfRows(const Tensor& weights, const Features& features) {
  const std::int64_t columns = weights.sizes().back();
  Features of_rows;
  for (std::int64_t at = 0; at < weights.size(); at += columns) {
    std::optional<std::int64_t> found;
    for (std::int64_t i = 0; i < columns; ++i) {
      const double number = weights.FloatAt(at + i);
      if (number == 0) continue;
      if (number != 1 || found) return std::nullopt;
      found = features[static_cast<std::size_t>(i)];
    }
    if (!found) return std::nullopt;
    of_rows.push_back(*found);
  }
  return of_rows;
}

// Rows `indices` of a matrix, or elements of a vector, as a tensor of sizes `sizes`.
Tensor Chosen(const Tensor& from, const Features& indices, std::vector<std::int64_t> sizes) {
  const std::string_view bytes = AsText(from.bytes());
  const std::size_t row = bytes.size() / static_cast<std::size_t>(from.sizes().front());
  std::string rows;
  for (std::int64_t i : indices) rows += bytes.substr(static_cast<std::size_t>(i) * row, row);
  return Tensor::Make(from.dtype(), std::move(sizes), Buffer::Own(std::move(rows))).value();
}

// The biases of an operator, (directions, 2 · rows): its own `old`, if there are any, and those
// that come to the inputs, (directions, rows). A row's own bias moves to that of the state if there
// is none. nullopt: biases would have to be added.
std::optional<Tensor> Biases(const Node& node, const Tensor* old, const Tensor& added) {
  const std::int64_t rows = added.sizes()[1];
  const bool resets = node.Is("GRU") && IntAttribute(node, "linear_before_reset") != 0;
  const std::int64_t first_scaled = resets ? rows / 3 * 2 : rows;  // by the reset gate
  const std::string_view fresh = AsText(added.bytes());
  const std::size_t element = fresh.size() / static_cast<std::size_t>(added.size());
  const auto at = [&](std::string_view bytes, std::int64_t i) {
    return bytes.substr(static_cast<std::size_t>(i) * element, element);
  };
  std::string bytes;
  for (std::int64_t direction = 0; direction < added.sizes()[0]; ++direction) {
    std::string of_inputs, of_states;
    for (std::int64_t row = 0; row < rows; ++row) {
      of_inputs += at(fresh, direction * rows + row);
      if (old == nullptr) {
        of_states.append(element, '\0');
        continue;
      }
      const std::int64_t own = 2 * direction * rows + row;
      const bool moves = old->FloatAt(own) != 0;
      if (moves && (row >= first_scaled || old->FloatAt(own + rows) != 0)) return std::nullopt;
      of_states += at(AsText(old->bytes()), moves ? own : own + rows);
    }
    bytes += of_inputs + of_states;
  }
  return Tensor::Make(added.dtype(), {added.sizes()[0], 2 * rows}, Buffer::Own(std::move(bytes)))
      .value();
}

Result<bool> TakeProjection(Node& node, PassContext& context) {
  const Tensor* weights = ConstantOf(node.operand(kInputWeights));
  if (weights == nullptr || weights->rank() != 3 || weights->size() == 0) return false;
  const auto found = FindProjection(node, context);
  if (!found) return false;
  const auto rows = FeaturesOfRows(*weights, found->features);
  const Tensor& matrix = *found->linear->operand(1)->tensor();
  if (!rows || matrix.dtype() != weights->dtype()) return false;
  const std::int64_t directions = weights->sizes()[0], count = weights->sizes()[1];
  Value* bias = node.operand(kBias);
  if (const Value* added = found->linear->operand(2)) {
    if (bias != nullptr && ConstantOf(bias) == nullptr) return false;
    const auto both =
        Biases(node, ConstantOf(bias), Chosen(*added->tensor(), *rows, {directions, count}));
    if (!both) return false;
    bias = context.AddConstant(*node.graph(), *both, "B", node.origin());
  }
  if (!context.sites.Take(node)) return false;
  DRAGOMAN_ASSIGN(Value * x, InputOf(*found, node, context));
  if (x == nullptr) return false;
  Value* chosen = context.AddConstant(*node.graph(),
                                      Chosen(matrix, *rows, {directions, count, matrix.sizes()[1]}),
                                      "W", node.origin());
  std::vector<Value*> operands = {x, chosen, node.operand(kRecurrentWeights), bias};
  for (std::size_t i = operands.size(); i < node.num_operands(); ++i) {
    operands.push_back(node.operand(i));
  }
  const auto attributes = node.attributes();
  DRAGOMAN_ASSIGN(Node * whole,
                  context.InsertNode(node, FindOp(node)->Label(), operands,
                                     {attributes.begin(), attributes.end()}, node.num_results()));
  whole->set_origin(Origin::Merge(found->linear->origin(), node.origin()));
  context.Explain(node, "has the weights of the projection %" + found->linear->result()->name());
  std::vector<Value*> results;
  for (std::size_t i = 0; i < node.num_results(); ++i) results.push_back(whole->result(i));
  context.Replace(node, results);
  return true;
}

}  // namespace

Result<bool> TakeProjections(Graph& graph, PassContext& context) {
  std::vector<Node*> nodes;
  for (Node& node : graph.nodes()) {
    if (IsRecurrent(node)) nodes.push_back(&node);
  }
  bool changed = false;
  for (Node* node : nodes) {
    DRAGOMAN_ASSIGN(const bool taken, TakeProjection(*node, context));
    changed = changed || taken;
  }
  return changed;
}

}  // namespace dragoman

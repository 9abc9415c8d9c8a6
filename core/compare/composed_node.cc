// SPDX-License-Identifier: Apache-2.0
#include "core/compare/composed_node.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/compare/composed_part.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

bool IsPlain(const Value* value) {
  return value == nullptr || (value->type().is_tensor() && !IsComplex(value->type().dtype()) &&
                              value->type().dtype() != DType::kString);
}

// Whether the values around a node stay what they are, and it gives the same whenever it is run.
bool HasPlainTypes(const Node& node) {
  std::vector<const Value*> values;
  for (const Use& use : node.operands()) values.push_back(use.value());
  for (std::size_t i = 0; i < node.num_results(); ++i) values.push_back(node.result(i));
  const OpDef* def = FindOp(node);
  return def != nullptr && !def->random && !HasEffect(node) && std::ranges::all_of(values, IsPlain);
}

}  // namespace

std::optional<ComposedNode> AsComposed(const Node& node) {
  ComposedNode composed;
  composed.label = FindOp(node)->Label();
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.value.graph() != nullptr) return std::nullopt;
    composed.attributes.push_back(attribute);
  }
  for (const Use& use : node.operands()) composed.operands.push_back(use.value());
  for (std::size_t i = 0; i < node.num_results(); ++i) composed.results.push_back(node.result(i));
  return composed;
}

ComposedNode AsComposedGraph(const std::vector<const Node*>& nodes,
                             const std::vector<const Value*>& results) {
  ComposedNode composed;
  composed.label = kComposedGraph;
  composed.results = results;
  auto body = std::make_shared<Graph>();
  ValueMap map;
  for (const Node* node : nodes) {
    for (const Value* taken : TakenBy(*node)) {
      if (taken == nullptr || map.contains(taken)) continue;
      map[taken] = body->AddInput(taken->name());
      composed.operands.push_back(taken);
    }
    CloneNode(*node, *body, nullptr, map);
  }
  for (const Value* result : results) body->AddOutput(map.at(result));
  composed.attributes.emplace_back("body", Attribute(std::move(body)));
  return composed;
}

PreparedOperators::PreparedOperators(Graph& entry, bool (*changes)(const Node& node))
    : entry_(entry) {
  for (const Node& node : entry.nodes()) {
    std::optional<ComposedNode> composed =
        changes(node) && HasPlainTypes(node) ? AsComposed(node) : std::nullopt;
    if (!composed) continue;
    Place place{*std::move(composed), {}, {}};
    for (const Use& use : node.operands()) {
      const bool moves = use.value() != nullptr && !use.value()->is_constant();
      place.operands.push_back(moves ? std::optional(Track(use.value())) : std::nullopt);
    }
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      Value* result = node.result(i);
      const bool is_read = result != nullptr && result->used();
      place.results.push_back(is_read ? std::optional(Track(result)) : std::nullopt);
      if (!is_read) place.node.results[i] = nullptr;
    }
    places_.push_back(std::move(place));
  }
}

std::size_t PreparedOperators::Track(Value* value) {
  const auto [at, is_new] = outputs_.emplace(value, outputs_.size());
  if (is_new) entry_.AddOutput(value);
  return at->second;
}

std::vector<ComposedNode> PreparedOperators::Take() {
  std::vector<ComposedNode> changed;
  // A list that was an output may be several by now.
  const std::size_t first = entry_.num_outputs() - outputs_.size();
  for (Place& place : places_) {
    const auto renew = [&](const auto& outputs, auto& values) {
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i]) values[i] = entry_.output(first + *outputs[i]);
      }
    };
    renew(place.operands, place.node.operands);
    renew(place.results, place.node.results);
    const auto is_same = [&](const Value* result) {
      const Node* maker = result != nullptr ? result->producer() : nullptr;
      const OpDef* def = maker != nullptr ? FindOp(*maker) : nullptr;
      return def != nullptr && def->Label() == place.node.label &&
             std::ranges::equal(maker->operands(), place.node.operands, {}, &Use::value);
    };
    if (std::ranges::none_of(place.node.results, is_same)) changed.push_back(std::move(place.node));
  }
  while (entry_.num_outputs() > first) entry_.RemoveOutput(entry_.num_outputs() - 1);
  return changed;
}

}  // namespace dragoman

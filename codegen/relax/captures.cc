// SPDX-License-Identifier: Apache-2.0
#include <unordered_set>

#include "codegen/relax/function_writer.h"

namespace dragoman::relax {
namespace {

// Constants of at most so many integers, and all scalars, stand in the text; others are parameters.
constexpr std::int64_t kMaxInlineElements = 64;

}  // namespace

bool IsLiteral(const Value& constant) {
  const Tensor* tensor = constant.tensor();
  if (tensor == nullptr) return false;
  const bool is_small = !IsFloating(tensor->dtype()) && tensor->size() <= kMaxInlineElements;
  return (tensor->rank() == 0 || tensor->size() == 0 || is_small) && ConstText(*tensor).has_value();
}

std::vector<const Value*> CapturesOf(const Graph& body) {
  std::unordered_set<const Graph*> inside;
  std::unordered_set<const Value*> seen;
  std::vector<const Value*> captures;
  const auto read = [&](const Value* value) {
    if (value == nullptr || !seen.insert(value).second) return;
    const bool is_own = inside.contains(value->graph());
    if (value->is_constant() ? IsLiteral(*value) : is_own) return;
    captures.push_back(value);
  };
  ForEachGraph(body, [&](const Graph& graph) { inside.insert(&graph); });
  ForEachGraph(body, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (const Use& operand : node.operands()) read(operand.value());
    }
    for (const Use& output : graph.outputs()) read(output.value());
  });
  return captures;
}

}  // namespace dragoman::relax

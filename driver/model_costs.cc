// SPDX-License-Identifier: Apache-2.0
#include "driver/model_costs.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "core/analysis/multiply_adds.h"
#include "core/ops/kernel_name.h"

namespace dragoman {
namespace {

std::optional<std::int64_t> BytesOf(const Value& value) {
  if (!value.type().is_tensor()) return std::nullopt;
  const std::optional<std::int64_t> count = CountElements(&value);
  const auto each = static_cast<std::int64_t>(RuntimeBytes(value.type().dtype()));
  std::int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, each, &bytes)) return std::nullopt;
  return bytes;
}

// The number of the last node of `graph` that reads each value, itself or in a body.
std::unordered_map<const Value*, std::size_t> LastUses(const Graph& graph) {
  std::unordered_map<const Value*, std::size_t> last;
  std::size_t number = 0;
  for (const Node& node : graph.nodes()) {
    for (const Use& use : node.operands()) last[use.value()] = number;
    for (const Graph* body : node.subgraphs()) {
      ForEachGraph(*body, [&](const Graph& inner) {
        for (const Node& user : inner.nodes()) {
          for (const Use& use : user.operands()) last[use.value()] = number;
        }
        for (const Use& output : inner.outputs()) last[output.value()] = number;
      });
    }
    ++number;
  }
  for (const Use& output : graph.outputs()) last[output.value()] = number;
  return last;
}

std::optional<std::int64_t> PeakBytes(const Graph& graph) {
  const std::unordered_map<const Value*, std::size_t> last = LastUses(graph);
  std::vector<std::int64_t> freed(graph.num_nodes() + 1);  // after each node
  std::int64_t live = 0;
  std::int64_t peak = 0;
  std::size_t number = 0;
  for (const Node& node : graph.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) == nullptr) continue;
      const std::optional<std::int64_t> bytes = BytesOf(*node.result(i));
      if (!bytes || __builtin_add_overflow(live, *bytes, &live)) return std::nullopt;
      const auto end = last.find(node.result(i));
      freed[end == last.end() ? number : end->second] += *bytes;
    }
    peak = std::max(peak, live);
    live -= freed[number++];
  }
  return peak;
}

void Count(const Tensor* tensor, WeightCensus& census) {
  if (tensor == nullptr) return;
  ++census.constants;
  census.parameters += static_cast<std::uint64_t>(tensor->size());
  census.bytes += tensor->bytes().size();
}

}  // namespace

ModelCosts CostsOf(const Model& common) {
  ModelCosts costs;
  costs.multiply_adds = 0;
  ForEachGraph(common.main(), [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const std::optional<std::int64_t> count = MultiplyAdds(node);
      std::int64_t sum = 0;
      const bool known = costs.multiply_adds && count &&
                         !__builtin_add_overflow(*costs.multiply_adds, *count, &sum);
      costs.multiply_adds = known ? std::optional(sum) : std::nullopt;
    }
  });
  costs.peak_activation_bytes = PeakBytes(common.main());
  return costs;
}

WeightCensus WeightsOf(const Model& model) {
  WeightCensus census;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const auto& constant : graph.constants()) Count(constant->tensor(), census);
    for (const auto& input : graph.inputs()) {
      if (input->data() != nullptr) Count(input->data()->tensor(), census);
    }
    for (const Node& node : graph.nodes()) {
      if (node.op().type != "Constant" && node.op().type != "Const") continue;
      for (const NamedAttribute& attribute : node.attributes())
        Count(attribute.value.tensor(), census);
    }
  });
  // The weights of a TorchScript program lie in its objects.
  for (const State& state : model.states) {
    if (model.level == Level::kSource) Count(state.initial.tensor(), census);
  }
  return census;
}

}  // namespace dragoman

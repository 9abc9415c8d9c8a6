// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_census.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "core/ir/find_as.h"

namespace dragoman::cli {

Census CensusOf(const Model& model) {
  Census census;
  std::map<std::string, std::size_t> ops;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) ++ops[node.op().ToString()];
    census.nodes += graph.num_nodes();
  });
  census.weights = WeightsOf(model);
  census.ops.assign(ops.begin(), ops.end());
  std::stable_sort(census.ops.begin(), census.ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return census;
}

std::vector<Slot> ShownOutputs(const Entry& entry, const Result<Model>& lowered) {
  std::vector<Slot> outputs = OutputSlots(entry);
  const Entry* const common = lowered.ok() ? lowered->FindEntry(entry.name) : nullptr;
  if (common == nullptr) return outputs;
  const std::vector<Slot> named = OutputSlots(*common);
  for (std::size_t i = 0; named.size() == outputs.size() && i < named.size(); ++i)
    outputs[i].name = named[i].name;
  return outputs;
}

std::string WriterText(const Model& model) {
  std::string text;
  for (const char* name : {"onnx.producer_name", "onnx.producer_version"}) {
    const auto* part = FindAs<std::string>(model.extra, name);
    if (part != nullptr && !part->empty()) text += (text.empty() ? "" : " ") + *part;
  }
  if (const auto* version = FindAs<std::int64_t>(model.extra, "onnx.ir_version"))
    text += fmt::format("{}IR version {}", text.empty() ? "" : ", ", *version);
  return text;
}

}  // namespace dragoman::cli

// SPDX-License-Identifier: Apache-2.0
#include "driver/overlay.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/analysis/multiply_adds.h"
#include "core/ir/origin.h"

namespace dragoman {
namespace {

// What viewers know a node by: its name, or where it has none that of its first result.
std::string NameOf(const Node& node) {
  return node.name().empty() && node.result() != nullptr ? node.result()->name() : node.name();
}

// The nodes of the file that became `node`.
std::vector<std::string> SourcesOf(const Node& node) {
  std::vector<std::string> names;
  for (const SourceOp* op : Flatten(node.origin())) {
    if (!op->name.empty() && std::ranges::find(names, op->name) == names.end())
      names.push_back(op->name);
  }
  if (names.empty()) names.push_back(NameOf(node));
  return names;
}

// Adds the nodes of `model` by their names and those of their results; the first of a name counts.
void AddSources(const Model& model, std::map<std::string, std::vector<std::string>>& sources) {
  for (const Entry& entry : model.entries) {
    ForEachGraph(*entry.graph, [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) {
        sources.emplace(NameOf(node), SourcesOf(node));
        for (std::size_t i = 0; i < node.num_results(); ++i) {
          if (node.result(i) != nullptr) sources.emplace(node.result(i)->name(), SourcesOf(node));
        }
      }
    });
  }
}

}  // namespace

page::Heat CostsOfNodes(const Model& lowered) {
  page::Heat heat{"multiply-adds", "", {}};
  for (const Node& node : lowered.main().nodes()) {
    const std::optional<std::int64_t> count = MultiplyAdds(node);
    if (!count) return {heat.title, heat.unit, {}};
    heat.rows.push_back({NameOf(node), static_cast<double>(*count)});
  }
  return heat;
}

std::string OverlayOf(const Session& session, const Model& lowered, const page::Heat& heat,
                      bool is_of_lowered) {
  std::map<std::string, std::vector<std::string>> sources;
  if (is_of_lowered) AddSources(lowered, sources);
  Model rewritten = Clone(lowered);
  // A pass that fails leaves a model that is as good as the one before.
  if (session.Rewrite(rewritten).ok()) AddSources(rewritten, sources);
  AddSources(lowered, sources);
  std::map<std::string, double> numbers;
  for (const page::Heat::Row& row : heat.rows) {
    const auto known = sources.find(row.name);
    const std::vector<std::string> names =
        known != sources.end() ? known->second : std::vector<std::string>{row.name};
    for (const std::string& name : names)
      numbers[name] += row.number / static_cast<double>(names.size());
  }
  nlohmann::ordered_json json = {{"results", nlohmann::ordered_json::object()}};
  for (const auto& [name, number] : numbers) json["results"][name] = {{"value", number}};
  json["gradient"] = {{{"stop", 0}, {"bgColor", "#ffffff"}}, {{"stop", 1}, {"bgColor", "#d73027"}}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace dragoman

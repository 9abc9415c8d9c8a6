// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/inspect_census.h"
#include "cli/inspect_node.h"
#include "cli/report.h"
#include "core/analysis/multiply_adds.h"
#include "driver/data.h"
#include "driver/model_costs.h"
#include "driver/session.h"
#include "driver/structured_calls.h"

namespace dragoman::cli {
namespace {

nlohmann::ordered_json SlotsJson(const std::vector<Slot>& slots) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Slot& slot : slots)
    json.push_back({{"name", slot.name}, {"type", slot.type.ToString()}});
  return json;
}

// A node with what it costs; types are as far as they are known.
nlohmann::ordered_json NodeJson(const Node& node) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
  std::int64_t weights = 0;
  for (const Use& use : node.operands()) {
    const Value* value = use.value();
    inputs.push_back(value == nullptr ? "" : value->name());
    if (value != nullptr && value->is_constant() && value->tensor() != nullptr)
      weights += value->tensor()->size();
  }
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) == nullptr) continue;
    outputs.push_back(
        {{"name", node.result(i)->name()}, {"type", TypeText(node.result(i)->type())}});
  }
  nlohmann::ordered_json json = {{"name", node.name()},
                                 {"op", node.op().ToString()},
                                 {"inputs", std::move(inputs)},
                                 {"outputs", std::move(outputs)},
                                 {"weights", weights}};
  const std::optional<std::int64_t> products = MultiplyAdds(node);
  json["multiply_adds"] = products ? nlohmann::ordered_json(*products) : nullptr;
  return json;
}

}  // namespace

nlohmann::ordered_json NodesJson(const Model& model) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) nodes.push_back(NodeJson(node));
  });
  return nodes;
}

void PrintNodes(const Model& model) {
  for (const nlohmann::ordered_json& node : NodesJson(model)) {
    std::string results;
    for (const auto& result : node["outputs"]) {
      results += fmt::format("{}{}: {}", results.empty() ? "" : ", ",
                             result["name"].get_ref<const std::string&>(),
                             result["type"].get_ref<const std::string&>());
    }
    const auto weights = node["weights"].get<std::uint64_t>();
    std::string costs;
    if (weights > 0) costs += fmt::format("  {} weights", Grouped(weights));
    if (node["multiply_adds"].is_null())
      costs += "  products: sizes are missing";
    else if (const auto products = node["multiply_adds"].get<std::uint64_t>(); products > 0)
      costs += fmt::format("  {} multiply-adds", Grouped(products));
    Print("{:<24} {}{}\n", node["op"].get_ref<const std::string&>(), results, costs);
  }
}

nlohmann::ordered_json CostsJson(const Model& common) {
  const ModelCosts costs = CostsOf(common);
  nlohmann::ordered_json json;
  json["multiply_adds"] =
      costs.multiply_adds ? nlohmann::ordered_json(*costs.multiply_adds) : nullptr;
  json["peak_activation_bytes"] =
      costs.peak_activation_bytes ? nlohmann::ordered_json(*costs.peak_activation_bytes) : nullptr;
  return json;
}

nlohmann::ordered_json ModelJson(const Model& model, const Format* format,
                                 const Result<Model>& lowered, const std::vector<Answer>& answers) {
  nlohmann::ordered_json json;
  json["level"] = model.level == Level::kSource ? "source" : "common";
  json["dialect"] = model.dialect;
  for (const OpsetImport& opset : model.opsets) json["opsets"][opset.domain] = opset.version;
  for (const Entry& entry : model.entries) {
    json["entries"].push_back({{"name", entry.name},
                               {"inputs", SlotsJson(GivenSlots(format, entry))},
                               {"outputs", SlotsJson(ShownOutputs(entry, lowered))}});
  }
  for (const State& state : model.states) {
    json["states"].push_back({{"name", state.name}, {"type", state.type.ToString()}});
  }
  const Census census = CensusOf(model);
  json["nodes"] = census.nodes;
  for (const auto& [op, count] : census.ops) json["ops"][op] = count;
  json["constants"] = census.weights.constants;
  json["parameters"] = census.weights.parameters;
  json["weight_bytes"] = census.weights.bytes;
  json["written_by"] = WriterText(model);
  json["absent_weights"] = CountAbsentWeights(model);
  if (format != nullptr && format->missing_files != nullptr) {
    for (const MissingFile& file : format->missing_files(model)) {
      json["missing_files"].push_back(
          {{"name", file.name}, {"bytes", file.bytes}, {"constants", file.constants}});
    }
  }
  for (const Answer& answer : answers) json["targets"][answer.target] = AnswerJson(answer);
  return json;
}

}  // namespace dragoman::cli

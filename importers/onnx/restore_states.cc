// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/restore_states.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/ir/parse.h"
#include "core/ir/verify.h"
#include "core/lowering/last_states.h"
#include "core/support/text.h"
#include "proto/onnx/extra.h"

namespace dragoman {
namespace {

using onnx_extra::kStatesKey;

Error BadRecord(const std::string& what) {
  return InvalidInput("metadata entry '" + std::string(kStatesKey) + "' " + what);
}

Result<std::string> TextField(const nlohmann::json& record, const char* key) {
  const bool ok = record.is_object() && record.contains(key) && record[key].is_string();
  if (!ok) return BadRecord("has a state without text '" + std::string(key) + "'");
  return record[key].get<std::string>();
}

Result<std::string> NameField(const nlohmann::json& record, const char* key) {
  DRAGOMAN_ASSIGN(const std::string escaped, TextField(record, key));
  return Unescape(escaped);
}

std::optional<std::size_t> FindInput(const Graph& graph, std::string_view name) {
  for (std::size_t i = 0; i < graph.num_inputs(); ++i) {
    if (graph.input(i)->name() == name) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> FindOutput(const Graph& graph, std::string_view name) {
  for (std::size_t i = 0; i < graph.num_outputs(); ++i) {
    if (graph.output(i)->name() == name) return i;
  }
  return std::nullopt;
}

Status RestoreState(Model& model, const nlohmann::json& record) {
  Entry& entry = model.entries.front();
  DRAGOMAN_ASSIGN(std::string name, NameField(record, "name"));
  DRAGOMAN_ASSIGN(const std::string input_name, NameField(record, "input"));
  DRAGOMAN_ASSIGN(const std::string output_name, NameField(record, "output"));
  DRAGOMAN_ASSIGN(const std::string initial_text, TextField(record, "initial"));
  const auto input = FindInput(*entry.graph, input_name);
  const auto output = FindOutput(*entry.graph, output_name);
  if (!input) return BadRecord("names the input " + Quote(input_name) + ", which does not exist");
  if (!output)
    return BadRecord("names the output " + Quote(output_name) + ", which does not exist");
  DRAGOMAN_ASSIGN(Attribute initial, ParseAttribute(initial_text));
  entry.states.push_back({model.states.size(), *input, *output});
  model.states.push_back({std::move(name), entry.graph->input(*input)->type(), std::move(initial)});
  return {};
}

using Metadata = decltype(Model::metadata);

Metadata::const_iterator FindRecord(const Metadata& metadata) {
  return std::find_if(metadata.begin(), metadata.end(),
                      [](const auto& pair) { return pair.first == kStatesKey; });
}

}  // namespace

bool RecordsStates(const Model& model) {
  return FindRecord(model.metadata) != model.metadata.end();
}

Status RestoreStates(Model& model) {
  const auto entry = FindRecord(model.metadata);
  if (entry == model.metadata.end()) return {};
  const auto records = nlohmann::json::parse(entry->second, nullptr, /*allow_exceptions=*/false);
  if (!records.is_array()) return BadRecord("is no JSON list");
  for (const nlohmann::json& record : records) DRAGOMAN_TRY(RestoreState(model, record));
  model.metadata.erase(entry);
  PutStatesLast(model.entries.front());
  return VerifyStates(model);
}

}  // namespace dragoman

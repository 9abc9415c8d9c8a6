// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/cut.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/support/text.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/graph/called_nodes.h"
#include "importers/tensorflow/graph/entries.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "proto/tensorflow/extra.h"

namespace dragoman {
namespace {

using tf_reader::Port;

// What the entry has at present, by its call.
std::vector<Port> PresentPorts(const Node& call, std::string_view key, bool of_results) {
  const Attribute* attribute = call.attribute(key);
  const auto tensors = attribute == nullptr ? std::nullopt : tf::AsStrings(*attribute);
  std::vector<Port> ports;
  const std::size_t count = of_results ? call.num_results() : call.num_operands();
  for (std::size_t i = 0; tensors && i < tensors->size() && i < count; ++i) {
    const Value* value = of_results ? call.result(i) : call.operand(i);
    if (value != nullptr) ports.push_back({value->name(), (*tensors)[i], value->type(), {}});
  }
  return ports;
}

Result<std::vector<Port>> CutPorts(const tf::Calls& calls, const Graph& main,
                                   const std::vector<std::string>& names) {
  std::vector<Port> ports;
  for (const std::string& name : names) {
    const tf::TensorName tensor = tf::ParseTensorName(name);
    const std::vector<const Node*> path = tf::FindNode(calls, main, tensor.node);
    if (path.empty() || tensor.index >= tf::NumDataResults(*path.back())) {
      return InvalidInput("there is no tensor " + Quote(name) +
                          " in the main graph, nor in functions that it calls");
    }
    ports.push_back({name,
                     tf::FullTensorName(tensor.node, tensor.index),
                     tf_reader::StatedType(*path.back(), tensor.index),
                     {}});
  }
  return ports;
}

std::vector<std::string> TensorsOf(const std::vector<Port>& ports) {
  std::vector<std::string> tensors;
  for (const Port& port : ports) tensors.push_back(port.tensor);
  return tensors;
}

}  // namespace

Status CutTensorFlow(Model& source, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs) {
  const Function* main = tf::MainGraph(source);
  Entry& entry = source.entries.front();
  const Node* call = entry.graph->first_node();
  if (main == nullptr || call == nullptr) return InvalidInput("the model has no main graph");
  const tf::Calls calls(source);
  std::vector<Port> from = PresentPorts(*call, tf_extra::kFeeds, false);
  std::vector<Port> to = PresentPorts(*call, tf_extra::kFetches, true);
  if (!outputs.empty()) {
    DRAGOMAN_ASSIGN(to, CutPorts(calls, *main->graph, outputs));
  }
  DRAGOMAN_ASSIGN(std::vector<Port> cut, CutPorts(calls, *main->graph, inputs));
  for (Port& port : from) {
    const bool replaced = std::any_of(
        cut.begin(), cut.end(), [&](const Port& other) { return other.tensor == port.tensor; });
    if (!replaced) cut.push_back(std::move(port));
  }
  const std::set<std::string> needed =
      tf::NeededTensors(calls, *main->graph, TensorsOf(cut), TensorsOf(to));
  std::erase_if(cut, [&](const Port& port) { return !needed.contains(port.tensor); });
  Entry made = tf_reader::MakeEntry(entry.name, std::move(cut), std::move(to));
  made.graph->extra().emplace_back(std::string(tf_extra::kAssumed), true);
  entry = std::move(made);
  return {};
}

}  // namespace dragoman

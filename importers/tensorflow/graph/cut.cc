#include "importers/tensorflow/graph/cut.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/support/text.h"
#include "importers/tensorflow/graph/attr_value.h"
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

Result<std::vector<Port>> CutPorts(const tf_reader::Nodes& nodes,
                                   const std::vector<std::string>& names) {
  std::vector<Port> ports;
  for (const std::string& name : names) {
    const tf::TensorName tensor = tf::ParseTensorName(name);
    const Node* node = nodes.Find(tensor.node);
    if (node == nullptr || tensor.index >= tf::NumDataResults(*node)) {
      return InvalidInput("there is no tensor " + Quote(name) + " in the main graph");
    }
    ports.push_back({name,
                     tf::FullTensorName(tensor.node, tensor.index),
                     tf_reader::StatedType(*node, tensor.index),
                     {}});
  }
  return ports;
}

// The tensors of the main graph that `outputs` need, those of `inputs` included.
std::set<std::string> Needed(const tf_reader::Nodes& nodes, const std::vector<Port>& inputs,
                             const std::vector<Port>& outputs) {
  std::set<std::string> fed;
  for (const Port& port : inputs) fed.insert(port.tensor);
  std::set<std::string> needed;
  std::vector<const Value*> pending;
  for (const Port& port : outputs) {
    const tf::TensorName tensor = tf::ParseTensorName(port.tensor);
    if (const Node* node = nodes.Find(tensor.node)) pending.push_back(node->result(tensor.index));
  }
  std::unordered_set<const Node*> seen;
  while (!pending.empty()) {
    const Value* value = pending.back();
    pending.pop_back();
    const Node* node = value == nullptr ? nullptr : value->producer();
    if (node == nullptr) continue;
    const std::string tensor = tf::FullTensorName(node->name(), value->index());
    needed.insert(tensor);
    if (fed.contains(tensor) || !seen.insert(node).second) continue;
    for (const Use& operand : node->operands()) pending.push_back(operand.value());
  }
  return needed;
}

}  // namespace

Status CutTensorFlow(Model& source, const std::vector<std::string>& inputs,
                     const std::vector<std::string>& outputs) {
  const Function* main = tf::MainGraph(source);
  Entry& entry = source.entries.front();
  const Node* call = entry.graph->first_node();
  if (main == nullptr || call == nullptr) return InvalidInput("the model has no main graph");
  const tf_reader::Nodes nodes(*main->graph);
  std::vector<Port> from = PresentPorts(*call, tf_extra::kFeeds, false);
  std::vector<Port> to = PresentPorts(*call, tf_extra::kFetches, true);
  if (!outputs.empty()) {
    DRAGOMAN_ASSIGN(to, CutPorts(nodes, outputs));
  }
  DRAGOMAN_ASSIGN(std::vector<Port> cut, CutPorts(nodes, inputs));
  for (Port& port : from) {
    const bool replaced = std::any_of(
        cut.begin(), cut.end(), [&](const Port& other) { return other.tensor == port.tensor; });
    if (!replaced) cut.push_back(std::move(port));
  }
  const std::set<std::string> needed = Needed(nodes, cut, to);
  std::erase_if(cut, [&](const Port& port) { return !needed.contains(port.tensor); });
  Entry made = tf_reader::MakeEntry(entry.name, std::move(cut), std::move(to));
  made.graph->extra().emplace_back(std::string(tf_extra::kAssumed), true);
  entry = std::move(made);
  return {};
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "exporters/dot/write_model.h"

#include <unordered_map>
#include <vector>

#include "core/ir/print.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

constexpr std::int64_t kShownElements = 4;
constexpr std::size_t kShownAttribute = 40;

class DotPrinter {
 public:
  std::string Print(const Model& model);

 private:
  void PrintGraph(const Graph& graph, const std::string& label);
  void PrintNode(const Node& node);
  void PrintEdges(const Graph& graph);
  void PrintSource(const Value& value, std::string_view shape);
  void PrintEdge(const Value& value, const std::string& to);
  void Line(const std::string& text) { out_ += std::string(2 * indent_, ' ') + text + "\n"; }
  // The box that a value comes from.
  std::string BoxOf(const Value& value) const;

  std::string out_;
  std::size_t indent_ = 0;
  std::size_t clusters_ = 0;
  // Numbers of the boxes of nodes, inputs and constants, and of outputs by their Use.
  std::unordered_map<const void*, std::size_t> boxes_;
};

std::string Label(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\\n") + Escape(line);
  return "\"" + text + "\"";
}

std::string ShortAttribute(const NamedAttribute& attribute) {
  std::string text = PrintAttribute(
      attribute.value,
      {.inline_elements = kShownElements, .store = [](const Tensor&) { return kElided; }});
  if (text.size() > kShownAttribute) text = kElided;
  return attribute.name + " = " + text;
}

std::string DotPrinter::Print(const Model& model) {
  Line("digraph model {");
  ++indent_;
  Line("compound = true;");
  Line("node [shape = box];");
  for (const Entry& entry : model.entries) PrintGraph(*entry.graph, "entry " + entry.name);
  for (const Function& function : model.functions) {
    PrintGraph(*function.graph, "function " + function.op->ToString());
  }
  // Edges come last: a value may be used before it is defined.
  ForEachGraph(model, [this](const Graph& graph) { PrintEdges(graph); });
  --indent_;
  Line("}");
  return std::move(out_);
}

// Recursive: graphs nest at most kMaxGraphNesting deep.
void DotPrinter::PrintGraph(const Graph& graph, const std::string& label) {
  Line("subgraph cluster_" + std::to_string(clusters_++) + " {");
  ++indent_;
  Line("label = " + Label({label}) + ";");
  for (const auto& input : graph.inputs()) PrintSource(*input, "ellipse");
  for (const auto& constant : graph.constants()) PrintSource(*constant, "note");
  for (const Node& node : graph.nodes()) PrintNode(node);
  for (const Use& output : graph.outputs()) {
    const std::size_t number = boxes_.emplace(&output, boxes_.size()).first->second;
    const std::string name = output.value() != nullptr ? output.value()->name() : "";
    Line("n" + std::to_string(number) + " [shape = ellipse, label = " + Label({"output " + name}) +
         "];");
  }
  --indent_;
  Line("}");
}

void DotPrinter::PrintSource(const Value& value, std::string_view shape) {
  std::vector<std::string> lines = {"%" + value.name(), value.type().ToString()};
  const Tensor* tensor = value.tensor();
  if (tensor != nullptr && tensor->size() <= kShownElements) lines[1] = PrintAttribute(*tensor);
  const std::size_t number = boxes_.emplace(&value, boxes_.size()).first->second;
  Line("n" + std::to_string(number) + " [shape = " + std::string(shape) +
       ", label = " + Label(lines) + "];");
}

void DotPrinter::PrintNode(const Node& node) {
  std::vector<std::string> lines = {node.op().ToString()};
  if (!node.name().empty()) lines.push_back(node.name());
  for (const NamedAttribute& attribute : node.attributes()) {
    const bool is_graph =
        attribute.value.graph() != nullptr || attribute.value.As<Attribute::Graphs>() != nullptr;
    if (!is_graph) lines.push_back(ShortAttribute(attribute));
  }
  const std::size_t number = boxes_.emplace(&node, boxes_.size()).first->second;
  Line("n" + std::to_string(number) + " [label = " + Label(lines) + "];");
  for (const Graph* subgraph : node.subgraphs()) {
    PrintGraph(*subgraph, "graph " + subgraph->name() + " of n" + std::to_string(number));
  }
}

std::string DotPrinter::BoxOf(const Value& value) const {
  const void* box =
      value.producer() != nullptr ? static_cast<const void*>(value.producer()) : &value;
  return "n" + std::to_string(boxes_.at(box));
}

void DotPrinter::PrintEdge(const Value& value, const std::string& to) {
  const std::string type = value.kind() == Value::Kind::kResult ? value.type().ToString() : "";
  Line(BoxOf(value) + " -> " + to + (type.empty() ? "" : " [label = " + Label({type}) + "]") + ";");
}

void DotPrinter::PrintEdges(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    for (const Use& operand : node.operands()) {
      if (operand.value() != nullptr)
        PrintEdge(*operand.value(), "n" + std::to_string(boxes_.at(&node)));
    }
  }
  for (const Use& output : graph.outputs()) {
    if (output.value() != nullptr)
      PrintEdge(*output.value(), "n" + std::to_string(boxes_.at(&output)));
  }
}

}  // namespace

std::string PrintDot(const Model& model) { return DotPrinter().Print(model); }

}  // namespace dragoman

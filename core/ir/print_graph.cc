// SPDX-License-Identifier: Apache-2.0
// Graphs, nodes and values of the text form.
#include "core/ir/for_each_value.h"
#include "core/ir/text_printer.h"
#include "core/ir/text_scanner.h"

namespace dragoman {
namespace {

// The type of such a result stands in the signature: at the first output that it is.
bool IsTypedBySignature(const Value& value, const Graph& graph) {
  if (value.kind() != Value::Kind::kResult || value.graph() != &graph) return false;
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr && use->graph() == &graph) return true;
  }
  return false;
}

}  // namespace

void TextPrinter::NewLine() {
  out_ += '\n';
  out_.append(indent_ * 2, ' ');
}

// The second visible value of a name is printed as %name~1.
void TextPrinter::NameValues(const Graph& graph) {
  ForEachValue(graph, [this](const Value& value) {
    const std::uint32_t ordinal = counts_[value.name()]++;
    if (ordinal > 0) ordinals_[&value] = ordinal;
  });
}

void TextPrinter::ForgetNames(const Graph& graph) {
  ForEachValue(graph, [this](const Value& value) { --counts_[value.name()]; });
}

void TextPrinter::PrintReference(const Value* value) {
  if (value == nullptr) {
    out_ += '_';
    return;
  }
  const auto found = ordinals_.find(value);
  const std::uint32_t ordinal = found == ordinals_.end() ? 0 : found->second;
  out_ += '%';
  if (!value->name().empty()) out_ += FormatName(value->name());
  if (ordinal > 0 || value->name().empty()) out_ += "~" + std::to_string(ordinal);
}

void TextPrinter::PrintOrigin(const Origin* origin) {
  if (origin == nullptr || origins_ == nullptr) return;
  out_ += " !" + std::to_string(origins_->IndexOf(*origin));
}

// An input or a constant.
void TextPrinter::PrintDefinition(const Value& value) {
  PrintReference(&value);
  if (value.type().known()) out_ += ": " + value.type().ToString();
  if (value.data() != nullptr) {
    out_ += " = ";
    const Tensor* tensor = value.tensor();
    const bool typed =
        tensor == nullptr || tensor->dtype() == DType::kUnknown || tensor->type() != value.type();
    if (typed) {
      const bool is_tensor = tensor != nullptr || value.sparse_tensor() != nullptr;
      if (!is_tensor) out_ += "value ";
      PrintValueOf(*value.data());
    } else {
      PrintTensorBody(*tensor);
    }
  }
  PrintOrigin(OwnOrigin(value));
  PrintExtra(" ", value.extra_if_any());
}

void TextPrinter::PrintSignature(const Graph& graph) {
  out_ += '(';
  for (const auto& input : graph.inputs()) {
    if (input->index() > 0) out_ += ", ";
    PrintDefinition(*input);
  }
  out_ += ") -> (";
  for (const Use& output : graph.outputs()) {
    if (output.index() > 0) out_ += ", ";
    PrintReference(output.value());
    const Value* value = output.value();
    const bool typed =
        value != nullptr && value->type().known() && IsTypedBySignature(*value, graph);
    if (typed) out_ += ": " + value->type().ToString();
  }
  out_ += ')';
}

void TextPrinter::PrintSubgraph(const Graph& graph) {
  out_ += "graph";
  if (!graph.name().empty()) out_ += " " + FormatName(graph.name());
  NameValues(graph);
  PrintSignature(graph);
  PrintBody(graph);
  ForgetNames(graph);
}

void TextPrinter::PrintBody(const Graph& graph) {
  const bool has_extra = graph.extra_if_any() != nullptr && !graph.extra_if_any()->empty();
  if (!has_extra && graph.constants().empty() && graph.num_nodes() == 0) {
    out_ += " {}";
    return;
  }
  out_ += " {";
  ++indent_;
  if (has_extra) {
    NewLine();
    PrintExtra("", graph.extra_if_any());
  }
  for (const auto& constant : graph.constants()) {
    NewLine();
    out_ += "const ";
    PrintDefinition(*constant);
  }
  for (const Node& node : graph.nodes()) {
    NewLine();
    PrintNode(node);
  }
  --indent_;
  NewLine();
  out_ += '}';
}

void TextPrinter::PrintResults(const Node& node) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (i > 0) out_ += ", ";
    const Value* result = node.result(i);
    PrintReference(result);
    if (result == nullptr) continue;
    const bool typed = result->type().known() && !IsTypedBySignature(*result, *node.graph());
    if (typed) out_ += ": " + result->type().ToString();
    PrintOrigin(OwnOrigin(*result));
    PrintExtra(" ", result->extra_if_any());
  }
  if (node.num_results() > 0) out_ += " = ";
}

void TextPrinter::PrintNode(const Node& node) {
  PrintResults(node);
  out_ += node.op().ToString() + "(";
  for (const Use& operand : node.operands()) {
    if (operand.index() > 0) out_ += ", ";
    PrintReference(operand.value());
  }
  out_ += ')';
  if (!node.attributes().empty()) {
    out_ += ' ';
    PrintAttributes(node.attributes());
  }
  if (!node.name().empty()) out_ += " @" + FormatName(node.name());
  PrintOrigin(node.origin().get());
  PrintExtra(" ", node.extra_if_any());
}

}  // namespace dragoman

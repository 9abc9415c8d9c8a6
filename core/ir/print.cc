// SPDX-License-Identifier: Apache-2.0
#include "core/ir/print.h"

#include "core/ir/text_printer.h"
#include "core/ir/text_scanner.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

bool IsLeaf(const Structure& s) {
  return s.kind == Structure::Kind::kTensor || s.kind == Structure::Kind::kScalar;
}

}  // namespace

void TextPrinter::PrintModel(const Model& model) {
  out_ += "dragoman 1 ";
  out_ += model.level == Level::kSource ? "source " : "common ";
  out_ += FormatKey(model.dialect);
  for (const OpsetImport& opset : model.opsets) {
    NewLine();
    out_ += "opset ";
    PrintOpset(opset);
  }
  for (const auto& [key, value] : model.metadata) {
    NewLine();
    out_ += "metadata " + Quote(key) + " = " + Quote(value);
  }
  if (!model.extra.empty()) {
    NewLine();
    PrintExtra("", &model.extra);
  }
  for (const State& state : model.states) {
    NewLine();
    out_ += "state " + FormatKey(state.name);
    if (state.type.known()) out_ += ": " + state.type.ToString();
    out_ += " = ";
    PrintValueOf(state.initial);
  }
  for (const Entry& entry : model.entries) PrintEntry(entry);
  for (const Function& function : model.functions) PrintFunction(function);
  PrintOrigins();
  NewLine();
}

void TextPrinter::PrintOpset(const OpsetImport& opset) {
  out_ += Quote(opset.domain) + " " + std::to_string(opset.version);
}

void TextPrinter::PrintEntry(const Entry& entry) {
  NewLine();
  NewLine();
  out_ += "entry " + FormatKey(entry.name);
  if (entry.graph->name() != entry.name) out_ += " @" + FormatName(entry.graph->name());
  NameValues(*entry.graph);
  PrintSignature(*entry.graph);
  indent_ += 2;
  PrintStructures("arguments", entry.arguments);
  PrintStructures("results", entry.results);
  for (const StateBinding& binding : entry.states) {
    NewLine();
    out_ += "state " + std::to_string(binding.state) + " input " + std::to_string(binding.input) +
            " -> output " + std::to_string(binding.output);
  }
  indent_ -= 2;
  PrintBody(*entry.graph);
  ForgetNames(*entry.graph);
}

void TextPrinter::PrintFunction(const Function& function) {
  NewLine();
  NewLine();
  out_ += "function " + function.op->ToString();
  if (function.graph->name() != function.op->type)
    out_ += " @" + FormatName(function.graph->name());
  NameValues(*function.graph);
  PrintSignature(*function.graph);
  indent_ += 2;
  for (const OpsetImport& opset : function.opsets) {
    NewLine();
    out_ += "opset ";
    PrintOpset(opset);
  }
  if (!function.attributes.empty()) {
    NewLine();
    out_ += "attributes ";
    Print(function.attributes);
  }
  if (!function.defaults.empty()) {
    NewLine();
    out_ += "defaults ";
    PrintAttributes(function.defaults);
  }
  if (!function.extra.empty()) {
    NewLine();
    PrintExtra("", &function.extra);
  }
  indent_ -= 2;
  PrintBody(*function.graph);
  ForgetNames(*function.graph);
}

void TextPrinter::PrintStructures(std::string_view clause,
                                  const std::vector<Structure>& structures) {
  if (structures.empty()) return;
  NewLine();
  out_ += clause;
  out_ += " (";
  for (const Structure& structure : structures) {
    if (&structure != structures.data()) out_ += ", ";
    PrintStructure(structure);
  }
  out_ += ')';
}

// Recursive: readers bound the nesting of structures.
void TextPrinter::PrintStructure(const Structure& structure) {
  if (!structure.name.empty()) out_ += FormatKey(structure.name) + ": ";
  out_ += kStructureNames[static_cast<std::size_t>(structure.kind)];
  if (IsLeaf(structure) || structure.index != 0) out_ += " " + std::to_string(structure.index);
  if (IsLeaf(structure) && structure.children.empty()) return;
  out_ += " (";
  for (const Structure& child : structure.children) {
    if (&child != structure.children.data()) out_ += ", ";
    PrintStructure(child);
  }
  out_ += ')';
}

void TextPrinter::PrintOrigins() {
  if (origins_ == nullptr || origins_->origins().empty()) return;
  NewLine();
  NewLine();
  out_ += "origins {";
  ++indent_;
  for (const Origin* origin : origins_->origins()) {
    NewLine();
    out_ += "!" + std::to_string(origins_->IndexOf(*origin)) + " = ";
    if (const SourceOp* op = origin->leaf()) {
      out_ += Quote(op->op);
      if (!op->name.empty()) out_ += " @" + FormatName(op->name);
      if (!op->scope.empty()) out_ += " scope " + Quote(op->scope);
      if (!op->location.empty()) out_ += " at " + Quote(op->location);
      if (!op->attributes.empty()) {
        out_ += ' ';
        PrintAttributes(op->attributes);
      }
      continue;
    }
    bool first = true;
    for (const OriginPtr& part : origin->parts()) {
      out_ += (first ? "!" : " + !") + std::to_string(origins_->IndexOf(*part));
      first = false;
    }
  }
  --indent_;
  NewLine();
  out_ += '}';
}

std::string PrintText(const Model& model, const PrintOptions& options) {
  std::optional<OriginTable> origins;
  if (options.origins) origins.emplace(model);
  TextPrinter printer(options, origins ? &*origins : nullptr);
  printer.PrintModel(model);
  return printer.Take();
}

std::string PrintGraph(const Graph& graph, const PrintOptions& options) {
  TextPrinter printer(options, nullptr);
  printer.PrintSubgraph(graph);
  return printer.Take() + "\n";
}

std::string PrintAttribute(const Attribute& attribute, const PrintOptions& options) {
  TextPrinter printer(options, nullptr);
  printer.PrintValueOf(attribute);
  return printer.Take();
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/composed.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/find_as.h"
#include "importers/torch/export_archive/graph_reader.h"
#include "importers/torch/export_archive/json.h"
#include "importers/torch/export_archive/script_writer.h"
#include "importers/torch/schema/schema.h"

namespace dragoman::torch {
namespace {

std::vector<std::string> TextsOf(const Json& remark, const char* key) {
  std::vector<std::string> texts;
  const Json* list = FindMember(remark, key);
  if (list == nullptr || !list->is_array()) return texts;
  for (const Json& text : *list) texts.push_back(text.is_string() ? text.get<std::string>() : "");
  return texts;
}

std::optional<ComposedText> RemarkOf(const Node& node) {
  const Attribute::Dict* metadata =
      FindAs<Attribute::Dict>(FindAs<Attribute::Dict>(node.extra_if_any(), "pt2.node"), "metadata");
  const auto* text = FindAs<std::string>(metadata, "custom");
  if (text == nullptr || text->find("\"operator\"") == std::string::npos) return std::nullopt;
  const Result<Json> parsed = ParseJson(*text);
  const Json* remark = parsed.ok() ? FindMember(*parsed, "operator") : nullptr;
  if (remark == nullptr || !remark->is_object()) return std::nullopt;
  return ComposedText{TextsOf(*remark, "results"), TextMember(*remark, "type"),
                      TextsOf(*remark, "operands"), TextMember(*remark, "attributes"),
                      TextMember(*remark, "digest")};
}

std::vector<ComposedRemark> RemarksOf(const Graph& graph) {
  std::vector<ComposedText> texts;
  for (const Node& node : graph.nodes()) {
    if (std::optional<ComposedText> text = RemarkOf(node)) texts.push_back(*std::move(text));
  }
  return ResolveRemarks(graph, texts);
}

// Which arguments are given by name.
std::optional<std::string> KeywordsOf(const Node& node) {
  std::string keywords;
  for (const NamedAttribute& argument : node.attributes())
    keywords += IsKeyword(argument) ? 'k' : 'p';
  return keywords;
}

// Argument `index` of a node: a literal, or the operand that it names.
struct SizeArgument {
  const Value* value = nullptr;
  std::optional<std::int64_t> literal;
};

SizeArgument ArgumentAt(const Node& node, std::size_t index) {
  const Attribute* said = ArgumentOf(node, index);
  const auto* literal = said != nullptr ? said->As<std::int64_t>() : nullptr;
  if (literal != nullptr) return {nullptr, *literal};
  const auto* tagged = said != nullptr ? said->As<Attribute::Dict>() : nullptr;
  if (tagged != nullptr) said = Find(*tagged, "as_sym_int");
  const std::optional<std::size_t> place = said != nullptr ? IndexOf(*said) : std::nullopt;
  return {place && *place < node.num_operands() ? node.operand(*place) : nullptr, std::nullopt};
}

// Of inputs of the entry, the types of which bind symbols; other types only follow.
Dim SizeOfEntry(const SizeArgument& tensor, const SizeArgument& axis) {
  const Value* input = tensor.value;
  if (input == nullptr || !axis.literal || input->producer() != nullptr ||
      input->graph()->parent() != nullptr || input->type().shape() == nullptr)
    return Dim::Unknown();
  const Shape& shape = *input->type().shape();
  const bool is_there = *axis.literal >= 0 && std::cmp_less(*axis.literal, shape.size());
  return is_there ? shape[static_cast<std::size_t>(*axis.literal)] : Dim::Unknown();
}

// What the nodes compute, whatever the archive states beside them. Unknown after `budget` nodes.
Dim ComputedSize(const SizeArgument& argument, int& budget) {
  if (argument.literal) return *argument.literal;
  const Node* node = argument.value != nullptr ? argument.value->producer() : nullptr;
  if (node == nullptr || node->attributes().size() != 2 || --budget < 0) return Dim::Unknown();
  const OpName& op = node->op();
  const SizeArgument first = ArgumentAt(*node, 0), second = ArgumentAt(*node, 1);
  if (op.dialect == "aten" && op.type == "sym_size") return SizeOfEntry(first, second);
  if (op.dialect != "_operator") return Dim::Unknown();
  const Dim a = ComputedSize(first, budget), b = ComputedSize(second, budget);
  if (op.type == "add") return a + b;
  if (op.type == "sub") return a - b;
  if (op.type == "mul") return a * b;
  if (op.type == "floordiv") return FloorDiv(a, b);
  if (op.type == "mod") return Mod(a, b);
  return Dim::Unknown();
}

// Sizes that data decide, "u0", stand for nothing but the nodes that give them.
std::optional<std::string> SizeOf(const Value& value) {
  int budget = 64;
  const Dim size = ComputedSize({&value, std::nullopt}, budget);
  const std::vector<std::string> symbols = size.Symbols();
  const bool is_of_inputs = !symbols.empty() && std::ranges::none_of(symbols, [](const auto& name) {
    return name.starts_with('u');
  });
  return is_of_inputs ? std::optional(size.ToString()) : std::nullopt;
}

bool WritesInPlace(const Node& node, SchemaTable& schemas) {
  const OpName& op = node.op();
  const Schema* schema =
      schemas.Find(op.dialect, op.type, op.overload == "default" ? "" : op.overload);
  if (schema == nullptr) return op.type.ends_with('_');
  return std::ranges::any_of(schema->arguments, &SchemaArgument::mutated);
}

bool IsMapped(const Node& node) { return node.op().dialect.starts_with("torch._functorch"); }

}  // namespace

ComposedNodes FindComposed(const Model& source) {
  ComposedNodes found;
  SchemaTable schemas;
  bool may_hold = true;
  ForEachGraph(source, [&](const Graph& graph) {
    for (const Node& node : graph.nodes())
      may_hold = may_hold && !IsMapped(node) && !WritesInPlace(node, schemas);
  });
  if (!may_hold) return found;
  const auto does_no_more = [](const ComposedOperator&, const Node&) { return false; };
  ForEachGraph(source, [&](const Graph& graph) {
    AddComposed(graph, RemarksOf(graph), KeywordsOf, does_no_more, found, SizeOf);
  });
  return found;
}

Result<std::map<std::string, std::string>> DigestsOfRemarks(
    const std::string& program,
    const std::function<const Tensor*(const std::string& placeholder)>& weight) {
  DRAGOMAN_ASSIGN(const Json json, ParseJson(program));
  Graph graph;
  GraphReader reader(graph, 0);
  DRAGOMAN_TRY(reader.Read(
      json["graph_module"]["graph"], [&](std::size_t, const std::string& name) -> Result<Value*> {
        const Tensor* tensor = weight(name);
        return tensor != nullptr ? graph.AddConstant(name, *tensor) : graph.AddInput(name);
      }));
  std::map<std::string, std::string> digests;
  ForEachGraph(std::as_const(graph), [&](const Graph& each) {
    for (const ComposedRemark& remark : RemarksOf(each)) {
      const auto first = std::ranges::find_if(remark.op.results,
                                              [](const Value* value) { return value != nullptr; });
      if (first == remark.op.results.end()) continue;
      digests[(*first)->name()] = DigestOfRemark(remark, KeywordsOf, SizeOf);
    }
  });
  return digests;
}

}  // namespace dragoman::torch

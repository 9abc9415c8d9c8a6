// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/composed.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/torch/export_archive/graph_reader.h"
#include "importers/torch/export_archive/json.h"
#include "importers/torch/export_archive/script_writer.h"
#include "importers/torch/export_archive/size_expression.h"
#include "importers/torch/schema/schema.h"

namespace dragoman::torch {
namespace {

const Attribute::Dict* Member(const Attribute::Dict* dict, std::string_view name) {
  const Attribute* found = dict != nullptr ? Find(*dict, name) : nullptr;
  return found != nullptr ? found->As<Attribute::Dict>() : nullptr;
}

const Attribute::Dict* ExtraOf(const Extra* extra, std::string_view key) {
  const Attribute* found = extra != nullptr ? Find(*extra, key) : nullptr;
  return found != nullptr ? found->As<Attribute::Dict>() : nullptr;
}

std::vector<std::string> TextsOf(const Json& remark, const char* key) {
  std::vector<std::string> texts;
  const Json* list = FindMember(remark, key);
  if (list == nullptr || !list->is_array()) return texts;
  for (const Json& text : *list) texts.push_back(text.is_string() ? text.get<std::string>() : "");
  return texts;
}

std::optional<ComposedText> RemarkOf(const Node& node) {
  const Attribute::Dict* metadata = Member(ExtraOf(node.extra_if_any(), "pt2.node"), "metadata");
  const Attribute* custom = metadata != nullptr ? Find(*metadata, "custom") : nullptr;
  const auto* text = custom != nullptr ? custom->As<std::string>() : nullptr;
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

// Sizes that data decide, "u0", stand for nothing but the nodes that give them.
std::optional<std::string> SizeOf(const Value& value) {
  const Attribute::Dict* said =
      Member(ExtraOf(value.extra_if_any(), "pt2.sym_int_values"), "as_expr");
  const Attribute* text = said != nullptr ? Find(*said, "expr_str") : nullptr;
  if (text == nullptr || text->As<std::string>() == nullptr) return std::nullopt;
  const Result<Dim> size = ParseSizeExpression(*text->As<std::string>());
  if (!size.ok()) return std::nullopt;
  const std::vector<std::string> symbols = size->Symbols();
  const bool is_of_inputs = !symbols.empty() && std::ranges::none_of(symbols, [](const auto& name) {
    return name.starts_with('u');
  });
  return is_of_inputs ? std::optional(size->ToString()) : std::nullopt;
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

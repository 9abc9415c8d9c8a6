// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_node.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/report.h"
#include "core/analysis/multiply_adds.h"
#include "core/ir/print.h"
#include "core/support/text.h"
#include "driver/given_names.h"

namespace dragoman::cli {
namespace {

using Json = nlohmann::ordered_json;
using Nodes = std::vector<const Node*>;

constexpr std::size_t kMaxUsers = 12;
constexpr std::size_t kMaxText = 60;  // of an attribute

// "onnx.Conv '/0/Conv'"
std::string NodeText(const Node& node) {
  return node.name().empty() ? node.op().ToString()
                             : node.op().ToString() + " '" + node.name() + "'";
}

std::string SourceText(const Value& value) {
  if (value.is_constant()) return "a constant";
  return value.producer() != nullptr ? NodeText(*value.producer()) : "an input";
}

std::string UserText(const Use& use) {
  if (use.user() != nullptr) return NodeText(*use.user());
  return "output " + std::to_string(use.index());
}

// `text`, or as many whole characters of it as there is room for.
std::string Shortened(const std::string& text) {
  if (text.size() <= kMaxText) return text;
  std::string_view rest = text;
  while (text.size() - rest.size() < kMaxText)
    rest.remove_prefix(std::max(Utf8Length(rest), std::size_t{1}));
  return text.substr(0, text.size() - rest.size()) + "…";
}

std::string AttributeText(const NamedAttribute& attribute) {
  if (attribute.value.graph() != nullptr) return attribute.name + " = a body";
  return attribute.name + " = " + Shortened(PrintAttribute(attribute.value));
}

std::string OriginText(const SourceOp& source) {
  std::string text = source.op;
  if (!source.name.empty()) text += " '" + source.name + "'";
  if (!source.scope.empty()) text += " in " + source.scope;
  if (!source.location.empty()) text += " at " + source.location;
  return text;
}

Json OperandsJson(const Node& node) {
  Json operands = Json::array();
  for (const Use& use : node.operands()) {
    const Value* value = use.value();
    if (value == nullptr) {
      operands.push_back(nullptr);
      continue;
    }
    operands.push_back(
        {{"name", value->name()}, {"type", TypeText(value->type())}, {"from", SourceText(*value)}});
  }
  return operands;
}

Json ResultsJson(const Node& node) {
  Json results = Json::array();
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* value = node.result(i);
    if (value == nullptr) {
      results.push_back(nullptr);
      continue;
    }
    Json users = Json::array();
    for (const Use* use = value->first_use(); use != nullptr; use = use->next())
      users.push_back(UserText(*use));
    std::reverse(users.begin(), users.end());
    results.push_back(
        {{"name", value->name()}, {"type", TypeText(value->type())}, {"users", users}});
  }
  return results;
}

Json WholeNodeJson(const Node& node) {
  Json json = {{"name", node.name()},
               {"op", node.op().ToString()},
               {"operands", OperandsJson(node)},
               {"attributes", Json::array()},
               {"results", ResultsJson(node)},
               {"origins", Json::array()}};
  for (const NamedAttribute& attribute : node.attributes())
    json["attributes"].push_back(AttributeText(attribute));
  for (const SourceOp* source : Flatten(node.origin()))
    json["origins"].push_back(OriginText(*source));
  const std::optional<std::int64_t> products = MultiplyAdds(node);
  json["multiply_adds"] = products ? Json(*products) : nullptr;
  return json;
}

void PrintRow(std::string_view label, std::string_view text) {
  Print("  {:<11} {}\n", label, text);
}

std::string TextOf(const Json& json) { return json.get<std::string>(); }

std::string UsersText(const Json& users) {
  std::string text;
  for (std::size_t i = 0; i < users.size() && i < kMaxUsers; ++i)
    text += (i == 0 ? "" : ", ") + TextOf(users[i]);
  if (users.size() > kMaxUsers) text += fmt::format(", … and {} more", users.size() - kMaxUsers);
  return text.empty() ? "nothing" : text;
}

void PrintOneNode(const Node& node) {
  const Json json = WholeNodeJson(node);
  Print("{}\n", NodeText(node));
  std::string_view label = "operands";
  for (const Json& operand : json["operands"]) {
    PrintRow(std::exchange(label, ""),
             operand.is_null() ? "(left out)"
                               : fmt::format("{}: {} from {}", TextOf(operand["name"]),
                                             TextOf(operand["type"]), TextOf(operand["from"])));
  }
  label = "attributes";
  for (const Json& attribute : json["attributes"])
    PrintRow(std::exchange(label, ""), TextOf(attribute));
  label = "results";
  for (const Json& result : json["results"]) {
    PrintRow(std::exchange(label, ""),
             result.is_null() ? "(left out)"
                              : fmt::format("{}: {} read by {}", TextOf(result["name"]),
                                            TextOf(result["type"]), UsersText(result["users"])));
  }
  label = "made of";
  for (const Json& origin : json["origins"]) PrintRow(std::exchange(label, ""), TextOf(origin));
  const Json& products = json["multiply_adds"];
  if (!products.is_null() && products.get<std::int64_t>() > 0)
    PrintRow("costs", Grouped(products.get<std::uint64_t>()) + " multiply-adds");
}

bool IsCalled(const Node& node, const std::string& name) {
  if (node.name() == name) return true;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && node.result(i)->name() == name) return true;
  }
  return false;
}

template <class Predicate>
Nodes NodesWhere(const Model& model, Predicate is_wanted) {
  Nodes nodes;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (is_wanted(node)) nodes.push_back(&node);
    }
  });
  return nodes;
}

// The nodes of `lowered` that come from `source`, which has a name.
Nodes Descendants(const Node& source, const Model& lowered) {
  if (source.name().empty()) return {};
  const std::string op = source.op().ToString();
  return NodesWhere(lowered, [&](const Node& node) {
    const std::vector<const SourceOp*> origins = Flatten(node.origin());
    return std::ranges::any_of(origins, [&](const SourceOp* origin) {
      return origin->name == source.name() && origin->op == op;
    });
  });
}

}  // namespace

// A type as people read it: scalars of a source dialect by their own names.
std::string TypeText(const Type& type) {
  std::string text = type.ToString();
  constexpr std::string_view kOpaque = "opaque<\"torch\", \"";
  for (std::size_t at = text.find(kOpaque); at != std::string::npos; at = text.find(kOpaque, at)) {
    const std::size_t end = text.find("\">", at + kOpaque.size());
    if (end == std::string::npos) return text;
    text = text.substr(0, at) + text.substr(at + kOpaque.size(), end - at - kOpaque.size()) +
           text.substr(end + 2);
  }
  return text;
}

bool PrintNode(const std::string& given, const Model& model, const Model* lowered, bool as_json) {
  const std::string name = NameIn(model, given);
  const auto is_called = [&](const Node& node) { return IsCalled(node, name); };
  Nodes nodes = NodesWhere(model, is_called);
  Nodes made;
  if (lowered != nullptr && model.level == Level::kSource) {
    for (const Node* node : nodes) {
      const Nodes more = Descendants(*node, *lowered);
      made.insert(made.end(), more.begin(), more.end());
    }
    if (nodes.empty()) nodes = NodesWhere(*lowered, is_called);
  }
  if (as_json) {
    Json json = Json::array();
    for (const Node* node : nodes) json.push_back(WholeNodeJson(*node));
    for (const Node* node : made) json.back()["lowered"].push_back(WholeNodeJson(*node));
    if (!nodes.empty()) PrintJson(json);
    return !nodes.empty();
  }
  for (const Node* node : nodes) PrintOneNode(*node);
  if (!made.empty()) Print("\nlowered to\n");
  for (const Node* node : made) PrintOneNode(*node);
  return !nodes.empty();
}

}  // namespace dragoman::cli

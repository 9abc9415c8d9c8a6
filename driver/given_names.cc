// SPDX-License-Identifier: Apache-2.0
#include "driver/given_names.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/ir/for_each_value.h"
#include "core/ir/type_algebra.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

bool HasName(const Model& model, const std::string& name) {
  if (model.FindEntry(name) != nullptr) return true;
  bool found =
      std::ranges::any_of(model.states, [&](const State& state) { return state.name == name; });
  std::set<std::string> symbols;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) found = found || node.name() == name;
    ForEachValue(graph, [&](const Value& value) {
      found = found || value.name() == name;
      AddSymbols(value.type(), symbols);
    });
  });
  return found || symbols.contains(name);
}

}  // namespace

std::string NameIn(const Model& model, const std::string& given) {
  const bool has_escapes = given.find('\\') != std::string::npos;
  const bool has_port = given.ends_with(":0");
  if ((!has_escapes && !has_port) || HasName(model, given)) return given;
  Result<std::string> name = has_escapes ? Unescape(given) : given;
  if (!name.ok()) return given;
  const std::string node = has_port ? name->substr(0, name->size() - 2) : "";
  return has_port && HasName(model, node) ? node : *std::move(name);
}

std::vector<std::string> NamesIn(const Model& model, std::vector<std::string> given) {
  for (std::string& name : given) name = NameIn(model, name);
  return given;
}

Facts NamesIn(const Model& model, Facts given) {
  for (ShapeFact& fact : given.shapes) fact.input = NameIn(model, fact.input);
  std::map<std::string, Dim> dims;
  for (auto& [symbol, size] : given.dims) dims.emplace(NameIn(model, symbol), std::move(size));
  given.dims = std::move(dims);
  if (given.entry) given.entry = NameIn(model, *given.entry);
  return given;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "driver/given_names.h"

#include <cstddef>
#include <set>
#include <utility>

#include "core/ir/for_each_value.h"
#include "core/ir/type_algebra.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

using Names = std::set<std::string>;

// Of entries, states, nodes, values and sizes.
Names AllNames(const Model& model) {
  Names names;
  for (const Entry& entry : model.entries) names.insert(entry.name);
  for (const State& state : model.states) names.insert(state.name);
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) names.insert(node.name());
    ForEachValue(graph, [&](const Value& value) {
      names.insert(value.name());
      AddSymbols(value.type(), names);
    });
  });
  names.erase("");
  return names;
}

bool MayStandForAnother(const std::string& given) {
  return given.find('\\') != std::string::npos || given.ends_with(":0");
}

std::string NameAmong(const Names& names, const std::string& given) {
  if (!MayStandForAnother(given) || names.contains(given)) return given;
  const bool has_escapes = given.find('\\') != std::string::npos;
  const bool has_port = given.ends_with(":0");
  Result<std::string> name = has_escapes ? Unescape(given) : given;
  if (!name.ok()) return given;
  const std::string node = has_port ? name->substr(0, name->size() - 2) : "";
  return has_port && names.contains(node) ? node : *std::move(name);
}

}  // namespace

std::string NameIn(const Model& model, const std::string& given) {
  return MayStandForAnother(given) ? NameAmong(AllNames(model), given) : given;
}

std::vector<std::string> NamesIn(const Model& model, const std::vector<std::string>& given) {
  if (given.empty()) return {};
  const Names names = AllNames(model);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < given.size(); ++i) {
    // As few pieces as make a name; one that begins none stays alone.
    std::string piece = given[i];
    std::size_t last = i;
    while (!names.contains(NameAmong(names, piece)) && last + 1 < given.size())
      piece += "," + given[++last];
    std::string name = NameAmong(names, piece);
    if (!names.contains(name)) {
      if (!given[i].empty() || given.size() == 1) found.push_back(NameAmong(names, given[i]));
      continue;
    }
    // Empty pieces behind it are commas at its end, if that is a name, too.
    while (last + 1 < given.size() && given[last + 1].empty() && names.contains(name + ",")) {
      name += ",";
      ++last;
    }
    found.push_back(std::move(name));
    i = last;
  }
  return found;
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

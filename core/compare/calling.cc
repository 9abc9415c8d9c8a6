// SPDX-License-Identifier: Apache-2.0
#include "core/compare/calling.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/compare/places.h"
#include "core/ir/domain.h"
#include "core/ops/op_def.h"

namespace dragoman::compare {
namespace {

using Versions = std::map<std::string, std::int64_t>;

Versions VersionsOf(const std::vector<OpsetImport>& opsets) {
  Versions versions;
  for (const OpsetImport& opset : opsets) {
    versions.emplace(CanonicalDomain(opset.domain), opset.version);
  }
  return versions;
}

std::string Text(const Versions& versions) {
  std::string text;
  for (const auto& [domain, version] : versions) {
    text += (text.empty() ? "" : ", ") + (domain.empty() ? "ai.onnx" : domain) + " " +
            std::to_string(version);
  }
  return text;
}

std::optional<HeadDifference> CompareOpsets(const std::vector<OpsetImport>& a,
                                            const std::vector<OpsetImport>& b) {
  const Versions x = VersionsOf(a), y = VersionsOf(b);
  if (x == y) return std::nullopt;
  return HeadDifference{"versions of operator sets differ", Text(x), Text(y)};
}

// Versions of the sets from which operators come that the common dialect does not have.
Versions ForeignVersions(const Model& model) {
  Versions versions;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const std::string_view domain = CanonicalDomain(node.op().domain);
      if (domain.empty() || FindOp(node) != nullptr) continue;
      if (const auto version = model.OpsetVersion(domain))
        versions.emplace(std::string(domain), *version);
    }
  });
  return versions;
}

// A foreign operator means what the version of its set says, also where nothing else differs.
std::optional<HeadDifference> CompareForeignSets(const Model& a, const Model& b) {
  if (VersionsOf(a.opsets) == VersionsOf(b.opsets)) return std::nullopt;
  const Versions x = ForeignVersions(a), y = ForeignVersions(b);
  const bool same = std::all_of(x.begin(), x.end(), [&y](const auto& set) {
    const auto other = y.find(set.first);
    return other == y.end() || other->second == set.second;
  });
  if (same) return std::nullopt;
  return HeadDifference{"versions of operator sets differ", Text(x), Text(y)};
}

bool SameStructure(const std::vector<Structure>& a, const std::vector<Structure>& b, bool keys) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [keys](const Structure& x, const Structure& y) {
        return x.kind == y.kind && x.index == y.index && (!keys || x.name == y.name) &&
               SameStructure(x.children, y.children, x.kind == Structure::Kind::kDict);
      });
}

std::vector<StateBinding> Sorted(std::vector<StateBinding> bindings) {
  std::sort(bindings.begin(), bindings.end(), [](const StateBinding& x, const StateBinding& y) {
    return std::tie(x.state, x.input, x.output) < std::tie(y.state, y.input, y.output);
  });
  return bindings;
}

std::vector<std::string> SortedNames(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> EntryNames(const Model& model) {
  std::vector<std::string> names;
  for (const Entry& entry : model.entries) names.push_back(entry.name);
  return SortedNames(std::move(names));
}

std::vector<const NamedAttribute*> ByName(const std::vector<NamedAttribute>& attributes) {
  std::vector<const NamedAttribute*> sorted;
  for (const NamedAttribute& attribute : attributes) sorted.push_back(&attribute);
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const NamedAttribute* x, const NamedAttribute* y) { return x->name < y->name; });
  return sorted;
}

std::string ListNames(const Function& function) {
  std::string text;
  for (const std::string& name : SortedNames(function.attributes)) text += name + " ";
  for (const NamedAttribute* known : ByName(function.defaults)) {
    text += known->name + "=" + Describe(known->value) + " ";
  }
  return text.empty() ? "none" : text.substr(0, text.size() - 1);
}

// "2 (forward, reset)", of many the first.
std::string ListEntries(const Model& model) {
  constexpr std::size_t kMost = 6;
  std::string names;
  for (std::size_t i = 0; i < std::min(model.entries.size(), kMost); ++i)
    names += (i > 0 ? ", " : "") + model.entries[i].name;
  if (model.entries.size() > kMost) names += ", …";
  return std::to_string(model.entries.size()) + " (" + names + ")";
}

HeadDifference CountDifference(std::string what, std::size_t a, std::size_t b) {
  return {"numbers of " + what + " differ", std::to_string(a), std::to_string(b)};
}

}  // namespace

bool SameVocabulary(const Model& a, const Model& b) {
  return a.level == b.level && a.dialect == b.dialect &&
         VersionsOf(a.opsets) == VersionsOf(b.opsets);
}

std::optional<HeadDifference> CompareModelHeads(const Model& a, const Model& b, Level level) {
  const auto name = [](Level l) { return l == Level::kSource ? "source" : "common"; };
  if (a.level != b.level) return HeadDifference{"levels differ", name(a.level), name(b.level)};
  if (level == Level::kSource) {
    if (a.dialect != b.dialect) return HeadDifference{"dialects differ", a.dialect, b.dialect};
    if (auto opsets = CompareOpsets(a.opsets, b.opsets)) return opsets;
  } else if (auto sets = CompareForeignSets(a, b)) {
    return sets;
  }
  if (a.entries.size() != b.entries.size())
    return HeadDifference{"numbers of entries differ", ListEntries(a), ListEntries(b)};
  if (a.states.size() != b.states.size()) {
    return CountDifference("states", a.states.size(), b.states.size());
  }
  return std::nullopt;
}

std::optional<HeadDifference> CompareFunctionHeads(const Function& a, const Function& b,
                                                   Level level) {
  const auto x = ByName(a.defaults), y = ByName(b.defaults);
  const bool same_defaults = std::equal(
      x.begin(), x.end(), y.begin(), y.end(), [](const NamedAttribute* p, const NamedAttribute* q) {
        return p->name == q->name && Identical(p->value, q->value);
      });
  if (!same_defaults || SortedNames(a.attributes) != SortedNames(b.attributes)) {
    return HeadDifference{"attributes of the function differ", ListNames(a), ListNames(b)};
  }
  return level == Level::kSource ? CompareOpsets(a.opsets, b.opsets) : std::nullopt;
}

std::vector<std::pair<const Entry*, const Entry*>> EntryPairs(const Model& a, const Model& b) {
  std::vector<std::string> names = EntryNames(a);
  const bool unique = std::adjacent_find(names.begin(), names.end()) == names.end();
  const bool by_name = unique && names == EntryNames(b);
  std::vector<std::pair<const Entry*, const Entry*>> pairs;
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    pairs.emplace_back(&a.entries[i], by_name ? b.FindEntry(a.entries[i].name) : &b.entries[i]);
  }
  return pairs;
}

bool SameConvention(const Entry& a, const Entry& b) {
  return SameStructure(a.arguments, b.arguments, false) &&
         SameStructure(a.results, b.results, false) && Sorted(a.states) == Sorted(b.states);
}

}  // namespace dragoman::compare

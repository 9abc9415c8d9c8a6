// SPDX-License-Identifier: Apache-2.0
#include "driver/diff_sources.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/compare/calling.h"
#include "core/compare/diff_trace.h"
#include "core/compare/repeated_entries.h"
#include "core/rewrite/expand_apart.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/passes.h"

namespace dragoman {
namespace {

bool StatesAny(const Facts& facts) {
  return !facts.shapes.empty() || !facts.dims.empty() || facts.entry.has_value();
}

// Whether something asks for graphs that are not those of the files.
bool AsksForLowered(const Session& session, const DiffRequest& request) {
  const bool has_rules = session.rules != nullptr && session.rules->Has(Rule::Scope::kCommon);
  return has_rules || request.passes || request.exports ||
         std::ranges::any_of(request.facts, StatesAny);
}

// Names for the sizes of inputs that have none, as texts of TVM need them.
std::vector<ShapeFact> NamesOfOpenSizes(const Graph& entry) {
  std::vector<ShapeFact> facts;
  for (std::size_t i = 0; i < entry.num_inputs(); ++i) {
    const Shape* shape = entry.input(i)->type().shape();
    if (shape == nullptr || std::ranges::none_of(*shape, &Dim::unknown)) continue;
    ShapeFact fact{.input = entry.input(i)->name(), .dtype = {}, .dims = {}};
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      const bool is_open = (*shape)[axis].unknown();
      fact.dims.push_back(is_open ? std::optional(Dim::Symbol(fmt::format("open_{}_{}", i, axis)))
                                  : std::nullopt);
    }
    facts.push_back(std::move(fact));
  }
  return facts;
}

// `names_sizes`: a size without a name is one of its own.
Result<Model> LowerToCompare(const Session& session, const Model& model, const Facts& facts,
                             const std::string& passes, bool names_sizes) {
  LoweringOptions lowering{.facts = facts};
  lowering.passes = passes;
  if (!names_sizes) return session.ToCommon(model, lowering);
  LoweringOptions plain = lowering;
  plain.passes = "none";
  DRAGOMAN_ASSIGN(const Model common, session.ToCommon(model, plain));
  if (common.entries.empty()) return session.ToCommon(model, lowering);
  lowering.facts = {};
  lowering.facts.shapes = NamesOfOpenSizes(common.main());
  return session.ToCommon(common, lowering);
}

// A value that is an output twice, an input or a constant that is one, has a node of its own in
// formats in which each result is an output once.
void ReadCopiesAtOutputs(Model& model) {
  for (Entry& entry : model.entries) {
    Graph& graph = *entry.graph;
    for (std::size_t i = 0; i < graph.num_outputs(); ++i) {
      Value* const value = graph.output(i);
      Node* const copy = value != nullptr ? value->producer() : nullptr;
      if (copy == nullptr || !copy->Is("Identity") || copy->graph() != &graph) continue;
      value->ReplaceAllUsesWith(copy->operand(0));
      graph.Erase(copy);
    }
  }
}

Result<Level> LevelToCompare(const Session& session, const DiffRequest& request, const Model& a,
                             const Model& b) {
  const bool lowered = AsksForLowered(session, request);
  if (request.level == Level::kSource && lowered)
    return InvalidInput("--level source does not go with sizes, an entry or passes");
  if (request.level == Level::kSource) {
    const bool source = a.level == Level::kSource && b.level == Level::kSource;
    return source ? Level::kSource : Level::kCommon;
  }
  const bool source = !request.level && !lowered && compare::SameVocabulary(a, b);
  return source && a.level == Level::kSource ? Level::kSource : Level::kCommon;
}

// What two exports that differ may still be equal for: passes that rely on it, and what to say.
struct Assumption {
  std::string passes;
  std::string text;
};

bool HasNode(const Model& model, const std::function<bool(const Node&)>& is_wanted) {
  bool found = false;
  for (const Entry& entry : model.entries) {
    ForEachGraph(*entry.graph, [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) found = found || is_wanted(node);
    });
  }
  return found;
}

bool IsSoftmax(const Node& node) { return node.Is("Softmax"); }

// Whether a size of 0 may be another thing than in the same Reshape of other sizes.
bool InterpretsZeros(const Node& node) {
  return node.Is("Reshape") &&
         (!node.operand(1)->is_constant() || node.attribute("allowzero") != nullptr);
}

bool IsCheck(const Node& node) { return node.IsDragoman("Assert"); }

// All that `parts` assume.
Assumption Together(std::initializer_list<std::optional<Assumption>> parts) {
  Assumption all;
  for (const auto& part : parts) {
    if (!part) continue;
    all.passes += part->passes;
    if (part->text.empty()) continue;
    if (!all.text.empty()) all.text += ", ";
    all.text += part->text;
  }
  if (const std::size_t last = all.text.rfind(", "); last != std::string::npos)
    all.text.replace(last, 2, " and ");
  return all;
}

std::vector<Assumption> AssumptionsFor(const std::array<Model, 2>& models) {
  std::optional<Assumption> checks, sizes;
  if (HasNode(models[0], IsCheck) != HasNode(models[1], IsCheck))
    checks = {",assume-checks", "inputs that the checks of one accept"};
  if (HasNode(models[0], InterpretsZeros) || HasNode(models[1], InterpretsZeros))
    sizes = {",assume-sizes", "sizes of 1 or more"};
  std::vector<Assumption> assumptions;
  if (checks) assumptions.push_back(*checks);
  if (sizes) assumptions.push_back(Together({checks, sizes}));
  if (HasNode(models[0], IsSoftmax) && HasNode(models[1], IsSoftmax)) {
    const Assumption usual = {
        ",assume-usual-inputs",
        fmt::format("inputs between -{0:g} and {0:g}, masks that hide no whole row", kUsualInput)};
    assumptions.push_back(Together({checks, usual}));
    if (sizes) assumptions.push_back(Together({checks, usual, sizes}));
  }
  return assumptions;
}

// Sizes of the inputs of `entry` by the names that `other` has for them; empty: it distinguishes as
// many, or its inputs are others.
std::vector<ShapeFact> SizesAsIn(const Graph& other, const Graph& entry) {
  std::vector<ShapeFact> facts;
  std::set<std::string> names, names_there;
  if (other.num_inputs() != entry.num_inputs()) return facts;
  for (std::size_t i = 0; i < entry.num_inputs(); ++i) {
    const Shape* shape = entry.input(i)->type().shape();
    const Shape* there = other.input(i)->type().shape();
    if (shape == nullptr || there == nullptr || shape->size() != there->size()) return {};
    ShapeFact fact{.input = entry.input(i)->name(), .dtype = {}, .dims = {}};
    for (std::size_t axis = 0; axis < shape->size(); ++axis) {
      const bool is_open = (*shape)[axis].symbol() && (*there)[axis].symbol();
      fact.dims.push_back(is_open ? std::optional((*there)[axis]) : std::nullopt);
      if (!is_open) continue;
      names.insert((*shape)[axis].ToString());
      names_there.insert((*there)[axis].ToString());
    }
    facts.push_back(std::move(fact));
  }
  return names_there.size() < names.size() ? facts : std::vector<ShapeFact>();
}

// Sizes are equal in both models where they are in one. Returns whether that says anything new.
Result<bool> NameSizesAlike(const Session& session, std::array<Model, 2>& models) {
  bool changed = false;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (models[i].entries.size() != 1 || models[1 - i].entries.size() != 1) continue;
    LoweringOptions lowering{.passes = kPassesOfExports};
    lowering.facts.shapes = SizesAsIn(models[1 - i].main(), models[i].main());
    if (lowering.facts.shapes.empty()) continue;
    Result<Model> named = session.ToCommon(models[i], lowering);
    if (!named.ok()) continue;  // its sizes cannot be equal
    models[i] = *std::move(named);
    changed = true;
  }
  return changed;
}

// If the models are equal by what is assumed, those that are equal and the trace of their
// comparison take the place of others.
Result<std::optional<DiffReport>> DiffAssuming(const Session& session, const Assumption& assumption,
                                               std::array<Model, 2>& models,
                                               const CompareOptions& compare, DiffTrace* trace) {
  const LoweringOptions lowering{.passes = kPassesOfExports + assumption.passes};
  std::array<Model, 2> assumed;
  for (std::size_t i = 0; i < models.size(); ++i) {
    DRAGOMAN_ASSIGN(assumed[i], session.ToCommon(models[i], lowering));
  }
  DiffTrace found;
  DRAGOMAN_ASSIGN(DiffReport report, session.Diff(assumed[0], assumed[1], compare,
                                                  trace != nullptr ? &found : nullptr));
  if (!report.equal()) return std::optional<DiffReport>();
  report.assumption = assumption.text;
  if (trace != nullptr) *trace = std::move(found);
  models = std::move(assumed);
  return std::optional(std::move(report));
}

// The models as the first of the assumptions makes them equal that does.
Result<std::optional<DiffReport>> DiffAssumingAny(const Session& session,
                                                  const std::vector<Assumption>& assumptions,
                                                  std::array<Model, 2>& models,
                                                  const CompareOptions& compare, DiffTrace* trace) {
  for (const Assumption& assumption : assumptions) {
    DRAGOMAN_ASSIGN(auto equal, DiffAssuming(session, assumption, models, compare, trace));
    if (equal) return equal;
  }
  return std::optional<DiffReport>();
}

// Changes models that differ before they are compared once more: what that assumes; nullopt: there
// is nothing to change.
using Change = Result<std::optional<Assumption>> (*)(const Session&, std::array<Model, 2>&);

constexpr Change kChanges[] = {
    [](const Session& session, std::array<Model, 2>& models) -> Result<std::optional<Assumption>> {
      DRAGOMAN_ASSIGN(const bool changed, NameSizesAlike(session, models));
      if (!changed) return std::optional<Assumption>();
      return std::optional(Assumption{"", "inputs whose sizes are equal where one says so"});
    },
    [](const Session&, std::array<Model, 2>& models) -> Result<std::optional<Assumption>> {
      DRAGOMAN_ASSIGN(const bool changed, ExpandApart(models));
      return changed ? std::optional(Assumption()) : std::nullopt;
    },
};

// The same of the models as `change` leaves them, as they are or under all assumptions.
Result<std::optional<DiffReport>> DiffChanged(const Session& session, Change change,
                                              std::array<Model, 2>& models,
                                              const CompareOptions& compare, DiffTrace* trace) {
  std::array<Model, 2> changed = {Clone(models[0]), Clone(models[1])};
  DRAGOMAN_ASSIGN(const std::optional<Assumption> assumed, change(session, changed));
  if (!assumed) return std::optional<DiffReport>();
  std::vector<Assumption> assumptions = {*assumed};
  const std::vector<Assumption> further = AssumptionsFor(changed);
  if (!further.empty()) assumptions.push_back(Together({assumed, further.back()}));
  DRAGOMAN_ASSIGN(auto equal, DiffAssumingAny(session, assumptions, changed, compare, trace));
  if (equal) models = std::move(changed);
  return equal;
}

}  // namespace

Result<DiffReport> DiffSources(const Session& session, std::array<Model, 2>& models,
                               const std::array<std::string, 2>& files, DiffRequest request,
                               DiffTrace* trace) {
  auto& [a, b] = models;
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (Status status = session.ApplyRules(models[i]); !status.ok())
      return std::move(status).error().InFile(files[i]);
  }
  DRAGOMAN_ASSIGN(request.compare.level, LevelToCompare(session, request, a, b));
  const bool lowers = request.compare.level == Level::kCommon && request.level != Level::kSource;
  const bool foreign = a.dialect != b.dialect || request.exports;
  const std::string passes = request.passes.value_or(foreign ? kPassesOfExports : "none");
  for (std::size_t i = 0; lowers && i < models.size(); ++i) {
    const bool is_lowered = models[i].level == Level::kCommon;
    if (is_lowered && !AsksForLowered(session, request) && !foreign) continue;
    Result<Model> lowered = LowerToCompare(session, models[i], request.facts[i], passes, foreign);
    if (!lowered.ok()) return std::move(lowered).error().InFile(files[i]);
    models[i] = std::move(*lowered);
    if (foreign) ReadCopiesAtOutputs(models[i]);
  }
  if (lowers && a.entries.size() != b.entries.size()) {
    for (Model& model : models) DropRepeatedEntries(model);  // as writers do
  }
  DRAGOMAN_ASSIGN(DiffReport report, session.Diff(a, b, request.compare, trace));
  const bool may_assume = !report.equal() && lowers && foreign && !request.passes;
  if (!may_assume) return report;
  DRAGOMAN_ASSIGN(auto equal,
                  DiffAssumingAny(session, AssumptionsFor(models), models, request.compare, trace));
  for (const Change change : kChanges) {
    if (equal) break;
    DRAGOMAN_ASSIGN(equal, DiffChanged(session, change, models, request.compare, trace));
  }
  return equal ? *std::move(equal) : std::move(report);
}

}  // namespace dragoman

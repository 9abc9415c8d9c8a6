// SPDX-License-Identifier: Apache-2.0
#include "driver/bisect.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "core/compare/places.h"
#include "core/ir/origin.h"
#include "driver/diff_sources.h"
#include "driver/recorded_values.h"

namespace dragoman {
namespace {

// Tensors that nodes of the default entry compute, in their order.
std::vector<std::string> ComputedValues(const Model& model) {
  std::vector<std::string> names;
  for (const Node& node : model.main().nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      const Value* value = node.result(i);
      if (value != nullptr && value->type().is_tensor() && !value->name().empty())
        names.push_back(value->name());
    }
  }
  return names;
}

std::map<std::string, Value*> ValuesByName(Graph& graph) {
  std::map<std::string, Value*> values;
  for (Node& node : graph.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr) values.emplace(node.result(i)->name(), node.result(i));
    }
  }
  return values;
}

// The same with the values `names` in place of the outputs; those of states stay.
PreparedRun WithOutputs(const PreparedRun& run, const std::vector<std::string>& names) {
  PreparedRun made{Clone(run.model), run.steps, run.calls};
  Entry& entry = made.model.entries.front();
  Graph& graph = *entry.graph;
  const std::map<std::string, Value*> values = ValuesByName(graph);
  std::vector<Value*> states;
  for (const StateBinding& binding : entry.states) states.push_back(graph.output(binding.output));
  while (graph.num_outputs() > 0) graph.RemoveOutput(graph.num_outputs() - 1);
  entry.results.clear();
  for (const std::string& name : names) graph.AddOutput(values.at(name));
  for (std::size_t i = 0; i < states.size(); ++i) {
    entry.states[i].output = graph.num_outputs();
    graph.AddOutput(states[i]);
  }
  return made;
}

Divergence DivergenceAt(const Model& model, OutputComparison compared, std::size_t agreeing) {
  Divergence divergence{std::move(compared), {}, {}, agreeing};
  for (const Node& node : model.main().nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      const Value* value = node.result(i);
      if (value == nullptr || value->name() != divergence.compared.name) continue;
      divergence.node = node.Describe();
      divergence.origin = compare::DescribeOrigin(node.origin());
      return divergence;
    }
  }
  return divergence;
}

void Add(Divergence divergence, Bisection& found) {
  if (found.first) {
    found.elsewhere.push_back(std::move(divergence));
  } else {
    found.first = std::move(divergence);
  }
}

std::size_t AgreeingBefore(const std::vector<bool>& differs, std::size_t place) {
  return static_cast<std::size_t>(
      std::count(differs.begin(), differs.begin() + static_cast<std::ptrdiff_t>(place), false));
}

Result<FlatArrays> ValuesOf(const Session& session, const PreparedRun& run,
                            const std::vector<std::string>& names, RunRequest request,
                            const std::string& engine) {
  request.engine = engine;
  request.repeat = 1;
  request.profile = request.times = false;
  DRAGOMAN_ASSIGN(RunResult result, RunPrepared(session, WithOutputs(run, names), request));
  if (result.outputs.size() < names.size()) return Internal("values are lost as outputs");
  return std::move(result.outputs);
}

}  // namespace

Result<std::vector<OutputComparison>> CompareProgramValues(const Session& session,
                                                           const PreparedRun& run,
                                                           const RunRequest& request,
                                                           const Tolerance& tolerance) {
  const std::vector<std::string> names = ComputedValues(run.model);
  DRAGOMAN_ASSIGN(const FlatArrays native, ValuesOf(session, run, names, request, "native"));
  DRAGOMAN_ASSIGN(const FlatArrays plain, ValuesOf(session, run, names, request, "interpreter"));
  std::vector<OutputComparison> compared;
  for (std::size_t i = 0; i < names.size(); ++i)
    compared.push_back(CompareOutput(names[i], native[i].second, plain[i].second, tolerance));
  return compared;
}

namespace {

// `b` in the sizes of `a`, where it has as many elements: a Reshape that was moved past an operator
// leaves its elements as they are.
Array InSizesOf(const Array& a, const Array& b) {
  return a.size() == b.size() ? b.Reshaped(a.shape()) : b;
}

Result<PreparedRun> InNormalForm(const Session& session, const PreparedRun& run) {
  PreparedRun made{Clone(run.model), run.steps, run.calls};
  DRAGOMAN_TRY(session.Rewrite(made.model, kPassesOfExports));
  return made;
}

// As BisectModels, of models as they are. Sets `spelled_apart` if values differ without need.
Result<Bisection> BisectRuns(const Session& session, const PreparedRun& a, const PreparedRun& b,
                             const RunRequest& request, const Tolerance& tolerance,
                             bool& spelled_apart) {
  const std::vector<ValuePair> pairs = PairValues(session, a.model, b.model);
  if (pairs.empty()) return InvalidInput("--bisect: no values of the models correspond");
  std::vector<std::string> of_a;
  std::vector<std::string> of_b;
  for (const ValuePair& pair : pairs) {
    of_a.push_back(pair.a->name());
    of_b.push_back(pair.b->name());
  }
  DRAGOMAN_ASSIGN(const FlatArrays x, ValuesOf(session, a, of_a, request, "interpreter"));
  DRAGOMAN_ASSIGN(const FlatArrays y, ValuesOf(session, b, of_b, request, "interpreter"));
  Bisection found{std::nullopt, pairs.size()};
  std::vector<bool> differs;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    found.values.push_back(
        CompareOutput(of_a[i], x[i].second, InSizesOf(x[i].second, y[i].second), tolerance));
    differs.push_back(!found.values.back().ok);
  }
  const std::vector<bool> at_outputs = DifferencesAtOutputs(pairs, differs);
  spelled_apart = at_outputs != differs;
  for (const std::size_t at : FirstDifferences(pairs, at_outputs)) {
    Divergence divergence{found.values[at],
                          pairs[at].a->producer()->Describe(),
                          compare::DescribeOrigin(pairs[at].a->origin()),
                          AgreeingBefore(differs, at),
                          pairs[at].b->producer()->Describe(),
                          NodesBetween(pairs, at)};
    Add(std::move(divergence), found);
  }
  return found;
}

}  // namespace

Result<Bisection> BisectModels(const Session& session, const PreparedRun& a, const PreparedRun& b,
                               const RunRequest& request, const Tolerance& tolerance) {
  bool spelled_apart = a.model.dialect != b.model.dialect;
  if (!spelled_apart) {
    Result<Bisection> found = BisectRuns(session, a, b, request, tolerance, spelled_apart);
    if (!found.ok() || !spelled_apart) return found;
  }
  DRAGOMAN_ASSIGN(const PreparedRun normal_a, InNormalForm(session, a));
  DRAGOMAN_ASSIGN(const PreparedRun normal_b, InNormalForm(session, b));
  return BisectRuns(session, normal_a, normal_b, request, tolerance, spelled_apart);
}

namespace {

// The values that the arrays are of, in the order of nodes; an array beside each.
std::vector<std::pair<const Value*, const NamedArray*>> RecordedValues(
    const Graph& graph, const std::vector<NamedArray>& recorded) {
  std::map<std::string, const Value*> by_operator;  // the last value that an operator gives
  std::vector<const Value*> values;
  for (const Node& node : graph.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) == nullptr || !node.result(i)->type().is_tensor()) continue;
      values.push_back(node.result(i));
      const SourceOp* const op = node.origin() != nullptr ? node.origin()->leaf() : nullptr;
      if (op != nullptr && i == 0) by_operator[op->name] = node.result(i);
    }
  }
  std::vector<std::pair<const Value*, const NamedArray*>> pairs;
  for (const Value* value : values) {
    const SourceOp* const op =
        value->producer()->origin() != nullptr ? value->producer()->origin()->leaf() : nullptr;
    const bool is_result = op != nullptr && by_operator[op->name] == value;
    const auto record = std::ranges::find_if(recorded, [&](const NamedArray& array) {
      return IsRecordOf(array.name, value->name()) ||
             (is_result && IsRecordOf(array.name, op->name));
    });
    if (record != recorded.end()) pairs.emplace_back(value, &*record);
  }
  return pairs;
}

}  // namespace

Result<Bisection> BisectRecorded(const Session& session, const PreparedRun& run,
                                 const std::vector<NamedArray>& recorded, const RunRequest& request,
                                 const Tolerance& tolerance, std::vector<std::string>& unknown) {
  const auto known = RecordedValues(run.model.main(), recorded);
  std::vector<std::string> names;
  std::vector<ValuePair> pairs;
  for (const auto& [value, array] : known) {
    names.push_back(value->name());
    pairs.push_back({value, nullptr});
  }
  for (const NamedArray& array : recorded) {
    if (std::ranges::find(known, &array, &decltype(known)::value_type::second) == known.end())
      unknown.push_back(array.name);
  }
  Bisection found{std::nullopt, known.size()};
  if (known.empty()) return found;
  DRAGOMAN_ASSIGN(const FlatArrays values, ValuesOf(session, run, names, request, request.engine));
  std::vector<bool> differs;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const NamedArray& array = *known[i].second;
    DRAGOMAN_ASSIGN(const Array expected, FromNpy(array.array, PlainDType(array)));
    found.values.push_back(CompareOutput(names[i], values[i].second, expected, tolerance));
    differs.push_back(!found.values.back().ok);
  }
  for (const std::size_t at : FirstDifferences(pairs, differs)) {
    Add(DivergenceAt(run.model, found.values[at], AgreeingBefore(differs, at)), found);
  }
  return found;
}

Result<Bisection> BisectProgram(const Session& session, const PreparedRun& run,
                                const RunRequest& request, const Tolerance& tolerance) {
  const std::vector<std::string> names = ComputedValues(run.model);
  Bisection found;
  std::size_t agreeing = 0;              // the values before it agree, as far as is known
  std::size_t differing = names.size();  // the value at it differs; the end: none is known to
  while (agreeing < differing) {
    const std::size_t middle =
        differing == names.size() ? names.size() - 1 : agreeing + (differing - agreeing) / 2;
    const std::vector<std::string> one = {names[middle]};
    DRAGOMAN_ASSIGN(const FlatArrays native, ValuesOf(session, run, one, request, "native"));
    DRAGOMAN_ASSIGN(const FlatArrays plain, ValuesOf(session, run, one, request, "interpreter"));
    ++found.compared;
    OutputComparison compared = CompareOutput(one[0], native[0].second, plain[0].second, tolerance);
    if (compared.ok) {
      if (middle + 1 == names.size()) return found;
      agreeing = middle + 1;
    } else {
      found.first = DivergenceAt(run.model, std::move(compared), agreeing);
      differing = middle;
    }
  }
  if (found.first) found.first->agreeing = agreeing;
  return found;
}

}  // namespace dragoman

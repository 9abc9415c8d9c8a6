// SPDX-License-Identifier: Apache-2.0
#include "driver/run_model.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "core/interpreter/interpreter.h"
#include "core/support/port_name.h"
#include "core/support/printable.h"
#include "driver/default_inputs.h"
#include "driver/given_names.h"
#include "driver/map_data.h"
#include "driver/native_engine.h"
#include "driver/steps.h"
#include "driver/structured_calls.h"

namespace dragoman {
namespace {

double Quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(std::llround(q * last))];
}

// As the generated programs print it.
std::string TimesText(const std::vector<double>& microseconds) {
  return fmt::format(
      "{{\"repeat\": {}, \"unit\": \"us\", \"min\": {:.3f}, \"median\": {:.3f}, \"p99\": "
      "{:.3f}}}\n",
      microseconds.size(), Quantile(microseconds, 0.0), Quantile(microseconds, 0.5),
      Quantile(microseconds, 0.99));
}

struct NodeTime {
  double microseconds = 0;
  std::int64_t calls = 0;
};

std::string ProfileText(const std::map<std::string, NodeTime>& times) {
  std::vector<std::pair<std::string, NodeTime>> rows(times.begin(), times.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second.microseconds > b.second.microseconds;
  });
  std::string text = fmt::format("{:>12} {:>8}  {}\n", "us", "calls", "step");
  for (const auto& [node, time] : rows)
    text += fmt::format("{:12.3f} {:8}  {}\n", time.microseconds, time.calls, Printable(node));
  return text;
}

// Collects the nodes that are run from now on.
NodeObserver Tracing(std::vector<NodeSpan>& spans) {
  const auto begin = std::chrono::steady_clock::now();
  return [&spans, begin](const Node& node, std::chrono::nanoseconds elapsed) {
    const std::chrono::duration<double, std::micro> end = std::chrono::steady_clock::now() - begin;
    const std::chrono::duration<double, std::micro> duration = elapsed;
    spans.push_back(
        {node.name(), node.op().ToString(), (end - duration).count(), duration.count()});
  };
}

Result<RunResult> Interpret(const Session& session, const Model& model,
                            const std::vector<Step>& steps, const std::vector<EntryCalls>& calls,
                            const RunRequest& request) {
  std::vector<StepInputs> inputs;
  for (const EntryCalls& each : calls) {
    const Entry* entry = model.FindEntry(each.entry);
    if (entry == nullptr) return Unsupported("entry '" + each.entry + "' is left out");
    DRAGOMAN_ASSIGN(StepInputs bound, BindSteps(InputSlots(*entry), each.arrays, each.total,
                                                request.steps.has_value()));
    inputs.push_back(std::move(bound));
  }
  DRAGOMAN_ASSIGN(Interpreter interpreter, Interpreter::Make(model));
  interpreter.SetSeed(request.seed);
  const bool stepped = request.steps.has_value();
  const auto progress = session.Show("running");
  std::map<std::string, NodeTime> profile;
  if (request.profile) {
    // The first run is slower than all others.
    DRAGOMAN_TRY(RunSteps(interpreter, model, steps, calls, inputs, stepped));
    interpreter.set_observer([&profile](const Node& node, std::chrono::nanoseconds elapsed) {
      NodeTime& time = profile[node.Describe()];
      time.microseconds += static_cast<double>(elapsed.count()) * 1e-3;
      ++time.calls;
    });
  }
  RunResult result;
  interpreter.set_line_sink(request.print);
  std::vector<double> times;
  for (std::int64_t i = 0; i < request.repeat; ++i) {
    DRAGOMAN_TRY(interpreter.Reset());
    if (request.trace) {
      result.trace.clear();
      interpreter.set_observer(Tracing(result.trace));
    }
    const auto start = std::chrono::steady_clock::now();
    DRAGOMAN_ASSIGN(result.outputs, RunSteps(interpreter, model, steps, calls, inputs, stepped));
    const std::chrono::duration<double, std::micro> elapsed =
        std::chrono::steady_clock::now() - start;
    times.push_back(elapsed.count());
  }
  std::ranges::stable_sort(result.trace, {}, &NodeSpan::start);
  if (request.repeat > 1 || request.times) result.report += TimesText(times);
  if (request.profile) result.report += ProfileText(profile);
  return result;
}

// How `entry` calls the input that an array is named for; nullopt: it has none such.
using NameFor =
    std::function<std::optional<std::string>(const Entry& entry, const std::string& name)>;

// Gives each entry the arrays that it takes; one that is called alone all of them. Errors: an array
// that no entry takes.
Status GiveArrays(const Model& model, const std::vector<NamedArray>& arrays,
                  const NameFor& name_for, std::vector<EntryCalls>& calls) {
  for (const NamedArray& array : arrays) {
    bool taken = false;
    for (EntryCalls& each : calls) {
      std::optional<std::string> name = name_for(*model.FindEntry(each.entry), array.name);
      if (!name && calls.size() == 1) name = array.name;
      if (name) each.arrays.push_back({*name, array.array, array.dtype});
      taken = taken || name;
    }
    if (!taken)
      return InvalidInput("no entry that --steps calls has an input '" + array.name + "'");
  }
  return {};
}

// What the program is given, which looks an input of any entry up by its name.
std::vector<NamedArray> AllArrays(const std::vector<EntryCalls>& calls) {
  std::vector<NamedArray> arrays;
  for (const EntryCalls& each : calls) {
    for (const NamedArray& array : each.arrays) {
      if (std::ranges::find(arrays, array.name, &NamedArray::name) == arrays.end())
        arrays.push_back(array);
    }
  }
  return arrays;
}

Result<PreparedRun> PrepareStructured(const Session& session, const StructuredCalls& convention,
                                      const Model& source, const std::vector<NamedArray>& inputs,
                                      std::vector<Step> steps, std::vector<EntryCalls> calls,
                                      Facts facts, const RunRequest& request) {
  const NameFor name_for = [&](const Entry& entry, const std::string& name) {
    return ArgumentName(convention, entry, name);
  };
  DRAGOMAN_TRY(GiveArrays(source, inputs, name_for, calls));
  for (const EntryCalls& each : calls) {
    const std::optional<std::int64_t> total =
        request.steps ? std::optional(each.total) : std::nullopt;
    facts = FactsOfArrays(convention, *source.FindEntry(each.entry), each.arrays, total,
                          std::move(facts));
  }
  DRAGOMAN_ASSIGN(Model model, session.Lower(source, facts));
  return PreparedRun{std::move(model), std::move(steps), std::move(calls)};
}

// Positions are for inputs without a matching name: an input called "0" need not be the first.
std::optional<std::string> FlatInputName(const Entry& entry, const std::string& name) {
  const std::string head = name.substr(0, name.find('.'));
  const std::vector<Slot> slots = InputSlots(entry);
  for (const Slot& slot : slots) {
    if (slot.name == name || slot.name == head) return name;
  }
  if (std::string node = WithoutPort(name, NamesOf(slots)); node != name) return node;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (head == std::to_string(i)) return slots[i].name + name.substr(head.size());
  }
  return std::nullopt;
}

Result<PreparedRun> PrepareFlat(const Session& session, const Model& source,
                                const std::vector<NamedArray>& inputs, std::vector<Step> steps,
                                std::vector<EntryCalls> calls, Facts facts,
                                const RunRequest& request) {
  const bool has_states = ChangesInputs(session, source);
  Model lowered;
  if (has_states) {
    // Which inputs are states, and not given, is known when the model is lowered.
    DRAGOMAN_ASSIGN(lowered, session.Lower(source, facts));
  }
  const Model& called = has_states ? lowered : source;
  DRAGOMAN_TRY(GiveArrays(called, inputs, FlatInputName, calls));
  const Facts given = facts;
  for (const EntryCalls& each : calls) {
    std::vector<Slot> slots = InputSlots(*called.FindEntry(each.entry));
    DRAGOMAN_TRY(ApplyFactsToSlots(given, slots));
    DRAGOMAN_ASSIGN(const StepInputs bound,
                    BindSteps(slots, each.arrays, each.total, request.steps.has_value()));
    facts = FactsOf(slots, bound.At(0), std::move(facts));
  }
  DRAGOMAN_ASSIGN(Model model, session.Lower(source, facts));
  return PreparedRun{std::move(model), std::move(steps), std::move(calls)};
}

Result<PreparedRun> Prepare(const Session& session, const Model& source,
                            const std::vector<NamedArray>& given, const RunRequest& request) {
  Facts facts = NamesIn(source, request.facts);
  DRAGOMAN_TRY(CheckEntry(source, facts));
  std::vector<Step> steps = {{}};
  if (request.steps) {
    DRAGOMAN_ASSIGN(steps, ParseSteps(*request.steps));
    for (Step& step : steps) step.entry = NameIn(source, step.entry);
  }
  const Entry& chosen = ChosenEntry(source, facts);
  DRAGOMAN_ASSIGN(std::vector<EntryCalls> calls, CallsByEntry(source, chosen, steps));
  // Other entries may lack the data that would give their types, or contradict it.
  if (calls.size() == 1 && source.entries.size() > 1) facts.entry = calls.front().entry;
  if (const StructuredCalls* convention = CallsOf(session, source)) {
    return PrepareStructured(session, *convention, source, given, std::move(steps),
                             std::move(calls), std::move(facts), request);
  }
  std::vector<NamedArray> inputs = given;
  for (const EntryCalls& each : calls) {
    DRAGOMAN_ASSIGN(inputs, SplitMaps(InputSlots(*source.FindEntry(each.entry)), inputs));
  }
  return PrepareFlat(session, source, inputs, std::move(steps), std::move(calls), std::move(facts),
                     request);
}

// As ParseSteps reads it.
std::string StepsText(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& step : steps) {
    if (!text.empty()) text += ',';
    text += step.entry.empty() ? std::to_string(step.count)
                               : fmt::format("{}*{}", step.entry, step.count);
  }
  return text;
}

}  // namespace

Result<PreparedRun> PrepareRun(const Session& session, const Model& source,
                               const std::vector<NamedArray>& arrays, const RunRequest& request) {
  std::vector<NamedArray> given = arrays;
  std::vector<std::string> names;
  for (NamedArray& array : given) {
    array.name = NameIn(source, array.name);
    names.push_back(array.name);
  }
  for (const ShapeFact& fact : request.facts.shapes) names.push_back(NameIn(source, fact.input));
  if (CallsOf(session, source) == nullptr) {
    if (const std::optional<Model> called = WithoutDefaults(source, names))
      return Prepare(session, *called, given, request);
  }
  return Prepare(session, source, given, request);
}

Result<RunResult> RunPrepared(const Session& session, const PreparedRun& prepared,
                              const RunRequest& request) {
  if (request.engine == "native") {
    RunRequest named = request;
    if (request.steps) named.steps = StepsText(prepared.steps);
    return RunNative(session, prepared.model, AllArrays(prepared.calls), named);
  }
  return Interpret(session, prepared.model, prepared.steps, prepared.calls, request);
}

Result<RunResult> RunModel(const Session& session, const Model& source,
                           const std::vector<NamedArray>& inputs, const RunRequest& request) {
  DRAGOMAN_ASSIGN(const PreparedRun prepared, PrepareRun(session, source, inputs, request));
  return RunPrepared(session, prepared, request);
}

}  // namespace dragoman

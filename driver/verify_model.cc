// SPDX-License-Identifier: Apache-2.0
#include "driver/verify_model.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/support/plural.h"
#include "driver/data_sets.h"
#include "driver/default_inputs.h"
#include "driver/recorded_values.h"
#include "driver/structured_calls.h"

namespace dragoman {
namespace {

Verification Judge(std::string what, const FlatArrays& found, const FlatArrays& expected,
                   const Tolerance& tolerance) {
  Verification verification{std::move(what), {}, {}, {}};
  if (found.size() != expected.size()) {
    OutputComparison count;
    count.message = fmt::format("{}, expected {}", Plural(found.size(), "output"), expected.size());
    verification.outputs.push_back(std::move(count));
    return verification;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    OutputComparison& compared = verification.outputs.emplace_back(
        CompareOutput(found[i].first, found[i].second, expected[i].second, tolerance));
    for (std::size_t k = 0; !compared.ok && k < expected.size(); ++k) {
      if (k != i && found[i].first == expected[k].first)
        compared.message += fmt::format("; there, '{}' is output {}", found[i].first, k);
    }
  }
  return verification;
}

// With --steps every recorded output holds one more axis, of the calls.
Status CheckRecordedSteps(const DataSet& set, const Entry& entry, const VerifyRequest& request) {
  if (!request.run.steps) return {};
  DRAGOMAN_ASSIGN(const std::vector<Step> steps, ParseSteps(*request.run.steps));
  const std::int64_t total = CountCalls(steps, entry.name);
  for (const Step& step : steps) {
    if (!step.entry.empty() && step.entry != entry.name) return {};  // several entries
  }
  for (const auto& [name, array] : set.outputs) {
    const std::int64_t recorded = array.shape().empty() ? 0 : array.shape()[0];
    if (recorded == total) continue;
    return InvalidInput(fmt::format("output '{}' records {} steps, and --steps asks for {}", name,
                                    recorded, total));
  }
  return {};
}

// Arrays whose names are none of the entry's inputs are for its inputs by their order.
void NameByPosition(const std::vector<Slot>& slots, std::vector<NamedArray>& arrays) {
  if (arrays.size() != slots.size() || NamesAny(slots, arrays)) return;
  for (std::size_t i = 0; i < arrays.size(); ++i) arrays[i].name = std::to_string(i);
}

// What is wanted of a verification beside its outputs.
struct Wanted {
  bool bisection = false;
  bool values = false;
};

// Of the generated program against the interpreter.
Status LookInside(const Session& session, const PreparedRun& run, const VerifyRequest& request,
                  const Wanted& wanted, Verification& verification) {
  if (wanted.bisection) {
    DRAGOMAN_ASSIGN(verification.bisection,
                    BisectProgram(session, run, request.run, request.tolerance));
  }
  if (wanted.values) {
    DRAGOMAN_ASSIGN(verification.values,
                    CompareProgramValues(session, run, request.run, request.tolerance));
  }
  return {};
}

// The first one that is different is bisected; values are those of the first of all.
Wanted WantedOf(const VerifyRequest& request, const std::vector<Verification>& before,
                const Verification& verification) {
  const bool is_bisected =
      std::ranges::any_of(before, [](const Verification& v) { return v.bisection.has_value(); });
  return {.bisection = request.bisect && !verification.ok() && !is_bisected,
          .values = request.values && before.empty()};
}

std::string Listed(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(std::span(names).first(std::min<std::size_t>(names.size(), 6)),
                                     ", ")) +
         (names.size() > 6 ? ", …" : "");
}

// Whether an array called so is for an input of the entry.
bool IsForInput(const Session& session, const Model& model, const Entry& entry,
                const std::string& name) {
  if (const StructuredCalls* const calls = CallsOf(session, model))
    return ArgumentName(*calls, entry, name).has_value();
  return std::ranges::any_of(InputSlots(entry),
                             [&](const Slot& slot) { return IsRecordOf(name, slot.name); });
}

// Of the entry's inputs, under their names, and of all other values.
struct Recorded {
  std::vector<NamedArray> inputs;
  std::vector<NamedArray> values;
};

Result<Recorded> ReadRecorded(const Session& session, const Model& model, const Entry& entry,
                              const std::string& folder) {
  Recorded recorded;
  DRAGOMAN_ASSIGN(std::vector<NamedArray> arrays, ReadRecordedValues(folder));
  for (NamedArray& array : arrays) {
    const bool is_input = IsForInput(session, model, entry, array.name);
    (is_input ? recorded.inputs : recorded.values).push_back(std::move(array));
  }
  if (CallsOf(session, model) != nullptr) return recorded;
  for (const Slot& slot : InputSlots(entry)) {
    for (NamedArray& array : recorded.inputs) {
      if (IsRecordOf(array.name, slot.name)) array.name = slot.name;
    }
  }
  return recorded;
}

// Takes the outputs that were recorded out of `values` and compares them.
Status CompareRecordedOutputs(const FlatArrays& outputs, const Tolerance& tolerance,
                              std::vector<NamedArray>& values, Verification& verification) {
  for (const auto& [name, found] : outputs) {
    const auto record = std::ranges::find_if(
        values, [&name = name](const NamedArray& array) { return IsRecordOf(array.name, name); });
    if (record == values.end()) continue;
    DRAGOMAN_ASSIGN(const Array expected, FromNpy(record->array, PlainDType(*record)));
    verification.outputs.push_back(CompareOutput(name, found, expected, tolerance));
    values.erase(record);
  }
  return {};
}

Result<Verification> VerifyRecorded(const Session& session, const Model& model, const Entry& entry,
                                    const std::string& folder, const VerifyRequest& request) {
  DRAGOMAN_ASSIGN(Recorded recorded, ReadRecorded(session, model, entry, folder));
  DRAGOMAN_ASSIGN(const PreparedRun run, PrepareRun(session, model, recorded.inputs, request.run));
  DRAGOMAN_ASSIGN(const RunResult result, RunPrepared(session, run, request.run));
  Verification verification{folder, {}, {}, {}};
  DRAGOMAN_TRY(
      CompareRecordedOutputs(result.outputs, request.tolerance, recorded.values, verification));
  std::vector<std::string> unknown;
  DRAGOMAN_ASSIGN(Bisection inner, BisectRecorded(session, run, recorded.values, request.run,
                                                  request.tolerance, unknown));
  if (recorded.values.empty() && verification.outputs.empty())
    return InvalidInput("holds arrays for inputs alone").InFile(folder);
  if (verification.outputs.empty() && inner.compared == 0)
    return InvalidInput("no value of the model is called like its arrays: " + Listed(unknown))
        .InFile(folder);
  if (!unknown.empty()) {
    DRAGOMAN_TRY(session.Warn({ErrorKind::kInvalidInput,
                               folder,
                               {},
                               "no value of the model is called " + Listed(unknown)}));
  }
  verification.outputs.insert(verification.outputs.begin(), inner.values.begin(),
                              inner.values.end());
  if (request.bisect) verification.bisection = std::move(inner);
  return verification;
}

}  // namespace

bool Verification::ok() const {
  return std::ranges::all_of(outputs, [](const OutputComparison& o) { return o.ok; });
}

Result<std::vector<Verification>> VerifyAgainstData(const Session& session, const Model& model,
                                                    const std::vector<std::string>& paths,
                                                    const VerifyRequest& request) {
  std::vector<Verification> verifications;
  const Entry& entry = ChosenEntry(model, request.run.facts);
  const bool structured = CallsOf(session, model) != nullptr;
  const std::vector<Slot> slots = structured ? std::vector<Slot>() : InputSlots(entry);
  for (const std::string& path : paths) {
    Result<std::vector<std::string>> found = FindDataSets(path);
    if (!found.ok() && HoldsRecordedValues(path)) {
      DRAGOMAN_ASSIGN(verifications.emplace_back(),
                      VerifyRecorded(session, model, entry, path, request));
      continue;
    }
    DRAGOMAN_ASSIGN(const std::vector<std::string> folders, std::move(found));
    if (request.bisect && request.run.engine != "native")
      return InvalidInput(
                 "--bisect needs values to compare: --against a model, --engine native, or "
                 "--data FOLDER with a .npy file for each value")
          .InFile(path);
    for (const std::string& folder : folders) {
      DRAGOMAN_ASSIGN(
          DataSet set,
          ReadDataSet(folder, slots, structured ? std::vector<Slot>() : OutputSlots(entry)));
      if (Status status = CheckRecordedSteps(set, entry, request); !status.ok())
        return std::move(status).error().InFile(folder);
      if (!structured) NameByPosition(slots, set.inputs);
      DRAGOMAN_ASSIGN(const PreparedRun run, PrepareRun(session, model, set.inputs, request.run));
      DRAGOMAN_ASSIGN(const RunResult result, RunPrepared(session, run, request.run));
      Verification verification = Judge(folder, result.outputs, set.outputs, request.tolerance);
      Wanted wanted = WantedOf(request, verifications, verification);
      wanted.values = wanted.values && request.run.engine == "native";
      DRAGOMAN_TRY(LookInside(session, run, request, wanted, verification));
      verifications.push_back(std::move(verification));
    }
  }
  return verifications;
}

namespace {

// Whether the inputs of `model` have all these names.
Result<bool> TakesNames(const Session& session, const Model& model,
                        const std::vector<NamedArray>& arrays) {
  const StructuredCalls* const calls = CallsOf(session, model);
  const Entry& entry = model.entries.front();
  if (calls != nullptr) {
    return std::ranges::all_of(arrays, [&](const NamedArray& array) {
      return ArgumentName(*calls, entry, array.name).has_value();
    });
  }
  std::vector<std::string> names;
  for (const NamedArray& array : arrays) names.push_back(array.name);
  const std::optional<Model> called = WithoutDefaults(model, names);
  std::vector<Slot> slots = InputSlots(called ? called->entries.front() : entry);
  if (ChangesInputs(session, model)) {
    DRAGOMAN_ASSIGN(const Model lowered, session.Lower(model, {}));
    slots = InputSlots(lowered.entries.front());
  }
  return std::ranges::all_of(arrays, [&](const NamedArray& array) {
    const std::string head = array.name.substr(0, array.name.find('.'));
    return std::ranges::any_of(
        slots, [&](const Slot& slot) { return slot.name == array.name || slot.name == head; });
  });
}

// `facts`, and the sizes that `other` knows where `model` has symbols. Inputs are compared as far
// as the files give their types.
Facts WithSizesOfOther(const Session& session, const Model& model, const Model& other,
                       Facts facts) {
  if (CallsOf(session, model) != nullptr || CallsOf(session, other) != nullptr) return facts;
  const std::vector<Slot> slots = InputSlots(ChosenEntry(model, facts));
  const std::vector<Slot> others = InputSlots(other.entries.front());
  for (std::size_t i = 0; i < slots.size() && i < others.size(); ++i) {
    const auto named = std::ranges::find(others, slots[i].name, &Slot::name);
    const Shape* known = (named != others.end() ? *named : others[i]).type.shape();
    const Shape* shape = slots[i].type.shape();
    if (known == nullptr || shape == nullptr || known->size() != shape->size()) continue;
    for (std::size_t k = 0; k < shape->size(); ++k) {
      const std::vector<std::string> symbols = (*shape)[k].Symbols();
      const bool is_symbol = symbols.size() == 1 && (*shape)[k] == Dim::Symbol(symbols.front());
      if (is_symbol && (*known)[k].known()) facts.dims.emplace(symbols.front(), (*known)[k]);
    }
  }
  return facts;
}

}  // namespace

Result<std::vector<std::vector<NamedArray>>> DrawInputsOfBoth(
    const Session& session, const Model& model, const Model& other, const Facts& facts,
    std::uint64_t seed, std::int64_t count) {
  return DrawInputs(session, model, WithSizesOfOther(session, model, other, facts), seed, count);
}

namespace {

// The inputs that are drawn, or the one that is given, with what to call it.
Result<std::vector<std::pair<std::string, std::vector<NamedArray>>>> InputsToTry(
    const Session& session, const Model& model, const Model& other, const VerifyRequest& request) {
  std::vector<std::pair<std::string, std::vector<NamedArray>>> tries;
  if (!request.inputs.empty()) {
    tries.emplace_back("given inputs", request.inputs);
    return tries;
  }
  DRAGOMAN_ASSIGN(
      std::vector<std::vector<NamedArray>> drawn,
      DrawInputsOfBoth(session, model, other, request.run.facts, request.seed, request.random));
  for (std::vector<NamedArray>& inputs : drawn)
    tries.emplace_back(fmt::format("random input {}", tries.size()), std::move(inputs));
  return tries;
}

}  // namespace

Result<PreparedRun> PrepareOther(const Session& session, const Model& other,
                                 std::vector<NamedArray> inputs, const RunRequest& request) {
  DRAGOMAN_ASSIGN(const bool same_names, TakesNames(session, other, inputs));
  for (std::size_t k = 0; !same_names && k < inputs.size(); ++k) inputs[k].name = std::to_string(k);
  return PrepareRun(session, other, inputs, request);
}

Result<std::vector<Verification>> VerifyAgainstModel(const Session& session, const Model& model,
                                                     const Model& other,
                                                     const std::string& other_name,
                                                     const VerifyRequest& request) {
  RunRequest other_request = request.run;
  other_request.facts = request.other_facts;
  other_request.engine = "interpreter";  // so that a model against itself compares the engines
  using Tries = std::vector<std::pair<std::string, std::vector<NamedArray>>>;
  DRAGOMAN_ASSIGN(const Tries tries, InputsToTry(session, model, other, request));
  std::vector<Verification> verifications;
  for (const auto& [what, inputs] : tries) {
    DRAGOMAN_ASSIGN(const PreparedRun run, PrepareRun(session, model, inputs, request.run));
    DRAGOMAN_ASSIGN(const RunResult found, RunPrepared(session, run, request.run));
    const Result<PreparedRun> other_run = PrepareOther(session, other, inputs, other_request);
    if (!other_run.ok()) return Error(other_run.error()).InFile(other_name);
    const Result<RunResult> expected = RunPrepared(session, *other_run, other_request);
    if (!expected.ok()) return Error(expected.error()).InFile(other_name);
    Verification verification = Judge(what, found.outputs, expected->outputs, request.tolerance);
    const Wanted wanted = WantedOf(request, verifications, verification);
    const bool is_native = request.run.engine == "native";
    if (is_native) DRAGOMAN_TRY(LookInside(session, run, request, wanted, verification));
    // Where the generated program does what the model says, the models differ.
    const bool is_right = is_native && wanted.bisection && !verification.bisection->first;
    if (is_right || (!is_native && (wanted.bisection || wanted.values))) {
      DRAGOMAN_ASSIGN(Bisection bisection,
                      BisectModels(session, run, *other_run, other_request, request.tolerance));
      if (wanted.values && !is_native) verification.values = bisection.values;
      if (wanted.bisection) verification.bisection = std::move(bisection);
    }
    verifications.push_back(std::move(verification));
  }
  return verifications;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// dragoman verify MODEL (--data D… | --against B [data | --random N --seed K])
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "driver/bisect.h"
#include "driver/compare_outputs.h"
#include "driver/data_sets.h"
#include "driver/default_inputs.h"
#include "driver/run_model.h"
#include "driver/structured_calls.h"

namespace dragoman::cli {
namespace {

struct VerifyOptions {
  std::string model;
  std::vector<std::string> data;
  std::optional<std::string> against;
  std::optional<std::int64_t> random;  // 1 unless given
  std::uint64_t seed = 0;
  InputOptions inputs;  // --input, --inputs
  bool bisect = false;
  Tolerance tolerance;
  RunRequest request;
  LoweringFlags lowering;
  CommonOptions common;
};

// The answer for one data set, or one input.
struct Verdict {
  std::string what;
  std::vector<OutputComparison> outputs;
  std::optional<Bisection> bisection;  // of the first one that is different

  bool ok() const {
    return std::all_of(outputs.begin(), outputs.end(),
                       [](const OutputComparison& o) { return o.ok; });
  }
};

Verdict Judge(std::string what, const FlatArrays& found, const FlatArrays& expected,
              const Tolerance& tolerance) {
  Verdict verdict{std::move(what), {}, {}};
  if (found.size() != expected.size()) {
    OutputComparison count;
    count.message = fmt::format("{} outputs, expected {}", found.size(), expected.size());
    verdict.outputs.push_back(std::move(count));
    return verdict;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    verdict.outputs.push_back(
        CompareOutput(found[i].first, found[i].second, expected[i].second, tolerance));
  }
  return verdict;
}

// With --steps every recorded output holds one more axis, of the calls.
Status CheckRecordedSteps(const DataSet& set, const Entry& entry, const VerifyOptions& options) {
  if (!options.request.steps) return {};
  DRAGOMAN_ASSIGN(const std::vector<Step> steps, ParseSteps(*options.request.steps));
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

// The first value at which the generated program parts from the interpreter.
Status BisectEngines(const Session& session, const Model& model,
                     const std::vector<NamedArray>& inputs, const VerifyOptions& options,
                     Verdict& verdict) {
  DRAGOMAN_ASSIGN(const PreparedRun run, PrepareRun(session, model, inputs, options.request));
  DRAGOMAN_ASSIGN(verdict.bisection,
                  BisectProgram(session, run, options.request, options.tolerance));
  return {};
}

bool Asks(const VerifyOptions& options, const std::vector<Verdict>& verdicts,
          const Verdict& verdict) {
  return options.bisect && !verdict.ok() &&
         std::ranges::none_of(verdicts, [](const Verdict& v) { return v.bisection.has_value(); });
}

Result<std::vector<Verdict>> AgainstData(const Session& session, const Model& model,
                                         const VerifyOptions& options) {
  std::vector<Verdict> verdicts;
  const Entry& entry = ChosenEntry(model, options.request.facts);
  const bool structured = CallsOf(session, model) != nullptr;
  const std::vector<Slot> slots = structured ? std::vector<Slot>() : InputSlots(entry);
  for (const std::string& path : options.data) {
    DRAGOMAN_ASSIGN(std::vector<std::string> folders, FindDataSets(path));
    for (const std::string& folder : folders) {
      DRAGOMAN_ASSIGN(
          DataSet set,
          ReadDataSet(folder, slots, structured ? std::vector<Slot>() : OutputSlots(entry)));
      if (Status status = CheckRecordedSteps(set, entry, options); !status.ok())
        return std::move(status).error().InFile(folder);
      if (!structured) NameByPosition(slots, set.inputs);
      DRAGOMAN_ASSIGN(RunResult result, RunModel(session, model, set.inputs, options.request));
      Verdict verdict = Judge(folder, result.outputs, set.outputs, options.tolerance);
      if (Asks(options, verdicts, verdict))
        DRAGOMAN_TRY(BisectEngines(session, model, set.inputs, options, verdict));
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

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
// as the files tell their types.
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

// One input for each of --random, or the one that is given, with what to call it.
Result<std::vector<std::pair<std::string, std::vector<NamedArray>>>> InputsToTry(
    const Session& session, const Model& model, const Model& other, const VerifyOptions& options) {
  std::vector<std::pair<std::string, std::vector<NamedArray>>> tries;
  DRAGOMAN_ASSIGN(std::vector<NamedArray> given, LoadInputs(options.inputs));
  if (!given.empty()) {
    tries.emplace_back("given inputs", std::move(given));
    return tries;
  }
  DRAGOMAN_ASSIGN(
      std::vector<std::vector<NamedArray>> drawn,
      DrawInputs(session, model, WithSizesOfOther(session, model, other, options.request.facts),
                 options.seed, options.random.value_or(1)));
  for (std::vector<NamedArray>& inputs : drawn)
    tries.emplace_back(fmt::format("random input {}", tries.size()), std::move(inputs));
  return tries;
}

// What `other` is called with: positions decide where it has other names.
Result<PreparedRun> PrepareOther(const Session& session, const Model& other,
                                 std::vector<NamedArray> inputs, const RunRequest& request) {
  DRAGOMAN_ASSIGN(const bool same_names, TakesNames(session, other, inputs));
  for (std::size_t k = 0; !same_names && k < inputs.size(); ++k) inputs[k].name = std::to_string(k);
  return PrepareRun(session, other, inputs, request);
}

Result<std::vector<Verdict>> AgainstModel(const Session& session, const Model& model,
                                          const VerifyOptions& options) {
  DRAGOMAN_ASSIGN(Model other, session.Read(*options.against));
  RunRequest request = options.request;
  request.facts = {};
  request.engine = "interpreter";  // so that a model against itself compares the engines
  using Tries = std::vector<std::pair<std::string, std::vector<NamedArray>>>;
  DRAGOMAN_ASSIGN(const Tries tries, InputsToTry(session, model, other, options));
  std::vector<Verdict> verdicts;
  for (const auto& [what, inputs] : tries) {
    DRAGOMAN_ASSIGN(const PreparedRun run, PrepareRun(session, model, inputs, options.request));
    DRAGOMAN_ASSIGN(const RunResult found, RunPrepared(session, run, options.request));
    const Result<PreparedRun> other_run = PrepareOther(session, other, inputs, request);
    if (!other_run.ok()) return Error(other_run.error()).InFile(*options.against);
    const Result<RunResult> expected = RunPrepared(session, *other_run, request);
    if (!expected.ok()) return Error(expected.error()).InFile(*options.against);
    Verdict verdict = Judge(what, found.outputs, expected->outputs, options.tolerance);
    if (Asks(options, verdicts, verdict) && options.request.engine == "native") {
      DRAGOMAN_TRY(BisectEngines(session, model, inputs, options, verdict));
    } else if (Asks(options, verdicts, verdict)) {
      DRAGOMAN_ASSIGN(verdict.bisection,
                      BisectModels(session, run, *other_run, request, options.tolerance));
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

void PrintBisection(const Bisection& bisection) {
  if (!bisection.first) {
    Print("  bisect: none of {} values that both have differs\n", bisection.compared);
    return;
  }
  const Divergence& first = *bisection.first;
  Print("  bisect: the first value that differs, after {} that agree:\n    {}\n    of {}{}\n",
        first.agreeing, first.compared.message, first.node,
        first.origin.empty() ? "" : ", from " + first.origin);
}

void PrintText(const std::vector<Verdict>& verdicts) {
  for (const Verdict& verdict : verdicts) {
    Print("{}: {}\n", verdict.what,
          verdict.ok() ? Colored(Color::kGreen, "ok") : Colored(Color::kRed, "different"));
    for (const OutputComparison& output : verdict.outputs) Print("  {}\n", output.message);
    if (verdict.bisection) PrintBisection(*verdict.bisection);
  }
}

// JSON has no infinities: where there is no number, it is null.
nlohmann::ordered_json ComparisonJson(const OutputComparison& output) {
  nlohmann::ordered_json json = {
      {"name", output.name}, {"ok", output.ok}, {"message", output.message}};
  json["largest_difference"] = std::isfinite(output.largest)
                                   ? nlohmann::ordered_json(output.largest)
                                   : nlohmann::ordered_json(nullptr);
  json["at"] = output.worst;
  json["elements"] = output.elements;
  json["different"] = output.different;
  return json;
}

nlohmann::ordered_json BisectionJson(const Bisection& bisection) {
  nlohmann::ordered_json json = {{"compared", bisection.compared}, {"first", nullptr}};
  if (!bisection.first) return json;
  const Divergence& first = *bisection.first;
  json["first"] = ComparisonJson(first.compared);
  json["first"]["node"] = first.node;
  json["first"]["origin"] = first.origin;
  json["first"]["agreeing_before"] = first.agreeing;
  return json;
}

void PrintVerdicts(const std::vector<Verdict>& verdicts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Verdict& verdict : verdicts) {
    nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
    for (const OutputComparison& output : verdict.outputs)
      outputs.push_back(ComparisonJson(output));
    json.push_back({{"what", verdict.what}, {"ok", verdict.ok()}, {"outputs", std::move(outputs)}});
    if (verdict.bisection) json.back()["bisect"] = BisectionJson(*verdict.bisection);
  }
  PrintJson(json);
}

bool IsTolerance(const std::optional<double>& given) {
  return !given || (std::isfinite(*given) && *given >= 0);
}

Result<std::vector<Verdict>> VerifyModel(const Session& session, const Model& model,
                                         VerifyOptions options, Facts facts) {
  options.request.times = options.common.json;
  options.request.print = [](std::string_view line) { Say(Printable(line)); };
  options.request.facts = std::move(facts);
  return options.against ? AgainstModel(session, model, options)
                         : AgainstData(session, model, options);
}

// Errors: options that are not for one another.
Status CheckOptions(const VerifyOptions& options) {
  if (!IsTolerance(options.tolerance.relative) || !IsTolerance(options.tolerance.absolute))
    return InvalidInput("--rtol and --atol take numbers of 0 or more");
  if (options.data.empty() == !options.against.has_value())
    return InvalidInput("verify takes either --data or --against");
  const bool gives_inputs = !options.inputs.inputs.empty() || options.inputs.archive.has_value();
  if (gives_inputs && !options.against)
    return InvalidInput("--input and --inputs go with --against");
  if (options.random && !options.against) return InvalidInput("--random goes with --against");
  if (options.random && gives_inputs)
    return InvalidInput("--random does not go with --input and --inputs");
  if (options.bisect && !options.against && options.request.engine != "native")
    return InvalidInput("--bisect needs --against, or --engine native");
  return {};
}

int RunVerify(const VerifyOptions& options) {
  if (const Status status = CheckOptions(options); !status.ok()) return Report(status.error());
  const Session session = MakeSession(options.common, options.model);
  Result<Facts> facts = ParseFacts(options.lowering);
  if (!facts.ok()) return Report(facts.error(), options.model);
  const Result<Model> model = ReadCut(session, options.model, options.lowering, *facts);
  if (!model.ok()) return Report(model.error());
  Result<std::vector<Verdict>> verdicts = VerifyModel(session, *model, options, *std::move(facts));
  if (!verdicts.ok()) return Report(verdicts.error(), options.model);
  if (!options.common.quiet) {
    if (options.common.json) {
      PrintVerdicts(*verdicts);
    } else {
      PrintText(*verdicts);
    }
  }
  const bool ok =
      std::all_of(verdicts->begin(), verdicts->end(), [](const Verdict& v) { return v.ok(); });
  return ok ? kDone : kAnswerIsNo;
}

}  // namespace

void AddVerify(CommandLine& program) {
  auto options = std::make_shared<VerifyOptions>();
  Command command = program.AddCommand(
      "verify", "Compare a model's outputs with recorded data or with another model");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add(
      "--data", &options->data,
      "An ONNX test-data set, a folder with inputs.npz and outputs.npz, or a folder of these");
  command.Add("--against", &options->against, "Another model, whose outputs must be equal");
  command.Add("--random", &options->random,
              "With --against: number of random inputs; unknown sizes are drawn from 2 to 5",
              {.range = {{1, 1'000'000}}});
  command.Add("--seed", &options->seed, "With --against: seed of the random inputs");
  command.Add("--input", &options->inputs.inputs,
              "With --against: NAME=FILE.npy or POSITION=FILE.npy, in place of random inputs",
              {.repeatable = true});
  command.Add("--inputs", &options->inputs.archive,
              "With --against: FILE.npz with an array for each input");
  command.AddFlag(
      "--bisect", options->bisect,
      "Report the first value that differs between the models, or with --engine native\n"
      "between the interpreter and the generated program");
  command.Add("--steps", &options->request.steps, "As for run");
  command.Add("--rtol", &options->tolerance.relative, "Relative tolerance for all numbers");
  command.Add("--atol", &options->tolerance.absolute, "Absolute tolerance for all numbers");
  command.Add("--engine", &options->request.engine, "interpreter or native",
              {.one_of = {"interpreter", "native"}});
  AddFacts(command, options->lowering);
  AddCut(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "Inputs of two models are matched by name, or by position where names differ; outputs by\n"
      "position.\n"
      "Element types and sizes must be equal, and |a-b| <= atol + rtol*|b|, where both default to\n"
      "1e-4 (float32), 1e-7 (float64), 1e-2 (float16, bfloat16), 0 (others). NaN equals NaN, an\n"
      "infinity only itself; parts of complex numbers are compared one by one; integers exactly;\n"
      "bools and strings must be equal.\n"
      "Exit codes: 0 equal, 1 different.");
  command.SetRun([options] { return RunVerify(*options); });
}

}  // namespace dragoman::cli

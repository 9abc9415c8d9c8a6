// dragoman verify MODEL --data D… | --against B
#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "driver/compare_outputs.h"
#include "driver/data_sets.h"
#include "driver/run_model.h"
#include "driver/structured_calls.h"

namespace dragoman::cli {
namespace {

struct VerifyOptions {
  std::string model;
  std::vector<std::string> data;
  std::optional<std::string> against;
  std::int64_t random = 1;
  std::uint64_t seed = 0;
  Tolerance tolerance;
  RunRequest request;
  LoweringFlags lowering;
  CommonOptions common;
};

// The answer for one data set, or one drawn input.
struct Verdict {
  std::string what;
  std::vector<OutputComparison> outputs;

  bool ok() const {
    return std::all_of(outputs.begin(), outputs.end(),
                       [](const OutputComparison& o) { return o.ok; });
  }
};

Verdict Judge(std::string what, const FlatArrays& found, const FlatArrays& expected,
              const Tolerance& tolerance) {
  Verdict verdict{std::move(what), {}};
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

Result<std::vector<Verdict>> AgainstData(const Session& session, const Model& model,
                                         const VerifyOptions& options) {
  std::vector<Verdict> verdicts;
  const Entry& entry = model.entries.front();
  for (const std::string& path : options.data) {
    DRAGOMAN_ASSIGN(std::vector<std::string> folders, FindDataSets(path));
    for (const std::string& folder : folders) {
      const bool structured = CallsOf(session, model) != nullptr;
      DRAGOMAN_ASSIGN(DataSet set,
                      ReadDataSet(folder, structured ? std::vector<Slot>() : InputSlots(entry),
                                  structured ? std::vector<Slot>() : OutputSlots(entry)));
      DRAGOMAN_ASSIGN(RunResult result, RunModel(session, model, set.inputs, options.request));
      verdicts.push_back(Judge(folder, result.outputs, set.outputs, options.tolerance));
    }
  }
  return verdicts;
}

Result<std::vector<Verdict>> AgainstModel(const Session& session, const Model& model,
                                          const VerifyOptions& options) {
  DRAGOMAN_ASSIGN(Model other, session.Read(*options.against));
  Facts facts = options.request.facts;
  std::optional<Model> lowered;
  if (CallsOf(session, model) != nullptr) {
    DRAGOMAN_ASSIGN(lowered, session.Lower(model, facts));
    facts = {};
  }
  const Model& drawn_for = lowered ? *lowered : model;
  std::mt19937_64 generator(options.seed);
  std::vector<Verdict> verdicts;
  for (std::int64_t i = 0; i < options.random; ++i) {
    DRAGOMAN_ASSIGN(std::vector<NamedArray> inputs,
                    DrawInputs(drawn_for.entries.front(), facts, generator));
    DRAGOMAN_ASSIGN(RunResult found, RunModel(session, model, inputs, options.request));
    // Names may differ between the two: positions decide.
    for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k].name = std::to_string(k);
    RunRequest request = options.request;
    request.facts = {};
    request.engine = "interpreter";  // so that a model against itself compares the engines
    const Result<RunResult> expected = RunModel(session, other, inputs, request);
    if (!expected.ok()) return Error(expected.error()).InFile(*options.against);
    verdicts.push_back(Judge(fmt::format("random input {}", i), found.outputs, expected->outputs,
                             options.tolerance));
  }
  return verdicts;
}

void PrintText(const std::vector<Verdict>& verdicts) {
  for (const Verdict& verdict : verdicts) {
    fmt::print("{}: {}\n", verdict.what, verdict.ok() ? "ok" : "different");
    for (const OutputComparison& output : verdict.outputs) fmt::print("  {}\n", output.message);
  }
}

void PrintVerdicts(const std::vector<Verdict>& verdicts) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Verdict& verdict : verdicts) {
    nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
    for (const OutputComparison& output : verdict.outputs) {
      outputs.push_back({{"name", output.name}, {"ok", output.ok}, {"message", output.message}});
    }
    json.push_back({{"what", verdict.what}, {"ok", verdict.ok()}, {"outputs", std::move(outputs)}});
  }
  PrintJson(json);
}

bool IsTolerance(const std::optional<double>& given) {
  return !given || (std::isfinite(*given) && *given >= 0);
}

Result<std::vector<Verdict>> VerifyModel(const Session& session, const Model& model,
                                         VerifyOptions options) {
  options.request.times = options.common.json;
  options.request.print = Say;
  DRAGOMAN_ASSIGN(options.request.facts, ParseFacts(options.lowering));
  return options.against ? AgainstModel(session, model, options)
                         : AgainstData(session, model, options);
}

int RunVerify(const VerifyOptions& options) {
  if (!IsTolerance(options.tolerance.relative) || !IsTolerance(options.tolerance.absolute)) {
    return Report(InvalidInput("--rtol and --atol take numbers of 0 or more"));
  }
  if (options.data.empty() == !options.against.has_value()) {
    return Report(InvalidInput("verify takes either --data or --against"));
  }
  const Session session = SilentSession();
  Result<Model> model = session.Read(options.model, std::nullopt, ReadOptionsOf(options.lowering));
  if (!model.ok()) return Report(model.error());
  Result<std::vector<Verdict>> verdicts = VerifyModel(session, *model, options);
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
      "verify", "Check what a model computes against recorded data or another model");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add(
      "--data", &options->data,
      "An ONNX test-data set, a folder with inputs.npz and outputs.npz, or a folder of such");
  command.Add("--against", &options->against, "Another model, that must compute the same");
  command.Add(
      "--random", &options->random,
      "With --against: how many inputs to draw; sizes that are not known are drawn from 2 to 5",
      {.range = {{1, 1'000'000}}});
  command.Add("--seed", &options->seed, "With --against: the seed of the drawing");
  command.Add("--steps", &options->request.steps, "As for run");
  command.Add("--rtol", &options->tolerance.relative,
              "Relative tolerance, for every element type of numbers");
  command.Add("--atol", &options->tolerance.absolute,
              "Absolute tolerance, for every element type of numbers");
  command.Add("--engine", &options->request.engine, "interpreter or native",
              {.one_of = {"interpreter", "native"}});
  AddFacts(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "Element types and sizes must be equal, and |a-b| <= atol + rtol*|b|, where both default to\n"
      "1e-4 (float32), 1e-7 (float64), 1e-2 (float16, bfloat16), 0 (others). NaN equals NaN, an\n"
      "infinity only itself; parts of complex numbers are compared one by one; integers exactly;\n"
      "bools and strings must be equal.\n"
      "Exit codes: 0 equal, 1 different.");
  command.SetRun([options] { return RunVerify(*options); });
}

}  // namespace dragoman::cli

// SPDX-License-Identifier: Apache-2.0
// dragoman verify MODEL (--data D… | (--against B | --engine native) [data | --random N --seed K])
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/page_file.h"
#include "cli/verification_report.h"
#include "core/ir/dtype_kinds.h"
#include "core/ir/for_each_value.h"
#include "driver/rules.h"
#include "driver/verify_model.h"
#include "page/plot.h"

namespace dragoman::cli {
namespace {

struct VerifyOptions {
  std::string model;
  std::vector<std::string> data;
  std::optional<std::string> against;
  std::optional<std::int64_t> random;
  std::optional<std::string> plot;
  InputOptions inputs;  // --input, --inputs
  VerifyRequest request;
  LoweringFlags lowering;
  CommonOptions common;

  // Whether the model's generated program is held against the interpreter.
  bool is_against_itself() const {
    return data.empty() && !against && request.run.engine == "native";
  }
  bool takes_inputs() const { return against || is_against_itself(); }
};

std::vector<page::PlotRow> PlotRows(const std::vector<OutputComparison>& compared,
                                    const std::string& prefix) {
  std::vector<page::PlotRow> rows;
  for (const OutputComparison& one : compared)
    rows.push_back({prefix + one.name, one.largest, !one.ok, ""});
  return rows;
}

// The errors of all values that were compared; where only outputs are known, theirs.
std::string ErrorPlot(const std::vector<Verification>& verifications,
                      const VerifyOptions& options) {
  const std::string title = FileNameOf(options.model);
  if (!verifications.empty() && !verifications[0].values.empty()) {
    const std::string against = options.request.run.engine == "native"
                                    ? "generated program against interpreter"
                                    : "against " + FileNameOf(*options.against);
    return page::SvgOf(
        page::SequencePlot{title, fmt::format("{}, {}", against, verifications[0].what),
                           "largest difference", PlotRows(verifications[0].values, "")});
  }
  page::BarPlot plot{title, "largest difference of each output from the recorded one", "", {}};
  for (const Verification& verification : verifications) {
    const std::vector<page::PlotRow> rows =
        PlotRows(verification.outputs, verification.what + ": ");
    plot.rows.insert(plot.rows.end(), rows.begin(), rows.end());
  }
  return page::SvgOf(plot);
}

bool IsTolerance(const std::optional<double>& given) {
  return !given || (std::isfinite(*given) && *given >= 0);
}

Result<std::vector<Verification>> VerifyModel(const Session& session, const Model& model,
                                              VerifyOptions options, Facts facts) {
  VerifyRequest& request = options.request;
  request.values = options.plot.has_value();
  request.run.times = options.common.json;
  request.run.print = [](std::string_view line) { Say(Printable(line)); };
  request.run.facts = std::move(facts);
  if (!options.takes_inputs()) return VerifyAgainstData(session, model, options.data, request);
  std::optional<Model> read;
  if (options.against) {
    DRAGOMAN_ASSIGN(read, session.Read(*options.against));
  } else {
    request.other_facts = request.run.facts;
  }
  const Model& other = read ? *read : model;
  const std::string& other_name = options.against ? *options.against : options.model;
  request.random = options.random.value_or(1);
  DRAGOMAN_ASSIGN(request.inputs, LoadInputs(options.inputs));
  if (session.rules == nullptr)
    return VerifyAgainstModel(session, model, other, other_name, request);
  // Rules are of the first model alone, so that one can hold a model against itself.
  DRAGOMAN_ASSIGN(const Model rewritten, ApplyUserRules(session, model, request.run.facts));
  return VerifyAgainstModel(session.WithoutRules(), rewritten, other, other_name, request);
}

// Errors: options that are not for one another.
Status CheckOptions(const VerifyOptions& options) {
  if (!IsTolerance(options.request.tolerance.relative) ||
      !IsTolerance(options.request.tolerance.absolute))
    return InvalidInput("--rtol and --atol take numbers of 0 or more");
  if (options.data.empty() && !options.takes_inputs())
    return InvalidInput("verify takes --data, --against or --engine native");
  if (!options.data.empty() && options.against)
    return InvalidInput("--data does not go with --against");
  const bool gives_inputs = !options.inputs.inputs.empty() || options.inputs.archive.has_value();
  if (gives_inputs && !options.takes_inputs())
    return InvalidInput("--input and --inputs do not go with --data");
  if (options.random && !options.takes_inputs())
    return InvalidInput("--random does not go with --data");
  if (options.request.seed != 0 && (gives_inputs || !options.takes_inputs()))
    return InvalidInput("--seed is of random inputs");
  if (options.random && gives_inputs)
    return InvalidInput("--random does not go with --input and --inputs");
  return {};
}

// Whether some value of `model`, lowered, is of float16 or bfloat16.
bool ComputesInHalves(const Session& session, const Model& model, const Facts& facts) {
  const Result<Model> lowered = session.Lower(model, facts);
  if (!lowered.ok()) return false;
  bool found = false;
  ForEachGraph(*lowered, [&](const Graph& graph) {
    ForEachValue(graph, [&](const Value& value) { found |= IsHalf(value.type().dtype()); });
  });
  return found;
}

// Says of outputs of float32 that differ by no more than the halves do that they were made from.
void SayWhatHalvesDiffer(const Session& session, const Model& model, const Facts& facts,
                         const VerifyOptions& options,
                         std::span<const Verification> verifications) {
  if (options.request.tolerance.relative || options.request.tolerance.absolute) return;
  constexpr double kToleranceOfHalves = 1e-2;
  bool any = false;
  for (const Verification& verification : verifications) {
    for (const OutputComparison& output : verification.outputs) {
      if (output.ok) continue;
      if (output.elements == 0 || output.largest > kToleranceOfHalves) return;
      any = true;
    }
  }
  if (!any || !ComputesInHalves(session, model, facts)) return;
  Say("the model computes in 16 bits, and differs by no more than outputs of 16 bits may; "
      "--rtol 1e-2 --atol 1e-2 allows it");
}

int RunVerify(const VerifyOptions& options) {
  if (const Status status = CheckOptions(options); !status.ok()) return Report(status.error());
  Session session = MakeSession(options.common, options.model);
  if (Status status = UseRules(session, options.lowering); !status.ok())
    return Report(status.error());
  Result<Facts> facts = ParseFacts(options.lowering);
  if (!facts.ok()) return Report(facts.error(), options.model);
  const Result<Model> model = ReadToRun(session, options.model, options.lowering, *facts);
  if (!model.ok()) return Report(model.error());
  Result<std::vector<Verification>> verifications = VerifyModel(session, *model, options, *facts);
  if (!verifications.ok()) return Report(verifications.error(), options.model);
  if (options.plot) {
    const std::string plot = ErrorPlot(*verifications, options);
    if (Status status = WritePageFile(*options.plot, plot, {options.model}); !status.ok())
      return Report(status.error());
  }
  if (!options.common.quiet) {
    if (options.common.json) {
      PrintJson(VerificationsJson(*verifications));
    } else {
      PrintVerifications(*verifications);
      SayWhatHalvesDiffer(session, *model, *facts, options, *verifications);
    }
  }
  const bool ok = std::all_of(verifications->begin(), verifications->end(),
                              [](const Verification& v) { return v.ok(); });
  return ok ? kDone : kAnswerIsNo;
}

}  // namespace

void AddVerify(CommandLine& program) {
  auto options = std::make_shared<VerifyOptions>();
  Command command = program.AddCommand(
      "verify", "Compare a model's outputs with recorded data or with another model");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add("--data", &options->data,
              "An ONNX test-data set, a folder with inputs.npz and outputs.npz, or a folder of "
              "these; or a folder of .npy files with the names of inputs and of any values, as "
              "another framework computed them",
              {.placeholder = "FOLDER"});
  command.Add("--against", &options->against, "Another model, whose outputs must be equal",
              {.placeholder = "MODEL"});
  command.Add("--random", &options->random,
              "Without --data: number of random inputs; unknown sizes are drawn from 2 to 5",
              {.placeholder = "N", .range = {{1, 1'000'000}}});
  command.Add("--seed", &options->request.seed, "Without --data: seed of the random inputs");
  command.Add(
      "--input", &options->inputs.inputs,
      "Without --data: array for an input, in place of random ones; POSITION=FILE.npy is taken too",
      {.placeholder = "NAME=FILE.npy", .repeatable = true});
  command.Add("--inputs", &options->inputs.archive, "Without --data: array for each input",
              {.placeholder = "FILE.npz"});
  command.AddFlag(
      "--bisect", options->request.bisect,
      "Report the first value that differs between the models, from the .npy files of --data, or "
      "with --engine native between the interpreter and the generated program");
  command.Add("--plot", &options->plot,
              "Write the largest difference of each value as an SVG picture: with --against or "
              "--engine native of all values, else of the outputs",
              {.placeholder = "FILE"});
  command.Add("--steps", &options->request.run.steps, "Calls of one object, as for run",
              {.placeholder = "N|ENTRY*N,…"});
  command.Add("--rtol", &options->request.tolerance.relative, "Relative tolerance for all numbers");
  command.Add("--atol", &options->request.tolerance.absolute, "Absolute tolerance for all numbers");
  command.Add("--engine", &options->request.run.engine,
              "native is the generated C++ program, which without --data and --against is held "
              "against the interpreter; default: interpreter",
              {.one_of = {"interpreter", "native"}});
  AddFacts(command, options->lowering);
  AddCut(command, options->lowering);
  AddRuleFile(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "Inputs of two models are matched by name, or by position where names differ; outputs by\n"
      "position.\n"
      "Element types and sizes must be equal, and |a-b| <= atol + rtol*|b|, where both default to\n"
      "1e-4 (float32), 1e-7 (float64), 1e-2 (float16, bfloat16), 0 (others). NaN equals NaN, an\n"
      "infinity only itself; parts of complex numbers are compared one by one; integers exactly;\n"
      "bools and strings must be equal.\n"
      "Exit codes: 0 equal, 1 different.\n"
      "\n"
      "  dragoman verify model.onnx --data test_data_set_0\n"
      "  dragoman verify model.pt2 --against model.onnx --random 3 --bisect");
  command.SetRun([options] { return RunVerify(*options); });
}

}  // namespace dragoman::cli

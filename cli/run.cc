// SPDX-License-Identifier: Apache-2.0
// dragoman run MODEL
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
#include "core/ir/element_text.h"
#include "core/support/output_file.h"
#include "driver/data.h"
#include "driver/data_sets.h"
#include "driver/run_model.h"

namespace dragoman::cli {
namespace {

struct RunOptions {
  std::string model;
  InputOptions inputs;
  std::string output_dir;
  bool random = false;
  RunRequest request;
  std::optional<std::string> trace;
  LoweringFlags lowering;
  CommonOptions common;
};

// "[0.25, -1.5, …]"
std::string FirstElements(const Tensor& tensor) {
  constexpr std::int64_t kShown = 4;
  std::string text;
  for (std::int64_t i = 0; i < std::min(tensor.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + FormatElement(tensor, i);
  return "[" + text + (tensor.size() > kShown ? ", …" : "") + "]";
}

// "from -1.5 to 2.25, mean 0.125", of what is not NaN; empty: nothing is.
std::string RangeOf(const Tensor& tensor) {
  if (!IsFloating(tensor.dtype()) && !IsInteger(tensor.dtype())) return {};
  double least = INFINITY, most = -INFINITY, sum = 0;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    const double element = tensor.FloatAt(i);
    if (std::isnan(element)) continue;
    least = std::min(least, element);
    most = std::max(most, element);
    sum += element;
    ++count;
  }
  if (count == 0) return {};
  const std::string nan =
      count < tensor.size() ? fmt::format(", {} NaN", tensor.size() - count) : std::string();
  return fmt::format(" from {:g} to {:g}, mean {:g}{}", least, most,
                     sum / static_cast<double>(count), nan);
}

// A line for each output, where no folder takes them.
void PrintSummary(const FlatArrays& outputs) {
  for (const auto& [name, array] : outputs) {
    if (!array.present()) {
      Print("{}: nothing\n", name);
      continue;
    }
    const Tensor tensor = array.ToTensor();
    Print("{}: {} {}{}\n", name, tensor.type().ToString(), FirstElements(tensor), RangeOf(tensor));
  }
}

// The same for --json; null of an output that is absent.
nlohmann::ordered_json OutputsJson(const FlatArrays& outputs) {
  nlohmann::ordered_json types = nlohmann::ordered_json::object();
  for (const auto& [name, array] : outputs) {
    types[name] = nullptr;
    if (array.present()) types[name] = array.ToTensor().type().ToString();
  }
  return types;
}

// As Chrome's tracing and Perfetto read it: complete events, in microseconds.
std::string TraceJson(const std::vector<NodeSpan>& trace) {
  auto events = nlohmann::ordered_json::array();
  for (const NodeSpan& span : trace) {
    events.push_back({{"name", span.name.empty() ? span.op : span.name},
                      {"cat", span.op},
                      {"ph", "X"},
                      {"ts", span.start},
                      {"dur", span.duration},
                      {"pid", 1},
                      {"tid", 1},
                      {"args", {{"operator", span.op}}}});
  }
  const nlohmann::ordered_json json = {{"displayTimeUnit", "ns"}, {"traceEvents", events}};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

// Of the model, on the inputs that are given, or on drawn ones.
Result<RunResult> RunOn(const Session& session, const Model& source, std::vector<NamedArray> inputs,
                        const RunOptions& options, Facts facts) {
  RunRequest request = options.request;
  request.trace = options.trace.has_value();
  request.print = [](std::string_view line) { Say(Printable(line)); };
  request.facts = std::move(facts);
  if (options.random) {
    DRAGOMAN_ASSIGN(std::vector<std::vector<NamedArray>> drawn,
                    DrawInputs(session, source, request.facts, request.seed, 1));
    inputs = std::move(drawn.front());
  }
  return RunModel(session, source, inputs, request);
}

int RunCommand(const RunOptions& options) {
  Result<std::vector<NamedArray>> inputs = LoadInputs(options.inputs);
  if (!inputs.ok()) return Report(inputs.error());
  if (options.random && !inputs->empty())
    return Report(InvalidInput("--random does not go with --input and --inputs"));
  if (options.trace && options.request.engine != "interpreter") {
    return Report(
        InvalidInput("--trace is of the interpreter; `dragoman bench --profile` times the steps of "
                     "the program"));
  }
  if (!options.output_dir.empty()) {
    if (Status status = CheckOutputFolder(options.output_dir); !status.ok())
      return Report(status.error());
  }
  Session session = MakeSession(options.common, options.model);
  if (Status status = UseRules(session, options.lowering); !status.ok())
    return Report(status.error());
  Result<Facts> facts = ParseFacts(options.lowering);
  if (!facts.ok()) return Report(facts.error());
  const Result<Model> source = ReadToRun(session, options.model, options.lowering, *facts);
  if (!source.ok()) return Report(source.error());
  Result<RunResult> result =
      RunOn(session, *source, std::move(*inputs), options, *std::move(facts));
  if (!result.ok()) return Report(result.error(), options.model);
  if (!options.output_dir.empty()) {
    if (Status status = WriteOutputs(options.output_dir, result->outputs); !status.ok())
      return Report(status.error());
  } else if (!options.common.json) {
    PrintSummary(result->outputs);
  }
  if (options.trace) {
    if (Status status = WriteFile(*options.trace, TraceJson(result->trace)); !status.ok())
      return Report(status.error());
  }
  if (options.common.json) PrintJson({{"outputs", OutputsJson(result->outputs)}});
  return kDone;
}

}  // namespace

void AddRun(CommandLine& program) {
  auto options = std::make_shared<RunOptions>();
  Command command = program.AddCommand("run", "Run a model on given inputs");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add("--input", &options->inputs.inputs,
              "Array for an input; POSITION=FILE.npy is taken too; for a map NAME=FILE.json",
              {.placeholder = "NAME=FILE.npy", .repeatable = true});
  command.Add("--inputs", &options->inputs.archive, "Array for each input",
              {.placeholder = "FILE.npz"});
  command.AddFlag("--random", options->random,
                  "Draw random inputs; unknown sizes are drawn from 2 to 5");
  command.Add("-o,--output-dir", &options->output_dir,
              "Folder for the outputs: a .npy file each, .json for maps, and index.json; without "
              "it, a line about each is printed",
              {.placeholder = "FOLDER"});
  command.Add(
      "--steps", &options->request.steps,
      "Calls of one object; an input with one more leading axis holds a slice for each call",
      {.placeholder = "N|ENTRY*N,…"});
  command.Add("--engine", &options->request.engine,
              "native is the generated C++ program; default: interpreter",
              {.one_of = {"interpreter", "native"}});
  command.Add("--seed", &options->request.seed,
              "Seed of random operators and of --random; default: 0");
  command.Add(
      "--trace", &options->trace,
      "Write the times of nodes as Chrome's tracing and Perfetto show them, to a .json file",
      {.placeholder = "FILE"});
  AddFacts(command, options->lowering);
  AddCut(command, options->lowering);
  AddRuleFile(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "  dragoman run model.onnx --input x=x.npy -o outputs\n"
      "  dragoman run model.onnx --random --engine native\n"
      "  dragoman run policy.pt --input x=steps.npy --steps 'forward*3,reset_memory,forward*2' -o "
      "outputs");
  command.SetRun([options] { return RunCommand(*options); });
}

}  // namespace dragoman::cli

// SPDX-License-Identifier: Apache-2.0
// dragoman bench MODEL
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/page_file.h"
#include "core/support/plural.h"
#include "driver/bench_model.h"
#include "driver/model_costs.h"
#include "page/plot.h"

namespace dragoman::cli {
namespace {

struct BenchOptions {
  std::string model;
  std::optional<std::string> against;
  InputOptions inputs;
  std::optional<std::string> plot;
  bool profile = false;
  BenchRequest request;
  LoweringFlags lowering;
  CommonOptions common;
};

// Median by median, of the first model over the second one: each round by itself.
std::vector<double> RatiosOf(const std::vector<Benchmark>& benchmarks) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < benchmarks[0].rounds.size(); ++i)
    ratios.push_back(benchmarks[0].rounds[i].median / benchmarks[1].rounds[i].median);
  std::ranges::sort(ratios);
  return ratios;
}

// "13.4 kB of weights, 512 bytes of activations at most; program: 21.3 MB at most"
std::string MemoryText(const MemoryUse& memory) {
  std::string text = SizeText(memory.weights) + " of weights";
  if (memory.activations) {
    text += fmt::format(", {} of activations at most",
                        SizeText(static_cast<std::uint64_t>(*memory.activations)));
  }
  if (memory.program > 0) {
    text +=
        fmt::format("; program: {} at most", SizeText(static_cast<std::uint64_t>(memory.program)));
  }
  return text;
}

nlohmann::ordered_json MemoryJson(const MemoryUse& memory) {
  nlohmann::ordered_json json = {{"weights", memory.weights}, {"activations", nullptr}};
  if (memory.activations) json["activations"] = *memory.activations;
  if (memory.program > 0) json["program"] = memory.program;
  return json;
}

void PrintBenchmark(const std::string& file, const Benchmark& benchmark, bool profile) {
  Print("{}: fastest {}, median {}, 99 % below {}\n", file, TimeText(benchmark.Fastest()),
        TimeText(benchmark.Median()), TimeText(benchmark.P99()));
  Print("  {}\n", MemoryText(benchmark.memory));
  if (profile) PrintLines(benchmark.profile);
}

void PrintBenchmarks(const std::vector<Benchmark>& benchmarks, const BenchOptions& options) {
  const RunRequest& run = options.request.run;
  Print("{} of {}, engine {}, threads: {}\n",
        Plural(static_cast<std::size_t>(options.request.rounds), "round"),
        Plural(static_cast<std::size_t>(run.repeat), "call"), run.engine, run.threads);
  PrintBenchmark(options.model, benchmarks[0], options.profile);
  if (benchmarks.size() < 2) return;
  PrintBenchmark(*options.against, benchmarks[1], options.profile);
  const std::vector<double> ratios = RatiosOf(benchmarks);
  Print("ratio of medians: {:.3f} ({:.3f} to {:.3f})\n", ratios[ratios.size() / 2], ratios.front(),
        ratios.back());
}

nlohmann::ordered_json BenchmarkJson(const std::string& file, const Benchmark& benchmark,
                                     bool profile) {
  nlohmann::ordered_json json = {{"model", file},
                                 {"unit", "us"},
                                 {"min", benchmark.Fastest()},
                                 {"median", benchmark.Median()},
                                 {"p99", benchmark.P99()},
                                 {"bytes", MemoryJson(benchmark.memory)},
                                 {"rounds", nlohmann::ordered_json::array()}};
  for (const RoundTimes& round : benchmark.rounds)
    json["rounds"].push_back(
        {{"min", round.fastest}, {"median", round.median}, {"p99", round.p99}});
  if (profile) json["profile"] = ProfileJson(benchmark.profile);
  return json;
}

void PrintBenchmarksJson(const std::vector<Benchmark>& benchmarks, const BenchOptions& options) {
  const RunRequest& run = options.request.run;
  nlohmann::ordered_json json = {{"engine", run.engine},
                                 {"threads", run.threads},
                                 {"calls", run.repeat},
                                 {"models", nlohmann::ordered_json::array()}};
  json["models"].push_back(BenchmarkJson(options.model, benchmarks[0], options.profile));
  if (benchmarks.size() > 1) {
    json["models"].push_back(BenchmarkJson(*options.against, benchmarks[1], options.profile));
    const std::vector<double> ratios = RatiosOf(benchmarks);
    json["ratio"] = ratios[ratios.size() / 2];
  }
  PrintJson(json);
}

Status CheckOptions(const BenchOptions& options) {
  if (options.request.run.threads > 1 && options.request.run.engine != "native")
    return InvalidInput("--threads is about --engine native: the interpreter has one thread");
  return {};
}

Result<std::vector<Benchmark>> Bench(BenchOptions& options) {
  DRAGOMAN_TRY(CheckOptions(options));
  BenchRequest& request = options.request;
  DRAGOMAN_ASSIGN(request.inputs, LoadInputs(options.inputs));
  const Session session = MakeSession(options.common, options.model);
  DRAGOMAN_ASSIGN(Facts facts, ParseFacts(options.lowering));
  DRAGOMAN_ASSIGN(const Model model, ReadToRun(session, options.model, options.lowering, facts));
  request.run.facts = std::move(facts);
  if (!options.against) return BenchModels(session, model, nullptr, "", request);
  DRAGOMAN_ASSIGN(const Model other, session.Read(*options.against));
  return BenchModels(session, model, &other, *options.against, request);
}

// The time of each step of the first model.
std::string TimePlot(const std::vector<Benchmark>& benchmarks, const BenchOptions& options) {
  page::BarPlot plot{FileNameOf(options.model),
                     fmt::format("time by step, median call {}, engine {}",
                                 TimeText(benchmarks[0].Median()), options.request.run.engine),
                     "us",
                     {}};
  if (options.against) {
    plot.caption += fmt::format("; a call of {}: {}", FileNameOf(*options.against),
                                TimeText(benchmarks[1].Median()));
  }
  for (const auto& row : ProfileJson(benchmarks[0].profile))
    plot.rows.push_back({row["step"].get<std::string>(), row["us"].get<double>(), false, ""});
  return page::SvgOf(plot);
}

int RunBench(BenchOptions& options) {
  options.request.run.profile = options.profile || options.plot;
  const Result<std::vector<Benchmark>> benchmarks = Bench(options);
  if (!benchmarks.ok()) return Report(benchmarks.error(), options.model);
  if (options.plot) {
    const std::string plot = TimePlot(*benchmarks, options);
    if (Status status = WritePageFile(*options.plot, plot, {options.model}); !status.ok())
      return Report(status.error());
  }
  if (options.common.json) {
    PrintBenchmarksJson(*benchmarks, options);
  } else if (!options.common.quiet) {
    PrintBenchmarks(*benchmarks, options);
  }
  return kDone;
}

}  // namespace

void AddBench(CommandLine& program) {
  auto options = std::make_shared<BenchOptions>();
  options->request.run.engine = "native";
  options->request.run.repeat = 20;
  Command command =
      program.AddCommand("bench", "Time calls of a model, by itself or in turn with another one");
  command.Add("MODEL", &options->model, "A model file", {.required = true});
  command.Add("--against", &options->against,
              "Another model, which is called with the same inputs; rounds of both alternate",
              {.placeholder = "MODEL"});
  command.Add("--rounds", &options->request.rounds, "How many rounds; default: 5",
              {.range = {{1, 100'000}}});
  command.Add("--calls", &options->request.run.repeat, "Calls in a round; default: 20",
              {.range = {{1, 1'000'000}}});
  command.Add("--threads", &options->request.run.threads,
              "Threads of the generated program; default: 1", {.range = {{1, 1024}}});
  command.Add("--engine", &options->request.run.engine,
              "native (default) is the generated C++ program",
              {.one_of = {"native", "interpreter"}});
  command.AddFlag("--profile", options->profile, "Print the time of each step as well");
  command.Add("--plot", &options->plot, "Write the time of each step as an SVG picture",
              {.placeholder = "FILE"});
  command.Add("--input", &options->inputs.inputs,
              "Array for an input, in place of random ones; POSITION=FILE.npy is taken too",
              {.placeholder = "NAME=FILE.npy", .repeatable = true});
  command.Add("--inputs", &options->inputs.archive, "Array for each input",
              {.placeholder = "FILE.npz"});
  command.Add("--seed", &options->request.run.seed, "Seed of random inputs; default: 0");
  command.Add("--steps", &options->request.run.steps, "Calls of one object, as for run",
              {.placeholder = "N|ENTRY*N,…"});
  AddFacts(command, options->lowering);
  AddCut(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "Times are of the calls alone, each from the same state; memory is that of weights, of "
      "values "
      "at\n"
      "once, and of the whole process of the generated program. Inputs are random, with sizes from "
      "2 "
      "to\n"
      "5 where the model leaves them open: --shape or --dim state those that matter.\n"
      "\n"
      "  dragoman bench model.onnx --threads 4 --profile\n"
      "  dragoman bench fused.onnx --against unrolled.onnx --rounds 20");
  command.SetRun([options] { return RunBench(*options); });
}

}  // namespace dragoman::cli

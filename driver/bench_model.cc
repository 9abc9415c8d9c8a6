// SPDX-License-Identifier: Apache-2.0
#include "driver/bench_model.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "driver/data_sets.h"
#include "driver/model_costs.h"
#include "driver/verify_model.h"

namespace dragoman {
namespace {

// Takes the line of times that both engines begin their report with.
Status AddTimes(const std::string& report, Benchmark& benchmark) {
  const auto json = nlohmann::json::parse(report.substr(0, report.find('\n')), nullptr, false);
  if (!json.is_object()) return Internal("a run does not state its times");
  benchmark.rounds.push_back({json["min"], json["median"], json["p99"]});
  std::int64_t& most = benchmark.memory.program;
  most = std::max(most, json.value("peak_bytes", std::int64_t{0}));
  return {};
}

// What follows the line of times.
std::string ProfileOf(const std::string& report) {
  const std::size_t end = report.find('\n');
  return end == std::string::npos ? "" : report.substr(end + 1);
}

Status RunRound(const Session& session, const PreparedRun& run, const RunRequest& request,
                Benchmark& benchmark) {
  DRAGOMAN_ASSIGN(const RunResult result, RunPrepared(session, run, request));
  DRAGOMAN_TRY(AddTimes(result.report, benchmark));
  if (request.profile) benchmark.profile = ProfileOf(result.report);
  return {};
}

Result<std::vector<NamedArray>> InputsOf(const Session& session, const Model& model,
                                         const Model* other, const BenchRequest& request) {
  if (!request.inputs.empty()) return request.inputs;
  const RunRequest& run = request.run;
  DRAGOMAN_ASSIGN(
      std::vector<std::vector<NamedArray>> drawn,
      DrawInputsOfBoth(session, model, other != nullptr ? *other : model, run.facts, run.seed, 1));
  return std::move(drawn.front());
}

}  // namespace

double Benchmark::Fastest() const {
  return std::ranges::min_element(rounds, {}, &RoundTimes::fastest)->fastest;
}

double Benchmark::Median() const {
  std::vector<double> medians;
  for (const RoundTimes& round : rounds) medians.push_back(round.median);
  const auto middle = medians.begin() + static_cast<std::ptrdiff_t>(medians.size() / 2);
  std::ranges::nth_element(medians, middle);
  return *middle;
}

double Benchmark::P99() const {
  return std::ranges::max_element(rounds, {}, &RoundTimes::p99)->p99;
}

Result<std::vector<Benchmark>> BenchModels(const Session& session, const Model& model,
                                           const Model* other, const std::string& other_name,
                                           const BenchRequest& request) {
  DRAGOMAN_ASSIGN(const std::vector<NamedArray> inputs, InputsOf(session, model, other, request));
  std::vector<PreparedRun> runs;
  DRAGOMAN_ASSIGN(PreparedRun first, PrepareRun(session, model, inputs, request.run));
  runs.push_back(std::move(first));
  if (other != nullptr) {
    RunRequest of_other = request.run;
    of_other.facts = {};
    Result<PreparedRun> second = PrepareOther(session, *other, inputs, of_other);
    if (!second.ok()) return std::move(second).error().InFile(other_name);
    runs.push_back(*std::move(second));
  }
  std::vector<Benchmark> benchmarks(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    benchmarks[k].memory.weights = WeightsOf(runs[k].model).bytes;
    benchmarks[k].memory.activations = CostsOf(runs[k].model).peak_activation_bytes;
  }
  RunRequest round = request.run;
  round.times = true;
  for (std::int64_t i = 0; i < request.rounds; ++i) {
    round.profile = request.run.profile && i + 1 == request.rounds;
    for (std::size_t k = 0; k < runs.size(); ++k)
      DRAGOMAN_TRY(RunRound(session, runs[k], round, benchmarks[k]));
  }
  return benchmarks;
}

}  // namespace dragoman

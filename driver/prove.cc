// SPDX-License-Identifier: Apache-2.0
#include "driver/prove.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "codegen/onednn/codegen.h"
#include "core/support/plural.h"
#include "core/support/printable.h"
#include "driver/compare_outputs.h"
#include "driver/native_engine.h"
#include "driver/run_model.h"

namespace dragoman {
namespace {

constexpr int kTimedCalls = 20;

// The line of times of the report of a program that was run with --repeat.
std::string Times(const std::string& report) {
  const auto times = nlohmann::json::parse(report.substr(0, report.find('\n')), nullptr, false);
  if (!times.is_object() || !times.contains("min") || !times.contains("median")) return "";
  return fmt::format("Time a call here: {:.1f} us (the fastest of {}; median {:.1f})\n",
                     times["min"].get<double>(), kTimedCalls, times["median"].get<double>());
}

}  // namespace

Result<Proof> ProveProgram(const Session& session, const Model& model,
                           const std::vector<Recording>& recordings, const ProofRequest& request) {
  RunRequest run;
  run.steps = request.steps;
  run.plan = request.plan;
  run.repeat = kTimedCalls;
  Tolerance tolerance;
  if (request.plan.precision != rt::Precision::kF32) tolerance.rms = kNarrowRms;
  Proof proof;
  std::string times;
  std::size_t outputs = 0;
  double largest = 0;
  for (const auto& [folder, set] : recordings) {
    DRAGOMAN_ASSIGN(RunResult result, RunNative(session, model, set.inputs, run));
    if (run.repeat > 1) times = Times(result.report);
    run.repeat = 1;
    for (std::size_t i = 0; i < set.outputs.size(); ++i) {
      if (i >= result.outputs.size())
        return Internal("the program has fewer outputs than the model");
      const OutputComparison compared = CompareOutput(
          set.outputs[i].first, result.outputs[i].second, set.outputs[i].second, tolerance);
      proof.equal = proof.equal && compared.ok;
      largest = std::max(largest, compared.largest);
      ++outputs;
      proof.text += Printable(fmt::format("  {}: {}: {}", folder, compared.ok ? "ok" : "DIFFERENT",
                                          compared.message)) +
                    '\n';
    }
  }
  proof.text += fmt::format("{}, {}: {}, largest error {:.3g}\n{}",
                            Plural(recordings.size(), "recorded run"), Plural(outputs, "output"),
                            proof.equal ? "all as recorded" : "NOT as recorded", largest, times);
  return proof;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// Calls of a model on either engine.
#ifndef DRAGOMAN_DRIVER_RUN_MODEL_H_
#define DRAGOMAN_DRIVER_RUN_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/onednn/plan/plan.h"
#include "core/analysis/facts.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/data.h"
#include "driver/session.h"
#include "driver/steps.h"

namespace dragoman {

struct RunRequest {
  std::string engine = "interpreter";  // or native
  Facts facts;
  std::optional<std::string> steps;  // as ParseSteps has it
  std::int64_t repeat = 1;
  bool times = false;  // reports times, also of a single run
  bool profile = false;
  bool trace = false;        // of the interpreter
  std::int64_t threads = 1;  // of the native engine
  std::uint64_t seed = 0;    // of random numbers
  onednn::PlanOptions plan;  // of the native engine
  // Takes what the model prints, and warnings of its program; nullptr: nobody does.
  LineSink print = nullptr;
};

// One node as it was run, in microseconds since the calls began.
struct NodeSpan {
  std::string name;
  std::string op;
  double start = 0;
  double duration = 0;
};

struct RunResult {
  FlatArrays outputs;           // flat
  std::string report;           // times, as JSON, and the profile
  std::vector<NodeSpan> trace;  // of the last repetition; a node before those in its bodies
};

// A model that is lowered for given inputs, and the calls to make of it.
struct PreparedRun {
  Model model;
  std::vector<Step> steps;
  std::vector<EntryCalls> calls;
};

// Lowers `source` for the sizes of the given inputs.
Result<PreparedRun> PrepareRun(const Session& session, const Model& source,
                               const std::vector<NamedArray>& inputs, const RunRequest& request);
// Makes the calls; of the request counts what is not about lowering.
Result<RunResult> RunPrepared(const Session& session, const PreparedRun& prepared,
                              const RunRequest& request);

// Both: lowers `source` for the sizes of the given inputs, runs it, and gives the outputs of the
// entries that are called, the default one first; stacked if there are steps.
Result<RunResult> RunModel(const Session& session, const Model& source,
                           const std::vector<NamedArray>& inputs, const RunRequest& request);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_RUN_MODEL_H_

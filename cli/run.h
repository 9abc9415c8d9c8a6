// Calls of a model on either engine: what `run` and `verify` share.
#ifndef DRAGOMAN_CLI_RUN_H_
#define DRAGOMAN_CLI_RUN_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/data.h"
#include "cli/model_io.h"
#include "codegen/onednn/plan/plan.h"
#include "core/interpreter/array.h"
#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman::cli {

struct RunRequest {
  std::string engine = "interpreter";  // or native
  std::optional<std::string> steps;    // --steps
  std::int64_t repeat = 1;
  bool profile = false;
  bool prints = true;  // what the model prints, and warnings of its program: on standard error
  onednn::PlanOptions plan;  // of the native engine
  LoweringOptions lowering;
  CommonOptions common;
};

struct RunResult {
  FlatArrays outputs;  // flat
  std::string report;  // times, as JSON, and the profile; for standard output
};

// Lowers `source` for the sizes of the given inputs, runs it, and gives the outputs of the entries
// that are called, the default one first; stacked if there are steps.
Result<RunResult> RunModel(const Model& source, const std::vector<NamedArray>& inputs,
                           const RunRequest& request);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_RUN_H_

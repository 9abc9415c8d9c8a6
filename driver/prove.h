// SPDX-License-Identifier: Apache-2.0
// The proof that a generated program is right: recorded runs, replayed through the program.
#ifndef DRAGOMAN_DRIVER_PROVE_H_
#define DRAGOMAN_DRIVER_PROVE_H_

#include <optional>
#include <string>
#include <vector>

#include "codegen/onednn/plan/plan.h"
#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/data_sets.h"
#include "driver/session.h"

namespace dragoman {

struct Recording {
  std::string folder;
  DataSet set;
};

struct ProofRequest {
  std::optional<std::string> steps;  // the calls that the recordings are of
  onednn::PlanOptions plan;
};

struct Proof {
  bool equal = true;  // all outputs are as recorded
  std::string text;   // lines: each output, what was checked, the largest error, time a call
};

// Compiles the program of the common `model` for this machine, replays the recordings, and times
// calls of the first entry with the first recording's inputs.
Result<Proof> ProveProgram(const Session& session, const Model& model,
                           const std::vector<Recording>& recordings, const ProofRequest& request);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_PROVE_H_

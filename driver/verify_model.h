// SPDX-License-Identifier: Apache-2.0
// Whether a model computes what was recorded, or what another model computes.
#ifndef DRAGOMAN_DRIVER_VERIFY_MODEL_H_
#define DRAGOMAN_DRIVER_VERIFY_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/bisect.h"
#include "driver/compare_outputs.h"
#include "driver/data.h"
#include "driver/run_model.h"
#include "driver/session.h"

namespace dragoman {

struct VerifyRequest {
  RunRequest run;     // of the model; the other one is interpreted
  Facts other_facts;  // of the other one
  Tolerance tolerance;
  // Finds the first value that differs; against data, that at which the generated program parts
  // from the interpreter.
  bool bisect = false;
  // Compares all values of the first input, as `bisect` would, whether outputs differ or not. Needs
  // another model, or the native engine.
  bool values = false;
  // Against another model: the inputs; none: `random` ones are drawn from `seed`, with sizes from 2
  // to 5 where no size is known.
  std::vector<NamedArray> inputs;
  std::int64_t random = 1;
  std::uint64_t seed = 0;
};

// The answer for one data set, or one input.
struct Verification {
  std::string what;  // "random input 0", the folder of the data set
  std::vector<OutputComparison> outputs;
  std::optional<Bisection> bisection;    // of the first one that is different
  std::vector<OutputComparison> values;  // of the first one, if the request asks for them

  bool ok() const;
};

// Replays the data sets at the paths (FindDataSets), or what another framework recorded value by
// value (recorded_values.h), of which all that is not an input is compared. Errors: those of
// reading them and of RunModel.
Result<std::vector<Verification>> VerifyAgainstData(const Session& session, const Model& model,
                                                    const std::vector<std::string>& paths,
                                                    const VerifyRequest& request);

// Lowers `other` for inputs of another model: by their names, or by position where it has others.
Result<PreparedRun> PrepareOther(const Session& session, const Model& other,
                                 std::vector<NamedArray> inputs, const RunRequest& request);

// DrawInputs (data_sets.h), where sizes that `other` alone knows are taken from it.
Result<std::vector<std::vector<NamedArray>>> DrawInputsOfBoth(
    const Session& session, const Model& model, const Model& other, const Facts& facts,
    std::uint64_t seed, std::int64_t count);

// Runs both on equal inputs. Inputs are matched by name, or by position where names differ; outputs
// by position. Errors: those of RunModel; about `other`, in file `other_name`.
Result<std::vector<Verification>> VerifyAgainstModel(const Session& session, const Model& model,
                                                     const Model& other,
                                                     const std::string& other_name,
                                                     const VerifyRequest& request);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_VERIFY_MODEL_H_

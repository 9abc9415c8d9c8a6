// SPDX-License-Identifier: Apache-2.0
// Which targets can express a model.
#ifndef DRAGOMAN_CLI_INSPECT_TARGETS_H_
#define DRAGOMAN_CLI_INSPECT_TARGETS_H_

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "driver/session.h"

namespace dragoman::cli {

// Whether a target takes the model, and what stands in the way.
struct Answer {
  std::string target;
  std::vector<Finding> findings;
  bool works() const { return findings.empty(); }
};

// Of all targets, or of the one called `only`, after the default passes; `lowered` is not rewritten
// yet. An error of it is the answer of all.
std::vector<Answer> AskTargets(const Session& session, const Result<Model>& lowered,
                               const std::optional<std::string>& only);

nlohmann::ordered_json AnswerJson(const Answer& answer);

}  // namespace dragoman::cli

#endif  // DRAGOMAN_CLI_INSPECT_TARGETS_H_

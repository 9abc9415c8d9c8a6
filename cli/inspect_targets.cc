// SPDX-License-Identifier: Apache-2.0
#include "cli/inspect_targets.h"

#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "core/rewrite/pipeline.h"
#include "driver/model_costs.h"
#include "driver/targets.h"

namespace dragoman::cli {
namespace {

Result<Model> RewriteForTargets(const Session& session, const Result<Model>& lowered,
                                const std::string& passes) {
  if (!lowered.ok()) return lowered.error();
  Model common = Clone(*lowered);
  DRAGOMAN_TRY(session.Rewrite(common, passes));
  return common;
}

// Of all targets, or of one, after such passes.
std::vector<Answer> AskAfter(const Session& session, const Result<Model>& lowered,
                             const std::optional<std::string>& only, const std::string& passes) {
  const Result<Model> common = RewriteForTargets(session, lowered, passes);
  const auto progress = session.Show("checking targets");
  std::vector<Answer> answers;
  for (const Target& target : TargetsOf(session.formats)) {
    if (target.name != only.value_or(std::string(target.name))) continue;
    const Status status = common.ok() ? target.check(*common) : Status(common.error());
    answers.push_back({std::string(target.name),
                       status.ok() ? std::vector<Finding>() : status.error().findings()});
  }
  return answers;
}

// Those of the default passes that do not read weights.
std::string PassesWithoutWeights() {
  std::string passes = "default";
  for (const PassInfo& pass : AllPasses()) {
    if (pass.by_default && pass.reads_weights) passes += ",-" + std::string(pass.name);
  }
  return passes;
}

}  // namespace

std::vector<Answer> AskTargets(const Session& session, const Result<Model>& lowered,
                               const std::optional<std::string>& only) {
  // Where weights are large, passes that read them are left out at first: what can be expressed
  // without them can be with them.
  constexpr std::uint64_t kLarge = 64'000'000;
  if (lowered.ok() && WeightsOf(*lowered).bytes > kLarge) {
    std::vector<Answer> answers = AskAfter(session, lowered, only, PassesWithoutWeights());
    if (std::ranges::all_of(answers, &Answer::works)) return answers;
  }
  return AskAfter(session, lowered, only, "default");
}

nlohmann::ordered_json AnswerJson(const Answer& answer) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& finding : answer.findings) findings.push_back(finding.ToString());
  return {{"works", answer.works()}, {"findings", findings}};
}

}  // namespace dragoman::cli

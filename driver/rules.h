// SPDX-License-Identifier: Apache-2.0
// Rules of users (core/rewrite/match) in files, and where they stand in what a session does.
#ifndef DRAGOMAN_DRIVER_RULES_H_
#define DRAGOMAN_DRIVER_RULES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/model.h"
#include "core/rewrite/match/rule.h"
#include "core/rewrite/match/run_rules.h"
#include "core/support/result.h"
#include "driver/session.h"

namespace dragoman {

// The rules in a file. Errors are at FILE:LINE:COLUMN.
Result<std::shared_ptr<const RuleSet>> LoadRules(const std::string& path);

// `source` as the rules of the session leave it: of its own level if they all are about that, else
// lowered with `facts`, for them and nothing else.
Result<Model> ApplyUserRules(const Session& session, const Model& source, const Facts& facts);

// The places at which `rules` are applied to the model, in the graph of the file first.
Result<std::vector<RulePlace>> FindMatches(Session session, const Model& source,
                                           std::shared_ptr<const RuleSet> rules,
                                           const Facts& facts);

// What they say of the node of that name, in the graph of the file and in the common one.
Result<std::vector<RuleAnswer>> ExplainMisses(const Session& session, const Model& source,
                                              const RuleSet& rules, std::string_view node,
                                              const Facts& facts);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_RULES_H_

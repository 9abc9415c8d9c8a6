// SPDX-License-Identifier: Apache-2.0
#include "driver/rules.h"

#include <utility>

#include "core/rewrite/match/read_rules.h"
#include "core/support/mapped_file.h"

namespace dragoman {

Result<std::shared_ptr<const RuleSet>> LoadRules(const std::string& path) {
  DRAGOMAN_ASSIGN(const auto file, MappedFile::Open(path));
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()),
                              file->bytes().size());
  Result<RuleSet> rules = ReadRules(text);
  if (!rules.ok()) return std::move(rules).error().InFile(path);
  return std::make_shared<const RuleSet>(std::move(*rules));
}

Result<Model> ApplyUserRules(const Session& session, const Model& source, const Facts& facts) {
  if (session.rules != nullptr && NeedLowering(*session.rules, source.level))
    return session.Lower(source, facts);
  Model model = Clone(source);
  DRAGOMAN_TRY(session.ApplyRules(model));
  return model;
}

Result<std::vector<RulePlace>> FindMatches(Session session, const Model& source,
                                           std::shared_ptr<const RuleSet> rules,
                                           const Facts& facts) {
  std::vector<RulePlace> places;
  session.rules = std::move(rules);
  session.report_rule = [&](RulePlace place) { places.push_back(std::move(place)); };
  DRAGOMAN_TRY(ApplyUserRules(session, source, facts));
  return places;
}

Result<std::vector<RuleAnswer>> ExplainMisses(const Session& session, const Model& source,
                                              const RuleSet& rules, std::string_view node,
                                              const Facts& facts) {
  Result<std::vector<RuleAnswer>> answers = WhyNot(source, rules, node);
  if (!NeedLowering(rules, source.level)) return answers;
  DRAGOMAN_ASSIGN(const Model common, session.Lower(source, facts));
  // Lowering may name nodes otherwise.
  Result<std::vector<RuleAnswer>> further = WhyNot(common, rules, node);
  if (!answers.ok()) return further;
  if (further.ok()) answers->insert(answers->end(), further->begin(), further->end());
  return answers;
}

}  // namespace dragoman

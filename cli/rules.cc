// SPDX-License-Identifier: Apache-2.0
// dragoman rules FILE
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "core/rewrite/match/judge_rule.h"
#include "core/rewrite/rules/built_in_rules.h"
#include "core/support/plural.h"
#include "driver/rules.h"

namespace dragoman::cli {
namespace {

using Json = nlohmann::ordered_json;

struct RulesCommand {
  std::optional<std::string> file;
  bool check = false;
  std::optional<std::string> matches;
  std::vector<std::string> why_not;  // a model and a node
  LoweringFlags lowering;
  CommonOptions common;
};

std::string ScopeText(const Rule& rule) {
  switch (rule.scope) {
    case Rule::Scope::kSource:
      return "the graph of the file";
    case Rule::Scope::kCommon:
      return "the common graph";
    case Rule::Scope::kEither:
      return "both graphs";
  }
  return "";
}

// What there is in the file; the alternatives of a rule are about the same graphs.
int ListRules(const RuleSet& rules, const CommonOptions& common) {
  Json list = Json::array();
  std::string before;
  for (const Rule& rule : rules.rules()) {
    if (std::exchange(before, rule.name) == rule.name) continue;
    if (common.json) {
      list.push_back({{"rule", rule.name}, {"of", ScopeText(rule)}});
    } else {
      Print("{}: of {}\n", rule.name, ScopeText(rule));
    }
  }
  if (common.json) PrintJson(list);
  return kDone;
}

// --- --check

std::string JudgementText(const RuleJudgement& judgement) {
  if (!judgement.unchecked.empty()) return "not checked: " + judgement.unchecked;
  std::vector<std::string> types;
  for (const auto& [dtype, largest] : judgement.largest)
    types.push_back(fmt::format("{:.3g} in {}", largest, Name(dtype)));
  const std::string text = fmt::format("{} on {} random inputs, largest differences {}",
                                       judgement.ok         ? "equal"
                                       : judgement.is_meant ? "different, as it says,"
                                                            : "different",
                                       judgement.draws, fmt::join(types, ", "));
  return judgement.ok || judgement.is_meant ? text : text + "\n  " + judgement.place;
}

Json JudgementJson(const RuleJudgement& judgement) {
  Json json = {{"rule", judgement.rule}};
  if (!judgement.unchecked.empty()) {
    json["unchecked"] = judgement.unchecked;
    return json;
  }
  json["equal"] = judgement.ok;
  if (judgement.is_meant) json["meant_to_differ"] = true;
  json["draws"] = judgement.draws;
  for (const auto& [dtype, largest] : judgement.largest)
    json["largest_difference"][std::string(Name(dtype))] = largest;
  if (!judgement.place.empty()) json["at"] = judgement.place;
  return json;
}

int CheckRules(const RuleSet& rules, const CommonOptions& common) {
  Json list = Json::array();
  bool ok = true;
  for (const RuleJudgement& judgement : JudgeRules(rules)) {
    ok = ok && (judgement.ok || judgement.is_meant);
    if (common.json) {
      list.push_back(JudgementJson(judgement));
    } else if (!common.quiet) {
      PrintLines(Printable(judgement.rule) + ": " + JudgementText(judgement) + "\n");
    }
  }
  if (common.json) PrintJson(list);
  return ok ? kDone : kAnswerIsNo;
}

// --- --matches and --why-not

int PrintMatches(const RulesCommand& options, std::shared_ptr<const RuleSet> rules) {
  const Session session = MakeSession(options.common, *options.matches);
  const Result<Facts> facts = ParseFacts(options.lowering);
  if (!facts.ok()) return Report(facts.error());
  const Result<Model> model =
      session.Read(*options.matches, std::nullopt, ReadOptionsOf(options.lowering));
  if (!model.ok()) return Report(model.error());
  const auto places = FindMatches(session, *model, std::move(rules), *facts);
  if (!places.ok()) return Report(places.error(), *options.matches);
  Json list = Json::array();
  for (const RulePlace& place : *places) {
    if (options.common.json) {
      list.push_back({{"rule", place.rule}, {"nodes", place.nodes}});
      continue;
    }
    const std::vector<std::string> inner(place.nodes.begin() + 1, place.nodes.end());
    Print("{}: {}{}\n", place.rule, place.nodes.front(),
          inner.empty() ? "" : fmt::format(", with {}", fmt::join(inner, ", ")));
  }
  if (options.common.json) {
    PrintJson(list);
  } else if (!options.common.quiet) {
    Print("{}\n", Plural(places->size(), "place"));
  }
  return kDone;
}

int PrintMisses(const RulesCommand& options, const RuleSet& rules) {
  const std::string& file = options.why_not.front();
  const Session session = MakeSession(options.common, file);
  const Result<Facts> facts = ParseFacts(options.lowering);
  if (!facts.ok()) return Report(facts.error());
  const Result<Model> model = session.Read(file, std::nullopt, ReadOptionsOf(options.lowering));
  if (!model.ok()) return Report(model.error());
  const auto answers = ExplainMisses(session, *model, rules, options.why_not.back(), *facts);
  if (!answers.ok()) return Report(answers.error(), file);
  Json list = Json::array();
  for (const RuleAnswer& answer : *answers) {
    if (options.common.json) {
      list.push_back({{"rule", answer.rule},
                      {"at", answer.place},
                      {"matches", answer.reason.empty()},
                      {"reason", answer.reason}});
    } else {
      Print("{}: {}: {}\n", answer.rule, answer.place,
            answer.reason.empty() ? "matches" : answer.reason);
    }
  }
  if (options.common.json) {
    PrintJson(list);
  } else if (answers->empty()) {
    Print("no rule has the operator of {}\n", options.why_not.back());
  }
  return kDone;
}

int RunRulesCommand(const RulesCommand& options) {
  if (int{options.check} + int{options.matches.has_value()} + int{!options.why_not.empty()} > 1)
    return Report(InvalidInput("--check, --matches and --why-not do not go together"));
  using Rules = std::shared_ptr<const RuleSet>;
  const Result<Rules> rules =
      options.file ? LoadRules(*options.file)
                   : Result<Rules>(std::make_shared<const RuleSet>(AllBuiltInRules()));
  if (!rules.ok()) return Report(rules.error());
  if (!options.why_not.empty()) return PrintMisses(options, **rules);
  if (options.matches) return PrintMatches(options, *rules);
  return options.check ? CheckRules(**rules, options.common) : ListRules(**rules, options.common);
}

}  // namespace

void AddRules(CommandLine& program) {
  auto options = std::make_shared<RulesCommand>();
  Command command =
      program.AddCommand("rules", "Check rules for rewriting models, and show where they match");
  command.Add("FILE", &options->file, "A file of rules; those of Dragoman itself without it");
  command.AddFlag(
      "--check", options->check,
      "Run both sides of each rule on random inputs of legal types and sizes, and report the "
      "largest difference; exits with 1 if one is more than rounding explains");
  command.Add("--matches", &options->matches, "Print the places of a model that rules match",
              {.placeholder = "MODEL"});
  command.Add("--why-not", &options->why_not,
              "Print why rules do not match at a node, which is named as in the file or by a value",
              {.placeholder = "MODEL NODE", .in_a_row = 2});
  AddFacts(command, options->lowering);
  AddCommonOptions(command, options->common);
  command.SetFooter(
      "A rule is written as\n"
      "\n"
      "  rule read-elu: Where(Greater($x, 0), $x, Mul($a, Sub(Exp($x), 1)))\n"
      "    => Elu($x) {alpha = $a} where scalar($a)\n"
      "\n"
      "and is used by convert, simplify, codegen, run, verify and diff: --rules FILE. Names like\n"
      "onnx.Gelu are operators of the file, others are operators of the common dialect.");
  command.SetRun([options] { return RunRulesCommand(*options); });
}

}  // namespace dragoman::cli

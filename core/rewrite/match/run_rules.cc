// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/run_rules.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "core/rewrite/match/apply_rule.h"
#include "core/rewrite/match/match_rule.h"
#include "core/rewrite/pass_context.h"
#include "core/support/nearest_name.h"

namespace dragoman {
namespace {

// A rule that is applied more often in a graph of n nodes is taken to have no end. A value may be
// moved past each node, so a rule may be applied more often than there are nodes.
constexpr std::size_t kLeastApplications = 1'000;
constexpr std::size_t kApplicationsPerNode = 20;

// The roots first.
RulePlace PlaceOf(const Rule& rule, const RuleMatch& match) {
  RulePlace place{.rule = rule.name, .nodes = {}};
  for (const std::size_t root : rule.roots) place.nodes.push_back(match.nodes[root]->Describe());
  for (std::size_t i = match.nodes.size(); i-- > 0;) {
    if (!rule.IsRoot(i)) place.nodes.push_back(match.nodes[i]->Describe());
  }
  return place;
}

// The rules in one entry or function.
class RuleRun {
 public:
  RuleRun(const RuleSet& rules, Level level, const RuleOptions& options, PassContext& context)
      : rules_(rules), level_(level), options_(options), context_(context) {}

  Result<bool> Run(Graph& entry) {
    std::size_t nodes = 0;
    ForEachGraph(std::as_const(entry), [&](const Graph& graph) { nodes += graph.num_nodes(); });
    applied_.assign(rules_.rules().size(), 0);
    most_ = kLeastApplications + kApplicationsPerNode * nodes;
    bool changed = false;
    while (true) {
      DRAGOMAN_ASSIGN(const bool again, RunOn(entry));
      if (!again) return changed;
      changed = true;
    }
  }

 private:
  // Bodies after the graph around them, for a rule may remove the nodes that own them.
  Result<bool> RunOn(Graph& graph) {
    bool changed = false;
    for (Node* node = graph.first_node(); node != nullptr;) {
      next_ = node->next();
      DRAGOMAN_ASSIGN(const bool applied, OfferTo(*node));
      changed = changed || applied;
      node = next_;
    }
    for (Node& node : graph.nodes()) {
      for (Graph* body : node.subgraphs()) {
        DRAGOMAN_ASSIGN(const bool applied, RunOn(*body));
        changed = changed || applied;
      }
    }
    return changed;
  }

  Result<bool> OfferTo(Node& node) {
    for (const std::size_t number : rules_.BeginningWith(node.op())) {
      const Rule& rule = rules_.rules()[number];
      if (!IsAbout(rule, level_)) continue;
      context_.rule = rule.name;
      DRAGOMAN_ASSIGN(const bool applied, Apply(number, node));
      if (applied) return true;
    }
    return false;
  }

  Result<bool> Apply(std::size_t number, Node& node) {
    const Rule& rule = rules_.rules()[number];
    const Inference* inference = level_ == Level::kCommon ? &context_.inference : nullptr;
    RuleMatcher matcher(rule, inference, context_.explain != nullptr);
    const std::optional<RuleMatch> match = matcher.Match(node);
    if (!match) {
      const RuleMiss& miss = matcher.miss();
      if (miss.matched > 1 || (miss.matched == 1 && miss.near)) context_.Explain(node, miss.reason);
      return false;
    }
    const std::string place = node.Describe();
    Node* next = next_;
    while (next != nullptr && match->Has(next)) next = next->next();
    RulePlace found = options_.found ? PlaceOf(rule, *match) : RulePlace();
    const auto refusal = ApplyRule(rule, *match, level_, context_);
    if (refusal) {
      context_.Explain(node, *refusal);
      return false;
    }
    next_ = next;
    if (options_.found) options_.found(std::move(found));
    if (++applied_[number] <= most_) return true;
    return InvalidInput(
        fmt::format("rule {} comes to no end: it was applied {} times, at last to {}", rule.name,
                    applied_[number], place));
  }

  const RuleSet& rules_;
  Level level_;
  const RuleOptions& options_;
  PassContext& context_;
  Node* next_ = nullptr;              // to be visited
  std::vector<std::size_t> applied_;  // by rule
  std::size_t most_ = 0;
};

bool MayMatch(const Graph& entry, const RuleSet& rules, Level level) {
  bool found = false;
  ForEachGraph(entry, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      found = found || std::ranges::any_of(rules.BeginningWith(node.op()), [&](std::size_t i) {
                return IsAbout(rules.rules()[i], level);
              });
    }
  });
  return found;
}

Result<PassContext> ContextOf(Graph& entry, Level level,
                              std::function<void(std::string_view)> explain) {
  if (level == Level::kCommon) return PassContext::Make(entry, std::move(explain));
  return PassContext::MakeUninferred(entry, std::move(explain));
}

// An operator of another domain needs its import, as readers of ONNX want it.
void ImportDomains(const Graph& entry, std::vector<OpsetImport>& opsets) {
  ForEachGraph(entry, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      const std::string& domain = node.op().domain;
      const bool known =
          domain.empty() || std::ranges::find(opsets, domain, &OpsetImport::domain) != opsets.end();
      if (!known) opsets.push_back({domain, 1});
    }
  });
}

// The node of that name, or that gives a value of that name.
const Node* FindNode(const Model& model, std::string_view name) {
  const Node* by_name = nullptr;
  const Node* by_value = nullptr;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      if (node.name() == name && by_name == nullptr) by_name = &node;
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        if (node.result(i) != nullptr && node.result(i)->name() == name) by_value = &node;
      }
    }
  });
  return by_name != nullptr ? by_name : by_value;
}

// Of nodes, and of values that they give.
std::vector<std::string> NamesOfNodes(const Model& model) {
  std::vector<std::string> names;
  ForEachGraph(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        if (node.result(i) != nullptr) names.push_back(node.result(i)->name());
      }
      if (!node.name().empty()) names.push_back(node.name());
    }
  });
  return names;
}

// `node`, or the nearest of the nodes that read it at which the rule may begin; nullptr: none.
Node* NearestRoot(const Rule& rule, Node& node) {
  const RuleNode& root = rule.pattern.nodes[rule.roots.front()];
  std::vector<std::pair<Node*, std::size_t>> open = {{&node, 0}};
  std::unordered_set<const Node*> seen;  // looked up, never iterated
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto [at, distance] = open[i];
    if (IsOperatorOf(root, at->op())) return at;
    if (distance == rule.pattern.nodes.size()) continue;
    for (std::size_t k = 0; k < at->num_results(); ++k) {
      if (at->result(k) == nullptr) continue;
      for (const Use* use = at->result(k)->first_use(); use != nullptr; use = use->next()) {
        if (use->user() != nullptr && seen.insert(use->user()).second)
          open.emplace_back(use->user(), distance + 1);
      }
    }
  }
  return nullptr;
}

// An answer, and how much of the pattern fits.
struct Attempt {
  RuleAnswer answer;
  std::size_t matched = 0;
};

Attempt AttemptAt(const Rule& rule, Node& root, Level level, PassContext& context) {
  Attempt attempt{{rule.name, root.Describe(), ""}};
  const Inference* inference = level == Level::kCommon ? &context.inference : nullptr;
  RuleMatcher matcher(rule, inference, true);
  const std::optional<RuleMatch> match = matcher.Match(root);
  attempt.matched = match ? rule.pattern.nodes.size() : matcher.miss().matched;
  attempt.answer.reason =
      match ? ApplyRule(rule, *match, level, context).value_or("") : matcher.miss().reason;
  return attempt;
}

// Of the alternatives of a rule the one that matches, else the nearest.
void Keep(Attempt attempt, std::vector<Attempt>& attempts) {
  if (attempts.empty() || attempts.back().answer.rule != attempt.answer.rule) {
    attempts.push_back(std::move(attempt));
    return;
  }
  Attempt& best = attempts.back();
  const bool is_better = !best.answer.reason.empty() &&
                         (attempt.answer.reason.empty() || attempt.matched > best.matched);
  if (is_better) best = std::move(attempt);
}

Graph& EntryAround(Node& node) {
  Graph* graph = node.graph();
  while (graph->parent_graph() != nullptr) graph = graph->parent_graph();
  return *graph;
}

}  // namespace

bool IsAbout(const Rule& rule, Level level) {
  return rule.scope == Rule::Scope::kEither ||
         (rule.scope == Rule::Scope::kCommon) == (level == Level::kCommon);
}

bool NeedLowering(const RuleSet& rules, Level level) {
  return level == Level::kSource && rules.Has(Rule::Scope::kCommon);
}

Result<bool> RunRules(Model& model, const RuleSet& rules, const RuleOptions& options) {
  std::unordered_set<std::string> explained;  // every round finds the same near misses
  std::function<void(std::string_view)> explain;
  if (options.explain) {
    explain = [&](std::string_view line) {
      if (explained.emplace(line).second) options.explain(line);
    };
  }
  bool changed = false;
  const auto run = [&](Graph& graph, std::vector<OpsetImport>& opsets) -> Status {
    if (!MayMatch(graph, rules, model.level)) return {};
    DRAGOMAN_ASSIGN(PassContext context, ContextOf(graph, model.level, explain));
    DRAGOMAN_ASSIGN(const bool applied, RuleRun(rules, model.level, options, context).Run(graph));
    if (applied) ImportDomains(graph, opsets);
    changed = changed || applied;
    return {};
  };
  for (Entry& entry : model.entries) DRAGOMAN_TRY(run(*entry.graph, model.opsets));
  for (Function& function : model.functions) {
    DRAGOMAN_TRY(run(*function.graph, function.opsets.empty() ? model.opsets : function.opsets));
  }
  return changed;
}

Result<std::vector<RuleAnswer>> WhyNot(const Model& model, const RuleSet& rules,
                                       std::string_view name) {
  const Node* const asked = FindNode(model, name);
  if (asked == nullptr) {
    return InvalidInput("there is no node '" + std::string(name) + "'" +
                        DidYouMean(name, NamesOfNodes(model)));
  }
  std::vector<Attempt> attempts;
  for (const Rule& rule : rules.rules()) {
    const bool has_operator = std::ranges::any_of(rule.pattern.nodes, [&](const RuleNode& wanted) {
      return IsOperatorOf(wanted, asked->op());
    });
    if (!has_operator || !IsAbout(rule, model.level)) continue;
    Model copy = Clone(model);
    Node* root = NearestRoot(rule, *const_cast<Node*>(FindNode(copy, name)));
    if (root == nullptr) continue;
    DRAGOMAN_ASSIGN(PassContext context, ContextOf(EntryAround(*root), model.level, nullptr));
    Keep(AttemptAt(rule, *root, model.level, context), attempts);
  }
  std::vector<RuleAnswer> answers;
  for (Attempt& attempt : attempts) answers.push_back(std::move(attempt.answer));
  return answers;
}

}  // namespace dragoman

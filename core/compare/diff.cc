// SPDX-License-Identifier: Apache-2.0
#include "core/compare/diff.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/compare/calling.h"
#include "core/compare/diff_trace.h"
#include "core/compare/graph_diff.h"
#include "core/compare/places.h"

namespace dragoman {
namespace compare {
namespace {

class ModelDiff {
 public:
  ModelDiff(const Model& a, const Model& b, const CompareOptions& options, std::vector<Edit>& edits,
            DiffTrace* trace)
      : a_(a),
        b_(b),
        constants_(options),
        forms_(options, ConstantTable::Floats::kByType),
        traits_(options, a, b),
        context_{options, constants_, forms_, traits_, {}, trace},
        edits_(edits) {
    PairFunctions();
    context_.canonical_op = [this](const OpName& op) -> const OpName& {
      const auto found = op_in_a_.find(&op);
      return found == op_in_a_.end() ? op : *found->second;
    };
  }

  void Run() {
    if (const auto head = CompareModelHeads(a_, b_, context_.options.level)) {
      AddModelEdit(head->reason, "model", "model", head->expected, head->found);
    }
    CompareStates();
    CompareEntries();
    CompareFunctions();
    if (context_.trace != nullptr) context_.trace->edited.resize(edits_.size());
  }

 private:
  void AddModelEdit(std::string what, std::string place_a, std::string place_b,
                    std::string old_value, std::string new_value) {
    Edit edit;
    edit.what = std::move(what);
    edit.place_a = std::move(place_a);
    edit.place_b = std::move(place_b);
    edit.old_value = std::move(old_value);
    edit.new_value = std::move(new_value);
    edits_.push_back(std::move(edit));
  }

  // By name; those without a namesake in their order.
  void PairFunctions() {
    std::vector<const Function*> rest_a, rest_b;
    std::map<std::string, const Function*> by_name;
    for (const Function& f : b_.functions) by_name.emplace(f.op->ToString(), &f);
    std::set<const Function*> taken;
    for (const Function& f : a_.functions) {
      const auto found = by_name.find(f.op->ToString());
      if (found == by_name.end() || !taken.insert(found->second).second) {
        rest_a.push_back(&f);
      } else {
        functions_.emplace_back(&f, found->second);
      }
    }
    for (const Function& f : b_.functions) {
      if (!taken.contains(&f)) rest_b.push_back(&f);
    }
    for (std::size_t i = 0; i < std::max(rest_a.size(), rest_b.size()); ++i) {
      functions_.emplace_back(i < rest_a.size() ? rest_a[i] : nullptr,
                              i < rest_b.size() ? rest_b[i] : nullptr);
    }
    for (const auto& [x, y] : functions_) {
      if (x != nullptr && y != nullptr) op_in_a_[y->op] = x->op;
    }
  }

  void CompareStates() {
    for (std::size_t i = 0; i < std::min(a_.states.size(), b_.states.size()); ++i) {
      const State &x = a_.states[i], &y = b_.states[i];
      if (constants_.Same(&x.initial, &y.initial)) continue;
      AddModelEdit("initial value", "state '" + x.name + "'", "state '" + y.name + "'",
                   Describe(x.initial), Describe(y.initial));
    }
  }

  void CompareEntries() {
    if (a_.entries.size() != b_.entries.size()) return;
    for (const auto& [x, y] : EntryPairs(a_, b_)) {
      const std::string place = "entry '" + x->name + "'";
      if (!SameConvention(*x, *y)) {
        AddModelEdit("calling convention", place, "entry '" + y->name + "'", "", "");
      }
      DiffGraphs(*x->graph, *y->graph, x->name, context_, edits_);
    }
  }

  void CompareFunctions() {
    for (const auto& [x, y] : functions_) {
      const std::string in_a = x == nullptr ? "" : "function '" + x->op->ToString() + "'";
      const std::string in_b = y == nullptr ? "" : "function '" + y->op->ToString() + "'";
      if (x == nullptr || y == nullptr) {
        AddModelEdit(x == nullptr ? "inserted function" : "removed function", in_a, in_b, "", "");
        continue;
      }
      if (const auto head = CompareFunctionHeads(*x, *y, context_.options.level)) {
        AddModelEdit(head->reason, in_a, in_b, head->expected, head->found);
      }
      DiffGraphs(*x->graph, *y->graph, x->op->ToString(), context_, edits_);
    }
  }

  const Model& a_;
  const Model& b_;
  ConstantTable constants_, forms_;
  TraitTable traits_;
  GraphDiffContext context_;
  std::vector<Edit>& edits_;
  std::vector<std::pair<const Function*, const Function*>> functions_;
  std::map<const OpName*, const OpName*> op_in_a_;
};

}  // namespace
}  // namespace compare

Result<DiffReport> DiffModels(const Model& a, const Model& b, const CompareOptions& options,
                              DiffTrace* trace) {
  DiffReport report;
  report.level = options.level;
  DRAGOMAN_ASSIGN(report.first, CompareModels(a, b, options));
  if (report.equal()) {
    // Of equal models, matching says only which nodes are the same.
    std::vector<Edit> none;
    if (trace != nullptr) compare::ModelDiff(a, b, options, none, trace).Run();
    if (trace != nullptr) trace->edited.clear();
    return report;
  }
  ForEachGraph(a, [&](const Graph& graph) { report.constants += graph.constants().size(); });
  compare::ModelDiff(a, b, options, report.edits, trace).Run();
  return report;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/checked_pass.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/rewrite/random_check.h"

namespace dragoman {
namespace {

constexpr std::size_t kMostUndone = 4;  // sites in one run of a pass

std::unique_ptr<Graph> Copy(const Graph& graph) {
  auto copy = std::make_unique<Graph>();
  ValueMap map;
  CloneInto(graph, *copy, map);
  return copy;
}

class CheckedPass {
 public:
  CheckedPass(const std::function<Result<bool>(Graph&, PassContext&)>& pass, const Model& model,
              Entry& entry, std::int64_t max_work)
      : pass_(pass),
        entry_(entry),
        check_(RandomCheck::Make(model, entry, max_work)),
        before_(check_ ? nullptr : Copy(*entry.graph)) {}

  // What is wrong after the pass; empty: nothing.
  std::string Run(PassContext& context) {
    const Result<bool> changed = pass_(*entry_.graph, context);
    taken_ = context.sites.taken();
    if (!changed.ok()) {
      return fmt::format("fails on entry '{}' ({})", entry_.name, changed.error().ToString());
    }
    changed_ = *changed;
    const std::string difference = changed_ ? Difference() : "";
    if (difference.empty()) return {};
    return fmt::format("changes what entry '{}' computes ({})", entry_.name, difference);
  }

  // The same on the graph as it was.
  std::string RunAnew(const std::set<std::string>& left_out, std::size_t most_sites = SIZE_MAX) {
    Restore();
    Result<PassContext> context = PassContext::Make(*entry_.graph, nullptr);
    if (!context.ok()) return context.error().ToString();
    context->sites = RewriteSites(left_out, most_sites);
    return Run(*context);
  }

  // The site with which the pass goes wrong, which it does after all of those `taken`; nullopt if
  // it goes wrong without any.
  std::optional<UndoneChange> FindCulprit(const std::set<std::string>& left_out,
                                          std::string fault) {
    const std::vector<std::string> sites = taken_;
    std::size_t right = 0;  // the first so many sites are right
    std::size_t wrong = sites.size();
    if (sites.empty() || !RunAnew(left_out, 0).empty()) return std::nullopt;
    while (right + 1 < wrong) {
      const std::size_t middle = right + (wrong - right) / 2;
      std::string found = RunAnew(left_out, middle);
      (found.empty() ? right : wrong) = middle;
      if (!found.empty()) fault = std::move(found);
    }
    return UndoneChange{std::move(fault), sites[wrong - 1]};
  }

  void Restore() {
    entry_.graph = Copy(check_ ? check_->before() : *before_);
    changed_ = false;
  }

  bool changed() const { return changed_; }

 private:
  std::string Difference() {
    if (check_) return check_->FindDifference(*entry_.graph);
    const auto context = PassContext::Make(*entry_.graph, nullptr);
    return context.ok() ? "" : "it is not well-typed: " + context.error().ToString();
  }

  const std::function<Result<bool>(Graph&, PassContext&)>& pass_;
  Entry& entry_;
  std::optional<RandomCheck> check_;
  std::unique_ptr<Graph> before_;  // where there is no check
  std::vector<std::string> taken_;
  bool changed_ = false;
};

}  // namespace

CheckedRun RunChecked(const std::function<Result<bool>(Graph&, PassContext&)>& pass,
                      const Model& model, Entry& entry, std::int64_t max_work, PassContext& context,
                      std::set<std::string>& left_out) {
  CheckedPass checked(pass, model, entry, max_work);
  CheckedRun run;
  context.sites = RewriteSites(left_out);
  std::string fault = checked.Run(context);
  while (!fault.empty()) {
    auto culprit =
        run.undone.size() < kMostUndone ? checked.FindCulprit(left_out, fault) : std::nullopt;
    if (!culprit) {
      checked.Restore();
      run.undone.push_back({std::move(fault), ""});
      break;
    }
    left_out.insert(culprit->site);
    run.undone.push_back(std::move(*culprit));
    fault = checked.RunAnew(left_out);
  }
  run.changed = checked.changed();
  return run;
}

}  // namespace dragoman

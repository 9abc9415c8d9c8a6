// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/growing_lists.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dragoman::pytorch {
namespace {

using Kind = Expr::Kind;

// Whether the parts from `first` on are `values`, in their order.
bool AreValues(const Exprs& parts, std::size_t first, const std::vector<std::string>& values) {
  return parts.size() == first + values.size() &&
         std::equal(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end(), values.begin(),
                    [](const Expr& part, const std::string& value) {
                      return part.kind == Kind::kValue && part.text == value;
                    });
}

// A module's call whose arguments are values; their names, in order.
std::optional<std::vector<std::string>> ArgumentsOf(const Statement& statement) {
  const Expr& call = statement.value;
  const bool is_call = statement.kind == Statement::Kind::kAssign &&
                       statement.targets.size() == 1 && statement.text.empty() &&
                       call.kind == Kind::kCall && call.parts[0].kind == Kind::kSelf;
  if (!is_call) return std::nullopt;
  std::vector<std::string> values;
  for (std::size_t i = 1; i < call.parts.size(); ++i) {
    if (call.parts[i].kind != Kind::kValue) return std::nullopt;
    values.push_back(call.parts[i].text);
  }
  return values;
}

// Calls at places `at`, each of which takes what the one before took, and gave.
struct GrowingCalls {
  std::vector<std::size_t> at;
  std::vector<std::string> values;  // what the first takes, and what all give
  std::size_t first = 0;            // how many the first takes
};

std::optional<GrowingCalls> GrowingFrom(const Statements& statements, std::size_t begin) {
  const auto first = ArgumentsOf(statements[begin]);
  if (!first || first->empty()) return std::nullopt;
  GrowingCalls calls = {.at = {begin}, .values = *first, .first = first->size()};
  calls.values.push_back(statements[begin].targets.front());
  for (std::size_t i = begin + 1; i < statements.size(); ++i) {
    const auto next = ArgumentsOf(statements[i]);
    if (!next || *next != calls.values) continue;
    calls.at.push_back(i);
    calls.values.push_back(statements[i].targets.front());
  }
  constexpr std::size_t kFewest = 3;
  return calls.at.size() < kFewest ? std::nullopt : std::optional(std::move(calls));
}

// Whether what the calls give is read by those that follow, and else in lists of all of it only.
bool AreReadTogether(const Statements& statements, const GrowingCalls& calls) {
  const std::set<std::string> given(calls.values.begin() + static_cast<std::ptrdiff_t>(calls.first),
                                    calls.values.end());
  std::size_t reads = 0;
  std::size_t lists = 0;
  ForEachExpr(statements, [&](const Expr& part) {
    if (part.kind == Kind::kValue && given.contains(part.text)) ++reads;
    if (part.kind == Kind::kList && AreValues(part.parts, 0, calls.values)) ++lists;
  });
  const std::size_t count = calls.at.size();
  return lists > 0 && reads == count * (count - 1) / 2 + lists * count;
}

void Fold(Statements& statements, const GrowingCalls& calls) {
  const std::string list = calls.values[calls.first] + "_list";
  for (std::size_t at : calls.at) {
    Statement& call = statements[at];
    call.kind = Statement::Kind::kDo;
    call.targets.clear();
    call.value.parts.resize(1);
    call.value.parts.push_back({Kind::kSplat, "", {ValueOf(list)}});
    call.value = Method(ValueOf(list), "append", {std::move(call.value)});
    call.comment.clear();
  }
  ForEachExpr(statements, [&](Expr& part) {
    if (part.kind == Kind::kList && AreValues(part.parts, 0, calls.values)) part = ValueOf(list);
  });
  Exprs taken;
  for (std::size_t i = 0; i < calls.first; ++i) taken.push_back(ValueOf(calls.values[i]));
  Statement begin = {.targets = {list}, .value = List(std::move(taken)), .text = "list"};
  statements.insert(statements.begin() + static_cast<std::ptrdiff_t>(calls.at.front()),
                    std::move(begin));
}

}  // namespace

std::optional<Function> WithGatheredInputs(const Function& function) {
  if (function.inputs.size() < 2) return std::nullopt;
  Function gathered = function;
  const std::set<std::string> inputs(function.inputs.begin(), function.inputs.end());
  std::size_t reads = 0;
  std::size_t lists = 0;
  ForEachExpr(std::as_const(gathered.statements), [&](const Expr& part) {
    if (part.kind == Kind::kValue && inputs.contains(part.text)) ++reads;
    if (part.kind == Kind::kList && AreValues(part.parts, 0, function.inputs)) ++lists;
  });
  if (lists != 1 || reads != inputs.size()) return std::nullopt;
  gathered.inputs = {function.inputs.front()};
  gathered.takes_any = true;
  ForEachExpr(gathered.statements, [&](Expr& part) {
    if (part.kind == Kind::kList && AreValues(part.parts, 0, function.inputs))
      part = ValueOf(gathered.inputs.front());
  });
  return gathered;
}

void FoldGrowingCalls(Function& function) {
  for (std::size_t i = 0; i < function.statements.size(); ++i) {
    const std::optional<GrowingCalls> calls = GrowingFrom(function.statements, i);
    if (calls && AreReadTogether(function.statements, *calls)) Fold(function.statements, *calls);
  }
}

}  // namespace dragoman::pytorch

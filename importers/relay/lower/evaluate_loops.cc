// SPDX-License-Identifier: Apache-2.0
// Functions that call themselves at their ends, as loops.
#include <utility>

#include "core/ir/input_names.h"
#include "core/lowering/branch.h"
#include "core/lowering/composer.h"
#include "core/lowering/loop.h"
#include "core/lowering/number_value.h"
#include "importers/relay/graph/relay_ops.h"
#include "importers/relay/lower/evaluator.h"

namespace dragoman::relay {
namespace {

// Whether `node` only names what `tail` gives.
bool Names(const Node& node, const Node& tail) {
  const Node* at = &node;
  while (at != nullptr && IsNode(*at, "Let"))
    at = at->operand(0) != nullptr ? at->operand(0)->producer() : nullptr;
  return at == &tail;
}

}  // namespace

Result<Number> Evaluator::RunCondition(const LoopForm& form, Frame& frame) {
  for (const Node& node : frame.function->body->nodes()) {
    if (&node == form.condition) break;
    RunNode(node, frame);
  }
  const Abstract given = Get(form.condition->operand(0), frame);
  if (given.Is<Poison>()) return Unsupported("its condition depends on what is not supported");
  return Truth(given);
}

std::vector<Abstract> Evaluator::RunToEnds(const Graph& graph, const LoopForm& form, Frame& frame,
                                           std::optional<Error>& problem) {
  const std::size_t count = frame.function->body->num_inputs();
  const Node* tail = TailOf(graph);
  const bool branches = tail != nullptr && (IsNode(*tail, "If") || IsNode(*tail, "Match"));
  const bool again = tail != nullptr && form.calls.contains(tail);
  for (const Node& node : graph.nodes()) {
    // The call itself is not run: its arguments are the next iteration's.
    if (!(branches || again) || !Names(node, *tail)) RunNode(node, frame);
  }
  std::vector<Abstract> ends(count + 2, Uninitialized());
  if (!branches) {
    ends.front() = Number::Bool(again);
    if (!again) {
      ends.back() = Generalized(Get(graph.output(0), frame));
      return ends;
    }
    const std::vector<Abstract> next = Operands(*tail, 1, frame);
    for (std::size_t i = 0; i < count; ++i)
      ends[i + 1] = i < next.size() ? Generalized(next[i]) : Abstract(Poison());
    return ends;
  }
  if (IsNode(*tail, "Match")) {
    const Graph* arm = SelectArm(*tail, frame);
    return arm != nullptr ? RunToEnds(*arm, form, frame, problem)
                          : std::vector<Abstract>(count + 2, Poison());
  }
  const auto side = [&](bool holds) -> const Graph& {
    return *tail->attribute(holds ? "then_branch" : "else_branch")->graph();
  };
  const Abstract given = Get(tail->operand(0), frame);
  const Result<Number> condition =
      given.Is<Poison>() ? Result<Number>(Unsupported("its condition depends on what is not "
                                                      "supported"))
                         : Truth(given);
  if (!condition.ok()) {
    problem = condition.error();
    return std::vector<Abstract>(count + 2, Poison());
  }
  if (condition->known()) return RunToEnds(side(condition->AsInt() != 0), form, frame, problem);
  Branches ways;
  ways.names = {"again"};
  for (const auto& input : frame.function->body->inputs()) ways.names.push_back(input->name());
  ways.names.push_back("result");
  ways.run = [&](bool holds, bool, std::vector<Abstract>& results) {
    results = RunToEnds(side(holds), form, frame, problem);
    return Flow::kNext;
  };
  std::vector<Abstract> merged;
  const OriginPtr outer = builder().origin();
  builder().set_origin(OriginOf(*tail, frame));
  const Result<Flow> ran = RunBranches(entry_, condition->symbolic(), ways, merged);
  builder().set_origin(outer);
  if (!ran.ok()) problem = ran.error();
  merged.resize(count + 2, Poison());
  return merged;
}

Abstract Evaluator::RunIterations(const Node& node, const Closure& function, const LoopForm& form,
                                  std::vector<Abstract> arguments, const std::string& path) {
  return form.condition != nullptr ? RunWhile(node, function, form, std::move(arguments), path)
                                   : RunUntilEnd(node, function, form, std::move(arguments), path);
}

Abstract Evaluator::RunWhile(const Node& node, const Closure& function, const LoopForm& form,
                             std::vector<Abstract> arguments, const std::string& path) {
  Frame& place = NewFrame(function, arguments, path);
  const auto continues = [&](Frame& frame) -> Result<Number> {
    DRAGOMAN_ASSIGN(Number holds, RunCondition(form, frame));
    if (form.continues) return holds;
    if (holds.known()) return Number::Bool(holds.AsInt() == 0);
    Composer c(builder());
    DRAGOMAN_ASSIGN(Value * not_held, c.Done(c.Not(holds.symbolic())));
    return NumberFrom(builder(), Number::Kind::kBool, not_held);
  };
  Result<Number> starts = continues(place);
  if (!starts.ok()) return Report(node, starts.error(), place);
  SourceLoop loop;
  loop.starts = *starts;
  for (const Abstract& argument : arguments) loop.carried.push_back(Generalized(argument));
  loop.names = InputNames(*function.body);
  std::optional<Error> problem;
  loop.body = [&](const Number&, const std::vector<Abstract>& now, std::vector<Abstract>& given) {
    Frame& iteration = NewFrame(function, now, path);
    if (const Result<Number> held = RunCondition(form, iteration); !held.ok())
      problem = held.error();
    std::vector<Abstract> next = RunToEnds(form.Side(form.continues), form, iteration, problem);
    next.erase(next.begin());
    next.pop_back();
    Result<Number> again = continues(NewFrame(function, next, path));
    if (!again.ok()) problem = again.error();
    given.push_back(again.ok() ? Abstract(*again) : Abstract(Poison()));
    given.insert(given.end(), next.begin(), next.end());
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  const Node* origin = form.condition;
  if (!RunSourceLoop(node, *origin, loop, problem, place, results)) return Poison();
  results.resize(arguments.size(), Poison());
  Frame& last = NewFrame(function, results, path);
  if (const Result<Number> ended = RunCondition(form, last); !ended.ok())
    return Report(node, ended.error(), last);
  return RunGraph(form.Side(!form.continues), last);
}

// Whether a further iteration follows is known only at the end of each; the result is carried.
Abstract Evaluator::RunUntilEnd(const Node& node, const Closure& function, const LoopForm& form,
                                std::vector<Abstract> arguments, const std::string& path) {
  Frame& place = NewFrame(function, arguments, path);
  SourceLoop loop;
  for (const Abstract& argument : arguments) loop.carried.push_back(Generalized(argument));
  loop.carried.emplace_back(Uninitialized());
  loop.names = InputNames(*function.body);
  loop.names.emplace_back("result");
  std::optional<Error> problem;
  loop.body = [&](const Number&, const std::vector<Abstract>& now, std::vector<Abstract>& given) {
    const std::vector<Abstract> inner(now.begin(), now.end() - 1);
    given = RunToEnds(*function.body, form, NewFrame(function, inner, path), problem);
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  if (!RunSourceLoop(node, node, loop, problem, place, results)) return Poison();
  return results.empty() ? Abstract(Poison()) : results.back();
}

// `problem` is what its iterations report. False if anything was reported.
bool Evaluator::RunSourceLoop(const Node& node, const Node& origin, const SourceLoop& loop,
                              const std::optional<Error>& problem, const Frame& place,
                              std::vector<Abstract>& results) {
  const OriginPtr outer = builder().origin();
  builder().set_origin(OriginOf(origin, place));
  const Result<Flow> flow = RunLoop(entry_, loop, results);
  builder().set_origin(outer);
  if (problem) {
    Report(node, *problem, place);
  } else if (!flow.ok()) {
    Report(node, flow.error(), place);
  }
  return flow.ok() && !problem;
}

}  // namespace dragoman::relay

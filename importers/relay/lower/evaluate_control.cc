// Conditions, calls and loops.
#include <utility>

#include "core/lowering/branch.h"
#include "core/lowering/composer.h"
#include "core/lowering/loop.h"
#include "core/lowering/math.h"
#include "core/lowering/number_value.h"
#include "importers/relay/graph/relay_ops.h"
#include "importers/relay/lower/evaluator.h"

namespace dragoman::relay {

Result<Number> Evaluator::Truth(const Abstract& value) {
  const auto* tensor = value.As<TensorRef>();
  if (tensor == nullptr) return Unsupported("a condition that is " + Describe(value));
  DRAGOMAN_ASSIGN(Value * condition, heap_.Read(builder(), *tensor));
  Composer c(builder());
  // A condition of one element may have axes.
  if (c.MaybeRank(condition) != 0) condition = c.Reshape(condition, std::vector<std::int64_t>());
  condition = IsTrue(c, condition);
  DRAGOMAN_ASSIGN(condition, c.Done(condition));
  return NumberFrom(builder(), Number::Kind::kBool, condition);
}

Abstract Evaluator::EvaluateIf(const Node& node, Frame& frame) {
  const Attribute* sides[] = {node.attribute("else_branch"), node.attribute("then_branch")};
  if (sides[0] == nullptr || sides[1] == nullptr || sides[0]->graph() == nullptr ||
      sides[1]->graph() == nullptr)
    return Report(node, InvalidInput("a condition without branches"), frame);
  const auto run = [&](bool holds) { return RunGraph(*sides[holds ? 1 : 0]->graph(), frame); };
  const Abstract given = Get(node.operand(0), frame);
  if (given.Is<Poison>()) {
    // For what else is unsupported in them.
    for (const bool holds : {true, false}) {
      entry_.RunSide([&](std::vector<Abstract>& results) {
        results.push_back(run(holds));
        return Flow::kNext;
      });
    }
    return Poison();
  }
  const OriginPtr outer = builder().origin();
  builder().set_origin(OriginOf(node, frame));
  const Result<Number> condition = Truth(given);
  builder().set_origin(outer);
  if (!condition.ok()) return Report(node, condition.error(), frame);
  if (condition->known()) return run(condition->AsInt() != 0);
  Branches branches;
  branches.names = {node.result()->name()};
  branches.run = [&](bool holds, bool, std::vector<Abstract>& results) {
    results.push_back(run(holds));
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  builder().set_origin(OriginOf(node, frame));
  const Result<Flow> ran = RunBranches(entry_, condition->symbolic(), branches, results);
  builder().set_origin(outer);
  if (!ran.ok()) return Report(node, ran.error(), frame);
  return results.empty() ? Abstract(Poison()) : results.front();
}

Abstract Evaluator::EvaluateCall(const Node& node, Frame& frame) {
  const Abstract callee = Get(node.operand(0), frame);
  return CallValue(node, callee, Operands(node, 1, frame), frame);
}

Abstract Evaluator::CallValue(const Node& node, const Abstract& callee,
                              std::vector<Abstract> arguments, const Frame& frame) {
  if (callee.Is<Poison>()) return Poison();
  if (const auto* function = callee.As<Closure>())
    return CallClosure(node, *function, std::move(arguments), frame);
  if (const auto* constructor = callee.As<Constructor>()) {
    arguments.insert(arguments.begin(), *constructor);
    return Tuple{std::make_shared<const std::vector<Abstract>>(std::move(arguments))};
  }
  if (const auto* op = callee.As<OperatorValue>())
    return CallOperator(node, op->name, {}, arguments, frame);
  return Report(node, InvalidInput("a call of " + Describe(callee)), frame);
}

Frame& Evaluator::NewFrame(const Closure& function, const std::vector<Abstract>& arguments,
                           std::string path) {
  Frame& frame = frames_.emplace_back();
  frame.function = function;
  frame.outer = function.environment;
  frame.path = std::move(path);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    frame.values[function.body->input(i)] = arguments[i];
  return frame;
}

Abstract Evaluator::CallClosure(const Node& node, const Closure& function,
                                std::vector<Abstract> arguments, const Frame& frame) {
  if (arguments.size() != function.body->num_inputs()) {
    return Report(node,
                  InvalidInput("function " + function.label + " takes " +
                               std::to_string(function.body->num_inputs()) + " arguments, not " +
                               std::to_string(arguments.size())),
                  frame);
  }
  if (depth_ >= kMaxCallDepth || ++calls_ > kMaxCalls)
    return Report(node,
                  Unsupported("calls of " + function.label +
                              " nest too deep: where a recursion ends, only run time tells"),
                  frame);
  std::string path = frame.path.empty() ? function.label : frame.path + "/" + function.label;
  // Recursion says its name once.
  if (frame.path.ends_with(function.label)) path = frame.path;
  const bool global = function.environment == nullptr && function.label.starts_with("@");
  const auto known = loops_.find(function.body);
  std::optional<LoopForm> form;
  if (known != loops_.end()) {
    form = known->second;
  } else {
    if (global || !function.self.empty()) {
      form = FindLoopForm(*function.body, function.self,
                          global ? function.label.substr(1) : std::string());
    }
    loops_.emplace(function.body, form);
  }
  ++depth_;
  Abstract result;
  if (form) {
    result = RunTurns(node, function, *form, std::move(arguments), path);
  } else {
    result = RunGraph(*function.body, NewFrame(function, arguments, path));
  }
  --depth_;
  return result;
}

Result<Number> Evaluator::RunCondition(const LoopForm& form, Frame& frame) {
  for (const Node& node : frame.function->body->nodes()) {
    if (&node == form.condition) break;
    RunNode(node, frame);
  }
  const Abstract given = Get(form.condition->operand(0), frame);
  if (given.Is<Poison>()) return Number::Bool(form.continues);
  return Truth(given);
}

Abstract Evaluator::RunTurns(const Node& node, const Closure& function, const LoopForm& form,
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
  loop.carried = arguments;
  for (const auto& input : function.body->inputs()) loop.names.push_back(input->name());
  std::optional<Error> problem;
  // The call itself is not run: its arguments are the next turn's.
  loop.body = [&](const Number&, const std::vector<Abstract>& now, std::vector<Abstract>& given) {
    Frame& turn = NewFrame(function, now, path);
    if (const Result<Number> held = RunCondition(form, turn); !held.ok()) problem = held.error();
    for (const Node& step : form.Side(form.continues).nodes()) {
      if (&step == form.call) break;
      RunNode(step, turn);
    }
    std::vector<Abstract> next = Operands(*form.call, 1, turn);
    next.resize(now.size(), Poison());
    Result<Number> again = continues(NewFrame(function, next, path));
    if (!again.ok()) problem = again.error();
    given.push_back(again.ok() ? Abstract(*again) : Abstract(Poison()));
    given.insert(given.end(), next.begin(), next.end());
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  const OriginPtr outer = builder().origin();
  builder().set_origin(OriginOf(*form.condition, place));
  const Result<Flow> flow = RunLoop(entry_, loop, results);
  builder().set_origin(outer);
  if (problem) return Report(node, *problem, place);
  if (!flow.ok()) return Report(node, flow.error(), place);
  results.resize(arguments.size(), Poison());
  Frame& last = NewFrame(function, results, path);
  if (const Result<Number> ended = RunCondition(form, last); !ended.ok())
    return Report(node, ended.error(), last);
  return RunGraph(form.Side(!form.continues), last);
}

}  // namespace dragoman::relay

// SPDX-License-Identifier: Apache-2.0
// Conditions, calls and loops.
#include <utility>

#include "core/lowering/branch.h"
#include "core/lowering/composer.h"
#include "core/lowering/group.h"
#include "core/lowering/math.h"
#include "core/lowering/number_value.h"
#include "importers/relay/graph/relay_ops.h"
#include "importers/relay/lower/evaluator.h"
#include "importers/tvm/group_attributes.h"

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

Abstract Evaluator::EvaluateIf(const Node& node, Frame& frame, bool is_tail) {
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
  if (condition->known()) {
    const bool holds = condition->AsInt() != 0;
    return is_tail ? RunTail(*sides[holds ? 1 : 0]->graph(), frame) : run(holds);
  }
  Branches branches;
  branches.names = {node.result()->name()};
  branches.run = [&](bool holds, bool, std::vector<Abstract>& results) {
    results.push_back(Generalized(run(holds)));
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
    return Constructed(node, *constructor, std::move(arguments), frame);
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
                              " nest too deep: the end of a recursion is known at run time only"),
                  frame);
  std::string path = frame.path.empty() ? function.label : frame.path + "/" + function.label;
  // Recursion says its name once.
  if (frame.path.ends_with(function.label)) path = frame.path;
  if (std::optional<Abstract> given = CallPrelude(node, function, arguments, frame)) return *given;
  ++depth_;
  Abstract result;
  if (const std::optional<LoopForm>& form = FormOf(function)) {
    result = RunIterations(node, function, *form, std::move(arguments), path);
  } else if (const std::string name = function.GroupName(); !name.empty()) {
    result = RunAsGroup(node, function, arguments, path, frame);
  } else {
    result = RunBody(node, function, std::move(arguments), path);
  }
  --depth_;
  if (const Status status = CheckResult(*function.body, result); !status.ok())
    return Report(node, status.error(), frame);
  return result;
}

const std::optional<LoopForm>& Evaluator::FormOf(const Closure& function) {
  const auto known = loops_.find(function.body);
  if (known != loops_.end()) return known->second;
  const bool global = function.environment == nullptr && function.label.starts_with("@");
  std::optional<LoopForm> form;
  if (global || !function.self.empty()) {
    form = FindLoopForm(*function.body, function.self,
                        global ? function.label.substr(1) : std::string());
  }
  return loops_.emplace(function.body, form).first->second;
}

Abstract Evaluator::RunBody(const Node& node, const Closure& function,
                            std::vector<Abstract> arguments, const std::string& path) {
  Abstract result = RunTail(*function.body, NewFrame(function, arguments, path));
  std::string here = path;
  while (pending_) {
    const Pending call = *std::exchange(pending_, std::nullopt);
    if (++calls_ > kMaxCalls) {
      return Report(node,
                    Unsupported("calls of " + call.function.label +
                                " do not end: their end is known at run time only"),
                    *call.frame);
    }
    if (!here.ends_with(call.function.label)) here = path + "/" + call.function.label;
    result = RunTail(*call.function.body, NewFrame(call.function, call.arguments, here));
  }
  return result;
}

// A call of a group stays one; what is not a group of tensors is run in place.
Abstract Evaluator::RunAsGroup(const Node& node, const Closure& function,
                               const std::vector<Abstract>& arguments, const std::string& path,
                               const Frame& frame) {
  SourceGroup group;
  group.name = function.GroupName();
  group.attributes = *function.attributes;
  group.key = tvm::kGroupAttributes;
  group.arguments = arguments;
  for (const auto& input : function.body->inputs()) group.parameters.push_back(input->name());
  group.run = [&](std::vector<Abstract> inner) {
    return RunBody(node, function, std::move(inner), path);
  };
  const Result<std::optional<Abstract>> given = RunGroup(entry_, group);
  if (!given.ok()) return Report(node, given.error(), frame);
  return *given ? **given : RunBody(node, function, arguments, path);
}

}  // namespace dragoman::relay

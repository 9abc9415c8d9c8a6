// SPDX-License-Identifier: Apache-2.0
// Conditions, calls, and functions as values.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "core/ir/find_as.h"
#include "core/lowering/branch.h"
#include "core/lowering/number_value.h"
#include "importers/relax/lower/evaluator.h"

namespace dragoman::tvmscript {
namespace {

constexpr std::size_t kMaxCalls = 64;  // that nest

// "f" of the "cls.f" that argument `position` of a call is.
std::string FunctionArgument(const Node& node, std::size_t position) {
  if (position >= node.attributes().size()) return "";
  const auto* symbol = node.attributes()[position].value.As<Symbol>();
  const std::size_t dot = symbol != nullptr ? symbol->name.find('.') : std::string::npos;
  return dot != std::string::npos ? symbol->name.substr(dot + 1) : "";
}

// What `body` reads of the graphs around it.
std::vector<const Value*> OuterValues(const Graph& body) {
  std::unordered_set<const Graph*> inside;
  std::vector<const Value*> values;
  ForEachGraph(body, [&](const Graph& graph) { inside.insert(&graph); });
  const auto see = [&](const Value* value) {
    if (value != nullptr && !inside.contains(value->graph())) values.push_back(value);
  };
  ForEachGraph(body, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      for (const Use& use : node.operands()) see(use.value());
    }
    for (const Use& output : graph.outputs()) see(output.value());
  });
  return values;
}

}  // namespace

bool FunctionValue::IsSame(const ForeignValue& other) const {
  const auto* function = dynamic_cast<const FunctionValue*>(&other);
  return function != nullptr && function->body == body && function->environment == environment &&
         last.empty() && function->last.empty();
}

Result<Number> Evaluator::ConditionOf(const Value* condition, const Scope& scope) {
  DRAGOMAN_ASSIGN(Value * value, Tensor(condition, scope));
  if (value->type().dtype() != DType::kBool) return Unsupported("a condition that is not a bool");
  Composer c(builder());
  if (c.MaybeRank(value) != 0) value = c.Reshape(value, std::vector<std::int64_t>{});
  DRAGOMAN_ASSIGN(value, c.Done(value));
  return NumberFrom(builder(), Number::Kind::kBool, value);
}

// Values of a branch are read in it alone; sizes that it names mean nothing behind it.
Result<Abstract> Evaluator::EvaluateIf(const Node& node, Scope& scope) {
  DRAGOMAN_ASSIGN(const Number condition, ConditionOf(node.operand(0), scope));
  const auto run = [&](bool holds, std::vector<Abstract>& results) {
    const Attribute* body = node.attribute(holds ? "then_branch" : "else_branch");
    const std::map<std::string, NamedSize> sizes = scope.sizes;
    for (const Node& statement : body->graph()->nodes()) RunNode(statement, scope);
    results.push_back(Get(body->graph()->output(0), scope));
    scope.sizes = sizes;
    return Flow::kNext;
  };
  if (node.attribute("then_branch") == nullptr || node.attribute("else_branch") == nullptr)
    return InvalidInput("an if without branches");
  std::vector<Abstract> results;
  if (condition.known()) {
    run(condition.AsInt() != 0, results);
    return results.front();
  }
  Branches branches;
  branches.names = {node.result(0)->name()};
  branches.run = [&](bool holds, bool, std::vector<Abstract>& given) { return run(holds, given); };
  const std::size_t findings = entry_.findings.size();
  DRAGOMAN_ASSIGN(const Flow flow, RunBranches(entry_, condition.symbolic(), branches, results));
  if (entry_.findings.size() != findings || flow != Flow::kNext || results.empty())
    return Abstract(Poison());
  return results.front();
}

// The arguments of a call, in order; the first operands, up to `first`, are none.
Result<std::vector<Abstract>> Evaluator::ArgumentsOf(const Node& node, std::size_t first,
                                                     Scope& scope) {
  const auto* names = FindAs<Attribute::Strings>(node.extra_if_any(), "relax.arguments");
  std::vector<Abstract> arguments;
  if (names == nullptr) {
    for (std::size_t i = first; i < node.num_operands(); ++i)
      arguments.push_back(Get(node.operand(i), scope));
    return arguments;
  }
  std::size_t operand = first;
  for (const std::string& name : *names) {
    if (name.empty()) {
      arguments.push_back(Get(node.operand(operand++), scope));
      continue;
    }
    const Attribute* attribute = name.starts_with('#') ? node.attribute(name.substr(1)) : nullptr;
    if (attribute == nullptr) return InvalidInput("an argument by keyword");
    DRAGOMAN_ASSIGN(Abstract value, Literal(*attribute, scope));
    arguments.push_back(std::move(value));
  }
  return arguments;
}

Result<FunctionValue> Evaluator::FunctionOf(std::string name) const {
  const auto found = functions_.find(name);
  if (found == functions_.end())
    return Unsupported("the module has no Relax function '" + name + "'");
  FunctionValue function;
  function.name = std::move(name);
  function.body = found->second;
  return function;
}

Result<Abstract> Evaluator::EvaluateCall(const Node& node, Scope& scope) {
  DRAGOMAN_ASSIGN(const FunctionValue function, FunctionOf(CalleeOf(node)));
  DRAGOMAN_ASSIGN(std::vector<Abstract> arguments, ArgumentsOf(node, 0, scope));
  return CallFunction(function, std::move(arguments));
}

Result<Abstract> Evaluator::EvaluateCallOfValue(const Node& node, Scope& scope) {
  const Abstract callee = Get(node.operand(0), scope);
  const auto* function = callee.As<FunctionValue>();
  if (function == nullptr) return Unsupported("a call of " + Describe(callee));
  DRAGOMAN_ASSIGN(std::vector<Abstract> arguments, ArgumentsOf(node, 1, scope));
  return CallFunction(*function, std::move(arguments));
}

// A local function sees what its body reads of what is around it.
Result<Abstract> Evaluator::EvaluateFunction(const Node& node, const Scope& scope) {
  const Attribute* body = node.attribute("body");
  if (body == nullptr || body->graph() == nullptr) return InvalidInput("a function without a body");
  auto environment = std::make_shared<Scope>();
  environment->sizes = scope.sizes;
  for (const Value* value : OuterValues(*body->graph())) {
    const auto found = scope.values.find(value);
    if (found != scope.values.end()) environment->values.insert(*found);
  }
  FunctionValue function;
  function.name = body->graph()->name();
  function.body = body->graph();
  function.self = node.result(0);
  function.environment = std::move(environment);
  return Abstract(std::move(function));
}

// R.make_closure(cls.f, (a, b)): f, whose last arguments are a and b.
Result<Abstract> Evaluator::MakeClosure(const Node& node, Scope& scope) {
  DRAGOMAN_ASSIGN(FunctionValue function, FunctionOf(FunctionArgument(node, 0)));
  const Abstract arguments = node.num_operands() == 1 ? Get(node.operand(0), scope) : Abstract();
  const auto* tuple = arguments.As<Tuple>();
  if (tuple == nullptr) return Unsupported("a closure whose arguments are not a tuple");
  function.last = *tuple->items;
  return Abstract(std::move(function));
}

Result<Abstract> Evaluator::InvokeClosure(const Node& node, Scope& scope) {
  if (node.num_operands() != 2) return Unsupported("a closure with other arguments than a tuple");
  const Abstract callee = Get(node.operand(0), scope);
  const auto* function = callee.As<FunctionValue>();
  const Abstract given = Get(node.operand(1), scope);
  const auto* tuple = given.As<Tuple>();
  if (function == nullptr || tuple == nullptr) return Unsupported("a call of " + Describe(callee));
  return CallFunction(*function, *tuple->items);
}

Scope Evaluator::Enter(const FunctionValue& function, const std::vector<Abstract>& arguments) {
  Scope scope = function.environment != nullptr ? *function.environment : Scope();
  if (function.self != nullptr) scope.values[function.self] = function;
  for (std::size_t i = 0; i < function.body->num_inputs(); ++i)
    SetInput(*function.body->input(i), arguments[i], scope);
  return scope;
}

Result<Abstract> Evaluator::CallFunction(const FunctionValue& function,
                                         std::vector<Abstract> arguments) {
  const Graph& body = *function.body;
  arguments.insert(arguments.end(), function.last.begin(), function.last.end());
  if (std::ranges::count(calls_, &body) > 0)
    return Unsupported("the function '" + function.name +
                       "' calls itself other than at the end of one side of a condition");
  if (calls_.size() >= kMaxCalls) return Unsupported("calls nest too deep");
  if (arguments.size() != body.num_inputs())
    return InvalidInput(fmt::format("'{}' takes {} arguments, the call has {}", function.name,
                                    body.num_inputs(), arguments.size()));
  if (const auto& form = HalvedIterationsOf(function))
    return RunHalvedIterations(function, *form, arguments);
  if (const auto& form = TailRecursionOf(function))
    return RunTailRecursion(function, *form, arguments);
  if (IsGroup(function, arguments)) {
    DRAGOMAN_ASSIGN(std::optional<Abstract> given, RunGroup(function, arguments));
    if (given) return *std::move(given);
  }
  Scope scope = Enter(function, arguments);
  return Run(body, scope);
}

}  // namespace dragoman::tvmscript

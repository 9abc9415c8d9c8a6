// SPDX-License-Identifier: Apache-2.0
// Functions that call themselves, as loops.
#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "core/ir/find_as.h"
#include "core/ir/input_names.h"
#include "core/ir/type_algebra.h"
#include "core/lowering/loop.h"
#include "core/lowering/number_value.h"
#include "core/lowering/tuples.h"
#include "importers/relax/lower/evaluator.h"

namespace dragoman::tvmscript {
namespace {

constexpr int kMaxPasses = 16;  // until the types of what is carried are those of every iteration
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// The condition that ended a loop by halves: nobody has a use for it.
struct LastCondition : public ForeignValue {
  std::string Describe() const override { return "the condition that ended a loop"; }
  bool IsSame(const ForeignValue& other) const override {
    return dynamic_cast<const LastCondition*>(&other) != nullptr;
  }
};

bool IsImpure(const Graph& function) {
  const auto* texts = FindAs<Attribute::Strings>(function.extra_if_any(), "relax.decorators");
  return texts != nullptr && !texts->empty() &&
         texts->front().find("pure=False") != std::string::npos;
}

// Whether `node` may have an effect, in a function that may.
bool MayHaveEffect(const Node& node) {
  const std::string& op = node.op().type;
  return op == "print" || op == "assert_op" || op.starts_with("call") || op == "if" ||
         op == "invoke_closure";
}

// The operand of an Unsqueeze of the first axis, which is then gone if nothing else reads it;
// nullptr: `row` is another value.
Value* TakeRow(EntryBuilder& entry, Value* row) {
  Node* node = row->producer();
  if (node == nullptr || node->graph() != &entry.builder().graph() || !node->Is("Unsqueeze"))
    return nullptr;
  const std::optional<std::vector<std::int64_t>> axes = entry.builder().KnownInts(node->operand(1));
  if (!axes || *axes != std::vector<std::int64_t>{0}) return nullptr;
  Value* element = node->operand(0);
  if (!row->used()) {
    entry.inference().Forget(*node);
    entry.builder().graph().Erase(node);
  }
  return element;
}

}  // namespace

const std::optional<TailRecursion>& Evaluator::TailRecursionOf(const FunctionValue& function) {
  const auto [found, is_new] = tail_recursions_.try_emplace(function.body);
  if (!is_new) return found->second;
  found->second = FindTailRecursion(*function.body, [&](const Node& node) {
    if (function.self != nullptr)
      return node.op().type == "call_value" && node.operand(0) == function.self;
    return function.environment == nullptr && node.op().type == "call" &&
           CalleeOf(node) == function.name;
  });
  return found->second;
}

const std::optional<HalvedIterations>& Evaluator::HalvedIterationsOf(
    const FunctionValue& function) {
  const auto [found, is_new] = halved_iterations_.try_emplace(function.body);
  if (!is_new || function.environment != nullptr) return found->second;
  found->second =
      FindHalvedIterations(*function.body, function.name, [this](const std::string& name) {
        const auto known = functions_.find(name);
        return known != functions_.end() ? known->second : nullptr;
      });
  return found->second;
}

// What stands in front of the condition; gives whether there is another iteration.
Result<Number> Evaluator::RunTest(const FunctionValue& function, const TailRecursion& form,
                                  Scope& scope) {
  for (const Node& node : function.body->nodes()) {
    if (&node == form.condition) break;
    RunNode(node, scope);
  }
  const Value* condition = form.condition->operand(0);
  if (HoldsPoison(Get(condition, scope))) return Number::Bool(false);
  DRAGOMAN_ASSIGN(const Number holds, ConditionOf(condition, scope));
  if (form.continues) return holds;
  if (holds.known()) return Number::Bool(holds.AsInt() == 0);
  Composer c(builder());
  DRAGOMAN_ASSIGN(Value * ends, c.Done(c.Not(holds.symbolic())));
  return NumberFrom(builder(), Number::Kind::kBool, ends);
}

Result<Abstract> Evaluator::RunTailRecursion(const FunctionValue& function,
                                             const TailRecursion& form,
                                             const std::vector<Abstract>& arguments) {
  for (const Node& node : function.body->nodes()) {
    if (&node == form.condition) break;
    // It runs twice in the loop: for the iteration, and for the condition of the next.
    if (IsImpure(*function.body) && MayHaveEffect(node))
      return Unsupported("a loop with effects in front of its condition");
  }
  calls_.push_back(function.body);
  std::optional<Error> problem;
  SourceLoop loop;
  Scope first = Enter(function, arguments);
  Result<Number> starts = RunTest(function, form, first);
  if (starts.ok()) loop.starts = *starts;
  loop.carried = arguments;
  loop.names = InputNames(*function.body);
  // The call itself is not run: its arguments are the next iteration's.
  loop.body = [&](const Number&, const std::vector<Abstract>& now, std::vector<Abstract>& given) {
    Scope iteration = Enter(function, now);
    if (const Result<Number> held = RunTest(function, form, iteration); !held.ok())
      problem = held.error();
    for (const Node& node : form.Side(form.continues).nodes()) {
      if (&node == form.call) break;
      RunNode(node, iteration);
    }
    const std::size_t own = form.call->op().type == "call_value" ? 1 : 0;
    Result<std::vector<Abstract>> next = ArgumentsOf(*form.call, own, iteration);
    if (!next.ok()) problem = next.error();
    std::vector<Abstract> values = next.ok() ? *next : std::vector<Abstract>();
    values.resize(now.size(), Poison());
    Scope after = Enter(function, values);
    const Result<Number> again = RunTest(function, form, after);
    if (!again.ok()) problem = again.error();
    given.push_back(again.ok() ? Abstract(*again) : Abstract(Number::Bool(false)));
    given.insert(given.end(), values.begin(), values.end());
    return Flow::kNext;
  };
  std::vector<Abstract> results;
  const Result<Flow> flow =
      starts.ok() ? RunLoop(entry_, loop, results) : Result<Flow>(starts.error());
  Abstract given = Poison();
  if (!problem && flow.ok() && results.size() == arguments.size()) {
    Scope last = Enter(function, results);
    const Result<Number> ended = RunTest(function, form, last);
    if (!ended.ok()) problem = ended.error();
    const Graph& side = form.Side(!form.continues);
    for (const Node& node : side.nodes()) RunNode(node, last);
    given = Get(side.output(0), last);
  }
  calls_.pop_back();
  if (problem) return *problem;
  if (!flow.ok()) return flow.error();
  return given;
}

// A Loop while it is made.
struct Evaluator::Iterations {
  Value* start = nullptr;        // index of the first iteration; nullptr: 0
  std::vector<Value*> operands;  // of the Loop
  std::vector<Type> types;       // of what is carried, without the condition
  Side side;                     // the body
  std::vector<Value*> outputs;   // of the body
  bool poisoned = false;
};

Result<Evaluator::Iterations> Evaluator::BeginIterations(const HalvedIterations& form,
                                                         const std::vector<Abstract>& arguments) {
  Iterations iterations;
  std::vector<Value*> values;
  for (std::size_t i = 0; i < 2 + form.carried; ++i) {
    const auto* tensor = arguments[i].As<TensorRef>();
    if (tensor == nullptr)
      return Unsupported("what a loop carries is " + Describe(arguments[i]) + ", not a tensor");
    DRAGOMAN_ASSIGN(Value * value, heap_.Read(builder(), *tensor));
    values.push_back(value);
  }
  const Number start = NumberFrom(builder(), Number::Kind::kInt, values[0]);
  if (!start.known() || start.AsInt() != 0) iterations.start = values[0];
  Composer c(builder());
  const Number count = NumberFrom(builder(), Number::Kind::kInt, values[1]);
  Value* trips = count.known() && count.AsInt() == kUnlimited ? nullptr : values[1];
  const bool has_iteration = count.known() && count.AsInt() >= 1;
  if (trips != nullptr && !form.may_stop && !has_iteration) trips = c.Max(trips, 1);
  DRAGOMAN_TRY(c.status());
  iterations.operands = {trips, nullptr};
  const std::size_t first = form.has_condition ? 1 : 0;
  if (form.has_condition) {
    const Number starts = NumberFrom(builder(), Number::Kind::kBool, values[2]);
    if (!starts.known() || starts.AsInt() == 0) iterations.operands[1] = values[2];
  }
  for (std::size_t i = first; i < form.carried; ++i) {
    iterations.operands.push_back(values[2 + i]);
    iterations.types.push_back(values[2 + i]->type());
  }
  return iterations;
}

// Runs the step in a body of its own.
Status Evaluator::RunStep(const HalvedIterations& form, const std::vector<Abstract>& arguments,
                          Iterations& iterations) {
  iterations.side = entry_.NewSide();
  iterations.outputs.clear();
  Graph& body = *iterations.side.body;
  GraphBuilder& inner = *iterations.side.builder;
  Value* index = body.AddInput(inner.UniqueName("i"), Type::Tensor(DType::kI64, Shape{}));
  Value* more = body.AddInput(inner.UniqueName("more"), Type::Tensor(DType::kBool, Shape{}));
  std::vector<Value*> inputs;
  for (const Type& type : iterations.types)
    inputs.push_back(body.AddInput(inner.UniqueName("", "carried"), type));
  Status status;
  const auto run = [&]() -> Status {
    Composer c(builder());
    if (iterations.start != nullptr) index = c.Add(index, iterations.start);
    DRAGOMAN_TRY(c.status());
    std::vector<Abstract> given = {heap_.NewTensor(index)};
    if (form.has_condition) given.push_back(heap_.NewTensor(more));
    for (Value* input : inputs) given.push_back(heap_.NewTensor(input));
    given.insert(given.end(), arguments.begin() + static_cast<std::ptrdiff_t>(2 + form.carried),
                 arguments.end());
    FunctionValue step;
    step.name = form.step->name();
    step.body = form.step;
    DRAGOMAN_ASSIGN(const Abstract result, CallFunction(step, std::move(given)));
    iterations.poisoned = HoldsPoison(result);
    if (iterations.poisoned) return {};
    const std::size_t count = form.carried + form.collected;
    const auto* tuple = result.As<Tuple>();
    const std::vector<Abstract> items = count == 1         ? std::vector{result}
                                        : tuple != nullptr ? *tuple->items
                                                           : std::vector<Abstract>();
    if (items.size() != count)
      return Unsupported("an iteration that gives something else than the loop");
    if (!form.has_condition) iterations.outputs.push_back(more);
    for (std::size_t i = 0; i < count; ++i) {
      const auto* tensor = items[i].As<TensorRef>();
      if (tensor == nullptr) return Unsupported("an iteration gives " + Describe(items[i]));
      DRAGOMAN_ASSIGN(Value * value, heap_.Read(builder(), *tensor));
      Value* element = i < form.carried ? value : TakeRow(entry_, value);
      iterations.outputs.push_back(element != nullptr ? element : c.Squeeze(value, {0}));
    }
    return c.status();
  };
  entry_.RunInto(iterations.side, [&](std::vector<Abstract>&) {
    status = run();
    return Flow::kNext;
  });
  return status;
}

Result<Node*> Evaluator::AppendLoop(const FunctionValue& function, const HalvedIterations& form,
                                    Iterations& iterations) {
  // A count alone ends the loop: the condition stays as it was.
  std::span<Value* const> outputs = iterations.outputs;
  if (!form.has_condition) {
    iterations.side.body->AddOutput(outputs.front());
    outputs = outputs.subspan(1);
  }
  DRAGOMAN_TRY(EntryBuilder::AddOutputs(iterations.side, outputs));
  std::vector<std::string> names;
  const std::size_t first = form.has_condition ? 1 : 0;
  for (std::size_t i = first; i < form.carried; ++i)
    names.push_back(function.body->input(2 + i)->name());
  for (std::size_t i = 0; i < form.collected; ++i) names.push_back(function.name);
  return builder().Append("Loop", iterations.operands, {{"body", Attribute(iterations.side.body)}},
                          names);
}

Result<Abstract> Evaluator::RunHalvedIterations(const FunctionValue& function,
                                                const HalvedIterations& form,
                                                const std::vector<Abstract>& arguments) {
  DRAGOMAN_ASSIGN(Iterations iterations, BeginIterations(form, arguments));
  calls_.push_back(function.body);
  const std::size_t findings = entry_.findings.size();
  const std::size_t first = form.has_condition ? 1 : 0;
  bool stable = false;
  Status status;
  for (int pass = 0; pass < kMaxPasses && !stable && status.ok(); ++pass) {
    entry_.findings.resize(findings);
    status = RunStep(form, arguments, iterations);
    if (!status.ok() || iterations.poisoned) break;
    stable = true;
    for (std::size_t i = 0; i < iterations.types.size(); ++i) {
      // The condition is the first output, whether it is carried or not.
      const Type joined = Generalize(iterations.types[i], iterations.outputs[1 + i]->type());
      stable = stable && joined == iterations.types[i];
      iterations.types[i] = joined;
    }
    if (!stable) entry_.inference().Forget(*iterations.side.body);
  }
  calls_.pop_back();
  DRAGOMAN_TRY(std::move(status));
  if (iterations.poisoned || entry_.findings.size() != findings) return Abstract(Poison());
  if (!stable) return Unsupported("what the loop carries does not settle");
  std::vector<Abstract> results;
  if (form.has_condition) results.emplace_back(LastCondition());
  const bool gives = iterations.types.size() + form.collected > 0;
  if (gives || IsImpure(*function.body)) {
    DRAGOMAN_ASSIGN(Node * loop, AppendLoop(function, form, iterations));
    for (std::size_t i = 0; i + first < form.carried + form.collected; ++i)
      results.push_back(heap_.NewTensor(loop->result(i)));
  }
  return results.size() == 1 ? results.front() : NewTuple(std::move(results));
}

}  // namespace dragoman::tvmscript

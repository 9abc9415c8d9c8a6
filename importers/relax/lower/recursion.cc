// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/lower/recursion.h"

#include <algorithm>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/find_as.h"
#include "core/ir/tensor.h"

namespace dragoman::tvmscript {
namespace {

bool Is(const Node& node, std::string_view op) {
  return node.op().dialect == "relax" && node.op().type == op;
}

// What a name stands for.
const Value* Source(const Value* value) {
  while (value != nullptr && value->producer() != nullptr && Is(*value->producer(), "alias"))
    value = value->producer()->operand(0);
  return value;
}

// The node of operator `op` that gives `value`; nullptr: another one.
const Node* Made(const Value* value, std::string_view op) {
  value = Source(value);
  const Node* node = value != nullptr ? value->producer() : nullptr;
  return node != nullptr && Is(*node, op) ? node : nullptr;
}

bool Same(const Value* a, const Value* b) { return Source(a) == Source(b) && a != nullptr; }

bool IsInt(const Value* value, std::int64_t number) {
  const Node* node = Made(value, "const");
  const Attribute* attribute = node != nullptr ? node->attribute("value") : nullptr;
  const Tensor* tensor = attribute != nullptr ? attribute->tensor() : nullptr;
  return tensor != nullptr && IsInteger(tensor->dtype()) && tensor->rank() == 0 &&
         tensor->IntAt(0) == number;
}

// `value` is a op b, both found by `a` and `b`.
template <class A, class B>
bool IsBinary(const Value* value, std::string_view op, const A& a, const B& b) {
  const Node* node = Made(value, op);
  return node != nullptr && node->num_operands() == 2 && a(node->operand(0)) && b(node->operand(1));
}

// Element `i` of the tuple `tuple` of `count` elements; one element stands for itself.
bool IsElement(const Value* value, const Value* tuple, std::size_t i, std::size_t count) {
  if (count == 1) return i == 0 && Same(value, tuple);
  const Node* node = Made(value, "TupleGetItem");
  const Attribute* index = node != nullptr ? node->attribute("index") : nullptr;
  const auto* number = index != nullptr ? index->As<std::int64_t>() : nullptr;
  return number != nullptr && *number == static_cast<std::int64_t>(i) &&
         Same(node->operand(0), tuple);
}

// A tuple that is written out, as "(a, b)" or "R.tuple(a, b)".
const Node* MadeTuple(const Value* value) {
  const Node* node = Made(value, "Tuple");
  return node != nullptr ? node : Made(value, "tuple");
}

std::vector<const Value*> Elements(const Value* tuple) {
  std::vector<const Value*> elements;
  const Node* node = MadeTuple(tuple);
  if (node == nullptr) return {tuple};
  for (const Use& use : node->operands()) elements.push_back(use.value());
  return elements;
}

const Graph* SideOf(const Node& condition, bool holds) {
  const Attribute* side = condition.attribute(holds ? "then_branch" : "else_branch");
  return side != nullptr ? side->graph() : nullptr;
}

// The calls among the nodes of `graph`, in order.
std::vector<const Node*> CallsIn(const Graph& graph) {
  std::vector<const Node*> calls;
  for (const Node& node : graph.nodes()) {
    if (Is(node, "call")) calls.push_back(&node);
  }
  return calls;
}

// What ends a function: an `if` whose value is all that it returns.
const Node* RecursionCondition(const Graph& function) {
  const Value* result = ResultOf(function);
  const Node* node = Made(result, "if");
  const bool whole = node != nullptr && node->graph() == &function && node->num_operands() == 1 &&
                     SideOf(*node, true) != nullptr && SideOf(*node, false) != nullptr;
  return whole ? node : nullptr;
}

// Joins what two halves collect: (a0, b0, a1, b1, …) -> (concat((a0, b0), axis=0), …).
bool Joins(const Graph* function, std::size_t count) {
  if (function == nullptr || function->num_inputs() != 2 * count) return false;
  std::vector<const Value*> results;
  for (const Use& output : function->outputs()) results.push_back(output.value());
  if (results.size() == 1 && count != 1) results = Elements(results.front());
  if (results.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const Node* concat = Made(results[i], "concat");
    const Attribute* axis = concat != nullptr ? concat->attribute("axis") : nullptr;
    const auto* number = axis != nullptr ? axis->As<std::int64_t>() : nullptr;
    if (number == nullptr || *number != 0 || concat->num_operands() != 1) return false;
    const std::vector<const Value*> parts = Elements(concat->operand(0));
    if (parts.size() != 2 || !Same(parts[0], function->input(2 * i)) ||
        !Same(parts[1], function->input(2 * i + 1)))
      return false;
  }
  return true;
}

class HalvesReader {
 public:
  HalvesReader(const Graph& function, std::string name, const FindFunction& find)
      : function_(function), name_(std::move(name)), find_(find) {}

  std::optional<HalvedIterations> Read() {
    const Node* condition = function_.num_inputs() >= 2 ? RecursionCondition(function_) : nullptr;
    if (condition == nullptr ||
        !ReadTest(function_, condition->operand(0), 1, &iterations_.has_condition))
      return std::nullopt;
    if (!ReadHalves(*SideOf(*condition, true)) || !ReadIteration(*SideOf(*condition, false)))
      return std::nullopt;
    if (iterations_.has_condition && iterations_.carried == 0) return std::nullopt;
    return iterations_;
  }

 private:
  // count > limit, and the condition that is carried first.
  static bool ReadTest(const Graph& function, const Value* test, std::int64_t limit,
                       bool* has_condition) {
    const auto counts = [&](const Value* value) {
      return IsBinary(
          value, "greater", [&](const Value* v) { return Same(v, function.input(1)); },
          [&](const Value* v) { return IsInt(v, limit); });
    };
    *has_condition = false;
    if (counts(test)) return true;
    *has_condition = true;
    return function.num_inputs() > 2 && IsBinary(test, "logical_and", counts, [&](const Value* v) {
             return Same(v, function.input(2));
           });
  }

  // From `first` on, the arguments are the inputs of `function` after the count.
  static bool PassesOn(const Graph& function, const Node& call, std::size_t first) {
    if (call.num_operands() != function.num_inputs() - 2 + first) return false;
    for (std::size_t i = 2; i < function.num_inputs(); ++i) {
      if (!Same(call.operand(i - 2 + first), function.input(i))) return false;
    }
    return true;
  }

  bool IsHalf(const Value* value) const {
    return IsBinary(
        value, "floor_divide", [&](const Value* v) { return Same(v, function_.input(1)); },
        [](const Value* v) { return IsInt(v, 2); });
  }
  bool IsRest(const Value* value) const {
    return IsBinary(
        value, "subtract", [&](const Value* v) { return Same(v, function_.input(1)); },
        [&](const Value* v) { return IsHalf(v); });
  }
  bool IsMiddle(const Value* value) const {
    return IsBinary(
        value, "add", [&](const Value* v) { return Same(v, function_.input(0)); },
        [&](const Value* v) { return IsHalf(v); });
  }

  // Both halves, and what they collect, joined.
  bool ReadHalves(const Graph& side) {
    const std::vector<const Node*> calls = CallsIn(side);
    const Value* result = ResultOf(side);
    if (calls.size() < 2 || calls.size() > 3 || result == nullptr) return false;
    const Node& first = *calls[0];
    const Node& second = *calls[1];
    if (CalleeOf(first) != name_ || CalleeOf(second) != name_ || !PassesOn(function_, first, 2) ||
        !Same(first.operand(0), function_.input(0)) || !IsHalf(first.operand(1)))
      return false;
    const std::size_t inputs = function_.num_inputs();
    if (second.num_operands() != inputs || !IsMiddle(second.operand(0)) ||
        !IsRest(second.operand(1)))
      return false;
    const std::size_t results = Elements(result).size();
    const auto carries = [&](std::size_t i) {
      return i + 2 < inputs && IsElement(second.operand(i + 2), first.result(), i, results);
    };
    while (carries(iterations_.carried)) ++iterations_.carried;
    iterations_.fixed = inputs - 2 - iterations_.carried;
    for (std::size_t i = inputs - iterations_.fixed; i < inputs; ++i) {
      if (!Same(second.operand(i), function_.input(i))) return false;
    }
    if (iterations_.carried > results) return false;
    iterations_.collected = results - iterations_.carried;
    return ReadResults(Elements(result), calls);
  }

  bool ReadResults(const std::vector<const Value*>& results,
                   const std::vector<const Node*>& calls) const {
    const std::size_t carried = iterations_.carried;
    for (std::size_t i = 0; i < carried; ++i) {
      if (!IsElement(results[i], calls[1]->result(), i, results.size())) return false;
    }
    if (iterations_.collected == 0) return calls.size() == 2;
    if (calls.size() != 3 || !Joins(find_(CalleeOf(*calls[2])), iterations_.collected) ||
        calls[2]->num_operands() != 2 * iterations_.collected)
      return false;
    for (std::size_t i = 0; i < iterations_.collected; ++i) {
      for (std::size_t half = 0; half < 2; ++half) {
        if (!IsElement(calls[2]->operand(2 * i + half), calls[half]->result(), carried + i,
                       results.size()))
          return false;
      }
      if (!IsElement(results[carried + i], calls[2]->result(), i, iterations_.collected))
        return false;
    }
    return true;
  }

  // The call of the step, or of a function that calls it if there is an iteration to make.
  bool ReadIteration(const Graph& side) {
    const std::vector<const Node*> calls = CallsIn(side);
    if (calls.size() != 1 || !Same(ResultOf(side), calls[0]->result()) ||
        !Same(calls[0]->operand(0), function_.input(0)))
      return false;
    const Graph* callee = find_(CalleeOf(*calls[0]));
    if (callee == nullptr || callee == &function_) return false;
    if (PassesOn(function_, *calls[0], 1)) {
      iterations_.step = callee;
      return !iterations_.has_condition;
    }
    iterations_.may_stop = true;
    return PassesOn(function_, *calls[0], 2) && Same(calls[0]->operand(1), function_.input(1)) &&
           ReadMaybeIteration(*callee);
  }

  bool ReadMaybeIteration(const Graph& iteration) {
    const Node* condition =
        iteration.num_inputs() == function_.num_inputs() ? RecursionCondition(iteration) : nullptr;
    bool has_condition = false;
    if (condition == nullptr || !ReadTest(iteration, condition->operand(0), 0, &has_condition) ||
        has_condition != iterations_.has_condition)
      return false;
    const Graph& runs = *SideOf(*condition, true);
    const std::vector<const Node*> calls = CallsIn(runs);
    if (calls.size() != 1 || !Same(ResultOf(runs), calls[0]->result()) ||
        !Same(calls[0]->operand(0), iteration.input(0)) || !PassesOn(iteration, *calls[0], 1))
      return false;
    iterations_.step = find_(CalleeOf(*calls[0]));
    return iterations_.step != nullptr && iterations_.step != &function_ &&
           GivesNothing(iteration, *SideOf(*condition, false));
  }

  // What is carried as it came, and no rows.
  bool GivesNothing(const Graph& iteration, const Graph& side) const {
    const std::vector<const Value*> results = Elements(ResultOf(side));
    if (results.size() != iterations_.carried + iterations_.collected) return false;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (i < iterations_.carried ? !Same(results[i], iteration.input(i + 2))
                                  : !IsEmpty(results[i]))
        return false;
    }
    return true;
  }

  static bool IsEmpty(const Value* value) {
    const Node* zeros = Made(value, "zeros");
    const Node* shape =
        zeros != nullptr && zeros->num_operands() == 1 ? Made(zeros->operand(0), "shape") : nullptr;
    if (shape == nullptr || shape->attributes().size() != 1) return false;
    const Attribute& sizes = shape->attributes().front().value;
    if (const auto* ints = sizes.As<Attribute::Ints>()) return !ints->empty() && ints->front() == 0;
    const auto* list = sizes.As<Attribute::List>();
    const auto* first =
        list != nullptr && !list->empty() ? list->front().As<std::int64_t>() : nullptr;
    return first != nullptr && *first == 0;
  }

  const Graph& function_;
  const std::string name_;
  const FindFunction& find_;
  HalvedIterations iterations_;
};

}  // namespace

const Value* ResultOf(const Graph& graph) {
  return graph.num_outputs() == 1 ? Source(graph.output(0)) : nullptr;
}

std::string CalleeOf(const Node& call) {
  const auto* symbol = FindAs<Symbol>(call.attributes(), "callee");
  return symbol != nullptr ? symbol->name : std::string();
}

const Graph& TailRecursion::Side(bool holds) const { return *SideOf(*condition, holds); }

std::optional<TailRecursion> FindTailRecursion(const Graph& function, const IsOwnCall& is_own) {
  TailRecursion form;
  form.condition = RecursionCondition(function);
  if (form.condition == nullptr) return std::nullopt;
  for (const bool holds : {true, false}) {
    const Graph& side = form.Side(holds);
    const Value* result = ResultOf(side);
    const Node* call = result != nullptr ? result->producer() : nullptr;
    if (call == nullptr || call->graph() != &side || !is_own(*call)) continue;
    if (form.call != nullptr) return std::nullopt;
    form.call = call;
    form.continues = holds;
  }
  std::size_t calls = 0;
  ForEachGraph(function, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) calls += is_own(node) ? 1 : 0;
  });
  if (form.call == nullptr || calls != 1) return std::nullopt;
  return form;
}

std::optional<HalvedIterations> FindHalvedIterations(const Graph& function, const std::string& name,
                                                     const FindFunction& find) {
  return HalvesReader(function, name, find).Read();
}

}  // namespace dragoman::tvmscript

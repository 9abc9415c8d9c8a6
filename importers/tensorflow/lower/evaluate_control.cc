// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/lowering/branch.h"
#include "core/lowering/composer.h"
#include "core/lowering/emit_size.h"
#include "core/lowering/loop.h"
#include "core/lowering/math.h"
#include "core/lowering/number_value.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "importers/tensorflow/lower/evaluator.h"
#include "importers/tensorflow/lower/list_forms.h"
#include "importers/tensorflow/ops/call.h"
#include "importers/tensorflow/ops/lists.h"

namespace dragoman::tf {
namespace {

// Whether a condition of a rank that only run time knows holds: a number that is not 0, or a tensor
// with elements.
Value* HoldsAtAnyRank(Composer& c, Value* condition) {
  Value* rank = c.NumElements(c.Shape(condition));
  Value* flags = c.Cast(IsTrue(c, c.Flatten(condition)), DType::kI64);
  Value* number_holds = c.Greater(c.Reduce("ReduceMax", flags, {0}, false), 0);
  return c.Where(c.Equal(rank, 0), number_holds, c.Greater(c.NumElements(condition), 0));
}

}  // namespace

Result<Number> Evaluator::Truth(const Abstract& value) {
  const auto* tensor = value.As<TensorRef>();
  if (tensor == nullptr) return Unsupported("a condition that is " + Describe(value));
  DRAGOMAN_ASSIGN(Value * condition, heap_.Read(builder(), *tensor));
  Composer c(builder());
  const std::optional<int> rank = c.MaybeRank(condition);
  const bool is_text = c.dtype(condition) == DType::kString;
  if (!rank && is_text) return Unsupported("a condition that is a text of unknown rank");
  if (!rank) {
    condition = HoldsAtAnyRank(c, condition);
  } else if (*rank > 0) {
    // A tensor with axes counts as true if it has elements.
    condition = c.Greater(c.NumElements(condition), 0);
  } else if (is_text) {
    // A text counts as true if it has characters.
    Value* length = c.Op("dragoman.TextLength", {condition}, {{"utf8", std::int64_t{0}}});
    condition = c.Greater(length, 0);
  } else {
    condition = IsTrue(c, condition);
  }
  DRAGOMAN_ASSIGN(condition, c.Done(condition));
  return NumberFrom(builder(), Number::Kind::kBool, condition);
}

std::optional<FuncRef> Evaluator::FunctionAttribute(const Node& node, std::string_view name,
                                                    const Scope& scope) {
  const Attribute* attribute = ResolveAttribute(node, name, scope.bound);
  return attribute != nullptr ? AsFunc(*attribute) : std::nullopt;
}

Flow Evaluator::RunEither(const Node& node, Value* condition, Branches branches, const Scope& scope,
                          Results& results) {
  ListForms forms;
  const auto run = std::move(branches.run);
  branches.run = [&](bool holds, bool for_good, Results& given) {
    const Flow flow = run(holds, for_good, given);
    if (flow == Flow::kRaised) return flow;
    const Status applied = forms.Apply(heap_, builder(), given);
    if (!applied.ok()) Report(node, applied.error(), scope);
    forms.Note(holds ? ListForms::Way::kFirst : ListForms::Way::kSecond, given);
    return flow;
  };
  const std::size_t findings = entry_.findings.size();
  Result<Flow> ran = RunBranches(entry_, condition, branches, results);
  if (!ran.ok() && forms.Extend()) {
    entry_.findings.resize(findings);
    ran = RunBranches(entry_, condition, branches, results);
  }
  if (ran.ok()) return *ran;
  Report(node, ran.error(), scope);
  results.clear();
  return Flow::kNext;
}

Flow Evaluator::RunSides(const Node& node, const Abstract& chooses, Branches branches,
                         const Scope& scope, Results& results) {
  if (chooses.Is<Poison>()) {
    // For what else is unsupported in them.
    for (const bool holds : {true, false})
      entry_.RunSide([&](Results& ignored) { return branches.run(holds, false, ignored); });
    return Flow::kNext;
  }
  const Result<Number> condition = Truth(chooses);
  if (!condition.ok()) {
    Report(node, condition.error(), scope);
    return Flow::kNext;
  }
  if (condition->known()) return branches.run(condition->AsInt() != 0, true, results);
  return RunEither(node, condition->symbolic(), std::move(branches), scope, results);
}

// What arrives at the merges after the sides of a condition, and from where if that is read.
void Evaluator::SetMerges(const CondStep& step, Scope& scope, const Results& results) {
  std::size_t next = 0;
  for (const CondResult& result : step.results) {
    Results given;
    for (int i = 0; i < (result.gives_place ? 2 : 1); ++i, ++next)
      given.push_back(next < results.size() ? results[next] : Abstract(Poison()));
    SetResults(*result.merge, scope, std::move(given));
  }
}

Flow Evaluator::RunCond(const CondStep& step, Scope& scope) {
  const Node& place = step.results.empty() ? *step.switches.front() : *step.results.front().merge;
  const Abstract chooses = Get(step.predicate, scope);
  for (const Node* node : step.switches)
    SetResults(*node, scope, Results(NumDataResults(*node), Passed(*node, 0, scope)));
  const auto run = [&](std::size_t side, Results& given) {
    const Flow flow = RunRegion(step.sides[side], scope);
    if (flow == Flow::kRaised) return flow;
    for (const CondResult& result : step.results) {
      const int operand = result.operands[side];
      given.push_back(Passed(*result.merge, static_cast<std::size_t>(operand), scope));
      if (result.gives_place)
        given.push_back(heap_.NewTensor(
            builder().Constant(Tensor::Of<std::int32_t>({}, std::vector<std::int32_t>{operand}))));
    }
    return flow;
  };
  Branches branches;
  for (const CondResult& result : step.results) {
    branches.names.push_back(result.merge->name());
    if (result.gives_place) branches.names.push_back(result.merge->name() + ":1");
  }
  branches.run = [&](bool holds, bool, Results& given) { return run(holds ? 1 : 0, given); };
  Results results;
  const Flow flow = step.sides.size() > 2
                        ? RunChosen(place, chooses, {step.sides.size(), run}, scope, results)
                        : RunSides(place, chooses, std::move(branches), scope, results);
  SetMerges(step, scope, results);
  return flow;
}

Flow Evaluator::RunIf(const Node& node, Scope& scope) {
  std::vector<Abstract> arguments = Operands(node, scope);
  const std::optional<FuncRef> sides[] = {FunctionAttribute(node, "else_branch", scope),
                                          FunctionAttribute(node, "then_branch", scope)};
  Results results;
  Flow flow = Flow::kNext;
  if (!sides[0] || !sides[1] || arguments.empty()) {
    Report(node, InvalidInput("it has no condition or no branches"), scope);
  } else {
    const Abstract chooses = arguments.front();
    arguments.erase(arguments.begin());
    Branches branches;
    for (std::size_t i = 0; i < NumDataResults(node); ++i)
      branches.names.push_back(node.result(i) != nullptr ? node.result(i)->name() : "");
    branches.run = [&](bool holds, bool, Results& given) {
      return CallFunction(node, *sides[holds ? 1 : 0], arguments, scope, given);
    };
    flow = RunSides(node, chooses, std::move(branches), scope, results);
  }
  SetResults(node, scope, std::move(results));
  return flow;
}

Flow Evaluator::RunWaysFrom(std::size_t from, const Node& node, Value* index, const Ways& ways,
                            const Scope& scope, Results& results) {
  if (from + 1 == ways.count) return ways.run(from, results);
  Composer c(builder());
  Value* condition = c.Equal(index, static_cast<int>(from));
  if (c.failed()) {
    Report(node, c.status().error(), scope);
    return Flow::kNext;
  }
  Branches either;
  either.run = [&](bool holds, bool, Results& given) {
    if (holds) return ways.run(from, given);
    return RunWaysFrom(from + 1, node, index, ways, scope, given);
  };
  return RunEither(node, condition, std::move(either), scope, results);
}

Flow Evaluator::RunChosen(const Node& node, const Abstract& index, const Ways& ways,
                          const Scope& scope, Results& results) {
  const auto* tensor = index.As<TensorRef>();
  if (tensor == nullptr) {
    for (std::size_t way = 0; way < ways.count; ++way)
      entry_.RunSide([&](Results& ignored) { return ways.run(way, ignored); });
    return Flow::kNext;
  }
  const Result<Value*> value = heap_.Read(builder(), *tensor);
  if (!value.ok()) {
    Report(node, value.error(), scope);
    return Flow::kNext;
  }
  const auto known = builder().KnownInts(*value);
  if (!known) return RunWaysFrom(0, node, *value, ways, scope, results);
  if (known->size() != 1) {
    Report(node, InvalidInput("the number of its branch is not a number"), scope);
    return Flow::kNext;
  }
  const auto last = static_cast<std::int64_t>(ways.count) - 1;
  const std::int64_t at = known->front();
  return ways.run(static_cast<std::size_t>(at < 0 || at > last ? last : at), results);
}

Flow Evaluator::RunCase(const Node& node, Scope& scope) {
  std::vector<Abstract> arguments = Operands(node, scope);
  const Attribute* attribute = ResolveAttribute(node, "branches", scope.bound);
  const std::optional<std::vector<FuncRef>> branches =
      attribute != nullptr ? AsFuncs(*attribute) : std::nullopt;
  Results results;
  Flow flow = Flow::kNext;
  if (!branches || branches->empty() || arguments.empty()) {
    Report(node, InvalidInput("it has no number or no branches"), scope);
  } else if (branches->size() > kMaxGraphNesting) {
    Report(node, Unsupported("so many branches are not supported"), scope);
  } else {
    const Abstract index = arguments.front();
    arguments.erase(arguments.begin());
    const Ways ways{branches->size(), [&](std::size_t way, Results& given) {
                      return CallFunction(node, (*branches)[way], arguments, scope, given);
                    }};
    flow = RunChosen(node, index, ways, scope, results);
  }
  SetResults(node, scope, std::move(results));
  return flow;
}

namespace {

// The other of two sizes of which `size` is the one that they broadcast to; nullptr: it is none.
const Dim* BroadcastWith(const Dim& size, const Dim& one) {
  const bool is_atom = size.terms().size() == 1 && size.terms()[0].coefficient == 1 &&
                       size.terms()[0].factors.size() == 1;
  if (!is_atom) return nullptr;
  const DimAtom& atom = *size.terms()[0].factors[0];
  if (atom.kind != DimAtom::Kind::kBroadcast || atom.operands.size() != 2) return nullptr;
  for (std::size_t i = 0; i < 2; ++i) {
    if (atom.operands[i] == one) return &atom.operands[1 - i];
  }
  return nullptr;
}

const Shape* ShapeOf(const Abstract& value) {
  const auto* tensor = value.As<TensorRef>();
  if (tensor == nullptr) return nullptr;
  const Value* held = std::get<StorageContents>(tensor->storage->contents).value;
  return held != nullptr ? held->type().shape() : nullptr;
}

}  // namespace

// A state keeps its sizes from iteration to iteration. Where it broadcasts with something else that
// is carried, as a batch does with its mask, that is broadcast before the loop.
Result<FittedSizes> Evaluator::FitSizes(std::vector<Abstract>& carried, const Results& after) {
  FittedSizes fitted;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const Shape* before = ShapeOf(carried[i]);
    const Shape* then = ShapeOf(after[i]);
    if (before == nullptr || then == nullptr || before->size() != then->size()) continue;
    for (std::size_t axis = 0; axis < before->size(); ++axis) {
      const Dim* other = BroadcastWith((*then)[axis], (*before)[axis]);
      if (other != nullptr && other->symbol() != nullptr)
        fitted.emplace(*other->symbol(), (*before)[axis]);
    }
  }
  if (fitted.empty()) return fitted;
  const std::vector<Value*> given = TensorsAmong(carried);
  for (Abstract& value : carried) {
    const Shape* shape = ShapeOf(value);
    if (shape == nullptr) continue;
    Composer c(builder());
    std::vector<Value*> sizes;
    bool fits = true;
    for (const Dim& size : *shape) {
      const Dim wanted = size.Substitute(fitted);
      fits = fits && wanted == size;
      Value* found = EmitSize(c, wanted, given);
      if (found == nullptr) break;
      sizes.push_back(c.Vector(found));
    }
    if (fits || sizes.size() != shape->size()) continue;
    DRAGOMAN_ASSIGN(Value * whole, heap_.Read(builder(), *value.As<TensorRef>()));
    Value* all = c.ConcatSizes(std::move(sizes));
    // Reshape fails where the sizes are others nevertheless.
    DRAGOMAN_ASSIGN(whole, c.Done(c.Reshape(c.Expand(whole, all), all)));
    value = heap_.NewTensor(whole);
  }
  return fitted;
}

std::vector<Value*> Evaluator::TensorsAmong(const std::vector<Abstract>& values) {
  std::vector<Value*> tensors;
  for (const Abstract& value : values) {
    const auto* tensor = value.As<TensorRef>();
    const Result<Value*> read = tensor != nullptr ? heap_.Read(builder(), *tensor) : nullptr;
    if (read.ok() && *read != nullptr) tensors.push_back(*read);
  }
  return tensors;
}

// A first iteration on its own, which is taken back, shows what it sets in lists that are empty.
Status Evaluator::StackLists(std::vector<Abstract>& carried, const LoopBody& body, bool resizes) {
  const auto is_open = [&](const Abstract& list) {
    return IsReserved(list) || (resizes && IsEmptyList(list));
  };
  if (std::none_of(carried.begin(), carried.end(), is_open)) return {};
  const std::size_t findings = entry_.findings.size();
  Side trial = entry_.RunSide([&](Results& results) { return body(carried, results); });
  entry_.findings.resize(findings);
  if (trial.flow == Flow::kRaised || trial.results.size() != carried.size()) return {};
  DRAGOMAN_ASSIGN(const FittedSizes fitted, FitSizes(carried, trial.results));
  const std::vector<Value*> given = TensorsAmong(carried);
  for (std::size_t i = 0; i < carried.size(); ++i) {
    if (!is_open(carried[i])) continue;
    Type type;
    const Abstract& after = trial.results[i];
    const Abstract* element = FirstElement(after);
    const auto* tensor = (element != nullptr ? *element : after).As<TensorRef>();
    if (tensor == nullptr) continue;
    const auto& contents = std::get<StorageContents>(tensor->storage->contents);
    if (contents.value == nullptr || contents.value->type().shape() == nullptr) continue;
    if (element == nullptr && contents.value->type().shape()->empty()) continue;
    type = contents.value->type();
    Shape sizes = *type.shape();
    if (element == nullptr) sizes.erase(sizes.begin());
    // Each size follows from those of what is carried.
    Composer c(builder());
    std::vector<Value*> parts = {c.Vector(ReservedLength(c, heap_, carried[i]))};
    for (const Dim& size : sizes) {
      Value* found = EmitSize(c, size.Substitute(fitted), given);
      if (found == nullptr) break;
      parts.push_back(c.Vector(found));
    }
    if (parts.size() != sizes.size() + 1) continue;
    Value* zeros = c.Full(c.ConcatSizes(std::move(parts)), 0, type.dtype());
    DRAGOMAN_ASSIGN(zeros, c.Done(zeros));
    carried[i] = heap_.NewTensor(zeros);
  }
  return {};
}

Flow Evaluator::RunIterations(const Node& node, std::vector<Abstract> carried,
                              std::vector<std::string> names, const LoopBody& condition,
                              const LoopBody& body, bool resizes, const Scope& scope,
                              Results& results) {
  const auto holds = [&](const std::vector<Abstract>& now, Abstract& truth) {
    Results given;
    const Flow flow = condition(now, given);
    if (flow == Flow::kRaised) return flow;
    truth = Poison();
    if (given.empty() || given.front().Is<Poison>()) return flow;
    Result<Number> number = Truth(given.front());
    if (number.ok()) {
      truth = *number;
    } else {
      Report(node, number.error(), scope);
    }
    return flow;
  };
  Abstract starts;
  if (holds(carried, starts) == Flow::kRaised) return Flow::kRaised;
  const auto* number = starts.As<Number>();
  if (number == nullptr) {
    entry_.RunSide([&](Results& ignored) { return body(carried, ignored); });
    return Flow::kNext;
  }
  if (!number->known() || number->AsInt() != 0) {
    const Status stacked = StackLists(carried, body, resizes);
    if (!stacked.ok()) Report(node, stacked.error(), scope);
  }
  SourceLoop loop;
  loop.starts = *number;
  loop.carried = carried;
  loop.names = std::move(names);
  loop.body = [&](const Number&, const std::vector<Abstract>& now, Results& given) {
    Results next;
    Flow flow = body(now, next);
    if (flow == Flow::kRaised) return flow;
    next.resize(now.size(), Poison());
    Abstract again;
    flow = holds(next, again);
    given.push_back(std::move(again));
    given.insert(given.end(), next.begin(), next.end());
    return flow;
  };
  return RunWithForms(node, std::move(loop), scope, results);
}

Flow Evaluator::RunWithForms(const Node& node, SourceLoop loop, const Scope& scope,
                             Results& results) {
  ListForms forms;
  const SourceLoop::Body body = std::move(loop.body);
  loop.body = [&](const Number& iteration, const std::vector<Abstract>& now, Results& given) {
    const Flow flow = body(iteration, now, given);
    if (flow == Flow::kRaised) return flow;
    std::vector<Abstract> next(given.begin() + 1, given.end());
    const Status applied = forms.Apply(heap_, builder(), next);
    if (!applied.ok()) Report(node, applied.error(), scope);
    std::copy(next.begin(), next.end(), given.begin() + 1);
    forms.Note(ListForms::Way::kFirst, now);
    forms.Note(ListForms::Way::kSecond, next);
    return flow;
  };
  const std::size_t findings = entry_.findings.size();
  Result<Flow> flow = RunLoop(entry_, loop, results);
  while (!flow.ok() && forms.Extend()) {
    entry_.findings.resize(findings);
    const Status applied = forms.Apply(heap_, builder(), loop.carried);
    if (!applied.ok()) break;
    flow = RunLoop(entry_, loop, results);
  }
  if (flow.ok()) return *flow;
  Report(node, flow.error(), scope);
  results.clear();
  return Flow::kNext;
}

bool Evaluator::Has(const std::string& function, std::string_view type) const {
  std::vector<std::string> pending = {function};
  std::unordered_set<std::string> seen(pending.begin(), pending.end());
  const auto reach = [&](const std::string& name) {
    if (seen.insert(name).second) pending.push_back(name);
  };
  while (!pending.empty()) {
    const auto found = library_.find(pending.back());
    pending.pop_back();
    if (found == library_.end()) continue;
    for (const Node& node : found->second->graph->nodes()) {
      if (node.op().type == type) return true;
      reach(node.op().type);
      for (const NamedAttribute& attribute : node.attributes()) {
        if (const std::optional<FuncRef> callee = AsFunc(attribute.value)) reach(callee->name);
        for (const FuncRef& branch : AsFuncs(attribute.value).value_or(std::vector<FuncRef>()))
          reach(branch.name);
      }
    }
  }
  return false;
}

Flow Evaluator::RunWhile(const Node& node, Scope& scope) {
  const std::optional<FuncRef> condition = FunctionAttribute(node, "cond", scope);
  const std::optional<FuncRef> body = FunctionAttribute(node, "body", scope);
  if (!condition || !body) {
    Report(node, InvalidInput("it has no condition or no body"), scope);
    SetResults(node, scope, {});
    return Flow::kNext;
  }
  const auto call = [&](const FuncRef& function) -> LoopBody {
    return [&, function](const std::vector<Abstract>& carried, Results& results) {
      return CallFunction(node, function, carried, scope, results);
    };
  };
  const std::vector<Abstract> carried = Operands(node, scope);
  std::vector<std::string> names;
  const auto found = library_.find(body->name);
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const bool known = found != library_.end() && i < found->second->graph->num_inputs();
    names.push_back(known ? found->second->graph->input(i)->name() : "");
  }
  Results results;
  const Flow flow = RunIterations(node, carried, std::move(names), call(*condition), call(*body),
                                  Has(body->name, "TensorListResize"), scope, results);
  SetResults(node, scope, std::move(results));
  return flow;
}

Flow Evaluator::RunFrame(const LoopStep& step, Scope& scope) {
  for (const Node* enter : step.enters) SetResults(*enter, scope, {Passed(*enter, 0, scope)});
  std::vector<Abstract> carried;
  std::vector<std::string> names;
  for (const LoopVariable& variable : step.variables) {
    carried.push_back(Get(variable.enter->result(0), scope));
    names.push_back(variable.merge->name());
  }
  const auto set = [&](const std::vector<Abstract>& now) {
    for (std::size_t i = 0; i < now.size(); ++i)
      SetResults(*step.variables[i].merge, scope, {now[i]});
  };
  const LoopBody condition = [&](const std::vector<Abstract>& now, Results& results) {
    set(now);
    const Flow flow = RunRegion(step.condition, scope);
    results.push_back(Get(step.continues, scope));
    return flow;
  };
  const LoopBody body = [&](const std::vector<Abstract>& now, Results& results) {
    set(now);
    const Flow flow = RunRegion(step.body, scope);
    for (const LoopVariable& variable : step.variables)
      results.push_back(Get(variable.next, scope));
    return flow;
  };
  const Node& place = step.variables.empty() ? *step.enters.front() : *step.variables.front().merge;
  Results results;
  const Flow flow = RunIterations(place, std::move(carried), std::move(names), condition, body,
                                  false, scope, results);
  for (const auto& [exit, variable] : step.exits) {
    SetResults(*exit, scope, {variable < results.size() ? results[variable] : Abstract(Poison())});
  }
  return flow;
}

}  // namespace dragoman::tf

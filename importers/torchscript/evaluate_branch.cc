#include <algorithm>
#include <utility>

#include "core/ir/node_attributes.h"
#include "core/ir/type_algebra.h"
#include "core/ops/op_def.h"
#include "importers/torchscript/append_assert.h"
#include "importers/torchscript/evaluator.h"
#include "importers/torchscript/number_value.h"
#include "importers/torchscript/ops/composer.h"

namespace dragoman::torchscript {
namespace {

bool HasEffects(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (HasEffect(node)) return true;
  }
  return false;
}

}  // namespace

Evaluator::Flow Evaluator::RunIf(const Node& node, Frame& frame) {
  const Graph* then_branch = GraphAttribute(node, "then_branch");
  const Graph* else_branch = GraphAttribute(node, "else_branch");
  if (then_branch == nullptr || else_branch == nullptr || node.num_operands() != 1) {
    Report(node, InvalidInput("prim.If without branches"));
    Poisoned(node, frame);
    return Flow::kNext;
  }
  const Abstract condition = Get(node.operand(0), frame);
  const auto* number = condition.As<Number>();
  if (number == nullptr) {
    if (!condition.Is<Poison>())
      Report(node, Unsupported("a condition that is " + Describe(condition)));
    // Only for what else is unsupported.
    RunSide(*then_branch, frame);
    RunSide(*else_branch, frame);
    Poisoned(node, frame);
    return Flow::kNext;
  }
  if (!number->known()) return RunEither(node, number->symbolic(), frame);
  std::vector<Abstract> results;
  const Flow flow = RunBlock(number->AsInt() != 0 ? *then_branch : *else_branch, frame, results);
  SetResults(node, frame, std::move(results));
  return flow;
}

Evaluator::Known Evaluator::Refine(const Value* condition, bool holds, Frame& frame) {
  const Node* negation = condition->producer();
  if (negation != nullptr && negation->Is("Not")) {
    condition = negation->operand(0);
    holds = !holds;
  }
  Known known;
  for (auto& [value, abstract] : frame.values) {
    const auto* maybe = abstract.As<Maybe>();
    if (maybe == nullptr || maybe->present != condition) continue;
    known.emplace_back(value, abstract);
  }
  for (const auto& [value, abstract] : known)
    frame.values[value] = holds ? *abstract.As<Maybe>()->payload : Abstract(None());
  return known;
}

Evaluator::Flow Evaluator::RunEither(const Node& node, Value* condition, Frame& frame) {
  const Graph& then_branch = *GraphAttribute(node, "then_branch");
  const Graph& else_branch = *GraphAttribute(node, "else_branch");
  const std::size_t findings = findings_.size();
  const auto run = [&](const Graph& branch, bool holds) {
    const Known known = Refine(condition, holds, frame);
    Side side = RunSide(branch, frame);
    for (const auto& [value, abstract] : known) frame.values[value] = abstract;
    return side;
  };
  Side then_side = run(then_branch, true);
  const std::string then_raised = raised_;
  Side else_side = run(else_branch, false);
  const bool then_raises = then_side.flow == Flow::kRaised;
  const bool else_raises = else_side.flow == Flow::kRaised;
  if (then_raises && else_raises) return Flow::kRaised;
  if (then_raises || else_raises) {
    findings_.resize(findings);
    const std::string message = then_raises ? then_raised : raised_;
    if (Status status = Expect(condition, else_raises, message); !status.ok())
      Report(node, status.error());
    Refine(condition, else_raises, frame);
    std::vector<Abstract> results;
    const Flow flow = RunBlock(then_raises ? else_branch : then_branch, frame, results);
    SetResults(node, frame, std::move(results));
    return flow;
  }
  Result<std::vector<Abstract>> merged = MergeSides(node, condition, then_side, else_side);
  if (!merged.ok()) Report(node, merged.error());
  SetResults(node, frame, merged.ok() ? std::move(*merged) : std::vector<Abstract>());
  return Flow::kNext;
}

Evaluator::Flow Evaluator::RunChoice(const Node& node, const Choice& choice, Frame& frame) {
  std::vector<Abstract> results;
  const Flow flow = CallChosen(node, choice, 0, Operands(node, frame), results);
  SetResults(node, frame, std::move(results));
  return flow;
}

// Calls the chosen one of the objects from number `from` on: an If for each but the last.
Evaluator::Flow Evaluator::CallChosen(const Node& node, const Choice& choice, std::size_t from,
                                      const std::vector<Abstract>& operands,
                                      std::vector<Abstract>& results) {
  const Attribute* name = node.attribute("name");
  const auto* text = name != nullptr ? name->As<std::string>() : nullptr;
  const Abstract& object = (*choice.objects)[from];
  Result<const Graph*> method =
      text != nullptr ? Method(object, *text) : Result<const Graph*>(Internal("no method"));
  if (!method.ok()) {
    Report(node, method.error());
    return Flow::kNext;
  }
  std::vector<Abstract> arguments = operands;
  arguments.front() = object;
  const auto call = [&](std::vector<Abstract>& given) {
    return CallFunction(**method, arguments, given);
  };
  if (from + 1 == choice.objects->size()) return call(results);
  Composer c(*builder_);
  const Result<Value*> condition =
      c.Done(c.Equal(choice.index, c.Int(static_cast<std::int64_t>(from))));
  if (!condition.ok()) {
    Report(node, condition.error());
    return Flow::kNext;
  }
  Side this_side = RunSide(call);
  Side other_side = RunSide([&](std::vector<Abstract>& given) {
    return CallChosen(node, choice, from + 1, operands, given);
  });
  if (this_side.flow == Flow::kRaised || other_side.flow == Flow::kRaised) {
    Report(node, Unsupported("a module that run time chooses raises an exception"));
    return Flow::kNext;
  }
  Result<std::vector<Abstract>> merged = MergeSides(node, *condition, this_side, other_side);
  if (!merged.ok()) Report(node, merged.error());
  if (merged.ok()) results = std::move(*merged);
  return Flow::kNext;
}

Evaluator::Side Evaluator::RunSide(const Graph& graph, Frame& frame) {
  return RunSide([&](std::vector<Abstract>& results) { return RunBlock(graph, frame, results); });
}

Evaluator::Side Evaluator::RunSide(const std::function<Flow(std::vector<Abstract>&)>& run) {
  Side side;
  side.body = std::make_shared<Graph>();
  side.builder = std::make_unique<GraphBuilder>(*side.body, inference_, names_);
  side.builder->set_origin(builder_->origin());
  GraphBuilder* outer = std::exchange(builder_, side.builder.get());
  heap_.Enter();
  side.flow = run(side.results);
  side.changes = heap_.Leave();
  builder_ = outer;
  return side;
}

Status Evaluator::Expect(Value* condition, bool expected, const std::string& message) {
  if (!expected) {
    DRAGOMAN_ASSIGN(condition, builder_->Add("Not", {condition}));
  }
  return AppendAssert(*builder_, condition, message);
}

Result<std::vector<Value*>> Evaluator::ReadSide(Side& side, std::span<const Leaf> leaves, bool of_a,
                                                const std::vector<Type>& types) {
  GraphBuilder* outer = std::exchange(builder_, side.builder.get());
  heap_.Enter();
  for (const CellChange& change : side.changes) heap_.Replace(change.cell, change.contents);
  Result<std::vector<Value*>> values = LeafSideValues(heap_, *builder_, leaves, of_a);
  for (std::size_t i = 0; values.ok() && !types.empty() && i < leaves.size(); ++i) {
    if ((*values)[i] != nullptr) continue;
    const LeafSide& missing = of_a ? leaves[i].a : leaves[i].b;
    Result<Value*> value = LeafValue(heap_, *builder_, leaves[i], missing, types[i]);
    if (!value.ok()) {
      values = std::move(value).error();
    } else {
      (*values)[i] = *value;
    }
  }
  heap_.Leave();
  builder_ = outer;
  return values;
}

// A body gives each value once, and none of another graph.
Status Evaluator::AddOutputs(Side& side, std::span<Value* const> values) {
  std::unordered_set<const Value*> given;
  for (Value* value : values) {
    const bool own = value->kind() == Value::Kind::kResult && value->graph() == side.body.get();
    if (!own || !given.insert(value).second) {
      DRAGOMAN_ASSIGN(value, side.builder->Add("Identity", {value}));
    }
    side.body->AddOutput(value);
  }
  return {};
}

Result<Evaluator::SideValues> Evaluator::ReadSides(Side& then_side, Side& else_side,
                                                   std::span<const Leaf> leaves) {
  DRAGOMAN_ASSIGN(std::vector<Value*> then_values, ReadSide(then_side, leaves, true, {}));
  DRAGOMAN_ASSIGN(std::vector<Value*> else_values, ReadSide(else_side, leaves, false, {}));
  std::vector<Type> types;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Value* some = then_values[i] != nullptr ? then_values[i] : else_values[i];
    types.push_back(some != nullptr ? some->type() : Type());
  }
  DRAGOMAN_ASSIGN(then_values, ReadSide(then_side, leaves, true, types));
  DRAGOMAN_ASSIGN(else_values, ReadSide(else_side, leaves, false, types));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const DType a = then_values[i]->type().dtype();
    const DType b = else_values[i]->type().dtype();
    if (a != b && a != DType::kUnknown && b != DType::kUnknown) {
      return Unsupported("the branches give tensors of different element types, " +
                         std::string(Name(a)) + " and " + std::string(Name(b)));
    }
  }
  return SideValues{std::move(then_values), std::move(else_values)};
}

Result<std::vector<Value*>> Evaluator::AppendIf(Value* condition, Side& then_side, Side& else_side,
                                                std::span<const Leaf> leaves) {
  DRAGOMAN_ASSIGN(const SideValues values, ReadSides(then_side, else_side, leaves));
  std::vector<Value*> results;
  if (leaves.empty() && !HasEffects(*then_side.body) && !HasEffects(*else_side.body))
    return results;
  std::vector<std::string> names;
  for (const Leaf& leaf : leaves) names.push_back(leaf.name.empty() ? "if" : leaf.name);
  DRAGOMAN_TRY(AddOutputs(then_side, values.then_values));
  DRAGOMAN_TRY(AddOutputs(else_side, values.else_values));
  Value* const operands[] = {condition};
  DRAGOMAN_ASSIGN(Node * made, builder_->Append("If", operands,
                                                {{"else_branch", Attribute(else_side.body)},
                                                 {"then_branch", Attribute(then_side.body)}},
                                                names));
  for (std::size_t i = 0; i < leaves.size(); ++i) results.push_back(made->result(i));
  return results;
}

Result<std::vector<Abstract>> Evaluator::MergeSides(const Node& node, Value* condition,
                                                    Side& then_side, Side& else_side) {
  Merger merger(then_side.changes, else_side.changes);
  std::vector<MergedValue> results;
  for (std::size_t i = 0; i < then_side.results.size(); ++i) {
    const std::string name = node.result(i) != nullptr ? node.result(i)->name() : "";
    const Abstract other = i < else_side.results.size() ? else_side.results[i] : Abstract(Poison());
    DRAGOMAN_ASSIGN(MergedValue merged, merger.Merge(then_side.results[i], other, name));
    results.push_back(std::move(merged));
  }
  std::vector<std::pair<CellPtr, MergedContents>> cells;
  for (const Side* side : {&then_side, &else_side}) {
    for (const CellChange& change : side->changes) {
      const auto known = [&](const auto& item) { return item.first == change.cell; };
      if (std::any_of(cells.begin(), cells.end(), known)) continue;
      DRAGOMAN_ASSIGN(MergedContents merged, merger.MergeCell(change.cell));
      cells.emplace_back(change.cell, std::move(merged));
    }
  }
  DRAGOMAN_ASSIGN(const std::vector<Value*> values,
                  AppendIf(condition, then_side, else_side, merger.leaves()));
  for (const auto& [cell, contents] : cells) heap_.Replace(cell, contents(heap_, values));
  std::vector<Abstract> merged;
  for (std::size_t i = 0; i < results.size(); ++i) {
    merged.push_back(results[i](heap_, values));
    NoteChoice(merged.back(), i, then_side, else_side);
  }
  return merged;
}

void Evaluator::NoteChoice(const Abstract& merged, std::size_t i, const Side& then_side,
                           const Side& else_side) {
  const auto* made = merged.As<TensorRef>();
  if (made == nullptr) return;
  std::vector<CellPtr> others;
  for (const Side* side : {&then_side, &else_side}) {
    const auto* chosen = i < side->results.size() ? side->results[i].As<TensorRef>() : nullptr;
    if (chosen != nullptr && chosen->storage != made->storage) others.push_back(chosen->storage);
  }
  if (!others.empty()) heap_.NoteChoice(made->storage, std::move(others));
}

}  // namespace dragoman::torchscript

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/ir/node_attributes.h"
#include "core/lowering/branch.h"
#include "core/lowering/composer.h"
#include "core/lowering/loop.h"
#include "importers/torch/lower/evaluator.h"

namespace dragoman::torch {
namespace {

// Whether a result of the If `node` has more axes on one way than on the other.
bool DiffersInRank(const Node& node) {
  const Graph* then_branch = GraphAttribute(node, "then_branch");
  const Graph* else_branch = GraphAttribute(node, "else_branch");
  if (!node.Is("If") || then_branch == nullptr || else_branch == nullptr) return false;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const auto ranks =
        std::pair(then_branch->output(i)->type().rank(), else_branch->output(i)->type().rank());
    if (ranks.first && ranks.second && ranks.first != ranks.second) return true;
  }
  return false;
}

}  // namespace

Flow Evaluator::RunForFindings(const Node& node, Frame& frame,
                               std::initializer_list<const Graph*> blocks) {
  for (const Graph* block : blocks) {
    entry_.RunSide(
        [&](std::vector<Abstract>& results) { return RunBlock(*block, frame, results); });
  }
  Poisoned(node, frame);
  return Flow::kNext;
}

Flow Evaluator::RunIf(const Node& node, Frame& frame) {
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
    return RunForFindings(node, frame, {then_branch, else_branch});
  }
  if (!number->known()) return RunEither(node, number->symbolic(), frame);
  std::vector<Abstract> results;
  split_.push_back(&node);
  const Flow flow = RunBlock(number->AsInt() != 0 ? *then_branch : *else_branch, frame, results);
  split_.pop_back();
  if (ended_ == nullptr) SetResults(node, frame, std::move(results));
  return flow;
}

Evaluator::Known Evaluator::Refine(const Value* condition, bool holds, Frame& frame) {
  const Node* negation = condition->producer();
  if (negation != nullptr && negation->Is("Not")) {
    condition = negation->operand(0);
    holds = !holds;
  }
  Known known;
  const auto optionals = frame.optionals.find(condition);
  if (optionals == frame.optionals.end()) return known;
  for (const Value* value : optionals->second) {
    Abstract& abstract = frame.values[value];
    const auto* maybe = abstract.As<Maybe>();
    if (maybe == nullptr || maybe->present != condition) continue;
    known.emplace_back(value, abstract);
    abstract = holds ? Abstract(*maybe->payload) : Abstract(None());
  }
  return known;
}

Flow Evaluator::RunEither(const Node& node, Value* condition, Frame& frame) {
  Branches branches;
  for (std::size_t i = 0; i < node.num_results(); ++i)
    branches.names.push_back(node.result(i) != nullptr ? node.result(i)->name() : "");
  branches.run = [&](bool holds, bool for_good, std::vector<Abstract>& results) {
    const Known known = Refine(condition, holds, frame);
    const Graph& block = *GraphAttribute(node, holds ? "then_branch" : "else_branch");
    const Flow flow = RunBlock(block, frame, results);
    if (for_good) return flow;
    for (const auto& [value, abstract] : known) frame.values[value] = abstract;
    return flow;
  };
  std::vector<Abstract> results;
  const std::size_t findings = entry_.findings.size();
  Node* const last = builder().graph().last_node();
  const bool outer_unmerged = std::exchange(has_unmerged_, false);
  heap_.Enter();
  const Result<Flow> flow = RunBranches(entry_, condition, branches, results);
  const bool has_unmerged = std::exchange(has_unmerged_, outer_unmerged) || !flow.ok();
  const Node* made = builder().graph().last_node();
  const bool of_ranks = !has_unmerged && made != nullptr && made != last && DiffersInRank(*made) &&
                        HasNodesBehind(node);
  if ((has_unmerged || of_ranks) && splits_ < kMaxSplitIfs) {
    ++splits_;
    heap_.Leave();
    entry_.EraseAfter(last);
    const std::vector<Finding> found(
        entry_.findings.begin() + static_cast<std::ptrdiff_t>(findings), entry_.findings.end());
    entry_.findings.resize(findings);
    const Result<Flow> to_end = RunEitherToEnd(node, condition, frame);
    if (to_end.ok()) return *to_end;
    has_unmerged_ = true;
    entry_.findings.insert(entry_.findings.end(), found.begin(), found.end());
    Report(node, flow.ok() ? to_end.error() : flow.error());
    Poisoned(node, frame);
    return Flow::kNext;
  }
  heap_.Keep();
  if (!flow.ok()) {
    Report(node, flow.error());
    Poisoned(node, frame);
    return Flow::kNext;
  }
  SetResults(node, frame, std::move(results));
  return *flow;
}

bool Evaluator::GoesOnBehind(const Node* node) const {
  return node != nullptr && std::find(split_.begin(), split_.end(), node) != split_.end();
}

const Graph& Evaluator::LastBlock(const Node& node) const {
  const Graph* block = node.graph();
  while (GoesOnBehind(block->parent())) block = block->parent()->graph();
  return *block;
}

bool Evaluator::HasNodesBehind(const Node& node) const {
  if (node.next() != nullptr) return true;
  const Node* around = node.graph()->parent();
  return GoesOnBehind(around) && HasNodesBehind(*around);
}

// Runs what follows `node` in its block, and after the ifs around it.
Flow Evaluator::RunBehind(const Node& node, Frame& frame) {
  const Graph& block = *node.graph();
  if (RunNodes(block, node.next(), frame) == Flow::kRaised) return Flow::kRaised;
  if (ended_ != nullptr || !GoesOnBehind(block.parent())) return Flow::kNext;
  std::vector<Abstract> results;
  for (const Use& use : block.outputs()) results.push_back(Get(use.value(), frame));
  SetResults(*block.parent(), frame, std::move(results));
  return RunBehind(*block.parent(), frame);
}

Result<Flow> Evaluator::RunEitherToEnd(const Node& node, Value* condition, Frame& frame) {
  split_.push_back(&node);
  const Graph& end = LastBlock(node);
  Branches branches;
  for (const Use& use : end.outputs()) branches.names.push_back(use.value()->name());
  const std::vector<std::optional<DType>> regions = autocast_;
  branches.run = [&](bool holds, bool for_good, std::vector<Abstract>& results) {
    autocast_ = regions;
    const Known known = Refine(condition, holds, frame);
    std::vector<Abstract> own;
    Flow flow = RunBlock(*GraphAttribute(node, holds ? "then_branch" : "else_branch"), frame, own);
    if (flow == Flow::kNext && ended_ == nullptr) {
      SetResults(node, frame, std::move(own));
      flow = RunBehind(node, frame);
    }
    ended_ = nullptr;
    for (const Use& use : end.outputs()) results.push_back(Get(use.value(), frame));
    if (for_good) return flow;
    for (const auto& [value, abstract] : known) frame.values[value] = abstract;
    return flow;
  };
  std::vector<Abstract> results;
  const Result<Flow> flow = RunBranches(entry_, condition, branches, results);
  split_.pop_back();
  if (!flow.ok()) return flow.error();
  for (std::size_t i = 0; i < results.size(); ++i) frame.Set(end.output(i), std::move(results[i]));
  ended_ = &end;
  return *flow;
}

Flow Evaluator::RunChoice(const Node& node, const Choice& choice, Frame& frame) {
  std::vector<Abstract> results;
  const Flow flow = CallChosen(node, choice, 0, Operands(node, frame), results);
  SetResults(node, frame, std::move(results));
  return flow;
}

// Calls the chosen one of the objects from number `from` on: an If for each but the last.
Flow Evaluator::CallChosen(const Node& node, const Choice& choice, std::size_t from,
                           const std::vector<Abstract>& operands, std::vector<Abstract>& results) {
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
  Composer c(builder());
  const Result<Value*> condition =
      c.Done(c.Equal(choice.index, c.Int(static_cast<std::int64_t>(from))));
  if (!condition.ok()) {
    Report(node, condition.error());
    return Flow::kNext;
  }
  Side this_side = entry_.RunSide(call);
  Side other_side = entry_.RunSide([&](std::vector<Abstract>& given) {
    return CallChosen(node, choice, from + 1, operands, given);
  });
  if (this_side.flow == Flow::kRaised || other_side.flow == Flow::kRaised) {
    Report(node, Unsupported("a module that run time chooses raises an exception"));
    return Flow::kNext;
  }
  const Value* result = node.result();
  Result<std::vector<Abstract>> merged =
      MergeSides(entry_, *condition, this_side, other_side,
                 {result != nullptr ? result->name() : std::string()});
  if (!merged.ok()) Report(node, merged.error());
  if (merged.ok()) results = std::move(*merged);
  return Flow::kNext;
}

Flow Evaluator::RunLoop(const Node& node, Frame& frame) {
  const Graph* body = GraphAttribute(node, "body");
  if (body == nullptr || node.num_operands() < 2 || body->num_inputs() != node.num_operands() - 1 ||
      body->num_outputs() != node.num_operands() - 1) {
    Report(node, InvalidInput("prim.Loop whose body does not fit it"));
    Poisoned(node, frame);
    return Flow::kNext;
  }
  const auto* trips = Get(node.operand(0), frame).As<Number>();
  const auto* starts = Get(node.operand(1), frame).As<Number>();
  if (trips == nullptr || starts == nullptr) return RunForFindings(node, frame, {body});
  SourceLoop loop{*trips, *starts, {}, {}, nullptr};
  for (std::size_t i = 2; i < node.num_operands(); ++i) {
    loop.carried.push_back(Get(node.operand(i), frame));
    loop.names.push_back(body->input(i - 1)->name());
  }
  loop.body = [&](const Number& iteration, const std::vector<Abstract>& carried,
                  std::vector<Abstract>& results) {
    frame.Set(body->input(0), iteration);
    for (std::size_t i = 0; i < carried.size(); ++i) frame.Set(body->input(i + 1), carried[i]);
    return RunBlock(*body, frame, results);
  };
  std::vector<Abstract> results;
  const Result<Flow> flow = dragoman::RunLoop(entry_, loop, results);
  if (!flow.ok()) Report(node, flow.error());
  SetResults(node, frame, std::move(results));
  return flow.ok() ? *flow : Flow::kNext;
}

}  // namespace dragoman::torch

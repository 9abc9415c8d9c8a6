// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/loop.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/lowering/composer.h"
#include "core/lowering/number_value.h"

namespace dragoman {
namespace {

constexpr int kMaxLoopPasses = 24;

enum class Unrolled : std::uint8_t { kDone, kRaised, kGaveUp };

// What a loop carries: how the values and cells of an iteration are made from the body's inputs.
struct LoopPlan {
  std::vector<MergedValue> values;
  std::vector<std::pair<CellPtr, MergedContents>> cells;
  std::vector<Leaf> leaves;     // side a: before the loop
  std::vector<Type> types;      // one a leaf
  std::uint64_t last_cell = 0;  // that was made before the loop
  // Bodies of passes, and what stood for values between passes: Abstracts may still point there.
  std::vector<std::shared_ptr<Graph>> kept;
};

// One run of the body.
struct LoopPass {
  Side side;
  std::vector<Value*> inputs;    // of the body, one a leaf of the plan
  std::vector<Value*> returned;  // what comes back for each
  std::optional<Number> condition;
  std::vector<MergedValue> values;  // of this pass against the plan
  std::vector<std::pair<CellPtr, MergedContents>> cells;
  std::vector<Type> joined;  // one a leaf of the merge
};

class LoopLowering {
 public:
  LoopLowering(EntryBuilder& entry, const SourceLoop& loop, std::vector<Abstract>& results)
      : entry_(entry), heap_(entry.heap()), loop_(loop), results_(results) {}

  Unrolled Unroll(std::int64_t max_iterations, std::size_t max_nodes);
  // Appends a Loop.
  Status Build();
  // After an error: what the body would have left in lists and dicts is not known.
  void PoisonContainers();

 private:
  bool IsTooLong(std::int64_t iteration, std::size_t appended, std::int64_t max_iterations,
                 std::size_t max_nodes) const;
  Result<bool> RunPass(LoopPlan& plan, LoopPass& pass);
  std::vector<Abstract> RunBody(LoopPlan& plan, LoopPass& pass);
  Result<bool> CompareIteration(const std::vector<Abstract>& given, std::uint64_t last,
                                LoopPass& pass);
  Status MergeIteration(const std::vector<Abstract>& given, Merger& merger, LoopPass& pass) const;
  Status Replan(LoopPlan& plan, LoopPass& pass);
  Status Finish(LoopPlan& plan, LoopPass& pass);
  Status Idle(const std::string& raised);
  void NoteChanged(std::span<const CellChange> changes, std::uint64_t last_cell);
  Result<std::vector<Value*>> Operands(const LoopPlan& plan);

  EntryBuilder& entry_;
  Heap& heap_;
  const SourceLoop& loop_;
  std::vector<Abstract>& results_;
  std::vector<CellPtr> changed_;  // by passes; each as often as it was
};

bool LoopLowering::IsTooLong(std::int64_t iteration, std::size_t appended,
                             std::int64_t max_iterations, std::size_t max_nodes) const {
  if (iteration >= kMaxForcedIterations) return true;
  const std::int64_t trips = loop_.trips.AsInt();
  const bool long_run =
      trips > max_iterations && (trips != INT64_MAX || iteration >= max_iterations);
  return iteration > 0 && ((long_run && appended > 0) || appended > max_nodes);
}

Unrolled LoopLowering::Unroll(std::int64_t max_iterations, std::size_t max_nodes) {
  Number condition = loop_.starts;
  std::vector<Abstract> carried = loop_.carried;
  const Graph& graph = entry_.builder().graph();
  Node* const last = entry_.builder().graph().last_node();
  const std::size_t nodes = graph.num_nodes();
  const std::size_t findings = entry_.findings.size();
  const auto give_up = [&] {
    heap_.Leave();
    entry_.EraseAfter(last);
    entry_.findings.resize(findings);
    return Unrolled::kGaveUp;
  };
  heap_.Enter();
  for (std::int64_t iteration = 0; iteration < loop_.trips.AsInt(); ++iteration) {
    if (!condition.known()) return give_up();
    if (condition.AsInt() == 0) break;
    if (IsTooLong(iteration, graph.num_nodes() - nodes, max_iterations, max_nodes))
      return give_up();
    std::vector<Abstract> results;
    if (loop_.body(Number::Int(iteration), carried, results) == Flow::kRaised) {
      heap_.Keep();
      return Unrolled::kRaised;
    }
    const auto* next = results.front().As<Number>();
    carried.assign(results.begin() + 1, results.end());
    if (next == nullptr) {
      carried.assign(carried.size(), Poison());
      break;
    }
    condition = *next;
  }
  heap_.Keep();
  results_ = std::move(carried);
  return Unrolled::kDone;
}

Status LoopLowering::Build() {
  LoopPlan plan;
  plan.last_cell = heap_.last_cell();
  for (const Abstract& value : loop_.carried)
    plan.values.push_back([value](Heap&, LeafValues) { return value; });
  std::vector<Finding> dropped;  // of the last pass that was run again
  for (int i = 0; i < kMaxLoopPasses; ++i) {
    LoopPass pass;
    const std::size_t findings = entry_.findings.size();
    heap_.Enter();
    Result<bool> stable = RunPass(plan, pass);
    NoteChanged(pass.side.changes, plan.last_cell);
    if (stable.ok() && *stable) {
      DRAGOMAN_TRY(Finish(plan, pass));
      // What could not be computed in an iteration is not asked for again in the next: the pass
      // before has reported why.
      const bool poisoned = std::any_of(results_.begin(), results_.end(),
                                        [](const Abstract& value) { return value.Is<Poison>(); });
      if (poisoned && entry_.findings.size() == findings)
        entry_.findings.insert(entry_.findings.end(), dropped.begin(), dropped.end());
      return {};
    }
    Status status;
    if (i == 0 && pass.side.flow == Flow::kRaised) {
      status = Idle(pass.side.raised);
      entry_.inference().Forget(*pass.side.body);
      return status;
    }
    if (stable.ok()) {
      const auto first = entry_.findings.begin() + static_cast<std::ptrdiff_t>(findings);
      if (first != entry_.findings.end()) dropped.assign(first, entry_.findings.end());
      entry_.findings.resize(findings);
      status = Replan(plan, pass);
    } else {
      status = std::move(stable).error();
    }
    entry_.inference().Forget(*pass.side.body);
    DRAGOMAN_TRY(std::move(status));
  }
  return Unsupported("what the loop carries does not settle");
}

void LoopLowering::NoteChanged(std::span<const CellChange> changes, std::uint64_t last_cell) {
  for (const CellChange& change : changes) {
    if (change.cell->number <= last_cell) changed_.push_back(change.cell);
  }
}

void LoopLowering::PoisonContainers() {
  for (const CellPtr& cell : changed_) {
    if (std::holds_alternative<ListContents>(cell->contents))
      heap_.Replace(cell, ListContents{{Poison()}, nullptr, std::nullopt});
    if (std::holds_alternative<DictContents>(cell->contents))
      heap_.Replace(cell, DictContents{{{Poison(), Poison()}}});
  }
}

// The first iteration raises: the loop is one that has none. Errors: it has one.
Status LoopLowering::Idle(const std::string& raised) {
  Composer c(entry_.builder());
  Value* runs = nullptr;
  if (!loop_.trips.known())
    runs = c.Greater(c.Take(NumberValue(c.builder(), loop_.trips, DType::kI64)), 0);
  if (!loop_.starts.known()) {
    Value* starts = c.Take(NumberValue(c.builder(), loop_.starts, DType::kBool));
    runs = runs != nullptr ? c.And(runs, starts) : starts;
  }
  if (runs == nullptr) return Unsupported("every iteration raises: " + raised);
  c.Assert(c.Not(runs), raised);
  results_ = loop_.carried;
  return c.status();
}

// Runs the body once, in a stretch of the heap that stays entered if it succeeds. Gives whether
// what came back has the form and the types that went in.
Result<bool> LoopLowering::RunPass(LoopPlan& plan, LoopPass& pass) {
  const std::vector<Abstract> given = RunBody(plan, pass);
  Result<bool> stable = CompareIteration(given, plan.last_cell, pass);
  if (!stable.ok()) heap_.Leave();
  return stable;
}

// Runs the body on inputs of its own, which it gives as the values that the source carries.
std::vector<Abstract> LoopLowering::RunBody(LoopPlan& plan, LoopPass& pass) {
  Side& side = pass.side;
  side = entry_.NewSide();
  plan.kept.push_back(side.body);
  Value* iteration =
      side.body->AddInput(side.builder->UniqueName("i"), Type::Tensor(DType::kI64, Shape{}));
  side.body->AddInput(side.builder->UniqueName("more"), Type::Tensor(DType::kBool, Shape{}));
  for (std::size_t i = 0; i < plan.leaves.size(); ++i) {
    pass.inputs.push_back(side.body->AddInput(
        side.builder->UniqueName(plan.leaves[i].name, "carried"), plan.types[i]));
  }
  for (const auto& [cell, contents] : plan.cells) heap_.Replace(cell, contents(heap_, pass.inputs));
  std::vector<Abstract> given;
  for (const MergedValue& value : plan.values) given.push_back(value(heap_, pass.inputs));
  entry_.RunInto(side, [&](std::vector<Abstract>& results) {
    return loop_.body(Number{Number::Kind::kInt, iteration}, given, results);
  });
  return given;
}

// Merges what went into the body with what came back. Cells up to number `last` were made before
// the loop.
Status LoopLowering::MergeIteration(const std::vector<Abstract>& given, Merger& merger,
                                    LoopPass& pass) const {
  for (std::size_t i = 0; i < given.size(); ++i) {
    DRAGOMAN_ASSIGN(MergedValue merged,
                    merger.Merge(given[i], pass.side.results[i + 1], loop_.names[i]));
    pass.values.push_back(std::move(merged));
  }
  for (const CellChange& change : pass.side.changes) {
    DRAGOMAN_ASSIGN(MergedContents merged, merger.MergeCell(change.cell));
    pass.cells.emplace_back(change.cell, std::move(merged));
  }
  return {};
}

// Compares what went into the body with what came back: fills the rest of `pass`.
Result<bool> LoopLowering::CompareIteration(const std::vector<Abstract>& given, std::uint64_t last,
                                            LoopPass& pass) {
  Side& side = pass.side;
  if (side.flow == Flow::kRaised) return Unsupported("every iteration raises: " + side.raised);
  const auto* condition = side.results.front().As<Number>();
  if (condition == nullptr) return Unsupported("the condition of the loop is not a number");
  pass.condition = *condition;

  // Cells of the body's inputs come last: what holds others in their place shows what comes back.
  std::stable_partition(side.changes.begin(), side.changes.end(),
                        [last](const CellChange& change) { return change.cell->number <= last; });
  Merger merger({}, side.changes);
  DRAGOMAN_TRY(MergeIteration(given, merger, pass));
  const std::vector<Leaf>& leaves = merger.leaves();
  Side before;
  before.body = side.body;
  before.builder = std::make_unique<GraphBuilder>(*side.builder);
  DRAGOMAN_ASSIGN(const std::vector<Value*> in, entry_.ReadSide(before, leaves, true));
  DRAGOMAN_ASSIGN(std::vector<Value*> out, entry_.ReadSide(side, leaves, false));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Type a = in[i] != nullptr ? in[i]->type() : Type();
    const Type b = out[i] != nullptr ? out[i]->type() : Type();
    pass.joined.push_back(JoinTypes(leaves[i], a, b));
  }
  DRAGOMAN_ASSIGN(out, entry_.ReadSide(side, leaves, false, pass.joined));
  const bool stable = TakeReturned({in, out, pass.joined}, pass.inputs, pass.returned);
  return stable && !ForgetsMore(side.changes, last);
}

// Makes everything that differed from one iteration to the next a carried value.
Status LoopLowering::Replan(LoopPlan& plan, LoopPass& pass) {
  auto between = std::make_shared<Graph>();
  plan.kept.push_back(between);
  std::vector<Value*> stand_ins;
  for (const Type& type : pass.joined) stand_ins.push_back(between->AddInput("", type));
  std::vector<Abstract> values;
  for (const MergedValue& value : pass.values) values.push_back(value(heap_, stand_ins));
  const JoinedCells cells = JoinCells(heap_, plan.cells, pass.cells, stand_ins);
  heap_.Leave();

  Merger merger;
  plan.values.clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    DRAGOMAN_ASSIGN(MergedValue merged, merger.Merge(loop_.carried[i], values[i], loop_.names[i]));
    plan.values.push_back(std::move(merged));
  }
  plan.cells.clear();
  for (const auto& [cell, joined] : cells) {
    // Cells that a pass made for its own inputs do not exist before the loop.
    if (cell->number > plan.last_cell) continue;
    DRAGOMAN_ASSIGN(MergedContents merged, merger.MergeContents(cell->contents, joined, cell,
                                                                std::monostate(), cell->path));
    plan.cells.emplace_back(cell, std::move(merged));
  }
  plan.leaves = merger.leaves();
  DRAGOMAN_ASSIGN(const std::vector<Value*> initial,
                  LeafSideValues(heap_, entry_.builder(), plan.leaves, true));
  plan.types.clear();
  for (std::size_t i = 0; i < plan.leaves.size(); ++i) {
    const Type before = initial[i] != nullptr ? initial[i]->type() : Type();
    plan.types.push_back(JoinTypes(plan.leaves[i], before, TypeOf(plan.leaves[i].b)));
  }
  return {};
}

// The operands of the Loop: how often, whether at all, what is carried.
Result<std::vector<Value*>> LoopLowering::Operands(const LoopPlan& plan) {
  GraphBuilder& builder = entry_.builder();
  std::vector<Value*> operands(2, nullptr);
  if (!loop_.trips.known() || loop_.trips.AsInt() != INT64_MAX) {
    DRAGOMAN_ASSIGN(operands[0], NumberValue(builder, loop_.trips, DType::kI64));
  }
  if (!loop_.starts.known() || loop_.starts.AsInt() == 0) {
    DRAGOMAN_ASSIGN(operands[1], NumberValue(builder, loop_.starts, DType::kBool));
  }
  DRAGOMAN_ASSIGN(const std::vector<Value*> initial,
                  LeafSideValues(heap_, builder, plan.leaves, true, plan.types));
  operands.insert(operands.end(), initial.begin(), initial.end());
  return operands;
}

Status LoopLowering::Finish(LoopPlan& plan, LoopPass& pass) {
  Side& side = pass.side;
  Result<Value*> more = NumberValue(*side.builder, *pass.condition, DType::kBool);
  heap_.Leave();
  DRAGOMAN_ASSIGN(Value * again, std::move(more));
  std::vector<Value*> outputs = {again};
  outputs.insert(outputs.end(), pass.returned.begin(), pass.returned.end());
  DRAGOMAN_TRY(EntryBuilder::AddOutputs(side, outputs));

  DRAGOMAN_ASSIGN(const std::vector<Value*> operands, Operands(plan));
  std::vector<std::string> names;
  for (const Leaf& leaf : plan.leaves) names.push_back(leaf.name.empty() ? "loop" : leaf.name);
  DRAGOMAN_ASSIGN(Node * made, entry_.builder().Append("Loop", operands,
                                                       {{"body", Attribute(side.body)}}, names));
  std::vector<Value*> values;
  for (std::size_t i = 0; i < plan.leaves.size(); ++i) {
    values.push_back(made->result(i));
    // The empty list or dict that a loop starts with has no items of another type.
    const bool can_start_empty =
        plan.leaves[i].kind == Leaf::Kind::kSequence || plan.leaves[i].OfDict();
    if (can_start_empty) values.back()->set_type(plan.types[i]);
  }
  for (const auto& [cell, contents] : plan.cells) heap_.Replace(cell, contents(heap_, values));
  results_.clear();
  for (const MergedValue& value : plan.values) results_.push_back(value(heap_, values));
  return {};
}

}  // namespace

Result<Flow> RunLoop(EntryBuilder& entry, const SourceLoop& loop, std::vector<Abstract>& results) {
  LoopLowering lowering(entry, loop, results);
  const bool counted = loop.trips.known() && loop.starts.known();
  const auto unroll = [&](std::int64_t iterations, std::size_t nodes) -> std::optional<Flow> {
    const Unrolled done = counted ? lowering.Unroll(iterations, nodes) : Unrolled::kGaveUp;
    if (done == Unrolled::kGaveUp) return std::nullopt;
    return done == Unrolled::kDone ? Flow::kNext : Flow::kRaised;
  };
  if (const auto flow = unroll(kMaxUnrolledIterations, kMaxUnrolledNodes)) return *flow;
  std::vector<Finding>& findings = entry.findings;
  const std::size_t found = findings.size();
  Node* const last = entry.builder().graph().last_node();
  entry.heap().Enter();
  Status status = lowering.Build();
  if (status.ok() && (!counted || findings.size() == found)) {
    entry.heap().Keep();
    return Flow::kNext;
  }
  entry.heap().Leave();
  entry.EraseAfter(last);
  if (counted) {
    const std::vector<Finding> reported(findings.begin() + static_cast<std::ptrdiff_t>(found),
                                        findings.end());
    findings.resize(found);
    if (const auto flow = unroll(kMaxForcedIterations, kMaxForcedNodes)) return *flow;
    findings.insert(findings.end(), reported.begin(), reported.end());
  }
  results.assign(loop.carried.size(), Poison());
  lowering.PoisonContainers();
  DRAGOMAN_TRY(std::move(status));
  return Flow::kNext;
}

}  // namespace dragoman

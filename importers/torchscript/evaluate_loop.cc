#include <algorithm>
#include <utility>

#include "core/ir/node_attributes.h"
#include "importers/torchscript/evaluator.h"
#include "importers/torchscript/number_value.h"

namespace dragoman::torchscript {
namespace {

constexpr int kMaxPasses = 24;

const Graph* Body(const Node& node) { return GraphAttribute(node, "body"); }

}  // namespace

// What a loop carries: how the values and cells of a turn are made from the body's inputs.
struct Evaluator::LoopPlan {
  std::vector<Abstract> initial;  // the operands that the source carries
  std::vector<MergedValue> values;
  std::vector<std::pair<CellPtr, MergedContents>> cells;
  std::vector<Leaf> leaves;     // side a: before the loop
  std::vector<Type> types;      // one a leaf
  std::uint64_t last_cell = 0;  // that was made before the loop
  // Bodies of passes, and what stood for values between passes: Abstracts may still point there.
  std::vector<std::shared_ptr<Graph>> kept;
};

// One run of the body.
struct Evaluator::LoopPass {
  Side side;
  std::vector<Value*> inputs;    // of the body, one a leaf of the plan
  std::vector<Value*> returned;  // what comes back for each
  std::optional<Number> condition;
  std::vector<MergedValue> values;  // of this pass against the plan
  std::vector<std::pair<CellPtr, MergedContents>> cells;
  std::vector<Type> joined;  // one a leaf of the merge
};

Evaluator::Flow Evaluator::RunLoop(const Node& node, Frame& frame) {
  const Graph* body = Body(node);
  if (body == nullptr || node.num_operands() < 2 || body->num_inputs() != node.num_operands() - 1 ||
      body->num_outputs() != node.num_operands() - 1) {
    Report(node, InvalidInput("prim.Loop whose body does not fit it"));
    Poisoned(node, frame);
    return Flow::kNext;
  }
  const auto* trips = Get(node.operand(0), frame).As<Number>();
  const auto* starts = Get(node.operand(1), frame).As<Number>();
  if (trips == nullptr || starts == nullptr) {
    RunSide(*body, frame);  // only for what else is unsupported
    Poisoned(node, frame);
    return Flow::kNext;
  }
  const bool counted = trips->known() && starts->known();
  if (counted) {
    const Unrolled done = Unroll(node, frame, kMaxUnrolledTurns, kMaxUnrolledNodes);
    if (done != Unrolled::kGaveUp) return done == Unrolled::kDone ? Flow::kNext : Flow::kRaised;
  }
  const std::size_t findings = findings_.size();
  Node* const last = builder_->graph().last_node();
  heap_.Enter();
  Status status = BuildLoop(node, frame);
  if (status.ok() && (!counted || findings_.size() == findings)) {
    heap_.Keep();
    return Flow::kNext;
  }
  heap_.Leave();
  EraseAfter(last);
  if (counted) {
    std::vector<Finding> reported(findings_.begin() + static_cast<std::ptrdiff_t>(findings),
                                  findings_.end());
    findings_.resize(findings);
    const Unrolled done = Unroll(node, frame, kMaxForcedTurns, kMaxForcedNodes);
    if (done != Unrolled::kGaveUp) return done == Unrolled::kDone ? Flow::kNext : Flow::kRaised;
    findings_.insert(findings_.end(), reported.begin(), reported.end());
  }
  if (!status.ok()) Report(node, status.error());
  Poisoned(node, frame);
  return Flow::kNext;
}

void Evaluator::EraseAfter(Node* last) {
  Graph& graph = builder_->graph();
  while (graph.last_node() != last) {
    inference_.Forget(*graph.last_node());
    graph.Erase(graph.last_node());
  }
}

Evaluator::Unrolled Evaluator::Unroll(const Node& node, Frame& frame, std::int64_t max_turns,
                                      std::size_t max_nodes) {
  const Graph& body = *Body(node);
  const std::int64_t trips = Get(node.operand(0), frame).As<Number>()->AsInt();
  Number condition = *Get(node.operand(1), frame).As<Number>();
  std::vector<Abstract> carried = Operands(node, frame);
  carried.erase(carried.begin(), carried.begin() + 2);
  Node* const last = builder_->graph().last_node();
  const std::size_t nodes = builder_->graph().num_nodes();
  const std::size_t findings = findings_.size();
  auto give_up = [&] {
    heap_.Leave();
    EraseAfter(last);
    findings_.resize(findings);
    return Unrolled::kGaveUp;
  };
  heap_.Enter();
  for (std::int64_t turn = 0; turn < trips; ++turn) {
    if (!condition.known()) return give_up();
    if (condition.AsInt() == 0) break;
    const std::size_t appended = builder_->graph().num_nodes() - nodes;
    const bool long_run = trips > max_turns && (trips != INT64_MAX || turn >= max_turns);
    if (turn > 0 && ((long_run && appended > 0) || appended > max_nodes)) return give_up();
    if (turn >= kMaxForcedTurns) return give_up();
    frame.values[body.input(0)] = Number::Int(turn);
    for (std::size_t i = 0; i < carried.size(); ++i) frame.values[body.input(i + 1)] = carried[i];
    std::vector<Abstract> results;
    if (RunBlock(body, frame, results) == Flow::kRaised) {
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
  SetResults(node, frame, std::move(carried));
  return Unrolled::kDone;
}

Status Evaluator::BuildLoop(const Node& node, Frame& frame) {
  LoopPlan plan;
  const std::vector<Abstract> operands = Operands(node, frame);
  plan.initial.assign(operands.begin() + 2, operands.end());
  plan.last_cell = heap_.last_cell();
  for (const Abstract& value : plan.initial)
    plan.values.push_back([value](Heap&, LeafValues) { return value; });
  for (int i = 0; i < kMaxPasses; ++i) {
    LoopPass pass;
    const std::size_t findings = findings_.size();
    heap_.Enter();
    Result<bool> stable = RunPass(node, frame, plan, pass);
    Status status;
    if (!stable.ok()) {
      status = std::move(stable).error();
    } else if (!*stable) {
      findings_.resize(findings);
      status = Replan(node, plan, pass);
    } else {
      status = FinishLoop(node, frame, plan, pass);
    }
    if (stable.ok() && *stable) return status;
    inference_.Forget(*pass.side.body);
    if (!status.ok()) return status;
  }
  return Unsupported("what the loop carries does not settle");
}

// Runs the body once, in a stretch of the heap that stays entered if it succeeds. Gives whether
// what came back has the form and the types that went in.
Result<bool> Evaluator::RunPass(const Node& node, Frame& frame, LoopPlan& plan, LoopPass& pass) {
  const std::vector<Abstract> given = RunBody(node, frame, plan, pass);
  Result<bool> stable = CompareTurn(*Body(node), given, plan.last_cell, pass);
  if (!stable.ok()) heap_.Leave();
  return stable;
}

// Runs the body on inputs of its own, which it gives as the values that the source carries.
std::vector<Abstract> Evaluator::RunBody(const Node& node, Frame& frame, LoopPlan& plan,
                                         LoopPass& pass) {
  const Graph& body = *Body(node);
  Side& side = pass.side;
  side.body = std::make_shared<Graph>();
  plan.kept.push_back(side.body);
  side.builder = std::make_unique<GraphBuilder>(*side.body, inference_, names_);
  side.builder->set_origin(builder_->origin());
  Value* turn =
      side.body->AddInput(side.builder->UniqueName("i"), Type::Tensor(DType::kI64, Shape{}));
  side.body->AddInput(side.builder->UniqueName("more"), Type::Tensor(DType::kBool, Shape{}));
  for (std::size_t i = 0; i < plan.leaves.size(); ++i) {
    pass.inputs.push_back(side.body->AddInput(
        side.builder->UniqueName(plan.leaves[i].name, "carried"), plan.types[i]));
  }
  for (const auto& [cell, contents] : plan.cells) heap_.Replace(cell, contents(heap_, pass.inputs));
  std::vector<Abstract> given;
  for (const MergedValue& value : plan.values) given.push_back(value(heap_, pass.inputs));

  frame.values[body.input(0)] = Number{Number::Kind::kInt, turn};
  for (std::size_t i = 0; i < given.size(); ++i) frame.values[body.input(i + 1)] = given[i];
  GraphBuilder* outer = std::exchange(builder_, side.builder.get());
  heap_.Enter();
  side.flow = RunBlock(body, frame, side.results);
  side.changes = heap_.Leave();
  builder_ = outer;
  return given;
}

// Merges what went into the body with what came back: fills the rest of `pass`. Cells up to number
// `last` were made before the loop.
Result<bool> Evaluator::CompareTurn(const Graph& body, const std::vector<Abstract>& given,
                                    std::uint64_t last, LoopPass& pass) {
  Side& side = pass.side;
  if (side.flow == Flow::kRaised) return Unsupported("every turn raises: " + raised_);
  const auto* condition = side.results.front().As<Number>();
  if (condition == nullptr) return Unsupported("the condition of the loop is no number");
  pass.condition = *condition;

  // Cells of the body's inputs come last: what holds others in their place tells what comes back.
  std::ranges::stable_partition(
      side.changes, [last](const CellChange& change) { return change.cell->number <= last; });
  Merger merger({}, side.changes);
  for (std::size_t i = 0; i < given.size(); ++i) {
    DRAGOMAN_ASSIGN(MergedValue merged,
                    merger.Merge(given[i], side.results[i + 1], body.input(i + 1)->name()));
    pass.values.push_back(std::move(merged));
  }
  for (const CellChange& change : side.changes) {
    DRAGOMAN_ASSIGN(MergedContents merged, merger.MergeCell(change.cell));
    pass.cells.emplace_back(change.cell, std::move(merged));
  }
  const std::vector<Leaf>& leaves = merger.leaves();
  Side before;
  before.body = side.body;
  before.builder = std::make_unique<GraphBuilder>(*side.builder);
  DRAGOMAN_ASSIGN(const std::vector<Value*> in, ReadSide(before, leaves, true, {}));
  DRAGOMAN_ASSIGN(std::vector<Value*> out, ReadSide(side, leaves, false, {}));
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Type a = in[i] != nullptr ? in[i]->type() : Type();
    const Type b = out[i] != nullptr ? out[i]->type() : Type();
    pass.joined.push_back(JoinTypes(a, b));
  }
  DRAGOMAN_ASSIGN(out, ReadSide(side, leaves, false, pass.joined));
  pass.returned = pass.inputs;
  bool stable = true;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto input = std::find(pass.inputs.begin(), pass.inputs.end(), in[i]);
    if (input == pass.inputs.end()) {
      stable = false;
      continue;
    }
    Value*& returned = pass.returned[static_cast<std::size_t>(input - pass.inputs.begin())];
    if (returned == *input) returned = out[i];
    stable = stable && pass.joined[i] == (*input)->type();
  }
  return stable;
}

// Makes everything that differed from turn to turn a carried value.
Status Evaluator::Replan(const Node& node, LoopPlan& plan, LoopPass& pass) {
  auto between = std::make_shared<Graph>();
  plan.kept.push_back(between);
  std::vector<Value*> stand_ins;
  for (const Type& type : pass.joined) stand_ins.push_back(between->AddInput("", type));
  std::vector<Abstract> values;
  for (const MergedValue& value : pass.values) values.push_back(value(heap_, stand_ins));
  const JoinedCells cells = JoinCells(heap_, plan.cells, pass.cells, stand_ins);
  heap_.Leave();

  Merger merger;
  const Graph& body = *Body(node);
  plan.values.clear();
  for (std::size_t i = 0; i < values.size(); ++i) {
    DRAGOMAN_ASSIGN(MergedValue merged,
                    merger.Merge(plan.initial[i], values[i], body.input(i + 1)->name()));
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
  DRAGOMAN_ASSIGN(std::vector<Value*> initial, LeafSideValues(heap_, *builder_, plan.leaves, true));
  plan.types.clear();
  for (std::size_t i = 0; i < plan.leaves.size(); ++i) {
    const Type before = initial[i] != nullptr ? initial[i]->type() : Type();
    plan.types.push_back(JoinTypes(before, TypeOf(plan.leaves[i].b)));
  }
  return {};
}

Status Evaluator::FinishLoop(const Node& node, Frame& frame, LoopPlan& plan, LoopPass& pass) {
  Side& side = pass.side;
  Result<Value*> more = NumberValue(*side.builder, *pass.condition, DType::kBool);
  heap_.Leave();
  DRAGOMAN_ASSIGN(Value * again, std::move(more));
  std::vector<Value*> outputs = {again};
  outputs.insert(outputs.end(), pass.returned.begin(), pass.returned.end());
  DRAGOMAN_TRY(AddOutputs(side, outputs));

  const Number trips = *Get(node.operand(0), frame).As<Number>();
  const Number starts = *Get(node.operand(1), frame).As<Number>();
  std::vector<Value*> operands(2, nullptr);
  if (!trips.known() || trips.AsInt() != INT64_MAX) {
    DRAGOMAN_ASSIGN(operands[0], NumberValue(*builder_, trips, DType::kI64));
  }
  if (!starts.known() || starts.AsInt() == 0) {
    DRAGOMAN_ASSIGN(operands[1], NumberValue(*builder_, starts, DType::kBool));
  }
  DRAGOMAN_ASSIGN(std::vector<Value*> initial, LeafSideValues(heap_, *builder_, plan.leaves, true));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plan.leaves.size(); ++i) {
    if (initial[i] == nullptr) {
      DRAGOMAN_ASSIGN(initial[i],
                      LeafValue(heap_, *builder_, plan.leaves[i], plan.leaves[i].a, plan.types[i]));
    }
    names.push_back(plan.leaves[i].name.empty() ? "loop" : plan.leaves[i].name);
  }
  operands.insert(operands.end(), initial.begin(), initial.end());
  DRAGOMAN_ASSIGN(Node * made,
                  builder_->Append("Loop", operands, {{"body", Attribute(side.body)}}, names));
  std::vector<Value*> values;
  for (std::size_t i = 0; i < plan.leaves.size(); ++i) {
    values.push_back(made->result(i));
    // The empty list that a loop starts with has no items of another type.
    if (plan.leaves[i].kind == Leaf::Kind::kSequence) values.back()->set_type(plan.types[i]);
  }
  for (const auto& [cell, contents] : plan.cells) heap_.Replace(cell, contents(heap_, values));
  std::vector<Abstract> results;
  for (const MergedValue& value : plan.values) results.push_back(value(heap_, values));
  SetResults(node, frame, std::move(results));
  return {};
}

}  // namespace dragoman::torchscript

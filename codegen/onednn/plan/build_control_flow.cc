// If, Loop and Scan: bodies become blocks of the same function, so captured values are simply in
// scope.
#include <algorithm>
#include <optional>

#include "codegen/onednn/plan/build.h"
#include "core/ops/scan.h"

namespace dragoman::onednn {
namespace {

const Graph& BodyOf(const Node& node, std::string_view attribute) {
  return *node.attribute(attribute)->graph();
}

// A value that takes another's place is of its kind, or a sequence in place of an optional one.
Status CheckForm(const Value& from, const Type& to) {
  const Buffer::Form a = FormOf(from.type()), b = FormOf(to);
  if (a == b || (a == Buffer::Form::kSequence && b == Buffer::Form::kOptionalSequence)) return {};
  return Unsupported("no C++ for it: '" + from.name() + "' is " + from.type().ToString() +
                     ", and is to be " + to.ToString());
}

// nullptr if nobody asks for it.
const Value* UsedResult(const Node& node, std::size_t index) {
  const Value* result = node.result(index);
  return result != nullptr && result->used() ? result : nullptr;
}

int FromFront(std::int64_t axis, std::size_t rank) {
  return static_cast<int>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

}  // namespace

// One branch, which leaves its outputs in the results of `step`.
Status PlanBuilder::BuildBranch(const Node& node, std::string_view attribute, Step& step) {
  const Graph& body = BodyOf(node, attribute);
  bound_.emplace_back();
  Block block;
  DRAGOMAN_TRY(BuildNodes(body, block));
  for (std::size_t i = 0; i < body.num_outputs(); ++i) {
    if (UsedResult(node, i) == nullptr) continue;
    DRAGOMAN_TRY(CheckForm(*body.output(i), node.result(i)->type()));
    block.yields.push_back({Get(body.output(i)), buffers_.at(node.result(i)), false, false});
  }
  bound_.pop_back();
  step.bodies.push_back(std::move(block));
  return {};
}

Status PlanBuilder::BuildIf(const Node& node, Step& step) {
  step.kind = Step::Kind::kIf;
  step.inputs = {Get(node.operand(0))};
  const Graph& then_branch = BodyOf(node, "then_branch");
  const Graph& else_branch = BodyOf(node, "else_branch");
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = UsedResult(node, i);
    if (result == nullptr) continue;
    const BufferId id = Make(*result);
    Buffer& buffer = plan_.buffer(id);
    const bool same = then_branch.output(i)->type() == result->type() &&
                      else_branch.output(i)->type() == result->type();
    if (buffer.storage == Storage::kArena && !same) buffer.storage = Storage::kSlot;
    step.results.push_back(id);
  }
  DRAGOMAN_TRY(BuildBranch(node, "then_branch", step));
  DRAGOMAN_TRY(BuildBranch(node, "else_branch", step));
  for (BufferId id : step.results) {
    std::ranges::move(BindSizes(id), std::back_inserter(step.binds));
  }
  return {};
}

// What one iteration hands to the next lies in a tensor of its own.
Status PlanBuilder::AddCarried(const Value& initial, const Value& input, Step& step) {
  DRAGOMAN_TRY(CheckForm(initial, input.type()));
  const BufferId from = Get(&initial);
  const BufferId id = AddBuffer(input.name(), input.type(), Storage::kOwn);
  SetHolder(id, Storage::kOwn);
  buffers_[&input] = id;
  step.carried.push_back({from, id, true, false});
  return {};
}

// Hands the body's outputs from `first` on to the carried values. One that lies in another carried
// value's memory is saved before any changes.
Status PlanBuilder::AddYields(const Graph& body, std::size_t first, Step& step) {
  const std::size_t inputs = body.num_inputs() - step.carried.size() - step.scan_inputs.size();
  Block& block = step.bodies.back();
  std::vector<Copy> moves;
  for (std::size_t i = 0; i < step.carried.size(); ++i) {
    const Value* output = body.output(first + i);
    DRAGOMAN_TRY(CheckForm(*output, body.input(inputs + i)->type()));
    BufferId from = Get(output);
    const BufferId to = step.carried[i].to;
    const BufferId root = plan_.Root(from);
    const bool other = root != to && std::ranges::any_of(step.carried, [&](const Copy& carried) {
                         return carried.to == root;
                       });
    if (other) {
      const BufferId saved = AddBuffer(output->name() + "_next", output->type(), Storage::kOwn);
      SetHolder(saved, Storage::kOwn);
      block.yields.push_back({from, saved, true, false});
      from = saved;
    }
    moves.push_back({from, to, true, other});
  }
  std::ranges::move(moves, std::back_inserter(block.yields));
  return {};
}

Status PlanBuilder::BuildBody(const Graph& body, Step& step) {
  Block block;
  for (const auto& input : body.inputs()) {
    if (auto found = buffers_.find(input.get()); found != buffers_.end())
      std::ranges::move(BindSizes(found->second), std::back_inserter(block.binds));
  }
  DRAGOMAN_TRY(BuildNodes(body, block));
  step.bodies.push_back(std::move(block));
  return {};
}

// A carried value after the last iteration.
void PlanBuilder::AddCarriedResults(const Node& node, Step& step) {
  for (std::size_t i = 0; i < step.carried.size() && i < node.num_results(); ++i) {
    const Value* result = UsedResult(node, i);
    if (result == nullptr) continue;
    if (!plan_.buffer(step.carried[i].to).IsTensor()) {
      buffers_[result] = step.carried[i].to;
      continue;
    }
    const BufferId id = AddBuffer(result->name(), result->type(), Storage::kAlias);
    plan_.buffer(id).alias = step.carried[i].to;
    buffers_[result] = id;
    step.results.push_back(id);
  }
}

// Result `result` of `node` collects the body's `output`.
void PlanBuilder::AddStackedResult(const Node& node, std::size_t result, const Value& output,
                                   Step& step) {
  const Value* value = UsedResult(node, result);
  if (value == nullptr) return;
  ScanAxis axis;
  axis.part = Get(&output);
  step.bodies.back().reads.push_back(axis.part);
  axis.stack = AddBuffer(value->name(), value->type(), Storage::kStack);
  SetHolder(axis.stack, Storage::kStack);
  step.scan_outputs.push_back(std::move(axis));
}

// The sizes of one part as far as they are known outside of the body.
std::optional<Shape> PlanBuilder::EmptyPart(const Value& output) const {
  const Shape* part = output.type().shape();
  if (part == nullptr || !std::ranges::all_of(*part, [&](const Dim& d) { return IsKnown(d); }))
    return std::nullopt;
  return *part;
}

Status PlanBuilder::BuildLoop(const Node& node, Step& step) {
  step.kind = Step::Kind::kLoop;
  const Graph& body = BodyOf(node, "body");
  step.inputs = {Get(node.operand(0)), Get(node.operand(1))};
  for (std::size_t i = 2; i < node.num_operands(); ++i)
    DRAGOMAN_TRY(AddCarried(*node.operand(i), *body.input(i), step));
  step.counter = AddBuffer(body.input(0)->name(), body.input(0)->type(), Storage::kLocal);
  step.condition = AddBuffer(body.input(1)->name(), body.input(1)->type(), Storage::kLocal);
  buffers_[body.input(0)] = step.counter;
  buffers_[body.input(1)] = step.condition;
  bound_.emplace_back();
  DRAGOMAN_TRY(BuildBody(body, step));
  step.next = Get(body.output(0));
  step.bodies.back().reads.push_back(step.next);
  for (std::size_t i = step.carried.size(); i + 1 < body.num_outputs(); ++i)
    AddStackedResult(node, i, *body.output(i + 1), step);
  DRAGOMAN_TRY(AddYields(body, 1, step));
  bound_.pop_back();
  AddCarriedResults(node, step);
  std::size_t next_stack = 0;
  for (std::size_t i = step.carried.size(); i < node.num_results(); ++i) {
    const Value* result = UsedResult(node, i);
    if (result == nullptr) continue;
    ScanAxis& axis = step.scan_outputs[next_stack++];
    axis.whole = axis.stack;
    axis.empty = EmptyPart(*body.output(i + 1));
    buffers_[result] = axis.stack;
    step.results.push_back(axis.stack);
  }
  for (BufferId id : step.results) std::ranges::move(BindSizes(id), std::back_inserter(step.binds));
  return {};
}

Status PlanBuilder::BuildScan(const Node& node, Step& step) {
  step.kind = Step::Kind::kScan;
  const Graph& body = BodyOf(node, "body");
  DRAGOMAN_ASSIGN(ScanLayout layout, ReadScan(node, body));
  for (std::size_t i = 0; i < layout.states; ++i)
    DRAGOMAN_TRY(AddCarried(*node.operand(i), *body.input(i), step));
  for (std::size_t i = 0; i < layout.inputs; ++i) {
    const Value& operand = *node.operand(layout.states + i);
    const Value& input = *body.input(layout.states + i);
    if (!operand.type().rank())
      return Unsupported("no C++ for it: the rank of '" + operand.name() + "' is not known");
    ScanAxis axis;
    axis.whole = Get(&operand);
    axis.axis = FromFront(layout.input_axes[i], operand.type().shape()->size());
    axis.reversed = layout.input_reversed[i];
    axis.part = AddBuffer(input.name(), input.type(), Storage::kOwn);
    SetHolder(axis.part, Storage::kOwn);
    buffers_[&input] = axis.part;
    step.scan_inputs.push_back(std::move(axis));
  }
  bound_.emplace_back();
  DRAGOMAN_TRY(BuildBody(body, step));
  for (std::size_t i = 0; i < layout.outputs; ++i)
    AddStackedResult(node, layout.states + i, *body.output(layout.states + i), step);
  DRAGOMAN_TRY(AddYields(body, 0, step));
  bound_.pop_back();
  AddCarriedResults(node, step);
  std::size_t next_stack = 0;
  for (std::size_t i = 0; i < layout.outputs; ++i) {
    const Value* result = UsedResult(node, layout.states + i);
    if (result == nullptr) continue;
    ScanAxis& axis = step.scan_outputs[next_stack++];
    axis.reversed = layout.output_reversed[i];
    axis.empty = EmptyPart(*body.output(layout.states + i));
    if (layout.output_axes[i] != 0 && !result->type().rank())
      return Unsupported("no C++ for it: the rank of '" + result->name() + "' is not known");
    const std::size_t rank = static_cast<std::size_t>(result->type().rank().value_or(1));
    axis.axis = FromFront(layout.output_axes[i], rank);
    const bool in_place = axis.axis == 0 && !axis.reversed;
    axis.whole = axis.stack;
    if (!in_place) {
      axis.whole = AddBuffer(result->name(), result->type(), Storage::kOwn);
      SetHolder(axis.whole, Storage::kOwn);
    }
    buffers_[result] = axis.whole;
    step.results.push_back(axis.whole);
  }
  for (BufferId id : step.results) std::ranges::move(BindSizes(id), std::back_inserter(step.binds));
  return {};
}

}  // namespace dragoman::onednn

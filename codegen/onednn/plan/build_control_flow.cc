// SPDX-License-Identifier: Apache-2.0
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

// A branch leaves its outputs in the results of the If.
Result<Block> PlanBuilder::BuildBranch(const Node& node, std::string_view attribute) {
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
  return block;
}

Status PlanBuilder::BuildIf(const Node& node, Step& step) {
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
  DRAGOMAN_ASSIGN(Block then_block, BuildBranch(node, "then_branch"));
  DRAGOMAN_ASSIGN(Block else_block, BuildBranch(node, "else_branch"));
  step.action = IfStep{{std::move(then_block), std::move(else_block)}};
  BindResults(step);
  return {};
}

// What one iteration hands to the next lies in a tensor of its own.
Status PlanBuilder::AddCarried(const Value& initial, const Value& input, Repetition& loop) {
  DRAGOMAN_TRY(CheckForm(initial, input.type()));
  const BufferId from = Get(&initial);
  const BufferId id = AddBuffer(input.name(), input.type(), Storage::kOwn);
  SetHolder(id, Storage::kOwn);
  buffers_[&input] = id;
  loop.carried.push_back({from, id, true, false});
  return {};
}

// Hands the body's outputs from `output` on to the carried values, which are its inputs from
// `input` on. One that lies in another carried value's memory is saved before any changes.
Status PlanBuilder::AddYields(const Graph& body, std::size_t input, std::size_t output,
                              Repetition& loop) {
  std::vector<Copy> moves;
  for (std::size_t i = 0; i < loop.carried.size(); ++i) {
    const Value* next = body.output(output + i);
    DRAGOMAN_TRY(CheckForm(*next, body.input(input + i)->type()));
    BufferId from = Get(next);
    const BufferId to = loop.carried[i].to;
    const BufferId root = plan_.Root(from);
    const bool other = root != to && std::ranges::any_of(loop.carried, [&](const Copy& carried) {
                         return carried.to == root;
                       });
    if (other) {
      const BufferId saved = AddBuffer(next->name() + "_next", next->type(), Storage::kOwn);
      SetHolder(saved, Storage::kOwn);
      loop.body.yields.push_back({from, saved, true, false});
      from = saved;
    }
    moves.push_back({from, to, true, other});
  }
  std::ranges::move(moves, std::back_inserter(loop.body.yields));
  return {};
}

Result<Block> PlanBuilder::BuildBody(const Graph& body) {
  Block block;
  for (const auto& input : body.inputs()) {
    if (auto found = buffers_.find(input.get()); found != buffers_.end())
      std::ranges::move(BindSizes(found->second), std::back_inserter(block.binds));
  }
  DRAGOMAN_TRY(BuildNodes(body, block));
  return block;
}

// A carried value after the last iteration.
void PlanBuilder::AddCarriedResults(const Node& node, const Repetition& loop, Step& step) {
  for (std::size_t i = 0; i < loop.carried.size() && i < node.num_results(); ++i) {
    const Value* result = UsedResult(node, i);
    if (result == nullptr) continue;
    if (!plan_.buffer(loop.carried[i].to).IsTensor()) {
      buffers_[result] = loop.carried[i].to;
      continue;
    }
    const BufferId id = AddBuffer(result->name(), result->type(), Storage::kAlias);
    plan_.buffer(id).alias = loop.carried[i].to;
    buffers_[result] = id;
    step.results.push_back(id);
  }
}

// Result `result` of `node` collects the body's `output`.
void PlanBuilder::AddStackedResult(const Node& node, std::size_t result, const Value& output,
                                   Repetition& loop) {
  const Value* value = UsedResult(node, result);
  if (value == nullptr) return;
  ScanAxis axis;
  axis.part = Get(&output);
  loop.body.reads.push_back(axis.part);
  axis.stack = AddBuffer(value->name(), value->type(), Storage::kStack);
  SetHolder(axis.stack, Storage::kStack);
  loop.collected.push_back(std::move(axis));
}

// The sizes of one part as far as they are known outside of the body.
std::optional<Shape> PlanBuilder::EmptyPart(const Value& output) const {
  const Shape* part = output.type().shape();
  if (part == nullptr || !std::ranges::all_of(*part, [&](const Dim& d) { return IsKnown(d); }))
    return std::nullopt;
  return *part;
}

Status PlanBuilder::BuildLoop(const Node& node, Step& step) {
  const Graph& body = BodyOf(node, "body");
  step.inputs = {Get(node.operand(0)), Get(node.operand(1))};
  LoopStep loop;
  loop.trips = names_.Unique("trips");
  loop.iteration = names_.Unique("iteration");
  loop.more = names_.Unique("more");
  loop.next_more = names_.Unique("next_more");
  for (std::size_t i = 2; i < node.num_operands(); ++i)
    DRAGOMAN_TRY(AddCarried(*node.operand(i), *body.input(i), loop));
  loop.counter = AddBuffer(body.input(0)->name(), body.input(0)->type(), Storage::kLocal);
  loop.condition = AddBuffer(body.input(1)->name(), body.input(1)->type(), Storage::kLocal);
  buffers_[body.input(0)] = loop.counter;
  buffers_[body.input(1)] = loop.condition;
  bound_.emplace_back();
  DRAGOMAN_ASSIGN(loop.body, BuildBody(body));
  loop.next = Get(body.output(0));
  loop.body.reads.push_back(loop.next);
  for (std::size_t i = loop.carried.size(); i + 1 < body.num_outputs(); ++i)
    AddStackedResult(node, i, *body.output(i + 1), loop);
  DRAGOMAN_TRY(AddYields(body, 2, 1, loop));
  bound_.pop_back();
  AddCarriedResults(node, loop, step);
  std::size_t next_stack = 0;
  for (std::size_t i = loop.carried.size(); i < node.num_results(); ++i) {
    const Value* result = UsedResult(node, i);
    if (result == nullptr) continue;
    ScanAxis& axis = loop.collected[next_stack++];
    axis.whole = axis.stack;
    axis.empty = EmptyPart(*body.output(i + 1));
    buffers_[result] = axis.stack;
    step.results.push_back(axis.stack);
  }
  step.action = std::move(loop);
  BindResults(step);
  return {};
}

// Each iteration reads a part of `operand` along `axis` as `input`.
Status PlanBuilder::AddScanned(const Value& operand, const Value& input, std::int64_t axis,
                               bool reversed, ScanStep& scan) {
  if (!operand.type().rank())
    return Unsupported("no C++ for it: the rank of '" + operand.name() + "' is not known");
  ScanAxis scanned;
  scanned.whole = Get(&operand);
  scanned.axis = FromFront(axis, operand.type().shape()->size());
  scanned.reversed = reversed;
  scanned.part = AddBuffer(input.name(), input.type(), Storage::kOwn);
  SetHolder(scanned.part, Storage::kOwn);
  buffers_[&input] = scanned.part;
  scan.scanned.push_back(std::move(scanned));
  return {};
}

// The parts of `result` lie along `axis`: the stack itself, if that is how it grows.
Status PlanBuilder::PlaceCollected(const Value& result, std::int64_t axis, ScanAxis& collected) {
  if (axis != 0 && !result.type().rank())
    return Unsupported("no C++ for it: the rank of '" + result.name() + "' is not known");
  collected.axis = FromFront(axis, static_cast<std::size_t>(result.type().rank().value_or(1)));
  collected.whole = collected.stack;
  if (collected.axis != 0 || collected.reversed) {
    collected.whole = AddBuffer(result.name(), result.type(), Storage::kOwn);
    SetHolder(collected.whole, Storage::kOwn);
  }
  buffers_[&result] = collected.whole;
  return {};
}

Status PlanBuilder::BuildScan(const Node& node, Step& step) {
  const Graph& body = BodyOf(node, "body");
  DRAGOMAN_ASSIGN(ScanLayout layout, ReadScan(node, body));
  ScanStep scan;
  scan.trips = names_.Unique("trips");
  scan.iteration = names_.Unique("iteration");
  for (std::size_t i = 0; i < layout.states; ++i)
    DRAGOMAN_TRY(AddCarried(*node.operand(i), *body.input(i), scan));
  for (std::size_t i = 0; i < layout.inputs; ++i) {
    DRAGOMAN_TRY(AddScanned(*node.operand(layout.states + i), *body.input(layout.states + i),
                            layout.input_axes[i], layout.input_reversed[i], scan));
  }
  bound_.emplace_back();
  DRAGOMAN_ASSIGN(scan.body, BuildBody(body));
  for (std::size_t i = 0; i < layout.outputs; ++i)
    AddStackedResult(node, layout.states + i, *body.output(layout.states + i), scan);
  DRAGOMAN_TRY(AddYields(body, 0, 0, scan));
  bound_.pop_back();
  AddCarriedResults(node, scan, step);
  std::size_t next_stack = 0;
  for (std::size_t i = 0; i < layout.outputs; ++i) {
    const Value* result = UsedResult(node, layout.states + i);
    if (result == nullptr) continue;
    ScanAxis& axis = scan.collected[next_stack++];
    axis.reversed = layout.output_reversed[i];
    axis.empty = EmptyPart(*body.output(layout.states + i));
    DRAGOMAN_TRY(PlaceCollected(*result, layout.output_axes[i], axis));
    step.results.push_back(axis.whole);
  }
  step.action = std::move(scan);
  BindResults(step);
  return {};
}

}  // namespace dragoman::onednn

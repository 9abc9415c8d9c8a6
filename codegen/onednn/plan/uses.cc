// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/uses.h"

#include <algorithm>

namespace dragoman::onednn {
namespace {

void Add(const std::vector<BufferId>& ids, std::set<BufferId>& found) {
  for (BufferId id : ids) {
    if (id != kAbsent) found.insert(id);
  }
}

void AddAll(const std::vector<Argument>& arguments, std::set<BufferId>& found) {
  for (const Argument& argument : arguments) Add(argument.buffers, found);
}

void AddAll(const std::vector<ScanAxis>& axes, std::set<BufferId>& found) {
  for (const ScanAxis& axis : axes) Add({axis.whole, axis.part, axis.stack}, found);
}

// What an action reads and writes beside the inputs and results of its step; bodies apart.
void AddOwn(const auto&, std::set<BufferId>&) {}

void AddOwn(const KernelStep& call, std::set<BufferId>& found) {
  AddAll(call.operands, found);
  AddAll(call.outputs, found);
}

void AddOwn(const PreparedStep& call, std::set<BufferId>& found) { Add({call.residual}, found); }

void AddOwn(const Repetition& loop, std::set<BufferId>& found) {
  for (const Copy& copy : loop.carried) Add({copy.from, copy.to}, found);
  AddAll(loop.collected, found);
}

void AddOwn(const LoopStep& loop, std::set<BufferId>& found) {
  AddOwn(static_cast<const Repetition&>(loop), found);
  Add({loop.counter, loop.condition, loop.next}, found);
}

void AddOwn(const ScanStep& scan, std::set<BufferId>& found) {
  AddOwn(static_cast<const Repetition&>(scan), found);
  AddAll(scan.scanned, found);
}

// Of the step alone.
void AddOwn(const Step& step, std::set<BufferId>& found) {
  Add(step.results, found);
  Add(step.inputs, found);
  for (const SizeArgument& argument : step.sizes.arguments) Add(argument.buffers, found);
  for (const OperandCheck& check : step.checks) Add({check.buffer, check.like}, found);
  Add({step.sizes.same}, found);
  std::visit([&](const auto& action) { AddOwn(action, found); }, step.action);
}

void AddYields(const Block& block, std::set<BufferId>& found) {
  for (const Copy& copy : block.yields) Add({copy.from, copy.to}, found);
  Add(block.reads, found);
}

// Bodies are nested as deep as the model's; a list of what is left takes the place of recursion.
template <class Visit>
void ForEachNested(const Step& step, Visit visit) {
  std::vector<const Step*> left = {&step};
  while (!left.empty()) {
    const Step& next = *left.back();
    left.pop_back();
    visit(next);
    for (const Block& body : next.bodies()) {
      for (const Step& inner : body.steps) left.push_back(&inner);
    }
  }
}

class LifetimeFinder {
 public:
  explicit LifetimeFinder(Plan& plan) : plan_(plan), seen_(plan.buffers.size(), false) {}

  void Entry(const PlanEntry& entry) {
    std::set<BufferId> outside;
    for (const PlanInput& input : entry.inputs) outside.insert(input.buffer);
    for (const PlanState& state : entry.states) outside.insert(state.current);
    Touch(outside, position_++);
    Steps(entry.body.steps);
    std::set<BufferId> results;
    for (const PlanOutput& output : entry.outputs) results.insert(output.value);
    for (const PlanState& state : entry.states) results.insert(state.next);
    Touch(results, position_++);
  }

  // What fused loops keep in a variable needs no memory.
  void DropUnseen() {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      Buffer& buffer = plan_.buffer(static_cast<BufferId>(i));
      const bool placed = buffer.storage == Storage::kArena || buffer.storage == Storage::kSlot;
      if (!seen_[i] && placed) buffer.storage = Storage::kLocal;
    }
  }

 private:
  void Touch(const std::set<BufferId>& ids, int position) {
    for (BufferId id : ids) {
      const BufferId root = plan_.Root(id);
      Buffer& buffer = plan_.buffer(root);
      const auto index = static_cast<std::size_t>(root);
      buffer.first = seen_[index] ? std::min(buffer.first, position) : position;
      buffer.last = seen_[index] ? std::max(buffer.last, position) : position;
      seen_[index] = true;
    }
  }

  void Steps(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      const int start = position_++;
      std::set<BufferId> own;
      AddOwn(step, own);
      Touch(own, start);
      if (step.bodies().empty()) continue;
      for (const Block& body : step.bodies()) {
        Steps(body.steps);
        std::set<BufferId> yields;
        AddYields(body, yields);
        Touch(yields, position_++);
      }
      std::set<BufferId> outer = BuffersOf(step);
      std::erase_if(outer, [&](BufferId id) { return plan_.buffer(plan_.Root(id)).first > start; });
      Touch(outer, position_++);
    }
  }

  Plan& plan_;
  std::vector<bool> seen_;
  int position_ = 0;
};

}  // namespace

bool IsPrepared(const Plan& plan, const Step& step, std::initializer_list<std::string_view> types) {
  const Prepared* prepared = plan.PreparedOf(step);
  return prepared != nullptr && std::ranges::find(types, prepared->type) != types.end();
}

std::set<BufferId> BuffersOf(const Step& step) {
  std::set<BufferId> found;
  ForEachNested(step, [&](const Step& each) {
    AddOwn(each, found);
    for (const Block& body : each.bodies()) AddYields(body, found);
  });
  return found;
}

BlockUses::BlockUses(const Block& block, const PlanEntry* entry) {
  for (std::size_t i = 0; i < block.steps.size(); ++i) {
    const Step& step = block.steps[i];
    for (BufferId id : step.results) makers_.try_emplace(id, i);
    const std::set<BufferId> results(step.results.begin(), step.results.end());
    for (BufferId id : BuffersOf(step)) {
      if (!results.contains(id)) readers_[id].insert(i);
    }
  }
  std::set<BufferId> outside;
  AddYields(block, outside);
  for (std::size_t i = 0; entry != nullptr && i < entry->outputs.size(); ++i)
    outside.insert(entry->outputs[i].value);
  for (std::size_t i = 0; entry != nullptr && i < entry->states.size(); ++i)
    outside.insert(entry->states[i].next);
  for (BufferId id : outside) readers_[id].insert(kOutside);
}

std::size_t BlockUses::Maker(BufferId id) const {
  const auto found = makers_.find(id);
  return found == makers_.end() ? kOutside : found->second;
}

const std::set<std::size_t>& BlockUses::Readers(BufferId id) const {
  static const std::set<std::size_t> kNone;
  const auto found = readers_.find(id);
  return found == readers_.end() ? kNone : found->second;
}

void FindLifetimes(Plan& plan) {
  LifetimeFinder finder(plan);
  for (const PlanEntry& entry : plan.entries) finder.Entry(entry);
  finder.DropUnseen();
}

}  // namespace dragoman::onednn

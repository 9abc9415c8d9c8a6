// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/emit/split.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/onednn/plan/uses.h"

namespace dragoman::onednn {
namespace {

// Adds the symbols that a step binds, its bodies included.
void AddBinds(const Step& step, std::set<std::string>& symbols) {
  std::vector<const Step*> left = {&step};
  while (!left.empty()) {
    const Step& next = *left.back();
    left.pop_back();
    for (const SymbolBinding& bind : next.binds) symbols.insert(bind.symbol);
    for (const Block& body : next.bodies()) {
      for (const Step& inner : body.steps) left.push_back(&inner);
    }
  }
}

// Adds the symbols in the sizes of a buffer.
void AddSymbols(const Buffer& buffer, std::set<std::string>& symbols) {
  if (!buffer.shape) return;
  for (const Dim& dim : *buffer.shape) {
    for (const std::string& symbol : dim.Symbols()) symbols.insert(symbol);
  }
}

}  // namespace

std::size_t CountParts(const PlanEntry& entry, std::size_t steps) {
  return entry.body.steps.empty() ? 1 : (entry.body.steps.size() + steps - 1) / steps;
}

void AddSharedValues(const Plan& plan, const PlanEntry& entry, std::size_t steps,
                     Members& members) {
  const std::size_t parts = CountParts(entry, steps);
  if (parts == 1) return;
  std::map<BufferId, std::size_t> part_of;
  for (const PlanInput& input : entry.inputs) members.buffers.insert(input.buffer);
  for (std::size_t part = 0; part < parts; ++part) {
    std::set<BufferId> used;
    for (std::size_t i = part * steps; i < std::min((part + 1) * steps, entry.body.steps.size());
         ++i) {
      used.merge(BuffersOf(entry.body.steps[i]));
      AddBinds(entry.body.steps[i], members.symbols);
    }
    for (BufferId id : used) {
      const auto [at, is_new] = part_of.try_emplace(id, part);
      if (!is_new && at->second != part) members.buffers.insert(id);
      AddSymbols(plan.buffer(id), members.symbols);
    }
  }
  for (const PlanOutput& output : entry.outputs) members.buffers.insert(output.value);
  for (const PlanState& state : entry.states) members.buffers.insert(state.next);
  for (const SymbolBinding& bind : entry.body.binds) {
    members.buffers.insert(bind.buffer);
    members.symbols.insert(bind.symbol);
  }
}

}  // namespace dragoman::onednn

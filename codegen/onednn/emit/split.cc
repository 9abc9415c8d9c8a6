#include "codegen/onednn/emit/split.h"

#include <map>
#include <vector>

namespace dragoman::onednn {
namespace {

class Uses {
 public:
  explicit Uses(const Plan& plan) : plan_(plan) {}

  void AddStep(const Step& step) {
    Add(step.results);
    Add(step.inputs);
    for (const Argument& argument : step.operands) Add(argument.buffers);
    for (const Argument& argument : step.outputs) Add(argument.buffers);
    for (const SizeArgument& argument : step.sizes.arguments) Add(argument.buffers);
    Add({step.sizes.same, step.counter, step.condition, step.next});
    for (const Copy& copy : step.carried) Add({copy.from, copy.to});
    for (const auto* axes : {&step.scan_inputs, &step.scan_outputs}) {
      for (const ScanAxis& axis : *axes) Add({axis.whole, axis.part, axis.stack});
    }
    for (const SymbolBinding& bind : step.binds) symbols.insert(bind.symbol);
    for (const Block& body : step.bodies) {
      for (const Copy& copy : body.yields) Add({copy.from, copy.to});
      for (const Step& inner : body.steps) AddStep(inner);
    }
  }

  std::set<BufferId> buffers;
  std::set<std::string> symbols;

 private:
  void Add(const std::vector<BufferId>& ids) {
    for (BufferId id : ids) {
      if (id == kAbsent) continue;
      buffers.insert(id);
      if (!plan_.buffer(id).shape) continue;
      for (const Dim& dim : *plan_.buffer(id).shape) {
        for (const std::string& symbol : dim.Symbols()) symbols.insert(symbol);
      }
    }
  }

  const Plan& plan_;
};

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
    Uses uses(plan);
    for (std::size_t i = part * steps; i < std::min((part + 1) * steps, entry.body.steps.size());
         ++i) {
      uses.AddStep(entry.body.steps[i]);
    }
    for (BufferId id : uses.buffers) {
      const auto [at, is_new] = part_of.try_emplace(id, part);
      if (!is_new && at->second != part) members.buffers.insert(id);
    }
    members.symbols.insert(uses.symbols.begin(), uses.symbols.end());
  }
  for (const PlanOutput& output : entry.outputs) members.buffers.insert(output.value);
  for (const PlanState& state : entry.states) members.buffers.insert(state.next);
  for (const SymbolBinding& bind : entry.body.binds) {
    members.buffers.insert(bind.buffer);
    members.symbols.insert(bind.symbol);
  }
}

}  // namespace dragoman::onednn

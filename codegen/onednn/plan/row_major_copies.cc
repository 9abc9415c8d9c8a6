// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/row_major_copies.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "codegen/onednn/plan/uses.h"

namespace dragoman::onednn {
namespace {

BufferId AddCopyOf(Plan& plan, BufferId id) {
  Buffer buffer = plan.buffer(id);
  buffer.name = plan.names.Unique(buffer.name + "_row_major");
  buffer.group = kRowMajor;
  buffer.channels_last = false;
  plan.buffers.push_back(std::move(buffer));
  return static_cast<BufferId>(plan.buffers.size()) - 1;
}

void ReplaceOperands(Plan& plan, Step& step, const std::map<BufferId, BufferId>& others) {
  auto replace = [&](BufferId& id) {
    const auto other = others.find(id);
    if (other != others.end()) id = other->second;
  };
  std::ranges::for_each(step.inputs, replace);
  if (auto* call = step.As<KernelStep>()) {
    for (Argument& argument : call->operands) std::ranges::for_each(argument.buffers, replace);
  }
  if (auto* map = step.As<MapStep>()) {
    for (MapTerm& term : map->terms) {
      for (MapArgument& argument : term.arguments) replace(argument.buffer);
    }
  }
  if (step.Is<AliasStep>()) plan.buffer(step.results.front()).alias = step.inputs[0];
}

// Sizes are those of the tensor and of its copy; elements that sizes are made of are read in place.
bool CanReadCopy(const Step& step, BufferId id) {
  if (!step.bodies().empty()) return false;
  return std::ranges::none_of(step.sizes.arguments, [&](const SizeArgument& argument) {
    using Kind = SizeArgument::Kind;
    const bool is_sizes = argument.kind == Kind::kShape || argument.kind == Kind::kShapes ||
                          argument.kind == Kind::kGroup;
    return !is_sizes && std::ranges::find(argument.buffers, id) != argument.buffers.end();
  });
}

}  // namespace

std::set<BufferId> ThoseToCopy(const PlanEntry& entry, const std::set<BufferId>& made,
                               const std::set<BufferId>& accepted) {
  std::set<BufferId> found;
  std::ranges::set_intersection(made, accepted, std::inserter(found, found.end()));
  const BlockUses uses(entry.body, &entry);
  std::erase_if(found, [&](BufferId id) {
    return std::ranges::any_of(uses.Readers(id), [&](std::size_t reader) {
      return reader == BlockUses::kOutside || !CanReadCopy(entry.body.steps[reader], id);
    });
  });
  return found;
}

void CopyToRowMajor(Plan& plan, PlanEntry& entry, const std::set<BufferId>& buffers,
                    const RowMajorCopies& copies) {
  std::vector<Step>& steps = entry.body.steps;
  std::set<BufferId> wanted;
  const BlockUses uses(entry.body, &entry);
  for (BufferId id : buffers) {
    for (std::size_t reader : uses.Readers(id)) {
      if (!copies.accepts(steps[reader], id)) wanted.insert(id);
    }
  }
  std::map<BufferId, BufferId> copied;
  std::vector<Step> made;
  for (Step& step : steps) {
    std::map<BufferId, BufferId> others;
    for (BufferId id : BuffersOf(step)) {
      const auto copy = copied.find(id);
      if (copy != copied.end() && !copies.accepts(step, id)) others.insert(*copy);
    }
    ReplaceOperands(plan, step, others);
    const std::vector<BufferId> results = step.results;
    const int number = step.number;
    made.push_back(std::move(step));
    for (BufferId id : results) {
      if (!wanted.contains(id)) continue;
      const BufferId copy = copied[id] = AddCopyOf(plan, id);
      Step copying = copies.make(id, copy);
      copying.number = number;
      copying.comment = "'" + plan.buffer(id).label + "' in row-major order";
      copying.results = {copy};
      made.push_back(std::move(copying));
    }
  }
  steps = std::move(made);
}

}  // namespace dragoman::onednn

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "codegen/onednn/plan/passes.h"
#include "codegen/onednn/plan/scalar_ops.h"
#include "codegen/onednn/plan/uses.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/ir/dtype_kinds.h"
#include "core/ops/op_def.h"
#include "runtime/fast/map.h"

namespace dragoman::onednn {
namespace {

constexpr std::size_t kMaxTerms = 32;  // of one loop: what a person reads, and a compiler likes
constexpr std::size_t kMaxResults = 4;

bool HasKnownRank(const Plan& plan, const KernelStep& call) {
  auto known = [&](const Argument& argument) {
    return std::ranges::all_of(argument.buffers, [&](BufferId id) {
      return id == kAbsent || plan.buffer(id).shape.has_value();
    });
  };
  return std::ranges::all_of(call.operands, known) && std::ranges::all_of(call.outputs, known);
}

// Turns a kernel's step into a loop of one term, if it is one.
void MakeMap(Plan& plan, Step& step) {
  const auto* kernel = step.As<KernelStep>();
  if (kernel == nullptr || step.sizes.kind == SizeRule::Kind::kFunction ||
      step.results.size() != 1 || !step.checks.empty() || !HasKnownRank(plan, *kernel)) {
    return;
  }
  const std::optional<ScalarCall> call = ToScalarCall(*step.node);
  if (!call) return;
  MapTerm term{call->op, {}, step.results.front()};
  std::vector<BufferId> operands;
  for (const Argument& argument : kernel->operands)
    std::ranges::copy(argument.buffers, std::back_inserter(operands));
  for (const ScalarCall::Argument& argument : call->arguments) {
    if (argument.operand < 0) {
      term.arguments.push_back({kAbsent, argument.number});
      continue;
    }
    const BufferId id = operands[static_cast<std::size_t>(argument.operand)];
    term.arguments.push_back({id, 0.0f});
    if (std::ranges::find(step.inputs, id) == step.inputs.end()) step.inputs.push_back(id);
  }
  if (step.inputs.empty()) return;
  step.action = MapStep{{std::move(term)}};
}

class BlockFuser {
 public:
  BlockFuser(Plan& plan, Block& block, const PlanEntry* entry)
      : plan_(plan), steps_(block.steps), uses_(block, entry), gone_(block.steps.size(), false) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      for (BufferId id : steps_[i].results) maker_[id] = i;
    }
  }

  void Run() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (!steps_[i].Is<MapStep>()) continue;
      while (MergeOneInto(i)) {
      }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (gone_[i]) continue;
      if (kept != i) steps_[kept] = std::move(steps_[i]);
      ++kept;
    }
    steps_.resize(kept);
  }

 private:
  bool MergeOneInto(std::size_t at) {
    for (BufferId id : steps_[at].inputs) {
      const auto maker = maker_.find(id);
      if (maker == maker_.end() || maker->second >= at || gone_[maker->second]) continue;
      if (!CanMerge(maker->second, at)) continue;
      Merge(maker->second, at);
      return true;
    }
    return false;
  }

  // What else reads the results of `first` comes after `second`.
  bool CanMerge(std::size_t first, std::size_t second) {
    const Step& a = steps_[first];
    const Step& b = steps_[second];
    if (!a.Is<MapStep>() || !a.binds.empty() ||
        plan_.buffer(a.results.front()).shape != plan_.buffer(b.results.front()).shape ||
        a.As<MapStep>()->terms.size() + b.As<MapStep>()->terms.size() > kMaxTerms) {
      return false;
    }
    std::set<BufferId> operands(a.inputs.begin(), a.inputs.end());
    operands.insert(b.inputs.begin(), b.inputs.end());
    std::size_t results = b.results.size();
    for (BufferId id : a.results) {
      if (IsReadBeside(id, first, second, second)) return false;
      results += IsReadBeside(id, first, second) ? 1 : 0;
      if (b.sizes.kind == SizeRule::Kind::kSame && b.sizes.same == id &&
          a.sizes.kind != SizeRule::Kind::kSame) {
        return false;
      }
    }
    return operands.size() <= static_cast<std::size_t>(rt::kMaxMapOperands) &&
           results <= kMaxResults;
  }

  // The step that `step`, which may have been merged, is in now.
  std::size_t StepNow(std::size_t step) {
    std::size_t now = step;
    while (now != BlockUses::kOutside && gone_[now]) now = into_.at(now);
    while (step != now) step = std::exchange(into_.at(step), now);  // long chains are followed once
    return now;
  }

  // Whether a step before `end`, or the outside if that is left out, reads it beside the two.
  bool IsReadBeside(BufferId id, std::size_t first, std::size_t second,
                    std::optional<std::size_t> end = std::nullopt) {
    return std::ranges::any_of(uses_.Readers(id), [&](std::size_t reader) {
      const std::size_t now = StepNow(reader);
      return now != first && now != second && (!end || now < *end);
    });
  }

  void Merge(std::size_t first, std::size_t second) {
    Step& a = steps_[first];
    Step& b = steps_[second];
    std::vector<BufferId> inputs = a.inputs;
    for (BufferId id : b.inputs) {
      const bool internal = std::ranges::find(a.results, id) != a.results.end();
      if (!internal && std::ranges::find(inputs, id) == inputs.end()) inputs.push_back(id);
    }
    std::vector<BufferId> results;
    for (BufferId id : a.results) {
      if (IsReadBeside(id, first, second)) results.push_back(id);
      maker_[id] = second;
    }
    std::ranges::copy(b.results, std::back_inserter(results));
    std::vector<MapTerm> terms = std::move(a.As<MapStep>()->terms);
    std::ranges::move(b.As<MapStep>()->terms, std::back_inserter(terms));
    if (b.sizes.kind == SizeRule::Kind::kSame) {
      const BufferId same = b.sizes.same;
      if (std::ranges::find(a.results, same) != a.results.end()) b.sizes = a.sizes;
    }
    std::vector<std::string> comments = {std::move(a.comment)};
    std::ranges::move(a.fused, std::back_inserter(comments));
    comments.push_back(std::move(b.comment));
    std::ranges::move(b.fused, std::back_inserter(comments));
    b.comment = std::move(comments.front());
    b.fused.assign(std::next(comments.begin()), comments.end());
    b.inputs = std::move(inputs);
    b.results = std::move(results);
    b.As<MapStep>()->terms = std::move(terms);
    gone_[first] = true;
    into_[first] = second;
  }

  Plan& plan_;
  std::vector<Step>& steps_;
  BlockUses uses_;
  std::map<BufferId, std::size_t> maker_;
  std::vector<bool> gone_;
  std::map<std::size_t, std::size_t> into_;
};

// The operand of a step that casts f32 to 16 bits, or back; kAbsent: it does something else.
BufferId CastOperand(const Plan& plan, const Step& step, bool back) {
  const auto* kernel = step.As<KernelStep>();
  if (kernel == nullptr || step.node == nullptr || !step.node->Is("Cast") || !step.checks.empty())
    return kAbsent;
  const BufferId operand = kernel->operands.front().buffers.front();
  const DType from = plan.buffer(operand).dtype, to = plan.buffer(step.results.front()).dtype;
  const DType wide = back ? to : from, narrow = back ? from : to;
  return wide == DType::kF32 && IsHalf(narrow) && HasKnownRank(plan, *kernel) ? operand : kAbsent;
}

// Turns casts of f32 to 16 bits and back into loops that round; what casts to 16 bits goes where
// nothing else reads its result.
class RoundingFormer {
 public:
  RoundingFormer(Plan& plan, Block& block, const PlanEntry* entry)
      : plan_(plan), block_(block), entry_(entry) {}

  void Run() {
    for (Step& step : block_.steps) {
      const BufferId rounded = CastOperand(plan_, step, false);
      if (rounded != kAbsent) origins_[step.results.front()] = rounded;
      FormRounding(step);
      if (const std::optional<DType> type = SelectedType(step))
        rounded_[step.results.front()] = *type;
    }
    const BlockUses uses(block_, entry_);
    std::erase_if(block_.steps, [&](const Step& step) {
      return CastOperand(plan_, step, false) != kAbsent && step.binds.empty() &&
             uses.Readers(step.results.front()).empty();
    });
  }

 private:
  void FormRounding(Step& step) {
    const BufferId half = CastOperand(plan_, step, true);
    if (half == kAbsent) return;
    const DType type = plan_.buffer(half).dtype;
    rounded_[step.results.front()] = type;
    const auto origin = origins_.find(half);
    if (origin == origins_.end()) return;
    const ScalarOp* op = FindScalarOp(IsRounded(origin->second, type) ? "Identity"
                                      : type == DType::kF16           ? "RoundToHalf"
                                                                      : "RoundToBFloat16");
    step.inputs = {origin->second};
    if (step.sizes.kind == SizeRule::Kind::kSame && step.sizes.same == half)
      step.sizes.same = origin->second;
    step.action = MapStep{{MapTerm{op, {{origin->second, 0.0f}}, step.results.front()}}};
  }

  bool IsRounded(BufferId id, DType type) const {
    const auto found = rounded_.find(id);
    return found != rounded_.end() && found->second == type;
  }

  // The 16-bit type that has all numbers of what a step gives, where these are numbers of its
  // operands, or their negatives. Loops by name: a property of functions that nothing else asks
  // for.
  std::optional<DType> SelectedType(const Step& step) const {
    constexpr std::string_view kSelecting[] = {"Abs", "Max", "Min", "Neg", "Relu"};
    if (const auto* map = step.As<MapStep>()) {
      const MapTerm& term = map->terms.front();
      const bool selects = std::ranges::find(kSelecting, term.op->name) != std::end(kSelecting);
      return selects && term.arguments.size() == step.inputs.size() ? CommonType(step.inputs)
                                                                    : std::nullopt;
    }
    if (step.results.size() != 1 || step.node == nullptr || !OnlyMoves(*step.node)) return {};
    if (step.Is<AliasStep>()) return CommonType(step.inputs);
    const auto* kernel = step.As<KernelStep>();
    if (kernel == nullptr) return {};
    std::vector<BufferId> moved;
    for (const Argument& argument : kernel->operands) {
      std::ranges::copy_if(argument.buffers, std::back_inserter(moved), [&](BufferId id) {
        return id != kAbsent && plan_.buffer(id).dtype == DType::kF32;
      });
    }
    return CommonType(moved);
  }

  std::optional<DType> CommonType(const std::vector<BufferId>& ids) const {
    const auto first = ids.empty() ? rounded_.end() : rounded_.find(ids.front());
    if (first == rounded_.end()) return std::nullopt;
    const DType type = first->second;
    const bool all = std::ranges::all_of(ids, [&](BufferId id) { return IsRounded(id, type); });
    return all ? std::optional(type) : std::nullopt;
  }

  Plan& plan_;
  Block& block_;
  const PlanEntry* entry_;
  std::map<BufferId, DType> rounded_;     // f32 tensors of numbers that have a type of 16 bits
  std::map<BufferId, BufferId> origins_;  // of 16-bit tensors: the f32 ones that they round
};

void MakeBlock(Plan& plan, Block& block, const PlanEntry* entry) {
  for (Step& step : block.steps) {
    MakeMap(plan, step);
    for (Block& body : step.bodies()) MakeBlock(plan, body, nullptr);
  }
  RoundingFormer(plan, block, entry).Run();
}

void FuseMapsIn(Plan& plan, Block& block, const PlanEntry* entry) {
  for (Step& step : block.steps) {
    for (Block& body : step.bodies()) FuseMapsIn(plan, body, nullptr);
  }
  BlockFuser(plan, block, entry).Run();
}

}  // namespace

void MakeMaps(Plan& plan) {
  for (PlanEntry& entry : plan.entries) MakeBlock(plan, entry.body, &entry);
}

void FuseMaps(Plan& plan) {
  for (PlanEntry& entry : plan.entries) FuseMapsIn(plan, entry.body, &entry);
}

}  // namespace dragoman::onednn

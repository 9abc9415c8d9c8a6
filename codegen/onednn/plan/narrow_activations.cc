// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <vector>

#include "codegen/onednn/plan/passes.h"
#include "codegen/onednn/plan/uses.h"

namespace dragoman::onednn {
namespace {

// Prepared operators that take rt::ElementTypes.
bool HandlesHalf(const Plan& plan, const Step& step) {
  return IsPrepared(
      plan, step, {"rt::PreparedConv", "rt::OwnLinear", "rt::PreparedLinear", "rt::PreparedPool"});
}

// Whether a step multiplies by weights in bf16.
bool MultipliesInHalf(const Plan& plan, const Step& step) {
  if (!IsPrepared(plan, step, {"rt::PreparedConv", "rt::OwnLinear", "rt::PreparedLinear"}))
    return false;
  const BufferId weights = plan.PreparedOf(step)->constants.front();
  return plan.buffer(weights).dtype == DType::kBF16;
}

bool AddsResidual(const Step& step) {
  return step.Is<PreparedStep>() && step.As<PreparedStep>()->residual != kAbsent;
}

bool IsNormalization(const Step& step) {
  const auto* call = step.As<KernelStep>();
  return call != nullptr && step.results.size() == 1 &&
         (call->function == "LayerNormalizationRows" || call->function == "RMSNormalizationRows");
}

bool IsCopy(const Step& step) {
  return step.Is<LaidOutStep>() && step.As<LaidOutStep>()->function == "CopyToRowMajor";
}

class ActivationNarrower {
 public:
  ActivationNarrower(Plan& plan, PlanEntry& entry) : plan_(plan), steps_(entry.body.steps) {
    FindCandidates(entry);
  }

  void Run() {
    while (DropMixed()) {
    }
    for (const Step& step : steps_) {
      if (MultipliesInHalf(plan_, step)) Want(step.inputs.front());
    }
    while (Spread()) {
    }
    for (BufferId id : wanted_) plan_.buffer(id).dtype = DType::kBF16;
  }

 private:
  // The results of `step` that may be in bf16, whatever its operands are. Residual sums stay wide:
  // from block to block they would be rounded again and again.
  std::vector<BufferId> Written(const Step& step) const {
    if (AddsResidual(step)) return {};
    const bool takes_any = step.Is<MapStep>() || step.Is<AliasStep>() || HandlesHalf(plan_, step) ||
                           step.concatenates() || IsCopy(step) || IsNormalization(step);
    return takes_any ? step.results : std::vector<BufferId>();
  }

  // The operands that may, whatever its results are. Those of loops that are broadcast are small.
  std::vector<BufferId> Read(const Step& step) const {
    if (HandlesHalf(plan_, step)) {
      if (step.inputs.front() == step.As<PreparedStep>()->residual) return {};
      return {step.inputs.front()};
    }
    if (step.Is<LaidOutStep>() || step.Is<AliasStep>()) return step.inputs;
    if (IsNormalization(step)) return step.As<KernelStep>()->operands.front().buffers;
    std::vector<BufferId> read;
    if (!step.Is<MapStep>()) return read;
    std::ranges::copy_if(step.inputs, std::back_inserter(read), [&](BufferId id) {
      return SameSizes(plan_.buffer(id), plan_.buffer(step.results.front()));
    });
    return read;
  }

  bool CanBeHalf(BufferId id) const {
    const Buffer& buffer = plan_.buffer(id);
    return buffer.IsTensor() && buffer.dtype == DType::kF32 && buffer.IsStatic() &&
           (buffer.storage == Storage::kArena || buffer.storage == Storage::kAlias);
  }

  void FindCandidates(const PlanEntry& entry) {
    for (const Step& step : steps_) {
      for (BufferId id : Written(step)) {
        if (CanBeHalf(id)) candidates_.insert(id);
      }
    }
    const BlockUses uses(entry.body, &entry);
    std::erase_if(candidates_, [&](BufferId id) {
      return std::ranges::any_of(uses.Readers(id), [&](std::size_t reader) {
        if (reader == BlockUses::kOutside) return true;
        const std::vector<BufferId> read = Read(steps_[reader]);
        return std::ranges::find(read, id) == read.end();
      });
    });
  }

  // Tensors of one element type: what is copied or compared as it is.
  std::vector<BufferId> Alike(const Step& step) const {
    std::vector<BufferId> alike;
    if (step.Is<AliasStep>() || step.concatenates() ||
        IsPrepared(plan_, step, {"rt::PreparedPool"})) {
      alike = step.inputs;
      alike.push_back(step.results.front());
    }
    return alike;
  }

  bool DropMixed() {
    bool changed = false;
    for (const Step& step : steps_) {
      const std::vector<BufferId> alike = Alike(step);
      const auto is_candidate = [&](BufferId id) { return candidates_.contains(id); };
      if (std::ranges::all_of(alike, is_candidate)) continue;
      for (BufferId id : alike) changed = candidates_.erase(id) > 0 || changed;
    }
    return changed;
  }

  bool Want(BufferId id) { return candidates_.contains(id) && wanted_.insert(id).second; }

  // From a tensor to those that lie alike, and to those that a loop reads to compute it.
  bool Spread() {
    bool changed = false;
    const auto is_wanted = [&](BufferId id) { return wanted_.contains(id); };
    for (const Step& step : steps_) {
      std::vector<BufferId> reached = Alike(step);
      if (!std::ranges::any_of(reached, is_wanted)) reached.clear();
      if ((step.Is<MapStep>() || IsCopy(step)) && std::ranges::any_of(step.results, is_wanted))
        std::ranges::copy(Read(step), std::back_inserter(reached));
      for (BufferId id : reached) changed = Want(id) || changed;
    }
    return changed;
  }

  Plan& plan_;
  const std::vector<Step>& steps_;
  std::set<BufferId> candidates_;
  std::set<BufferId> wanted_;
};

}  // namespace

void NarrowActivations(Plan& plan) {
  if (plan.precision != rt::Precision::kBF16) return;
  for (PlanEntry& entry : plan.entries) ActivationNarrower(plan, entry).Run();
}

}  // namespace dragoman::onednn

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "codegen/onednn/plan/passes.h"
#include "codegen/onednn/plan/row_major_copies.h"

namespace dragoman::onednn {
namespace {

constexpr std::string_view kChannelsLastHeader = "runtime/fast/channels_last.h";
constexpr std::string_view kCopy = "ChannelsLastToRowMajor";

class ChannelsLastPlacer {
 public:
  ChannelsLastPlacer(Plan& plan, PlanEntry& entry) : plan_(plan), entry_(entry) {}

  void Run() {
    FindCandidates();
    while (DropMixed()) {
    }
    for (BufferId id : candidates_) plan_.buffer(id).channels_last = true;
    CopyForOthers();
  }

 private:
  std::vector<Step>& steps() { return entry_.body.steps; }

  bool HandlesImages(const Step& step) const {
    const Prepared* prepared = plan_.PreparedOf(step);
    return prepared != nullptr && prepared->takes_channels_last;
  }

  // The operands of `step` that may lie channels last.
  std::vector<BufferId> Accepted(const Step& step) const {
    if (!HandlesImages(step)) return {};
    std::vector<BufferId> accepted = {step.inputs.front()};
    const BufferId residual = step.As<PreparedStep>()->residual;
    if (residual != kAbsent) accepted.push_back(residual);
    return accepted;
  }

  bool IsImage(const Buffer& buffer) const {
    return (buffer.dtype == DType::kI8 || buffer.dtype == DType::kU8) && buffer.IsStatic() &&
           buffer.storage == Storage::kArena && buffer.shape->size() >= 3;
  }

  void FindCandidates() {
    std::set<BufferId> made, accepted;
    for (const Step& step : steps()) {
      if (HandlesImages(step) && IsImage(plan_.buffer(step.results.front())))
        made.insert(step.results.front());
      for (BufferId id : Accepted(step)) accepted.insert(id);
    }
    candidates_ = ThoseToCopy(entry_, made, accepted);
  }

  // A residual lies as the sum.
  bool DropMixed() {
    bool changed = false;
    for (const Step& step : steps()) {
      if (!HandlesImages(step)) continue;
      const BufferId residual = step.As<PreparedStep>()->residual;
      if (residual == kAbsent) continue;
      const BufferId pair[] = {residual, step.results.front()};
      if (std::ranges::all_of(pair, [&](BufferId id) { return candidates_.contains(id); }))
        continue;
      for (BufferId id : pair) changed = candidates_.erase(id) > 0 || changed;
    }
    return changed;
  }

  void CopyForOthers() {
    const auto accepts = [this](const Step& step, BufferId id) {
      const std::vector<BufferId> accepted = Accepted(step);
      return std::ranges::find(accepted, id) != accepted.end();
    };
    const auto make = [this](BufferId id, BufferId copy) {
      KernelStep call;
      call.function = kCopy;
      call.header = kChannelsLastHeader;
      call.operands.push_back({{id}, false, "std::uint8_t", ""});
      call.outputs.push_back({{copy}, false, "std::uint8_t", ""});
      Step step;
      step.action = std::move(call);
      return step;
    };
    CopyToRowMajor(plan_, entry_, candidates_, {accepts, make});
  }

  Plan& plan_;
  PlanEntry& entry_;
  std::set<BufferId> candidates_;
};

}  // namespace

void PutChannelsLast(Plan& plan) {
  for (PlanEntry& entry : plan.entries) ChannelsLastPlacer(plan, entry).Run();
}

}  // namespace dragoman::onednn

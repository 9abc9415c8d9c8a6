// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "codegen/onednn/plan/passes.h"
#include "codegen/onednn/plan/row_major_copies.h"
#include "codegen/onednn/plan/uses.h"
#include "core/ops/op_def.h"
#include "runtime/fast/blocked_sizes.h"
#include "runtime/params/concat.h"
#include "runtime/params/reduce.h"

namespace dragoman::onednn {
namespace {

bool IsConv(const Plan& plan, const Step& step) {
  return IsPrepared(plan, step, {"rt::PreparedConv", "rt::DynamicConv"});
}

bool IsPool(const Plan& plan, const Step& step) {
  return IsPrepared(plan, step,
                    {"rt::PreparedPool", "rt::DynamicPool<rt::MaxPoolParams>",
                     "rt::DynamicPool<rt::AveragePoolParams>"}) &&
         plan.PreparedOf(step)->takes_blocks;
}

// Batch and spatial sizes may be left to the run.
bool IsImage(const Buffer& buffer) {
  return buffer.dtype == DType::kF32 && buffer.IsTensor() && buffer.shape &&
         buffer.shape->size() >= 3 && buffer.shape->size() <= 5 && (*buffer.shape)[1].known();
}

bool IsPlaced(const Buffer& buffer) {
  return buffer.storage == Storage::kArena || buffer.storage == Storage::kSlot;
}

// Whether a concatenation is of the channels of images.
bool ConcatenatesChannels(const Plan& plan, const Step& step) {
  if (!step.Is<KernelStep>() || !step.node->Is("Concat")) return false;
  const Buffer& result = plan.buffer(step.results.front());
  const Result<Params> params = FindOp(*step.node)->fill_params(*step.node);
  if (!params.ok() || !IsImage(result)) return false;
  const std::int64_t axis = params->As<rt::ConcatParams>().axis;
  return axis == 1 || axis + static_cast<std::int64_t>(result.shape->size()) == 1;
}

// Whether a step reduces all spatial axes of an image, and no other.
bool ReducesImages(const Plan& plan, const Step& step, const KernelStep& call) {
  const BufferId operand = call.operands.front().buffers.front();
  const Value* axes = step.node->operand(1);
  if (operand == kAbsent || !IsImage(plan.buffer(operand))) return false;
  if (axes == nullptr || axes->tensor() == nullptr) return false;
  const auto rank = static_cast<std::int64_t>(plan.buffer(operand).shape->size());
  std::set<std::int64_t> reduced;
  for (std::int64_t axis : axes->tensor()->ToInts()) reduced.insert(axis < 0 ? axis + rank : axis);
  return static_cast<std::int64_t>(reduced.size()) == rank - 2 && *reduced.begin() == 2 &&
         *reduced.rbegin() == rank - 1;
}

// The function of a step that reduces each channel of an image to a number; none if it does not.
std::string_view ChannelReduction(const Plan& plan, const Step& step) {
  const auto* call = step.As<KernelStep>();
  if (call == nullptr) return {};
  const bool max = step.node->Is("GlobalMaxPool") || step.node->Is("ReduceMax");
  const std::string_view function = max ? "ChannelMaxima" : "ChannelMeans";
  if (step.node->Is("GlobalAveragePool") || step.node->Is("GlobalMaxPool")) {
    const BufferId operand = call->operands.front().buffers.front();
    return IsImage(plan.buffer(operand)) ? function : std::string_view();
  }
  const bool reduces = (max || step.node->Is("ReduceMean")) && ReducesImages(plan, step, *call);
  return reduces ? function : std::string_view();
}

bool IsFull(const Plan& plan, const Step& step, BufferId id) {
  return SameSizes(plan.buffer(id), plan.buffer(step.results.front()));
}

// The operands of `step` that may lie in blocks; those of loops only with its results.
std::vector<BufferId> Accepted(const Plan& plan, const Step& step) {
  if (IsConv(plan, step) || IsPool(plan, step)) {
    std::vector<BufferId> accepted = {step.inputs.front()};
    const BufferId residual = step.As<PreparedStep>()->residual;
    if (residual != kAbsent) accepted.push_back(residual);
    return accepted;
  }
  if (step.Is<LaidOutStep>()) return step.inputs;
  std::vector<BufferId> accepted;
  if (step.Is<MapStep>()) {
    std::ranges::copy_if(step.inputs, std::back_inserter(accepted),
                         [&](BufferId id) { return IsFull(plan, step, id); });
  }
  return accepted;
}

class GroupFormer {
 public:
  GroupFormer(Plan& plan, PlanEntry& entry) : plan_(plan), entry_(entry) {}

  void Run() {
    MarkLaidOutSteps();
    FindCandidates();
    while (DropMixed()) {
    }
    Unite();
    Assign();
    CopyForOthers();
  }

 private:
  std::vector<Step>& steps() { return entry_.body.steps; }

  void MarkLaidOutSteps() {
    for (Step& step : steps()) {
      const bool concat = ConcatenatesChannels(plan_, step);
      const std::string_view function = concat ? "ConcatChannels" : ChannelReduction(plan_, step);
      if (function.empty()) continue;
      step.inputs = step.As<KernelStep>()->operands.front().buffers;
      step.action = LaidOutStep{std::string(function), concat};
    }
  }

  // Images of the arena that a step makes which may lay them out, and at least one accepts.
  void FindCandidates() {
    std::set<BufferId> made, accepted;
    for (const Step& step : steps()) {
      const bool makes =
          step.Is<MapStep>() || step.concatenates() || IsConv(plan_, step) || IsPool(plan_, step);
      for (BufferId id : step.results) {
        const Buffer& buffer = plan_.buffer(id);
        if (makes && IsPlaced(buffer) && IsImage(buffer)) made.insert(id);
      }
      for (BufferId id : Accepted(plan_, step)) accepted.insert(id);
    }
    candidates_ = ThoseToCopy(entry_, made, accepted);
  }

  bool IsCandidate(BufferId id) const { return candidates_.contains(id); }

  // What a loop reads of a blocked tensor beside tensors of its size: one element, or one a
  // channel.
  bool BroadcastsInBlocks(const Step& step, BufferId id) const {
    const Shape& sizes = *plan_.buffer(id).shape;
    const Shape& result = *plan_.buffer(step.results.front()).shape;
    const auto is_one = [](const Dim& size) { return size.known() && size.value() == 1; };
    if (std::ranges::all_of(sizes, is_one)) return true;
    const std::size_t lead = result.size() - sizes.size();
    if (lead > 1 || Equal(sizes[1 - lead], result[1]) != Truth::kYes) return false;
    return std::all_of(sizes.begin() + static_cast<std::ptrdiff_t>(2 - lead), sizes.end(), is_one);
  }

  // Tensors that lie alike or not at all: all results and full operands of a loop, a sum and what
  // is added to it.
  std::vector<BufferId> Alike(const Step& step) const {
    std::vector<BufferId> alike;
    if (step.Is<MapStep>()) {
      alike = step.results;
      for (BufferId id : step.inputs) {
        if (IsFull(plan_, step, id)) alike.push_back(id);
      }
    } else if (step.concatenates()) {
      alike = step.inputs;
      alike.push_back(step.results.front());
    } else if (const auto* call = step.As<PreparedStep>(); call && call->residual != kAbsent) {
      alike = {call->residual, step.results.front()};
    }
    return alike;
  }

  bool DropMixed() {
    bool changed = false;
    auto drop = [&](BufferId id) { changed = candidates_.erase(id) > 0 || changed; };
    for (const Step& step : steps()) {
      const std::vector<BufferId> alike = Alike(step);
      bool whole = std::ranges::all_of(alike, [&](BufferId id) { return IsCandidate(id); });
      if (step.Is<MapStep>()) {
        for (BufferId id : step.inputs)
          whole = whole && (IsFull(plan_, step, id) || BroadcastsInBlocks(step, id));
      }
      if (step.concatenates()) whole = whole && HasWholeBlocks(step);
      if (!whole) std::ranges::for_each(alike, drop);
    }
    return changed;
  }

  // All but the last operand can be followed by another without a gap, whatever the block.
  bool HasWholeBlocks(const Step& step) const {
    return std::all_of(step.inputs.begin(), step.inputs.end() - 1, [&](BufferId id) {
      return (*plan_.buffer(id).shape)[1].value() % rt::kMaxBlock == 0;
    });
  }

  BufferId Find(BufferId id) {
    while (parent_.at(id) != id) id = parent_.at(id);
    return id;
  }

  void Unite() {
    for (BufferId id : candidates_) parent_[id] = id;
    for (const Step& step : steps()) {
      std::vector<BufferId> alike = Alike(step);
      if (IsPool(plan_, step)) alike = {step.inputs.front(), step.results.front()};
      std::erase_if(alike, [&](BufferId id) { return !IsCandidate(id); });
      for (BufferId id : alike) parent_[Find(id)] = Find(alike.front());
    }
  }

  // Numbers the groups that a convolution writes to.
  void Assign() {
    std::map<BufferId, int> numbers;
    for (const Step& step : steps()) {
      if (!IsConv(plan_, step) || !IsCandidate(step.results.front())) continue;
      const int next = static_cast<int>(plan_.groups.size());
      if (!numbers.try_emplace(Find(step.results.front()), next).second) continue;
      plan_.groups.push_back({plan_.names.Unique("group_" + std::to_string(next + 1) + "_"),
                              plan_.step_names[static_cast<std::size_t>(step.number)]});
    }
    for (BufferId id : candidates_) {
      const auto number = numbers.find(Find(id));
      if (number != numbers.end()) plan_.buffer(id).group = number->second;
    }
  }

  // Steps that need row-major tensors get copies.
  void CopyForOthers() {
    std::set<BufferId> grouped = candidates_;
    std::erase_if(grouped, [&](BufferId id) { return plan_.buffer(id).group == kRowMajor; });
    const auto accepts = [this](const Step& step, BufferId id) {
      const std::vector<BufferId> accepted = Accepted(plan_, step);
      return std::ranges::find(accepted, id) != accepted.end();
    };
    const auto make = [](BufferId id, BufferId) {
      Step step;
      step.action = LaidOutStep{"CopyToRowMajor", false};
      step.inputs = {id};
      return step;
    };
    CopyToRowMajor(plan_, entry_, grouped, {accepts, make});
  }

  Plan& plan_;
  PlanEntry& entry_;
  std::set<BufferId> candidates_;
  std::map<BufferId, BufferId> parent_;
};

}  // namespace

void FormLayoutGroups(Plan& plan) {
  for (PlanEntry& entry : plan.entries) GroupFormer(plan, entry).Run();
}

}  // namespace dragoman::onednn

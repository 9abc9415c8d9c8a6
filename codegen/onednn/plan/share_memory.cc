// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "codegen/onednn/plan/passes.h"
#include "codegen/onednn/plan/place.h"
#include "codegen/onednn/plan/strided_view.h"
#include "codegen/onednn/plan/uses.h"
#include "core/ops/kernel_name.h"
#include "core/ops/op_def.h"
#include "runtime/params/concat.h"

namespace dragoman::onednn {
namespace {

class Sharer {
 public:
  explicit Sharer(Plan& plan) : plan_(plan) {}

  void Run() {
    for (PlanEntry& entry : plan_.entries) {
      // The last first: the operands of one may be parts of another.
      for (std::size_t i = entry.body.steps.size(); i-- > 0;) PlaceParts(entry.body.steps[i]);
      for (Step& step : entry.body.steps) ReadInPlace(step);
    }
    for (PlanEntry& entry : plan_.entries) {
      for (Step& step : entry.body.steps) ReuseOperand(step);
    }
  }

 private:
  const std::vector<BufferId>& OperandsOf(const Step& step) const {
    const auto* call = step.As<KernelStep>();
    return call != nullptr ? call->operands.front().buffers : step.inputs;
  }

  // Whether the operands of a concatenation lie one after the other in its result.
  bool IsSequence(const Step& step) const {
    if (step.results.size() != 1 || !plan_.buffer(step.results.front()).IsStatic()) return false;
    const Buffer& result = plan_.buffer(step.results.front());
    const std::vector<std::int64_t> sizes = *KnownShape(*result.shape);
    std::int64_t axis = 1;
    if (step.Is<KernelStep>() && step.node != nullptr && step.node->Is("Concat")) {
      const Result<Params> params = FindOp(*step.node)->fill_params(*step.node);
      if (!params.ok()) return false;
      axis = params->As<rt::ConcatParams>().axis;
      if (axis < 0) axis += static_cast<std::int64_t>(sizes.size());
    } else if (!step.concatenates()) {
      return false;
    }
    return std::all_of(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(axis),
                       [](std::int64_t size) { return size == 1; });
  }

  // Whether `id` can be made at `at` bytes of `whole`: it lies nowhere else yet, or lies there
  // already as a part of a concatenation that begins with the same operands.
  bool CanBePart(BufferId id, BufferId whole) const {
    const Buffer& buffer = plan_.buffer(id);
    return buffer.storage == Storage::kArena && buffer.inside == kAbsent &&
           buffer.group == plan_.buffer(whole).group && buffer.dtype == plan_.buffer(whole).dtype;
  }

  // What lies in the memory of another buffer needs it as long.
  void MakePart(BufferId id, BufferId whole, std::int64_t at) {
    Buffer& buffer = plan_.buffer(id);
    buffer.inside = whole;
    buffer.inside_at = at;
    buffer.is_part = true;
    for (; whole != kAbsent; whole = plan_.buffer(whole).inside)
      plan_.buffer(whole).last = std::max(plan_.buffer(whole).last, buffer.last);
  }

  // Copies of what lies in one piece in an operand are read there.
  void ReadInPlace(Step& step) {
    const auto* call = step.As<KernelStep>();
    if (call == nullptr || step.node == nullptr || step.results.empty() ||
        step.results.size() != step.node->num_results() || call->operands.empty() ||
        call->operands.front().buffers.size() != 1) {
      return;
    }
    const BufferId operand = call->operands.front().buffers.front();
    const BufferId whole = operand == kAbsent ? kAbsent : plan_.Root(operand);
    if (whole == kAbsent || plan_.buffer(whole).storage != Storage::kArena ||
        plan_.buffer(whole).group != kRowMajor || plan_.buffer(whole).channels_last) {
      return;
    }
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < step.results.size(); ++i) {
      const Buffer& buffer = plan_.buffer(step.results[i]);
      const std::optional<std::int64_t> place = PlaceInOperand(*step.node->result(i));
      if (!place || !CanBePart(step.results[i], whole) || buffer.channels_last) return;
      places.push_back(*place * static_cast<std::int64_t>(RuntimeBytes(buffer.dtype)));
    }
    for (std::size_t i = 0; i < places.size(); ++i) MakePart(step.results[i], whole, places[i]);
    plan_.buffer(operand).has_parts = true;
    step.action = InPlaceStep();
    step.inputs = {operand};
  }

  void PlaceParts(Step& step) {
    if (!IsSequence(step)) return;
    const BufferId whole = step.results.front();
    if (plan_.buffer(whole).storage != Storage::kArena) return;
    const std::vector<BufferId> operands = OperandsOf(step);
    const std::set<BufferId> distinct(operands.begin(), operands.end());
    if (distinct.size() != operands.size()) return;
    const bool prefix = LiesInLongerOne(operands, whole);
    if (!prefix &&
        !std::ranges::all_of(operands, [&](BufferId id) { return CanBePart(id, whole); }))
      return;
    std::int64_t offset = 0;
    for (BufferId id : operands) {
      if (!prefix) MakePart(id, whole, offset);
      offset += PlacedBytes(plan_.buffer(id));
    }
    if (prefix) MakePart(whole, plan_.buffer(operands.front()).inside, 0);
    step.action = InPlaceStep();
    step.inputs = operands;
  }

  // Whether a later concatenation begins with the same operands, which are its parts already.
  bool LiesInLongerOne(const std::vector<BufferId>& operands, BufferId whole) const {
    const BufferId other = plan_.buffer(operands.front()).inside;
    if (other == kAbsent || plan_.buffer(whole).inside != kAbsent ||
        plan_.buffer(whole).group != plan_.buffer(other).group) {
      return false;
    }
    std::int64_t offset = 0;
    for (BufferId id : operands) {
      const Buffer& buffer = plan_.buffer(id);
      if (buffer.inside != other || buffer.inside_at != offset) return false;
      offset += PlacedBytes(buffer);
    }
    return true;
  }

  bool IsPart(BufferId id) const {
    for (; id != kAbsent; id = plan_.buffer(id).inside) {
      if (plan_.buffer(id).is_part) return true;
    }
    return false;
  }

  // The buffer whose place in the arena decides that of `id`.
  BufferId Unit(BufferId id) const {
    id = plan_.Root(id);
    while (plan_.buffer(id).inside != kAbsent) id = plan_.buffer(id).inside;
    return id;
  }

  // When its first results are written, a convolution still reads its operand, and a loop what
  // repeats: a part of `id`, for instance.
  bool ReadsWhileWriting(const Step& step, BufferId id) const {
    return std::ranges::any_of(step.inputs, [&](BufferId other) {
      return other != kAbsent && Unit(other) == Unit(id) &&
             (step.Is<PreparedStep>() || plan_.Root(other) != plan_.Root(id));
    });
  }

  // A loop's or sum's result takes the memory of an operand that nothing needs any more.
  void ReuseOperand(Step& step) {
    std::vector<BufferId> operands;
    if (step.Is<MapStep>()) operands = step.inputs;
    const auto* call = step.As<PreparedStep>();
    if (call != nullptr && call->residual != kAbsent) operands = {call->residual};
    if (operands.empty() || step.results.empty()) return;
    for (BufferId result : step.results) {
      Buffer& buffer = plan_.buffer(result);
      if (buffer.storage != Storage::kArena || buffer.inside != kAbsent) continue;
      for (BufferId id : operands) {
        const BufferId root = plan_.Root(id);
        const Buffer& operand = plan_.buffer(root);
        const bool fits = operand.storage == Storage::kArena && operand.group == buffer.group &&
                          plan_.buffer(id).shape == buffer.shape && operand.dtype == buffer.dtype &&
                          PlacedBytes(operand) == PlacedBytes(buffer);
        if (!fits || operand.last != buffer.first || IsPart(root) || ReadsWhileWriting(step, id) ||
            !taken_.insert(root).second) {
          continue;
        }
        buffer.inside = Unit(root);
        break;
      }
    }
  }

  Plan& plan_;
  std::set<BufferId> taken_;
};

}  // namespace

void ShareMemory(Plan& plan) { Sharer(plan).Run(); }

}  // namespace dragoman::onednn

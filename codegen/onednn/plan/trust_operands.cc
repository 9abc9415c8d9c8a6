// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "codegen/onednn/plan/passes.h"
#include "codegen/onednn/plan/uses.h"
#include "core/ir/finite.h"

namespace dragoman::onednn {
namespace {

// Follows the buffers that hold NaN or infinities only if an operator before has found some: what
// products and pools make of such. A sum of finite products is taken to be finite; all that is not
// named here may make NaN of numbers.
class Truster {
 public:
  explicit Truster(Plan& plan) : plan_(plan) {
    for (const WeightTensor& weight : plan.weights) weights_.emplace(weight.offset, &weight.tensor);
  }

  void Run(Block& block) {
    for (Step& step : block.steps) {
      for (Block& body : step.bodies()) Run(body);
      if (Follows(step)) known_.insert(step.results.begin(), step.results.end());
    }
  }

 private:
  bool IsKnown(BufferId id) const { return id == kAbsent || known_.contains(id); }

  // Whether NaN among the results means that NaN was found, by `step` at the latest.
  bool Follows(Step& step) {
    const bool known = std::ranges::all_of(step.inputs, [&](BufferId id) { return IsKnown(id); });
    if (step.Is<AliasStep>() || step.Is<InPlaceStep>() || step.Is<LaidOutStep>()) return known;
    if (IsPrepared(plan_, step, {"rt::PreparedPool"})) return known;
    if (!IsPrepared(plan_, step,
                    {"rt::PreparedConv", "rt::PreparedConvTranspose", "rt::OwnLinear",
                     "rt::PreparedLinear", "rt::PreparedMatMul"}))
      return false;
    Prepared& prepared = *plan_.PreparedOf(step);
    if (!std::ranges::all_of(prepared.constants, [&](BufferId id) { return IsFiniteWeight(id); }))
      return false;
    const bool all_known = known && IsKnown(step.As<PreparedStep>()->residual);
    if (prepared.post.activation == rt::FusedActivation::kNone) return all_known;
    prepared.post.trusts_operands = all_known;
    return true;
  }

  bool IsFiniteWeight(BufferId id) {
    if (id == kAbsent) return true;
    if (plan_.buffer(id).storage != Storage::kWeights) return false;
    const auto weight = weights_.find(plan_.buffer(id).at);
    return weight != weights_.end() && AllFinite(*weight->second);
  }

  Plan& plan_;
  std::map<std::int64_t, const Tensor*> weights_;  // by offset
  std::set<BufferId> known_;
};

}  // namespace

void TrustOperands(Plan& plan) {
  Truster truster(plan);
  for (PlanEntry& entry : plan.entries) truster.Run(entry.body);
}

}  // namespace dragoman::onednn

// SPDX-License-Identifier: Apache-2.0
#include "importers/tvm/loss.h"

#include <algorithm>

namespace dragoman::tvm {

Value* LossOf(Composer& c, const NllLoss& loss) {
  static constexpr std::string_view kReductions[] = {"mean", "sum", "none"};
  if (std::ranges::count(kReductions, loss.reduction) == 0)
    return c.Fail("reduction \"" + loss.reduction + "\" is not supported");
  const int rank = c.Rank(loss.x);
  if (c.failed()) return nullptr;
  const int classes = rank > 1 ? 1 : 0;
  Value* counts = c.NotEqual(loss.targets, c.Int(loss.ignored));
  Value* safe = c.Where(counts, loss.targets, c.Int(0));
  Value* places = c.Unsqueeze(safe, {classes});
  Value* picked = c.Squeeze(
      c.Op("GatherElements", {loss.x, places}, {{"axis", std::int64_t{classes}}}), {classes});
  Value* weight = loss.weights != nullptr ? c.Gather(loss.weights, safe, 0) : c.Number(1, loss.x);
  weight = c.Where(counts, weight, c.Number(0, weight));
  Value* losses = c.Neg(c.Mul(picked, weight));
  if (loss.reduction == "none") return losses;
  Value* sum = c.ReduceAll("ReduceSum", losses);
  return loss.reduction == "sum" ? sum : c.Div(sum, c.ReduceAll("ReduceSum", weight));
}

}  // namespace dragoman::tvm

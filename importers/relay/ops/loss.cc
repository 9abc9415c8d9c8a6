// Losses, which importers of training graphs write.
#include <string>

#include "core/lowering/math.h"
#include "importers/relay/ops/lowerings.h"

namespace dragoman::relay {

// Of probabilities (images, classes, …) and the class of each place.
Value* LowerNllLoss(Call& c) {
  Value* x = c.Tensor(0);
  Value* targets = c.Index(1);
  Value* weights = c.Tensor(2);
  const std::string reduction = c.Text("reduction", "mean");
  const std::int64_t ignored = c.Int("ignore_index", -100);
  c.ExpectText("reduction", {"mean", "sum", "none"});
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  const int classes = rank > 1 ? 1 : 0;
  Value* counts = c.NotEqual(targets, c.Int(ignored));
  Value* safe = c.Where(counts, targets, c.Int(0));
  Value* picked = c.Squeeze(
      c.Op("GatherElements", {x, c.Unsqueeze(safe, {classes})}, {{"axis", std::int64_t{classes}}}),
      {classes});
  Value* weight = c.Where(counts, c.Gather(weights, safe, 0), c.Number(0, weights));
  Value* loss = c.Neg(c.Mul(picked, weight));
  if (reduction == "none") return loss;
  Value* sum = c.ReduceAll("ReduceSum", loss);
  return reduction == "sum" ? sum : c.Div(sum, c.ReduceAll("ReduceSum", weight));
}

// Of probabilities, or their logarithms (target "logits"), and what they should be.
Value* LowerCrossEntropy(Call& c) {
  Value* x = c.Tensor(0);
  Value* wanted = c.Tensor(1);
  Value* logarithm = c.target() == "logits" ? x : c.Log(x);
  Value* sum = c.ReduceAll("ReduceSum", c.Mul(logarithm, wanted));
  return c.Neg(c.Div(sum, c.CastLike(c.Size(x, 0), x)));
}

}  // namespace dragoman::relay

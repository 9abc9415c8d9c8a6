// SPDX-License-Identifier: Apache-2.0
// Probabilities of classes.
#include "importers/tensorflow/ops/op_rows.h"

namespace dragoman::tf {
namespace {

Value* LowerSoftmax(Call& c) {
  return c.Op(c.target(), {c.Tensor(0)}, {{"axis", std::int64_t{-1}}});
}

// The loss of each row and its gradient.
std::vector<Value*> LowerSoftmaxCrossEntropy(Call& c, bool sparse) {
  Value* logits = c.Tensor(0);
  Value* labels = c.Tensor(1);
  const int rank = c.Rank(logits);
  if (c.failed()) return {};
  if (sparse) {
    Value* classes = c.Iota(c.Size(logits, rank - 1));
    labels =
        c.CastLike(c.Equal(c.Unsqueeze(c.Cast(labels, DType::kI64), {rank - 1}), classes), logits);
  }
  const std::vector<NamedAttribute> last = {{"axis", std::int64_t{-1}}};
  Value* logs = c.Op("LogSoftmax", {logits}, last);
  Value* loss = c.Neg(c.ReduceSum(c.Mul(labels, logs), {rank - 1}));
  return {loss, c.Sub(c.Op("Softmax", {logits}, last), labels)};
}

}  // namespace

std::span<const OpRow> NeuralRows() {
  static constexpr OpRow kRows[] = {
      {"LogSoftmax", LowerSoftmax, "LogSoftmax"},
      {"Softmax", LowerSoftmax, "Softmax"},
      {"SoftmaxCrossEntropyWithLogits", With<LowerSoftmaxCrossEntropy, false>},
      {"SparseSoftmaxCrossEntropyWithLogits", With<LowerSoftmaxCrossEntropy, true>},
  };
  return kRows;
}

}  // namespace dragoman::tf

// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <vector>

#include "codegen/onednn/plan/simplify.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::onednn {
namespace {

// BatchNormalization(x, s, B, m, v) = x * k + (B - m * k), k = s / sqrt(v + epsilon)
Result<bool> SplitBatchNormalization(Node& node, PassContext& context) {
  if (!node.Is("BatchNormalization") || IntAttribute(node, "training_mode") != 0) return false;
  const std::optional<int> rank = node.operand(0)->type().rank();
  if (!rank || *rank < 2 || node.result()->type().dtype() != DType::kF32) return false;
  const Tensor* parts[4];
  for (std::size_t i = 0; i < 4; ++i) {
    parts[i] = ConstantOf(node.operand(i + 1));
    if (parts[i] == nullptr || parts[i]->dtype() != DType::kF32) return false;
  }
  const double epsilon = FloatAttribute(node, "epsilon");
  std::vector<float> scale, shift;
  for (std::int64_t c = 0; c < parts[0]->size(); ++c) {
    const double k = parts[0]->FloatAt(c) / std::sqrt(parts[3]->FloatAt(c) + epsilon);
    scale.push_back(static_cast<float>(k));
    shift.push_back(static_cast<float>(parts[1]->FloatAt(c) - parts[2]->FloatAt(c) * k));
    if (!std::isfinite(scale.back()) || !std::isfinite(shift.back())) return false;
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(*rank) - 1, 1);
  sizes[0] = parts[0]->size();
  Graph& graph = *node.graph();
  auto constant = [&](const std::vector<float>& values, std::size_t of) {
    const Value& old = *node.operand(of);
    return context.AddConstant(graph, Tensor::Of<float>(sizes, values), old.name(), old.origin());
  };
  DRAGOMAN_ASSIGN(Value * product,
                  context.Insert(node, "Mul", {{node.operand(0), constant(scale, 1)}}));
  DRAGOMAN_ASSIGN(Value * sum, context.Insert(node, "Add", {{product, constant(shift, 2)}}));
  return context.ReplaceIfAllowed(node, sum);
}

}  // namespace

std::span<const Pattern> SplittingPatterns() {
  static constexpr Pattern kPatterns[] = {{"split-batch-normalization", SplitBatchNormalization}};
  return kPatterns;
}

}  // namespace dragoman::onednn

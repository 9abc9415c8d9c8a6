// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/passes.h"

namespace dragoman {
namespace {

std::optional<Tensor> IntegerTensor(const Type& type, const std::vector<std::int64_t>& ints) {
  if (type.shape() == nullptr) return std::nullopt;
  const auto sizes = KnownShape(*type.shape());
  if (!sizes) return std::nullopt;
  if (type.dtype() == DType::kI64) {
    return Tensor::Of<std::int64_t>(*sizes, ints);
  }
  if (type.dtype() == DType::kI32) {
    const std::vector<std::int32_t> narrow(ints.begin(), ints.end());
    return Tensor::Of<std::int32_t>(*sizes, narrow);
  }
  if (type.dtype() == DType::kBool) {
    auto flags = std::make_unique<bool[]>(ints.size());
    for (std::size_t i = 0; i < ints.size(); ++i) flags[i] = ints[i] != 0;
    return Tensor::Of<bool>(*sizes, std::span<const bool>(flags.get(), ints.size()));
  }
  return std::nullopt;
}

bool MayFold(const Node& node) {
  return FindOp(node) != nullptr && node.num_results() == 1 && node.result() != nullptr &&
         node.result()->used() && !node.Is("Identity") && node.subgraphs().empty() &&
         !HasEffect(node) && !IsRandom(node);
}

// node = its elements, if inference knows them all
Result<bool> FoldKnownIntegers(Node& node, PassContext& context) {
  if (!MayFold(node)) return false;
  const auto ints = context.inference.KnownInts(node.result());
  if (!ints) return false;
  std::optional<Tensor> tensor = IntegerTensor(node.result()->type(), *ints);
  if (!tensor) return false;
  Value* constant =
      context.AddConstant(*node.graph(), std::move(*tensor), node.result()->name(), node.origin());
  if (context.ReplaceIfAllowed(node, constant)) return true;
  DRAGOMAN_ASSIGN(Value * copy, context.Insert(node, "Identity", {{constant}}));
  return context.ReplaceIfAllowed(node, copy);
}

}  // namespace

std::span<const Pattern> KnownSizePatterns() {
  static constexpr Pattern kPatterns[] = {{"fold-known-integers", FoldKnownIntegers}};
  return kPatterns;
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// DepthToSpace, as decomposed programs of torch spell pixel_shuffle.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/patterns/function_patterns.h"

namespace dragoman {
namespace {

using Sizes = std::vector<std::int64_t>;

std::optional<Sizes> SizesOfTensor(const Value& value) {
  const Shape* shape = value.type().shape();
  return shape != nullptr ? KnownShape(*shape) : std::nullopt;
}

// Images of (batch, channels, b, b, height, width) as (batch, channels, height, b, width, b) and
// then as (batch, channels, height · b, width · b) = DepthToSpace(images; b, CRD)
Result<bool> ReadDepthToSpace(Node& node, PassContext& context) {
  if (!node.Is("Reshape")) return false;
  const Node* transpose = ProducerOf(node.operand(0), "Transpose");
  const Node* blocks =
      transpose != nullptr ? ProducerOf(transpose->operand(0), "Reshape") : nullptr;
  const Sizes* order = blocks != nullptr ? IntsAttribute(*transpose, "perm") : nullptr;
  if (order == nullptr || *order != Sizes{0, 1, 4, 2, 5, 3}) return false;
  Value* x = blocks->operand(0);
  const auto sizes = SizesOfTensor(*x), parts = SizesOfTensor(*blocks->result()),
             result = SizesOfTensor(*node.result());
  if (!sizes || !parts || !result || sizes->size() != 4) return false;
  const std::int64_t batch = (*parts)[0], channels = (*parts)[1], b = (*parts)[2];
  const std::int64_t height = (*parts)[4], width = (*parts)[5];
  const bool fits = b > 1 && b == (*parts)[3] &&
                    *sizes == Sizes{batch, channels * b * b, height, width} &&
                    *result == Sizes{batch, channels, height * b, width * b};
  if (!fits) return false;
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "DepthToSpace", {{x}}, {{"blocksize", b}, {"mode", "CRD"}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> ShufflePatterns() {
  static constexpr Pattern kPatterns[] = {{"read-depth-to-space", ReadDepthToSpace}};
  return kPatterns;
}

}  // namespace dragoman

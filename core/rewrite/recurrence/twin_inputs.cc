// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/twin_inputs.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"

namespace dragoman {

const Node* WideInput(const Node& node) {
  const Node* concat = node.operand(0)->producer();
  if (concat == nullptr || !concat->Is("Concat") || concat->num_operands() != 2) return nullptr;
  const Node* own = concat->operand(1)->producer();
  const bool is_wide =
      IntAttribute(*concat, "axis") == 2 && own != nullptr && (own->Is("Pad") || own->Is("Where"));
  return is_wide ? concat : nullptr;
}

const Value* SharedInput(const Node& node) {
  const Node* concat = WideInput(node);
  return concat != nullptr ? concat->operand(0) : node.operand(0);
}

std::optional<TwinInputs> ReadTwinInputs(const Node& a, const Node& b) {
  if (a.operand(0) == b.operand(0)) return TwinInputs{a.operand(0)};
  const Node* wide_a = WideInput(a);
  const Node* wide_b = WideInput(b);
  if (wide_a == nullptr || wide_b == nullptr || wide_a->operand(0) != wide_b->operand(0)) {
    return std::nullopt;
  }
  const TwinInputs inputs{wide_a->operand(0), {wide_a->operand(1), wide_b->operand(1)}};
  const auto size = SizeAlong(*inputs.own[0], 2);
  if (!size || SizeAlong(*inputs.own[1], 2) != size) return std::nullopt;
  return inputs;
}

Tensor WithZeroColumns(const Tensor& matrix, std::int64_t at, std::int64_t count) {
  std::vector<std::int64_t> sizes = matrix.sizes();
  const std::string_view from(reinterpret_cast<const char*>(matrix.bytes().data()),
                              matrix.bytes().size());
  const auto element = from.size() / static_cast<std::size_t>(matrix.size());
  const std::size_t row = static_cast<std::size_t>(sizes.back()) * element;
  const std::size_t front = static_cast<std::size_t>(at) * element;
  std::string bytes;
  for (std::size_t begin = 0; begin < from.size(); begin += row) {
    bytes.append(from.substr(begin, front));
    bytes.append(static_cast<std::size_t>(count) * element, '\0');
    bytes.append(from.substr(begin + front, row - front));
  }
  sizes.back() += count;
  return Tensor::Make(matrix.dtype(), std::move(sizes), Buffer::Own(std::move(bytes))).value();
}

}  // namespace dragoman

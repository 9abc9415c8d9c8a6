// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/onednn/plan/simplify.h"
#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::onednn {
namespace {

bool IsPositive(const Dim& size) { return size.known() && size.value() > 0; }

// Indices along an axis of the data, each of which is that of a whole row: of all elements at one
// place of the axis.
struct RowIndices {
  Value* value = nullptr;
  std::int64_t axis = 0;      // of the data
  std::int64_t own_axis = 0;  // of `value`, whose other axes are of size 1
};

// What Expand repeats for each element of a row as the indices of GatherElements or
// ScatterElements; nullopt: they are not such indices. Rows have elements: where they have none,
// the operators on elements read no index, and operators on rows could refuse it.
std::optional<RowIndices> FindRowIndices(const Node& node) {
  const Node* expand = ProducerOf(node.operand(1), "Expand");
  if (expand == nullptr) return std::nullopt;
  const Shape* data = node.operand(0)->type().shape();
  const Shape* all = node.operand(1)->type().shape();
  const Shape* own = expand->operand(0)->type().shape();
  if (data == nullptr || all == nullptr || own == nullptr || all->size() != data->size() ||
      own->size() > all->size() || data->size() < 2) {
    return std::nullopt;
  }
  const auto rank = static_cast<std::int64_t>(data->size());
  const std::size_t lead = all->size() - own->size();  // axes that Expand adds
  RowIndices found{expand->operand(0), IntAttribute(node, "axis"), 0};
  if (found.axis < 0) found.axis += rank;
  found.own_axis = found.axis - static_cast<std::int64_t>(lead);
  if (found.own_axis < 0) return std::nullopt;
  for (std::size_t i = 0; i < all->size(); ++i) {
    const bool along = static_cast<std::int64_t>(i) == found.axis;
    if (Equal((*all)[i], along ? (*own)[i - lead] : (*data)[i]) != Truth::kYes) return std::nullopt;
    if (along) continue;
    const bool is_repeated = i < lead || Equal((*own)[i - lead], Dim(1)) == Truth::kYes;
    if (!is_repeated || !IsPositive((*data)[i])) return std::nullopt;
  }
  return found;
}

// The indices with `kept` axes, the first of which is their own; all others are squeezed.
Result<Value*> Squeezed(Node& node, const RowIndices& indices, std::int64_t kept,
                        PassContext& context) {
  std::vector<std::int64_t> axes;
  const auto rank = static_cast<std::int64_t>(*indices.value->type().rank());
  for (std::int64_t i = 0; i < rank; ++i) {
    if (i < indices.own_axis || i >= indices.own_axis + kept) axes.push_back(i);
  }
  if (axes.empty()) return indices.value;
  Value* constant = context.AddConstant(*node.graph(), Tensor::Ints(axes), "axes", node.origin());
  return context.Insert(node, "Squeeze", {{indices.value, constant}});
}

// GatherElements(x, Expand(i)) = Gather(x, i)
Result<bool> GatherRows(Node& node, PassContext& context) {
  if (!node.Is("GatherElements")) return false;
  const std::optional<RowIndices> indices = FindRowIndices(node);
  if (!indices) return false;
  DRAGOMAN_ASSIGN(Value * places, Squeezed(node, *indices, 1, context));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Gather", {{node.operand(0), places}},
                                            {{"axis", indices->axis}}));
  return context.ReplaceIfAllowed(node, y);
}

// ScatterElements(x, Expand(i), u) = ScatterND(x, i, u), along the first axis
Result<bool> ScatterRows(Node& node, PassContext& context) {
  if (!node.Is("ScatterElements") || node.operand(1)->type().dtype() != DType::kI64) return false;
  const std::optional<RowIndices> indices = FindRowIndices(node);
  if (!indices || indices->axis != 0) return false;
  DRAGOMAN_ASSIGN(Value * places, Squeezed(node, *indices, 2, context));
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "ScatterND", {{node.operand(0), places, node.operand(2)}},
                                 {{"reduction", TextAttribute(node, "reduction")}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> RowPatterns() {
  static constexpr Pattern kPatterns[] = {{"gather-rows", GatherRows},
                                          {"scatter-rows", ScatterRows}};
  return kPatterns;
}

}  // namespace dragoman::onednn

// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/dilated.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/find_as.h"
#include "core/ir/node_attributes.h"
#include "core/ir/producer.h"

namespace dragoman::tf {
namespace {

std::optional<Elements> ElementsOf(Call& c, const Value* value) {
  if (const std::optional<Ints> known = c.builder().KnownInts(value))
    return Elements(known->begin(), known->end());
  return c.builder().inference().Know(value).elements;
}

// What SpaceToBatchND has read: the tensor, of four axes with channels last, and pads of axes 1, 2.
struct Unblocked {
  Value* x = nullptr;
  Dim begins[2] = {Dim(0), Dim(0)};
  Dim ends[2] = {Dim(0), Dim(0)};
};

// Goes back through the Reshape, Transpose, Reshape and Pad that LowerSpaceToBatch makes.
std::optional<Unblocked> FindUnblocked(Call& c, const Value* blocked, const Ints& blocks) {
  const Node* joined = ProducerOf(blocked, "Reshape");
  const Node* moved = joined != nullptr ? ProducerOf(joined->operand(0), "Transpose") : nullptr;
  const Node* split = moved != nullptr ? ProducerOf(moved->operand(0), "Reshape") : nullptr;
  if (split == nullptr) return std::nullopt;
  const auto* axes = FindAs<Attribute::Ints>(moved->attributes(), "perm");
  if (axes == nullptr || *axes != Attribute::Ints{2, 4, 0, 1, 3, 5}) return std::nullopt;
  const std::optional<Elements> sizes = ElementsOf(c, split->operand(1));
  if (!sizes || sizes->size() != 6) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    if ((*sizes)[2 + 2 * i] != Dim(blocks[i])) return std::nullopt;
  }
  Unblocked found{split->operand(0)};
  const Node* pad = ProducerOf(found.x, "Pad");
  if (pad == nullptr) return found;
  const std::optional<Elements> pads = ElementsOf(c, pad->operand(1));
  if (!pads || pads->size() != 8 || pad->num_operands() > 2) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    found.begins[i] = (*pads)[1 + i];
    found.ends[i] = (*pads)[5 + i];
  }
  found.x = pad->operand(0);
  return found;
}

bool IsOnes(const Node& node, std::string_view name) {
  const auto* list = FindAs<Attribute::Ints>(node.attributes(), name);
  return list != nullptr && *list == Attribute::Ints{1, 1};
}

// A convolution of images that reads each pixel it has, and no others.
bool IsPlain(const Node& conv) {
  const auto* list = FindAs<Attribute::Ints>(conv.attributes(), "pads");
  return IsOnes(conv, "strides") && IsOnes(conv, "dilations") && list != nullptr &&
         *list == Attribute::Ints(4, 0);
}

}  // namespace

Value* AsDilatedConvolution(Call& c, Value* y, const Ints& blocks, const std::vector<Crop>& crops) {
  if (c.failed() || blocks.size() != 2 || crops.size() != 2) return nullptr;
  // Around a convolution whose channels are last.
  const Node* to_last = ProducerOf(y, "Transpose");
  const Node* conv = to_last != nullptr ? ProducerOf(to_last->operand(0), "Conv") : nullptr;
  const Node* to_first = conv != nullptr ? ProducerOf(conv->operand(0), "Transpose") : nullptr;
  if (to_first == nullptr || !IsPlain(*conv)) return nullptr;
  const std::optional<Unblocked> found = FindUnblocked(c, to_first->operand(0), blocks);
  if (!found) return nullptr;
  Ints pads(4, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    // What was added to fill the last block is cut off again.
    const Dim end = found->ends[i] - crops[i].end;
    if (crops[i].begin != Dim(0) || !found->begins[i].known() || !end.known() || end.value() < 0)
      return nullptr;
    pads[i] = found->begins[i].value();
    pads[2 + i] = end.value();
  }
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : conv->attributes()) {
    const bool replaced = attribute.name == "dilations" || attribute.name == "pads";
    if (!replaced) attributes.push_back(attribute);
  }
  attributes.emplace_back("dilations", blocks);
  attributes.emplace_back("pads", pads);
  std::vector<Value*> operands = {c.Transpose(found->x, {0, 3, 1, 2})};
  for (std::size_t i = 1; i < conv->num_operands(); ++i) operands.push_back(conv->operand(i));
  return c.Transpose(c.Op("Conv", std::move(operands), std::move(attributes)), {0, 2, 3, 1});
}

}  // namespace dragoman::tf

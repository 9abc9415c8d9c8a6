// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/node_attributes.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/patterns/spelling_patterns.h"

namespace dragoman {
namespace {

constexpr std::size_t kImageRank = 4;
constexpr std::size_t kRowAxis = 2;  // of images that are one row

bool IsOneRow(const Value& images) {
  const Shape* shape = images.type().shape();
  return shape != nullptr && shape->size() == kImageRank && (*shape)[kRowAxis] == Dim(1);
}

// How many axes are not of size 1.
std::ptrdiff_t NumLongAxes(const Shape& shape) {
  return std::ranges::count_if(shape, [](const Dim& dim) { return dim != Dim(1); });
}

// Whether `node` puts axes of size 1 to its operand or takes such away, one at least.
bool MovesOnes(const Node* node) {
  if (node == nullptr || !KeepsOrder(*node)) return false;
  const Shape* from = node->operand(0)->type().shape();
  const Shape* to = node->result()->type().shape();
  return from != nullptr && to != nullptr && from->size() != to->size() &&
         NumLongAxes(*from) == NumLongAxes(*to);
}

// The only reader of `value`; nullptr: there are others, or none.
const Node* OneReader(const Value& value) {
  return value.HasOneUse() ? value.first_use()->user() : nullptr;
}

// The attributes of a pool of images, as those of one along the last axis; nullopt: it sees other
// rows than the one there is.
std::optional<std::vector<NamedAttribute>> AttributesOfSequences(const Node& pool) {
  if (TextAttribute(pool, "auto_pad", "NOTSET") != "NOTSET") return std::nullopt;
  const Attribute::Ints* kernel = IntsAttribute(pool, "kernel_shape");
  const Attribute::Ints* pads = IntsAttribute(pool, "pads");
  if (kernel == nullptr || kernel->size() != 2 || (*kernel)[0] != 1) return std::nullopt;
  if (pads != nullptr && (pads->size() != 4 || (*pads)[0] != 0 || (*pads)[2] != 0))
    return std::nullopt;
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : pool.attributes()) {
    const auto* numbers = attribute.value.As<Attribute::Ints>();
    if (numbers == nullptr) {
      attributes.push_back(attribute);
    } else if (attribute.name == "pads") {
      attributes.push_back({"pads", Attribute::Ints{(*numbers)[1], (*numbers)[3]}});
    } else {
      attributes.push_back({attribute.name, Attribute::Ints{numbers->back()}});
    }
  }
  return attributes;
}

// By name: pools of which AttributesOfSequences knows all attributes.
bool IsPool(const Node& node) {
  return node.Is("AveragePool") || node.Is("MaxPool") || node.Is("GlobalAveragePool");
}

// AveragePool(Unsqueeze(x)) = Unsqueeze(AveragePool(x)) along the last axis, where a Squeeze reads
// it; MaxPool and GlobalAveragePool likewise. Places of maxima count the same elements in the same
// order
Result<bool> PoolSequences(Node& node, PassContext& context) {
  if (!IsPool(node) || node.result() == nullptr || !IsOneRow(*node.operand(0)) ||
      !IsOneRow(*node.result()) || !MovesOnes(node.operand(0)->producer()) ||
      !MovesOnes(OneReader(*node.result()))) {
    return false;
  }
  auto attributes = node.Is("GlobalAveragePool") ? std::optional(std::vector<NamedAttribute>())
                                                 : AttributesOfSequences(node);
  if (!attributes || IntAttribute(node, "storage_order") != 0) return false;
  Value* axes = context.AddConstant(
      *node.graph(), Tensor::Ints(std::vector{std::int64_t{kRowAxis}}), "axes", node.origin());
  DRAGOMAN_ASSIGN(Value * x, context.Insert(node, "Squeeze", {{node.operand(0), axes}}));
  DRAGOMAN_ASSIGN(Node * pool, context.InsertNode(node, node.op().type, {{x}},
                                                  *std::move(attributes), node.num_results()));
  std::vector<Value*> images;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    images.push_back(nullptr);
    if (node.result(i) == nullptr) continue;
    DRAGOMAN_ASSIGN(images.back(), context.Insert(node, "Unsqueeze", {{pool->result(i), axes}}));
    if (!PassContext::CanReplace(*node.result(i), *images.back())) return false;
  }
  context.Replace(node, images);
  return true;
}

}  // namespace

std::span<const Pattern> WindowPatterns() {
  static constexpr Pattern kPatterns[] = {{"pool-sequences", PoolSequences}};
  return kPatterns;
}

}  // namespace dragoman

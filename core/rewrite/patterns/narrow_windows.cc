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

// The sequences (N, C, L) that `value` has as images (N, C, 1, L); nullptr: it has not.
Value* SequencesOf(const Value& value) {
  const Node* node = value.producer();
  if (node == nullptr || !KeepsOrder(*node)) return nullptr;
  const Shape* images = value.type().shape();
  const Shape* sequences = node->operand(0)->type().shape();
  if (images == nullptr || sequences == nullptr || images->size() != kImageRank ||
      sequences->size() != kImageRank - 1 || (*images)[kRowAxis] != Dim(1)) {
    return nullptr;
  }
  for (const std::size_t axis : {0, 1, 2}) {
    const std::size_t of_image = axis < kRowAxis ? axis : axis + 1;
    if (Equal((*sequences)[axis], (*images)[of_image]) != Truth::kYes) return nullptr;
  }
  return node->operand(0);
}

// Whether `node` takes the one row out of images that a pool gave.
bool TakesRow(const Node& node) {
  const Value& images = *node.operand(0);
  const Shape* shape = images.type().shape();
  const Shape* rows = node.result()->type().shape();
  if (shape == nullptr || rows == nullptr || shape->size() != kImageRank ||
      rows->size() != kImageRank - 1 || (*shape)[kRowAxis] != Dim(1)) {
    return false;
  }
  return Equal((*rows)[0], (*shape)[0]) == Truth::kYes &&
         Equal((*rows)[1], (*shape)[1]) == Truth::kYes &&
         Equal((*rows)[2], (*shape)[3]) == Truth::kYes;
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

// Squeeze(AveragePool(Unsqueeze(x))) = AveragePool(x) along the last axis; MaxPool likewise
Result<bool> PoolSequences(Node& node, PassContext& context) {
  const Node* pool = KeepsOrder(node) ? node.operand(0)->producer() : nullptr;
  const bool is_pool = pool != nullptr && (pool->Is("AveragePool") || pool->Is("MaxPool")) &&
                       pool->num_results() == 1 && pool->result()->HasOneUse();
  if (!is_pool || !TakesRow(node)) return false;
  Value* x = SequencesOf(*pool->operand(0));
  auto attributes = x != nullptr ? AttributesOfSequences(*pool) : std::nullopt;
  if (!attributes) return false;
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, pool->op().type, {{x}}, *std::move(attributes)));
  return context.ReplaceIfAllowed(node, y);
}

constexpr Pattern kPatterns[] = {{"pool-sequences", PoolSequences}};

}  // namespace

std::span<const Pattern> WindowPatterns() { return kPatterns; }

}  // namespace dragoman

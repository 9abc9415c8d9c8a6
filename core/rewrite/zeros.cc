#include "core/rewrite/zeros.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace dragoman {
namespace {

constexpr int kMaxHops = 32;

constexpr std::string_view kMoving[] = {"Cast",    "Expand",    "Gather",   "Identity",
                                        "Reshape", "Slice",     "Split",    "Squeeze",
                                        "Tile",    "Transpose", "Unsqueeze"};

}  // namespace

bool HasOnly(const Tensor& tensor, double number) {
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.FloatAt(i) != number) return false;
  }
  return true;
}

bool IsZero(const Value* value) {
  for (int hop = 0; hop < kMaxHops && value != nullptr; ++hop) {
    if (const Tensor* tensor = value->is_constant() ? value->tensor() : nullptr)
      return IsZeroTensor(*tensor);
    const Node* node = value->producer();
    if (node == nullptr) return false;
    if (node->Is("ConstantOfShape")) {
      const Attribute* fill = node->attribute("value");
      return fill == nullptr || (fill->tensor() != nullptr && IsZeroTensor(*fill->tensor()));
    }
    const bool moves = std::any_of(std::begin(kMoving), std::end(kMoving),
                                   [&](std::string_view type) { return node->Is(type); });
    if (!moves && !(node->Is("Concat") && node->num_operands() == 1)) return false;
    value = node->operand(0);
  }
  return false;
}

}  // namespace dragoman

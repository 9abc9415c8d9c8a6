#include "core/rewrite/zeros.h"

#include "core/ops/op_def.h"

namespace dragoman {
namespace {

constexpr int kMaxHops = 32;

// Whether all elements of the results are those of operand 0, perhaps of another element type.
bool Moves(const Node& node) { return node.Is("Cast") || (OnlyMoves(node) && !node.Is("Concat")); }

// Whether the numbers of steps and sizes stay what they are in it.
bool HoldsIntegers(const Value& value) {
  return value.type().dtype() == DType::kI32 || value.type().dtype() == DType::kI64;
}

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
    if (!Moves(*node) && !(node->Is("Concat") && node->num_operands() == 1)) return false;
    value = node->operand(0);
  }
  return false;
}

bool IsTrue(const Value* value) {
  for (; value != nullptr; value = value->producer()->operand(0)) {
    if (value->is_constant() && value->tensor() != nullptr)
      return value->tensor()->size() == 1 && value->tensor()->IntAt(0) != 0;
    if (value->producer() == nullptr || !value->producer()->Is("Identity")) return false;
  }
  return false;
}

const Value* RepeatedIn(const Value* value) {
  for (int hop = 0; hop < kMaxHops; ++hop) {
    const Shape* shape = value->type().shape();
    if (shape == nullptr || !HoldsIntegers(*value)) return nullptr;
    if (NumElements(*shape) == Dim(1)) return value;
    const Node* node = value->producer();
    if (node == nullptr || !Moves(*node)) return nullptr;
    value = node->operand(0);
  }
  return nullptr;
}

}  // namespace dragoman

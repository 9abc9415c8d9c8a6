// SPDX-License-Identifier: Apache-2.0
#include "codegen/tvm/widen_constants.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/ops/op_def.h"

namespace dragoman::tvm {
namespace {

bool IsSmall(const Value& value) {
  const DType dtype = value.type().dtype();
  return IsInteger(dtype) && Info(dtype).bits < 8;
}

// Whether the results of `node` are elements of operand 0, which no other is of the type of.
bool Moves(const Node& node) {
  const OpDef* def = FindOp(node);
  if (def == nullptr || node.operand(0) == nullptr) return false;
  if (def->op_class != OpClass::kMovement && !node.Is("Identity")) return false;
  const DType dtype = node.operand(0)->type().dtype();
  return std::ranges::none_of(node.operands().subspan(1), [&](const Use& use) {
    return use.value() != nullptr && use.value()->type().dtype() == dtype;
  });
}

Type Widened(const Type& type) {
  return type.WithDType(Info(type.dtype()).is_signed ? DType::kI8 : DType::kU8);
}

// Those of a constant. Add fails if one of them asks for the type of its elements.
class Readers {
 public:
  bool Add(Value& constant) {
    values_ = {&constant};
    for (std::size_t i = 0; i < values_.size(); ++i) {
      for (const Use* use = values_[i]->first_use(); use != nullptr; use = use->next()) {
        if (!Takes(*use)) return false;
      }
    }
    return true;
  }

  // The constant, and what is moved from it.
  const std::vector<Value*>& values() const { return values_; }

 private:
  bool Takes(const Use& use) {
    Node* node = use.user();
    if (node == nullptr) return false;
    if (node->Is("DequantizeLinear") && use.index() == 2) return IsWideToo(*node->operand(0));
    if (use.index() != 0) return false;
    if (node->Is("DequantizeLinear") && node->operand(2) != nullptr)
      return IsWideToo(*node->operand(2));
    if (node->Is("DequantizeLinear") || node->Is("Cast")) return true;
    if (!Moves(*node)) return false;
    for (std::size_t i = 0; i < node->num_results(); ++i) {
      if (node->result(i) != nullptr) values_.push_back(node->result(i));
    }
    return true;
  }

  // Numbers and their zero point are of one type: both are constants, or moved from one.
  static bool IsWideToo(const Value& other) {
    const Value* at = &other;
    while (at->producer() != nullptr && Moves(*at->producer())) at = at->producer()->operand(0);
    return at->is_constant();
  }

  std::vector<Value*> values_;
};

Tensor WidenedTensor(const Tensor& tensor) {
  const std::vector<std::int64_t> elements = tensor.ToInts();
  if (Info(tensor.dtype()).is_signed)
    return Tensor::Of<std::int8_t>(tensor.sizes(),
                                   std::vector<std::int8_t>(elements.begin(), elements.end()));
  return Tensor::Of<std::uint8_t>(tensor.sizes(),
                                  std::vector<std::uint8_t>(elements.begin(), elements.end()));
}

}  // namespace

void WidenConstants(Graph& entry) {
  ForEachGraph(entry, [](Graph& graph) {
    for (const auto& constant : graph.constants()) {
      if (constant->tensor() == nullptr || !IsSmall(*constant)) continue;
      Readers readers;
      if (!readers.Add(*constant)) continue;
      constant->set_data(Attribute(WidenedTensor(*constant->tensor())));
      for (Value* value : readers.values()) value->set_type(Widened(value->type()));
    }
  });
}

}  // namespace dragoman::tvm

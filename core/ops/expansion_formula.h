// SPDX-License-Identifier: Apache-2.0
// Writes the expansion (op_def.h) of a node as a formula.
#ifndef DRAGOMAN_CORE_OPS_EXPANSION_FORMULA_H_
#define DRAGOMAN_CORE_OPS_EXPANSION_FORMULA_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/expansion.h"
#include "core/support/result.h"

namespace dragoman {

// Appends operators of ai.onnx in front of a node, elementwise ones of the type of its operand.
// What they give is named after the node's first result.
class ExpansionFormula {
 public:
  explicit ExpansionFormula(Node& node)
      : node_(node), name_(node.result()->name()), type_(node.operand(0)->type()) {}

  Value* x() const { return node_.operand(0); }
  const Type& type() const { return type_; }
  void set_type(Type type) { type_ = std::move(type); }

  Value* Add(std::string_view op, const std::vector<Value*>& operands, const Type& type) {
    return InsertOp(node_, op, operands, type, NewName());
  }
  Value* Add(std::string_view op, const std::vector<Value*>& operands) {
    return Add(op, operands, type_);
  }

  Value* Constant(Tensor tensor) {
    return node_.graph()->AddConstant(NewName(), std::move(tensor));
  }
  Value* Ints(const std::vector<std::int64_t>& values) { return Constant(Tensor::Ints(values)); }
  // Of the element type of type(). Errors: one that Tensor::Full does not take.
  Result<Value*> Filled(const std::vector<std::int64_t>& sizes, double number) {
    DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Full(type_.dtype(), sizes, number));
    return Constant(std::move(tensor));
  }
  Result<Value*> Number(double number) { return Filled({}, number); }
  // `value` itself if it is of the element type of `to`.
  Value* Cast(Value* value, const Type& to) {
    if (value->type().dtype() == to.dtype()) return value;
    Value* converted = Add("Cast", {value}, value->type().WithDType(to.dtype()));
    converted->producer()->SetAttribute("to", static_cast<std::int64_t>(to.dtype()));
    return converted;
  }

 private:
  std::string NewName() { return name_ + "." + std::to_string(count_++); }

  Node& node_;
  std::string name_;
  Type type_;
  int count_ = 0;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_EXPANSION_FORMULA_H_

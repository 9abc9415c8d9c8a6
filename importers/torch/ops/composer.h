// SPDX-License-Identifier: Apache-2.0
// Writes the lowering of an operator as an expression over its arguments:
//
//     Value* LowerSilu(CallComposer& c) {
//       Value* x = c.Floating("self");
//       return c.Mul(x, c.Sigmoid(x));
//     }
//
// Errors stick as in a Composer (core/lowering/composer.h).
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_COMPOSER_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_COMPOSER_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lowering/composer.h"
#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

class CallComposer : public Composer {
 public:
  explicit CallComposer(Call& call) : Composer(call.builder()), call_(&call) {}

  Call& call() { return *call_; }
  // Fails: it is not supported, as the message says of the operator.
  Value* Refuse(std::string message) { return Fail(call_->Unsupported(std::move(message))); }
  using Composer::Done;
  using Composer::Int;
  // Several tensors, which become the operator's results.
  Result<Results> Done(std::initializer_list<Value*> values) const;
  // Any results.
  Result<Results> DoneWith(Results results) const;
  // One result: a list of tensors.
  Result<Results> DoneList(const std::vector<Value*>& values) const;

  bool Has(std::string_view name) const { return call_->Has(name); }
  Value* Tensor(std::string_view name) { return Take(call_->Tensor(name)); }
  // nullptr for None, and for an argument that the overload lacks.
  Value* OptionalTensor(std::string_view name);
  std::vector<Value*> Tensors(std::string_view name) { return Take(call_->Tensors(name)); }
  // Integers and bool become the default float.
  Value* Floating(std::string_view name);
  // A number or a tensor, converted to `dtype`.
  Value* As(std::string_view name, DType dtype);
  // Numbers and tensors converted to the type that torch computes with (torch.result_type); to the
  // default float if that is an integer and `to_float`. After an error as many nullptrs.
  std::vector<Value*> Promoted(std::initializer_list<std::string_view> names,
                               bool to_float = false);
  std::int64_t Int(std::string_view name) { return Take(call_->Int(name)); }
  // An int an axis, `count` of them, also after an error; one int stands for all.
  std::vector<std::int64_t> IntPerAxis(std::string_view name, int count);
  double Float(std::string_view name) { return Take(call_->Float(name)); }
  bool Bool(std::string_view name) { return Take(call_->Bool(name)); }
  std::string Text(std::string_view name) { return Take(call_->Text(name)); }
  DType DTypeOr(std::string_view name, DType otherwise) {
    return Take(call_->DTypeOr(name, otherwise));
  }
  // Where the overload declares no such argument, or it is None, `otherwise`.
  std::int64_t IntOr(std::string_view name, std::int64_t otherwise);
  double FloatOr(std::string_view name, double otherwise);
  bool BoolOr(std::string_view name, bool otherwise);
  int AxisArgument(std::string_view name, const Value* tensor);
  // The axes of a list, sorted; all if it is empty or None. A 0-d tensor has none.
  std::vector<std::int64_t> AxesArgument(std::string_view name, const Value* tensor);

 private:
  Call* call_;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_COMPOSER_H_

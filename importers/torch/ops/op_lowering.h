// SPDX-License-Identifier: Apache-2.0
// What the lowering function of one operator works with: a Call, which takes the arguments apart.
// Nodes are appended by a Composer (composer.h); what a Call appends are values of arguments, and
// single nodes for functions that go on with what became known (script_*.cc).
//
// A function is written once, for the functional form. The evaluator derives from it
//  - the in-place form: `add_` computes `add`, converts to self's element type, and writes to self;
//  - the `out` overloads: compute, then write to the arguments called `out…`.
// It need not know of views or aliases: Tensor("self") is the present value.
//
// Arguments are named as in the operator's schema, defaults filled in. What is wrong or missing is
// an Error without a place: the evaluator adds the user's source line.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_OP_LOWERING_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_OP_LOWERING_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/builder.h"
#include "core/lowering/abstract.h"
#include "core/lowering/heap.h"
#include "core/support/result.h"

namespace dragoman::torch {

using Ints = std::vector<std::int64_t>;

// The results of an operator, one an output of its schema.
using Results = std::vector<Abstract>;

class Call {
 public:
  // `names` are the schema's argument names, one for each of `arguments`; fewer for operators of
  // dialect prim, which have no schema.
  Call(Heap& heap, GraphBuilder& builder, const Node& node, std::span<const std::string> names,
       std::span<const Abstract> arguments)
      : heap_(&heap), builder_(&builder), node_(&node), names_(names), arguments_(arguments) {}

  const Node& node() const { return *node_; }  // of the source
  const OpName& op() const { return node_->op(); }
  GraphBuilder& builder() { return *builder_; }
  Heap& heap() { return *heap_; }

  bool Declares(std::string_view name) const;  // the schema has an argument of that name
  bool Has(std::string_view name) const;       // declared, and not None
  Result<Abstract> Argument(std::string_view name) const;
  std::span<const Abstract> arguments() const { return arguments_; }
  std::span<const std::string> names() const { return names_; }

  // The present value of a tensor argument; a number becomes a 0-d tensor.
  Result<Value*> Tensor(std::string_view name);
  // nullptr for None.
  Result<Value*> OptionalTensor(std::string_view name);
  Result<std::vector<Value*>> Tensors(std::string_view name);          // of a list
  Result<std::vector<Value*>> OptionalTensors(std::string_view name);  // nullptr for None

  // Numbers that must be known. Errors: one known only at run time (unsupported).
  Result<std::int64_t> Int(std::string_view name);
  Result<double> Float(std::string_view name);
  Result<bool> Bool(std::string_view name);
  Result<Ints> IntList(std::string_view name);  // an int is a list of one
  Result<std::vector<double>> FloatList(std::string_view name);
  // A list `count` long; one int stands for that many equal ones (kernel_size=3).
  Result<Ints> IntList(std::string_view name, std::size_t count);

  // Numbers that may be known or not.
  Result<Number> Scalar(std::string_view name);
  Result<std::vector<Number>> Scalars(std::string_view name);  // of a list, or one number
  // As common values: 0-d of `dtype`; int64 of rank 0; int64 of rank 1.
  Result<Value*> ScalarValue(std::string_view name, DType dtype);
  Result<Value*> IntValue(std::string_view name);
  Result<Value*> IntListValue(std::string_view name);

  Result<std::string> Text(std::string_view name);
  // An element type argument (torch's numbering), or `otherwise` where it is None or not declared.
  Result<DType> DTypeOr(std::string_view name, DType otherwise);

  // Errors: unknown, with the hint to give --shape.
  Result<DType> DTypeOf(const Value* value);

  // The element type that torch computes with for these arguments, which are tensors or numbers:
  // tensors with dimensions, 0-d tensors and numbers count in this order (torch.result_type).
  Result<DType> ResultType(std::span<const std::string_view> names);
  Result<DType> ResultType(std::initializer_list<std::string_view> names) {
    return ResultType(std::span(names.begin(), names.size()));
  }
  // The arguments, converted to their ResultType; to float32 if that is an integer and `to_float`.
  Result<std::vector<Value*>> Promoted(std::initializer_list<std::string_view> names,
                                       bool to_float = false);
  // `value` if it is of `dtype`, else converted.
  Result<Value*> Cast(Value* value, DType dtype);

  Result<Value*> Add(std::string_view type, std::vector<Value*> operands,
                     std::vector<NamedAttribute> attributes = {});
  Result<Value*> NumberValue(const Number& number, DType dtype);  // 0-d
  Result<Value*> NumberList(std::span<const Number> numbers);     // int64, rank 1
  // The size of axis `axis` (from the front): known if inference knows it.
  Result<Number> SizeOf(Value* value, std::int64_t axis);
  // Sizes may be -1 once, and are taken literally if 0.
  Result<Value*> Reshape(Value* value, std::span<const std::int64_t> sizes);

  // A fresh tensor that holds `value`.
  Abstract NewTensor(Value* value);
  Abstract NewList(std::vector<Abstract> items);
  Abstract NewTensorList(std::span<Value* const> values);
  // A number that is known if inference knows the 0-d `value`.
  Abstract NewNumber(Number::Kind kind, Value* value);

  // Replaces the elements of tensor argument `name` by those of `value`, which has its sizes: what
  // the derived forms do not cover.
  Status Write(std::string_view name, Value* value);

  Error Unsupported(std::string message) const;
  Error Invalid(std::string message) const;

 private:
  Result<Value*> TensorOf(const Abstract& argument, std::string_view name);
  Result<Number> NumberOf(const Abstract& argument, std::string_view name);
  Result<Number> Known(std::string_view name);
  Error MustBeKnown(std::string_view name) const;

  Heap* heap_;
  GraphBuilder* builder_;
  const Node* node_;
  std::span<const std::string> names_;
  std::span<const Abstract> arguments_;
};

class CallComposer;

// One operator, all overloads. The composed kind writes one tensor as an expression, whose errors
// the composer keeps; the plain one gives one tensor; the general one any results.
class OpLowering {
 public:
  using Composed = Value* (*)(CallComposer&);
  using Plain = Result<Value*> (*)(Call&);
  using General = Result<Results> (*)(Call&);

  constexpr OpLowering(Composed composed) : composed_(composed) {}
  constexpr OpLowering(Plain plain) : plain_(plain) {}
  constexpr OpLowering(General general) : general_(general) {}
  Result<Results> operator()(Call& call) const;
  // The tensor itself, of a kind that gives one.
  Result<Value*> Tensor(Call& call) const;

 private:
  Composed composed_ = nullptr;
  Plain plain_ = nullptr;
  General general_ = nullptr;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_OP_LOWERING_H_

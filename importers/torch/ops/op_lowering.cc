// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/op_lowering.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/lowering/heap.h"
#include "core/lowering/number_value.h"
#include "importers/torch/container/torch_dtype.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/foreign_values.h"
#include "importers/torch/ops/promotion.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

constexpr const char* kMustBeKnown = " must be known at conversion; give sizes with --shape";

std::string Quote(std::string_view name) { return "'" + std::string(name) + "'"; }

Error NotA(std::string_view name, const char* expected, const Abstract& found) {
  return InvalidInput("argument " + Quote(name) + " is " + Describe(found) + ", expected " +
                      expected);
}

// Whether torch's executor takes operand 1 for a number of the program if it is a 0-d constant
// (CanonicalizeOps): a trace stores the 2.5 of `x * 2.5` as a constant f64.
bool TakesConstantForNumber(const Node& node) {
  static constexpr std::array<std::string_view, 4> kTypes = {"add", "sub", "mul", "div"};
  if (node.op().overload != "Tensor" || node.num_operands() < 2) return false;
  const Value* other = node.operand(1);
  return other != nullptr && other->producer() != nullptr &&
         other->producer()->op().type == "Constant" &&
         std::find(kTypes.begin(), kTypes.end(), node.op().type) != kTypes.end();
}

PromotionClass ClassOf(const Node& node, std::string_view name, const Value* value) {
  const PromotionClass by_rank = PromotionClassOf(value->type().rank());
  const bool is_number =
      by_rank == PromotionClass::kZeroDim && name == "other" && TakesConstantForNumber(node);
  return is_number ? PromotionClass::kNumber : by_rank;
}

// Whether `argument`, or a number in it, is known only at run time.
bool IsOfRunTime(const Abstract& argument) {
  if (const auto* number = argument.As<Number>()) return !number->known();
  const std::vector<Abstract>* items = ItemsOf(argument);
  if (items == nullptr) return argument.Is<ListRef>();
  return std::any_of(items->begin(), items->end(), [](const Abstract& item) {
    const auto* number = item.As<Number>();
    return number != nullptr && !number->known();
  });
}

// A lowering that asks for a number that is known only at run time continues with none, and may
// then report the rest of the call as invalid (Call::Invalid). The cause is that the number is not
// known.
Error WithoutBlame(const Call& call, Error error) {
  const std::string prefix = call.op().ToString() + ": ";
  if (error.kind() != ErrorKind::kInvalidInput ||
      !error.findings().front().message.starts_with(prefix))
    return error;
  for (std::size_t i = 0; i < call.arguments().size() && i < call.names().size(); ++i) {
    if (IsOfRunTime(call.arguments()[i])) {
      return Unsupported("argument " + Quote(call.names()[i]) + " of " + call.op().ToString() +
                         kMustBeKnown);
    }
  }
  return error;
}

}  // namespace

bool Call::Declares(std::string_view name) const {
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

bool Call::Has(std::string_view name) const {
  Result<Abstract> found = Argument(name);
  return found.ok() && !found->Is<None>();
}

Result<Abstract> Call::Argument(std::string_view name) const {
  auto found = std::find(names_.begin(), names_.end(), name);
  // Schemas of in-place forms call `self` what those of the functional ones call `input`.
  if (found == names_.end() && name == "input")
    found = std::find(names_.begin(), names_.end(), "self");
  const auto index = static_cast<std::size_t>(found - names_.begin());
  if (found == names_.end() || index >= arguments_.size())
    return Unsupported("the overload has no argument " + Quote(name));
  return arguments_[index];
}

Result<Value*> Call::Tensor(std::string_view name) {
  DRAGOMAN_ASSIGN(Abstract argument, Argument(name));
  return TensorOf(argument, name);
}

Result<Value*> Call::TensorOf(const Abstract& argument, std::string_view name) {
  if (const auto* tensor = argument.As<TensorRef>()) return heap_->Read(*builder_, *tensor);
  if (const auto* number = argument.As<Number>()) return NumberValue(*number, number->dtype());
  if (const auto* maybe = argument.As<Maybe>()) return TensorOf(*maybe->payload, name);
  if (argument.Is<Tuple>()) return Unsupported("argument " + Quote(name) + " is a nested tensor");
  return NotA(name, "a tensor", argument);
}

Result<Value*> Call::OptionalTensor(std::string_view name) {
  if (!Has(name)) return static_cast<Value*>(nullptr);
  DRAGOMAN_ASSIGN(const Abstract argument, Argument(name));
  if (argument.Is<Maybe>())
    return Unsupported("whether argument " + Quote(name) + " is None is known only at run time");
  return Tensor(name);
}

Result<std::vector<Value*>> Call::Tensors(std::string_view name) {
  DRAGOMAN_ASSIGN(std::vector<Value*> values, OptionalTensors(name));
  for (Value* value : values) {
    if (value == nullptr) return InvalidInput("argument " + Quote(name) + " holds None");
  }
  return values;
}

Result<std::vector<Value*>> Call::OptionalTensors(std::string_view name) {
  DRAGOMAN_ASSIGN(Abstract argument, Argument(name));
  const std::vector<Abstract>* items = ItemsOf(argument);
  if (items == nullptr && argument.Is<ListRef>())
    return Unsupported("argument " + Quote(name) +
                       " is a list whose length is known only at run time");
  if (items == nullptr) return NotA(name, "a list of tensors", argument);
  std::vector<Value*> values;
  for (const Abstract& item : *items) {
    Value* value = nullptr;
    if (!item.Is<None>()) {
      DRAGOMAN_ASSIGN(value, TensorOf(item, name));
    }
    values.push_back(value);
  }
  return values;
}

Result<Number> Call::NumberOf(const Abstract& argument, std::string_view name) {
  if (const auto* number = argument.As<Number>()) return *number;
  if (const auto* enumerator = argument.As<Enumerator>()) return NumberOf(*enumerator->value, name);
  if (const auto* maybe = argument.As<Maybe>()) return NumberOf(*maybe->payload, name);
  const auto* tensor = argument.As<TensorRef>();
  if (tensor == nullptr) return NotA(name, "a number", argument);
  DRAGOMAN_ASSIGN(Value * value, heap_->Read(*builder_, *tensor));
  const Number::Kind kind = KindOf(value->type().dtype());
  const Number model{kind, std::int64_t{0}};
  DRAGOMAN_ASSIGN(value, Cast(value, model.dtype()));
  DRAGOMAN_ASSIGN(value, Reshape(value, {}));
  return dragoman::NumberFrom(*builder_, kind, value);
}

Result<Number> Call::Scalar(std::string_view name) {
  DRAGOMAN_ASSIGN(Abstract argument, Argument(name));
  return NumberOf(argument, name);
}

Result<std::vector<Number>> Call::Scalars(std::string_view name) {
  DRAGOMAN_ASSIGN(Abstract argument, Argument(name));
  std::vector<Number> numbers;
  if (const std::vector<Abstract>* items = ItemsOf(argument)) {
    for (const Abstract& item : *items) {
      DRAGOMAN_ASSIGN(Number number, NumberOf(item, name));
      numbers.push_back(number);
    }
    return numbers;
  }
  if (argument.Is<ListRef>())
    return Unsupported("argument " + Quote(name) +
                       " is a list whose length is known only at run time");
  DRAGOMAN_ASSIGN(Number number, NumberOf(argument, name));
  numbers.push_back(number);
  return numbers;
}

Result<Number> Call::Known(std::string_view name) {
  DRAGOMAN_ASSIGN(Number number, Scalar(name));
  if (!number.known()) return MustBeKnown(name);
  return number;
}

Error Call::MustBeKnown(std::string_view name) const {
  return dragoman::Unsupported("argument " + Quote(name) + " of " + op().ToString() + kMustBeKnown);
}

Result<std::int64_t> Call::Int(std::string_view name) {
  DRAGOMAN_ASSIGN(Number number, Known(name));
  return number.AsInt();
}

Result<double> Call::Float(std::string_view name) {
  DRAGOMAN_ASSIGN(Number number, Known(name));
  return number.AsDouble();
}

Result<bool> Call::Bool(std::string_view name) {
  DRAGOMAN_ASSIGN(Number number, Known(name));
  return number.AsDouble() != 0;
}

Result<Ints> Call::IntList(std::string_view name) {
  DRAGOMAN_ASSIGN(std::vector<Number> numbers, Scalars(name));
  Ints ints;
  for (const Number& number : numbers) {
    if (!number.known()) return MustBeKnown(name);
    ints.push_back(number.AsInt());
  }
  return ints;
}

Result<Ints> Call::IntList(std::string_view name, std::size_t count) {
  DRAGOMAN_ASSIGN(Ints ints, IntList(name));
  if (ints.size() == 1 && count > 1) ints.resize(count, ints.front());
  if (ints.size() != count) {
    return InvalidInput("argument " + Quote(name) + " has " + std::to_string(ints.size()) +
                        " items, expected " + std::to_string(count));
  }
  return ints;
}

Result<std::vector<double>> Call::FloatList(std::string_view name) {
  DRAGOMAN_ASSIGN(std::vector<Number> numbers, Scalars(name));
  std::vector<double> floats;
  for (const Number& number : numbers) {
    if (!number.known()) return MustBeKnown(name);
    floats.push_back(number.AsDouble());
  }
  return floats;
}

Result<Value*> Call::ScalarValue(std::string_view name, DType dtype) {
  DRAGOMAN_ASSIGN(Number number, Scalar(name));
  return NumberValue(number, dtype);
}

Result<Value*> Call::IntValue(std::string_view name) { return ScalarValue(name, DType::kI64); }

Result<Value*> Call::IntListValue(std::string_view name) {
  DRAGOMAN_ASSIGN(std::vector<Number> numbers, Scalars(name));
  return NumberList(numbers);
}

Result<std::string> Call::Text(std::string_view name) {
  DRAGOMAN_ASSIGN(Abstract argument, Argument(name));
  if (const auto* device = argument.As<Device>()) return device->name;
  const auto* string = argument.As<String>();
  if (string == nullptr) return NotA(name, "a string", argument);
  if (!string->known()) return MustBeKnown(name);
  return string->text();
}

Result<DType> Call::DTypeOr(std::string_view name, DType otherwise) {
  if (!Has(name)) return otherwise;
  DRAGOMAN_ASSIGN(const std::int64_t code, Int(name));
  const std::optional<TorchDType> dtype = TorchDTypeFromNumber(code);
  if (!dtype || Info(*dtype).is_quantized || Info(*dtype).element == DType::kUnknown) {
    return dragoman::Unsupported("argument " + Quote(name) + " is element type " +
                                 (dtype ? std::string(Info(*dtype).name) : std::to_string(code)));
  }
  return Info(*dtype).element;
}

Result<DType> Call::DTypeOf(const Value* value) {
  const DType dtype = value->type().dtype();
  if (dtype != DType::kUnknown) return dtype;
  return dragoman::Unsupported(op().ToString() +
                               " needs the element type of its operand, which is unknown; give "
                               "--shape NAME=TYPE:D,…");
}

Result<DType> Call::ResultType(std::span<const std::string_view> names) {
  std::vector<PromotionOperand> operands;
  for (std::string_view name : names) {
    DRAGOMAN_ASSIGN(Abstract argument, Argument(name));
    if (argument.Is<None>()) continue;
    if (const auto* number = argument.As<Number>()) {
      operands.push_back({number->dtype(), PromotionClass::kNumber});
      continue;
    }
    DRAGOMAN_ASSIGN(Value * value, TensorOf(argument, name));
    DRAGOMAN_ASSIGN(const DType dtype, DTypeOf(value));
    operands.push_back({dtype, ClassOf(*node_, name, value)});
  }
  const DType result = dragoman::torch::ResultType(operands);
  if (result != DType::kUnknown) return result;
  return dragoman::Unsupported(
      "the element type of the result depends on a rank that is unknown, or is one that dragoman "
      "lacks; give the sizes of the inputs with --shape");
}

Result<std::vector<Value*>> Call::Promoted(std::initializer_list<std::string_view> names,
                                           bool to_float) {
  DRAGOMAN_ASSIGN(DType dtype, ResultType(names));
  if (to_float) dtype = FloatingResult(dtype);
  std::vector<Value*> values;
  for (std::string_view name : names) {
    DRAGOMAN_ASSIGN(Abstract argument, Argument(name));
    if (const auto* number = argument.As<Number>()) {
      DRAGOMAN_ASSIGN(Value * value, NumberValue(*number, dtype));
      values.push_back(value);
      continue;
    }
    DRAGOMAN_ASSIGN(Value * value, TensorOf(argument, name));
    DRAGOMAN_ASSIGN(value, Cast(value, dtype));
    values.push_back(value);
  }
  return values;
}

Result<Value*> Call::Cast(Value* value, DType dtype) {
  Composer c(*builder_);
  return c.Done(c.Cast(value, dtype));
}

Result<Value*> Call::Add(std::string_view type, std::vector<Value*> operands,
                         std::vector<NamedAttribute> attributes) {
  Composer c(*builder_);
  return c.Done(c.Op(type, std::move(operands), std::move(attributes)));
}

Result<Value*> Call::NumberValue(const Number& number, DType dtype) {
  return dragoman::NumberValue(*builder_, number, dtype);
}

Result<Value*> Call::NumberList(std::span<const Number> numbers) {
  const bool known =
      std::all_of(numbers.begin(), numbers.end(), [](const Number& n) { return n.known(); });
  if (known) {
    Ints ints;
    for (const Number& number : numbers) ints.push_back(number.AsInt());
    return builder_->Ints(ints);
  }
  std::vector<Value*> items;
  for (const Number& number : numbers) {
    DRAGOMAN_ASSIGN(Value * item, NumberValue(number, DType::kI64));
    DRAGOMAN_ASSIGN(item, Add("Unsqueeze", {item, builder_->Ints(Ints{0})}));
    items.push_back(item);
  }
  if (items.size() == 1) return items.front();
  return Add("Concat", std::move(items), {{"axis", 0}});
}

Result<Number> Call::SizeOf(Value* value, std::int64_t axis) {
  if (const Shape* shape = value->type().shape()) {
    const auto index = static_cast<std::size_t>(axis);
    if (axis < 0 || index >= shape->size())
      return InvalidInput("axis " + std::to_string(axis) + " is beyond a tensor of rank " +
                          std::to_string(shape->size()));
    if ((*shape)[index].known()) return Number::Int((*shape)[index].value());
  }
  DRAGOMAN_ASSIGN(Value * shape, Add("Shape", {value}));
  DRAGOMAN_ASSIGN(Value * size, Add("Gather", {shape, builder_->Int(axis)}));
  return dragoman::NumberFrom(*builder_, Number::Kind::kInt, size);
}

Result<Value*> Call::Reshape(Value* value, std::span<const std::int64_t> sizes) {
  const bool zero = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  std::vector<NamedAttribute> attributes;
  if (zero) attributes.emplace_back("allowzero", 1);
  if (const Shape* shape = value->type().shape();
      shape != nullptr && shape->size() == sizes.size()) {
    bool same = true;
    for (std::size_t i = 0; i < sizes.size(); ++i) same = same && (*shape)[i] == Dim(sizes[i]);
    if (same) return value;
  }
  return Add("Reshape", {value, builder_->Ints(sizes)}, std::move(attributes));
}

Abstract Call::NewTensor(Value* value) { return heap_->NewTensor(value); }

Abstract Call::NewList(std::vector<Abstract> items) { return heap_->NewList(std::move(items)); }

Abstract Call::NewTensorList(std::span<Value* const> values) {
  std::vector<Abstract> items;
  for (Value* value : values) items.push_back(heap_->NewTensor(value));
  return heap_->NewList(std::move(items));
}

Abstract Call::NewNumber(Number::Kind kind, Value* value) {
  return dragoman::NumberFrom(*builder_, kind, value);
}

Status Call::Write(std::string_view name, Value* value) {
  DRAGOMAN_ASSIGN(Abstract argument, Argument(name));
  const auto* tensor = argument.As<TensorRef>();
  if (tensor == nullptr) return NotA(name, "a tensor", argument);
  return heap_->Write(*builder_, *tensor, value);
}

Error Call::Unsupported(std::string message) const {
  return dragoman::Unsupported(op().ToString() + ": " + std::move(message));
}

Error Call::Invalid(std::string message) const {
  return InvalidInput(op().ToString() + ": " + std::move(message));
}

Result<Value*> OpLowering::Tensor(Call& call) const {
  if (plain_ != nullptr) return plain_(call);
  CallComposer c(call);
  Value* value = composed_(c);
  return c.Done(value);
}

Result<Results> OpLowering::operator()(Call& call) const {
  if (general_ != nullptr) {
    Result<Results> results = general_(call);
    if (!results.ok()) return WithoutBlame(call, std::move(results).error());
    return results;
  }
  Result<Value*> value = Tensor(call);
  if (!value.ok()) return WithoutBlame(call, std::move(value).error());
  return Results{call.NewTensor(*value)};
}

}  // namespace dragoman::torch

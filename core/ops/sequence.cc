// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "core/ir/type_algebra.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

// The element type of the sequence operand 0; unknown if nothing is known of the operand.
Result<Type> ElementOf(const InferContext& context) {
  const Type& type = context.type(0);
  if (!type.known()) return Type();
  if (type.kind() == Type::Kind::kSequence) return type.element();
  return context.Fail("operand 0 has type " + type.ToString() + ", expected a sequence");
}

// Sizes that differ from element to element are known at run time only.
Type OneOf(InferContext& context, const Type& element) {
  if (element.shape() == nullptr) return element;
  Shape shape = *element.shape();
  for (Dim& dim : shape) {
    if (dim.unknown()) dim = context.FreshDim(0);
  }
  return element.WithShape(std::move(shape));
}

Status InferConstruct(InferContext& context) {
  Type element = context.type(0);
  for (std::size_t i = 1; i < context.num_operands(); ++i)
    element = Generalize(element, context.type(i));
  context.SetType(0, Type::Sequence(std::move(element)));
  return {};
}

Status InferEmpty(InferContext& context) {
  const std::int64_t number = context.IntAttribute("dtype", 1);
  if (!IsDTypeNumber(number))
    return context.Fail("dtype " + std::to_string(number) + " is not an element type");
  context.SetType(0, Type::Sequence(Type::Tensor(static_cast<DType>(number))));
  return {};
}

Status InferInsert(InferContext& context) {
  DRAGOMAN_ASSIGN(Type element, ElementOf(context));
  DRAGOMAN_TRY(CheckScalar(context, 2));
  const Type& tensor = context.type(1);
  if (element.known() && tensor.known() && element.dtype() != tensor.dtype() &&
      element.dtype() != DType::kUnknown && tensor.dtype() != DType::kUnknown) {
    return context.Fail("cannot insert " + tensor.ToString() + " into " +
                        context.type(0).ToString());
  }
  context.SetType(0, Type::Sequence(Generalize(element, tensor)));
  return {};
}

Status InferErase(InferContext& context) {
  DRAGOMAN_ASSIGN([[maybe_unused]] Type element, ElementOf(context));
  DRAGOMAN_TRY(CheckScalar(context, 1));
  return SameTypeAsFirst(context);
}

Status InferAt(InferContext& context) {
  DRAGOMAN_ASSIGN(Type element, ElementOf(context));
  DRAGOMAN_TRY(CheckScalar(context, 1));
  context.SetType(0, OneOf(context, element));
  return {};
}

Status InferLength(InferContext& context) {
  DRAGOMAN_ASSIGN([[maybe_unused]] Type element, ElementOf(context));
  context.SetShape(0, Shape{});
  return {};
}

Status InferConcatFromSequence(InferContext& context) {
  DRAGOMAN_ASSIGN(Type element, ElementOf(context));
  const std::int64_t stated = context.IntAttribute("axis", 0);
  const std::int64_t new_axis = context.IntAttribute("new_axis", 0);
  if (new_axis != 0 && new_axis != 1)
    return context.Fail("new_axis is " + std::to_string(new_axis) + ", expected 0 or 1");
  context.SetType(0, Type::Tensor(element.dtype()));
  if (element.shape() == nullptr) return {};
  Shape shape = *element.shape();
  const auto rank = static_cast<int>(shape.size());
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, stated, rank + (new_axis == 1 ? 1 : 0)));
  if (new_axis == 1) {
    shape.insert(shape.begin() + axis, Dim::Unknown());
  } else {
    shape[static_cast<std::size_t>(axis)] = Dim::Unknown();
  }
  context.SetType(0, OneOf(context, element.WithShape(std::move(shape))));
  return {};
}

// The size of every part along the axis, if they have one.
Dim PartSize(const InferContext& context, const Dim& size) {
  if (!context.has(1)) return Dim(1);
  const std::optional<Elements>& split = context.elements(1);
  if (!split || split->empty()) return Dim();
  const bool scalar = context.shape(1) != nullptr && context.shape(1)->empty();
  if (scalar) {
    const Dim& part = split->front();
    const bool divides = part.known() && part.value() > 0 && Mod(size, part) == Dim(0);
    return divides ? part : Dim();
  }
  const bool same = std::ranges::all_of(*split, [&](const Dim& d) { return d == split->front(); });
  return same ? split->front() : Dim();
}

Status InferSplitToSequence(InferContext& context) {
  const Shape* input = context.shape(0);
  const DType dtype = context.dtype(0);
  context.SetType(0, Type::Sequence(Type::Tensor(dtype)));
  if (input == nullptr) return {};
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, context.IntAttribute("axis", 0),
                                          static_cast<int>(input->size())));
  Shape part = *input;
  if (!context.has(1) && context.IntAttribute("keepdims", 1) == 0) {
    part.erase(part.begin() + axis);
  } else {
    Dim& size = part[static_cast<std::size_t>(axis)];
    size = PartSize(context, size);
  }
  context.SetType(0, Type::Sequence(Type::Tensor(dtype, std::move(part))));
  return {};
}

}  // namespace

std::vector<OpDef> SequenceOps() {
  return {
      Op("ConcatFromSequence", {11, 11}, "(input_sequence: S) -> (concat_result: T)",
         "S: value; T: any")
          .Attribute("axis", Attribute::Kind::kInt)
          .Required("axis")
          .Attribute("new_axis", Attribute::Kind::kInt, 0)
          .Infer(InferConcatFromSequence),
      Op("SequenceAt", {11, 11}, "(input_sequence: S, position: I) -> (tensor: T)",
         "S: value; I: index; T: any")
          .Infer(InferAt),
      Op("SequenceConstruct", {11, 11}, "(inputs: T*) -> (output_sequence: S)", "T: any; S: value")
          .Infer(InferConstruct),
      Op("SequenceEmpty", {11, 11}, "() -> (output: S)", "S: value")
          .Attribute("dtype", Attribute::Kind::kInt, 1)
          .Infer(InferEmpty),
      Op("SequenceErase", {11, 11}, "(input_sequence: S, position: I?) -> (output_sequence: S)",
         "S: value; I: index")
          .Infer(InferErase),
      Op("SequenceInsert", {11, 11},
         "(input_sequence: S, tensor: T, position: I?) -> (output_sequence: S)",
         "S: value; T: any; I: index")
          .Infer(InferInsert),
      Op("SequenceLength", {11, 11}, "(input_sequence: S) -> (length: i64)", "S: value")
          .Infer(InferLength),
      Op("SplitToSequence", {11, 11}, "(input: T, split: I?) -> (output_sequence: S)",
         "T: any; I: index; S: value")
          .Attribute("axis", Attribute::Kind::kInt, 0)
          .Attribute("keepdims", Attribute::Kind::kInt, 1)
          .Axis(AxisUse::kOfFirst)
          .Infer(InferSplitToSequence),
  };
}

}  // namespace dragoman

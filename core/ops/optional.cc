// SPDX-License-Identifier: Apache-2.0
// Optional, OptionalHasElement, OptionalGetElement. The last two take a value that is not an
// optional as one that is there.
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferOptional(InferContext& context) {
  const Attribute* attribute = context.attribute("type");
  const auto* stated = attribute != nullptr ? attribute->As<Type>() : nullptr;
  if (!context.has(0) && stated == nullptr)
    return context.Fail("has neither an operand nor the attribute 'type'");
  context.SetType(0, Type::Optional(context.has(0) ? context.type(0) : *stated));
  return {};
}

Status InferHasElement(InferContext& context) {
  context.SetShape(0, Shape{});
  const Type& type = context.type(0);
  if (!context.has(0)) context.SetElements(0, {Dim(0)});
  if (type.known() && type.kind() != Type::Kind::kOptional) context.SetElements(0, {Dim(1)});
  return {};
}

Status InferGetElement(InferContext& context) {
  const Type& type = context.type(0);
  context.SetType(0, type.kind() == Type::Kind::kOptional ? type.element() : type);
  return {};
}

}  // namespace

std::vector<OpDef> OptionalOps() {
  return {
      Op("Optional", {15, 15}, "(input: V?) -> (output: O)", "V: value; O: value")
          .Attribute("type", Attribute::Kind::kType)
          .Infer(InferOptional),
      Op("OptionalGetElement", {15, 18}, "(input: O) -> (output: V)", "O: value; V: value")
          .Infer(InferGetElement),
      Op("OptionalHasElement", {15, 18}, "(input: O?) -> (output: bool)", "O: value")
          .Infer(InferHasElement),
  };
}

}  // namespace dragoman

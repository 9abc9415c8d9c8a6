// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/constant_of_shape.h"

#include <cstring>

#include "core/ops/elements.h"
#include "core/ops/kernel_name.h"
#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// The attribute `value`; nullptr if the node leaves it to its default.
Result<const Tensor*> ValueOf(const Node& node) {
  const Attribute* attribute = node.attribute("value");
  if (attribute == nullptr) return nullptr;
  const auto* value = attribute->As<Attribute::TensorPtr>();
  if (value == nullptr || *value == nullptr || (*value)->size() != 1)
    return InvalidInput("attribute 'value' is not a tensor of one element").At(node.Describe());
  if (RuntimeBytes((*value)->dtype()) == 0 || RuntimeBytes((*value)->dtype()) > 8) {
    return Unsupported("attribute 'value' is of element type " +
                       std::string(Name((*value)->dtype())))
        .At(node.Describe());
  }
  return value->get();
}

Result<Params> FillValue(const Node& node) {
  rt::ConstantOfShapeParams params;
  DRAGOMAN_ASSIGN(const Tensor* value, ValueOf(node));
  if (value != nullptr) {
    // A packed element is in the low bits of its byte, the first one that there is.
    const DTypeInfo& info = Info(value->dtype());
    std::memcpy(&params.bits, value->bytes().data(), value->bytes().size());
    if (info.bits < 8) {
      params.bits &= (1 << info.bits) - 1;
      const bool negative = info.is_integer && info.is_signed && params.bits >> (info.bits - 1);
      if (negative) params.bits |= 0xff & ~((1 << info.bits) - 1);
    }
  }
  return Params::Of(params, ParamsToCpp(params));
}

void FillElements(InferContext& context, const Tensor* value) {
  const DType dtype = value != nullptr ? value->dtype() : DType::kF32;
  const std::optional<rt::Shape> shape = ToRuntimeShape(context.results()[0].type.shape());
  if (!shape || !(IsInteger(dtype) || dtype == DType::kBool)) return;
  Dim element = FitElement(dtype, Dim(value->IntAt(0)));
  SetMovedElements(context, 0, *shape, [&](const rt::Shape&) { return element; });
}

Status InferConstantOfShape(InferContext& context) {
  DRAGOMAN_ASSIGN(const Tensor* value, ValueOf(context.node()));
  context.SetType(0, Type::Tensor(value != nullptr ? value->dtype() : DType::kF32));
  const IntsOperand input(context, 0);
  if (input.known() && input.span().size <= rt::kMaxRank) {
    rt::Shape output;
    DRAGOMAN_TRY(context.Check(rt::ConstantOfShapeShape(context.params<rt::ConstantOfShapeParams>(),
                                                        input.span(), &output)));
    context.SetShape(0, output);
    FillElements(context, value);
    return {};
  }
  const std::optional<Elements> sizes = ElementsOrUnknown(context, 0);
  if (!sizes) return {};
  Shape output;
  for (const Dim& stated : *sizes) {
    DRAGOMAN_ASSIGN(Dim size, StatedSize(context, 0, stated));
    output.push_back(std::move(size));
  }
  context.SetShape(0, std::move(output));
  return {};
}

}  // namespace

std::vector<OpDef> ConstantOfShapeOps() {
  return {Op("ConstantOfShape", {9, 21}, "(input: i64#) -> (output: T2)", "T2: any")
              .Attribute("value", Attribute::Kind::kTensor, Tensor::Of<float>({1}, {{0.0f}}))
              .FillWith(FillValue)
              .Infer(InferConstantOfShape)
              .Sizes({.function = "ConstantOfShapeShape",
                      .header = "runtime/params/constant_of_shape.h",
                      .arguments = "p v0"})
              .Kernel({.header = "runtime/kernels/constant_of_shape.h", .types = "bits(T2)"})};
}

}  // namespace dragoman

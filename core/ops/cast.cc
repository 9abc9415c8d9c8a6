// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/cast.h"

#include "core/ops/elements.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Dim CastElement(const InferContext& context, std::span<const Dim> x) {
  return context.result_dtype(0) == DType::kBool ? ToElement(ToTruth(x[0])) : x[0];
}

Status InferCast(InferContext& context) {
  const std::int64_t to = context.IntAttribute("to", 0);
  if (!IsDTypeNumber(to)) {
    return context.Fail("attribute 'to' is " + std::to_string(to) +
                        ", which is not an element type");
  }
  const auto dtype = static_cast<DType>(to);
  if (IsComplex(dtype)) return context.Fail("a cast to " + std::string(Name(dtype)));
  context.SetType(0, Type::Tensor(dtype));
  DRAGOMAN_TRY(SameShapeAsFirst(context));
  const DType from = context.dtype(0);
  const auto exact = [](DType type) { return IsInteger(type) || type == DType::kBool; };
  if (exact(from) && exact(dtype)) MapElements(context, CastElement);
  return {};
}

}  // namespace

std::vector<OpDef> CastOps() {
  constexpr std::string_view kTypes = "number bool str quant f8e8m0";
  const std::string variables = "T1: " + std::string(kTypes) + "; T2: " + std::string(kTypes);
  return {Op("Cast", {1, 21}, "(input: T1) -> (output: T2)", variables)
              .Attributes<rt::CastParams>()
              .Attribute("to", Attribute::Kind::kInt)
              .Required("to")
              .Infer(InferCast)
              .Class(OpClass::kUnary)
              .Kernel({.header = "runtime/kernels/cast.h", .types = "T1 T2", .fallible = true})};
}

}  // namespace dragoman

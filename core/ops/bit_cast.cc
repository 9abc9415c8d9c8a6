// SPDX-License-Identifier: Apache-2.0
#include "core/ops/bit_cast_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferBitCast(InferContext& context) {
  const std::int64_t to = context.IntAttribute("to", 0);
  if (!IsDTypeNumber(to)) {
    return context.Fail("attribute 'to' is " + std::to_string(to) +
                        ", which is not an element type");
  }
  const auto dtype = static_cast<DType>(to);
  const DType from = context.dtype(0);
  if (from != DType::kUnknown && Info(from).bits != Info(dtype).bits) {
    return context.Fail("element types " + std::string(Name(from)) + " and " +
                        std::string(Name(dtype)) + " have different sizes");
  }
  context.SetType(0, Type::Tensor(dtype));
  return SameShapeAsFirst(context);
}

}  // namespace

std::vector<OpDef> BitCastOps() {
  constexpr std::string_view kTypes = "number f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0";
  const std::string variables = "T1: " + std::string(kTypes) + "; T2: " + std::string(kTypes);
  return {Op("BitCast", {26, 26}, "(input: T1) -> (output: T2)", variables)
              .Attribute("to", Attribute::Kind::kInt)
              .Required("to")
              .Infer(InferBitCast)
              .Class(OpClass::kUnary)
              .Kernel({.header = "runtime/kernels/bit_cast.h", .types = "bits(T1) bits(T2)"})
              .Expand(ExpandBitCast)};
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/eye_like.h"

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferEyeLike(InferContext& context) {
  const Shape* input = context.shape(0);
  if (input != nullptr && input->size() != 2) return context.Fail("the operand is not a matrix");
  const auto number = context.IntAttribute("dtype", static_cast<std::int64_t>(context.dtype(0)));
  if (context.attribute("dtype") != nullptr && !IsDTypeNumber(number))
    return context.Fail("attribute 'dtype' is " + std::to_string(number) +
                        ", which is not an element type");
  const auto dtype = static_cast<DType>(number);
  const TypeVariable& allowed = context.def().signature.variables[1];
  if (dtype != DType::kUnknown && !allowed.allowed.Has(dtype))
    return context.Fail("the result cannot be of element type " + std::string(Name(dtype)));
  context.SetType(0, Type::Tensor(dtype));
  if (input != nullptr) context.SetShape(0, *input);
  return {};
}

}  // namespace

std::vector<OpDef> EyeLikeOps() {
  return {Op("EyeLike", {9, 22}, "(input: T1) -> (output: T2)", "T1: number bool; T2: number bool")
              .Attributes<rt::EyeLikeParams>()
              .Attribute("dtype", Attribute::Kind::kInt)
              .Infer(InferEyeLike)
              .Kernel({.header = "runtime/kernels/eye_like.h", .types = "bits(T1) T2"})};
}

}  // namespace dragoman

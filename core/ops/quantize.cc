// SPDX-License-Identifier: Apache-2.0
// Quantisation: numbers to small integers or floats by scale and zero point, and back.
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"
#include "runtime/params/quantize_linear.h"

namespace dragoman {
namespace {

// One scale in all, one an index of `axis`, or one a block of `block_size` indices of it.
Status CheckScale(const InferContext& context, std::int64_t axis, std::int64_t block_size) {
  if (block_size < 0) return context.Fail("block_size is " + std::to_string(block_size));
  const Shape* x = context.shape(0);
  const Shape* scale = context.shape(1);
  if (x == nullptr || scale == nullptr) {
    for (std::size_t i : {1, 2}) LeaveOpen(context, {OpenCheck::Kind::kOneElement, i});
    return {};
  }
  const bool one = Equal(NumElements(*scale), Dim(1)) == Truth::kYes;
  DRAGOMAN_TRY(one ? CheckScalar(context, 2) : CheckSameShape(context, 2, 1));
  if (block_size == 0 && one) return {};
  DRAGOMAN_ASSIGN(int positive, NormalizeAxis(context, axis, static_cast<int>(x->size())));
  const auto along = static_cast<std::size_t>(positive);
  if (block_size == 0) return CheckVector(context, 1, (*x)[along]);
  Shape blocks = *x;
  blocks[along] = CeilDiv(blocks[along], Dim(block_size));
  return CheckShape(context, 1, blocks);
}

// The element type of the zero point, else of the attribute, else u8.
Status InferQuantizeLinear(InferContext& context) {
  const auto& params = context.params<rt::QuantizeLinearParams>();
  DRAGOMAN_TRY(CheckScale(context, params.axis, params.block_size));
  DType dtype = context.dtype(2);
  if (params.output_dtype != 0) {
    const auto asked = static_cast<DType>(params.output_dtype);
    if (!IsDTypeNumber(params.output_dtype) ||
        !context.def().signature.variables[1].allowed.Has(asked))
      return context.Fail("output_dtype is " + std::to_string(params.output_dtype));
    if (dtype != DType::kUnknown && dtype != asked)
      return context.Fail("output_dtype is not the element type of the zero point");
    dtype = asked;
  }
  if (!context.has(2) && dtype == DType::kUnknown) dtype = DType::kU8;
  context.SetType(0, Type::Tensor(dtype));
  return SameShapeAsFirst(context);
}

Status InferDequantizeLinear(InferContext& context) {
  const auto& params = context.params<rt::DequantizeLinearParams>();
  DRAGOMAN_TRY(CheckScale(context, params.axis, params.block_size));
  return SameShapeAsFirst(context);
}

Status InferDynamicQuantizeLinear(InferContext& context) {
  context.SetShape(1, Shape{});
  context.SetShape(2, Shape{});
  return SameShapeAsFirst(context);
}

}  // namespace

std::vector<OpDef> QuantizeOps() {
  return {
      Op("DequantizeLinear", {10, 21}, "(x: T1, x_scale: T2, x_zero_point: T1?) -> (y: T2)",
         "T1: quant i32; T2: f32 f16 bf16")
          .Attributes<rt::DequantizeLinearParams>()
          .Axis(AxisUse::kAlong)
          .Infer(InferDequantizeLinear)
          .Kernel({.header = "runtime/kernels/quantize_linear.h", .types = "T1 T2"}),
      Op("DynamicQuantizeLinear", {11, 11}, "(x: f32) -> (y: u8, y_scale: f32, y_zero_point: u8)",
         "")
          .Infer(InferDynamicQuantizeLinear)
          .Kernel({.header = "runtime/kernels/dynamic_quantize_linear.h", .types = "f32 u8"}),
      Op("QuantizeLinear", {10, 21}, "(x: T1, y_scale: T1, y_zero_point: T2?) -> (y: T2)",
         "T1: f32 f16 bf16 i32; T2: quant")
          .Attributes<rt::QuantizeLinearParams>()
          .Axis(AxisUse::kAlong)
          .Infer(InferQuantizeLinear)
          .Kernel({.header = "runtime/kernels/quantize_linear.h", .types = "T1 T2"}),
  };
}

}  // namespace dragoman

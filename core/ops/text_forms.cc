// SPDX-License-Identifier: Apache-2.0
// Operators on strings that hold something else: numbers, bytes as letters, records.
#include "core/ops/infer_context.h"
#include "core/ops/operand_checks.h"
#include "core/ops/text_ops.h"
#include "runtime/params/base64.h"
#include "runtime/params/number_text.h"

namespace dragoman {
namespace {

Status InferNumberText(InferContext& context) {
  const auto& params = context.params<rt::NumberTextParams>();
  if (params.precision < 0 || params.precision > rt::kMostNumberPrecision)
    return context.Fail("the precision is not within [0, 1074]");
  if (params.width < 0 || params.width > rt::kMostNumberWidth)
    return context.Fail("the width is not within [0, 4096]");
  return SameShapeAsFirst(context);
}

Status InferExampleFeature(InferContext& context) {
  DRAGOMAN_TRY(CheckScalar(context, 1));
  DRAGOMAN_TRY(CheckScalar(context, 2));
  const Shape* records = context.shape(0);
  if (records == nullptr) return {};
  Shape values = *records;
  values.push_back(context.FreshDim(0));
  context.SetShape(0, std::move(values));
  context.SetShape(1, *records);
  return {};
}

}  // namespace

std::vector<OpDef> TextFormOps() {
  return {
      DragomanOp("Base64Decode", "(x: str) -> (y: str)", "")
          .Infer(SameTypeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/base64.h", .types = "str", .fallible = true}),
      DragomanOp("Base64Encode", "(x: str) -> (y: str)", "")
          .Attributes<rt::Base64EncodeParams>()
          .Infer(SameTypeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/base64.h", .types = "str"}),
      DragomanOp("ExampleFeature",
                 "(records: str, key: str, filler: T) -> (values: T, counts: i64)",
                 "T: f32 i64 str")
          .Infer(InferExampleFeature)
          .Sizes({.function = "ExampleFeatureSizes",
                  .header = "runtime/program/example_feature_sizes.h",
                  .arguments = "x0 x1 x2",
                  .types = "T",
                  .sizes = 2})
          .Kernel({.header = "runtime/kernels/example_feature.h", .types = "T", .fallible = true}),
      DragomanOp("NumberText", "(x: T) -> (y: str)", "T: number")
          .Attributes<rt::NumberTextParams>()
          .Infer(InferNumberText)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/number_text.h", .types = "T"}),
      DragomanOp("UnicodeScript", "(x: T) -> (y: T)", "T: i32")
          .Infer(SameTypeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/unicode_script.h", .types = "T"}),
  };
}

}  // namespace dragoman

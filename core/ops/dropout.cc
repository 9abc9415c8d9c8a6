// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/dropout.h"

#include "core/ir/node_attributes.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

Result<Params> FillDropout(const Node& node) {
  const rt::DropoutParams params{node.attribute("seed") != nullptr, IntAttribute(node, "seed", 0)};
  return Params::Of(params, ParamsToCpp(params));
}

Status InferDropout(InferContext& context) {
  DRAGOMAN_TRY(CheckScalar(context, 1));
  DRAGOMAN_TRY(CheckScalar(context, 2));
  if (const Shape* shape = context.shape(0)) context.SetShape(1, *shape);
  return SameTypeAsFirst(context);
}

}  // namespace

std::vector<OpDef> DropoutOps() {
  return {
      Op("Dropout", {1, 22},
         "(data: T, ratio: T1?, training_mode: bool?) -> (output: T, mask: bool?)",
         "T: float; T1: float")
          .Attribute("seed", Attribute::Kind::kInt)
          .FillWith(FillDropout)
          .Infer(InferDropout)
          .Random()
          .Kernel(
              {.header = "runtime/kernels/dropout.h", .types = "T T1=f32 bool", .fallible = true})};
}

}  // namespace dragoman

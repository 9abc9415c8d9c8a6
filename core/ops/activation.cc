// SPDX-License-Identifier: Apache-2.0
// Activation functions with attributes.
#include "runtime/params/activation.h"

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/younger_ops.h"

namespace dragoman {
namespace {

template <class P>
OpBuilder Activation(std::string_view type) {
  return Op(type, "(X: T) -> (Y: T)", "T: float")
      .Attributes<P>()
      .Infer(SameTypeAsFirst)
      .Class(OpClass::kUnary)
      .Kernel({.header = "runtime/kernels/activation.h", .types = "T"});
}

}  // namespace

std::vector<OpDef> ActivationOps() {
  return {
      Activation<rt::CeluParams>("Celu").Expand(ExpandCelu),
      Activation<rt::EluParams>("Elu"),
      Activation<rt::GeluParams>("Gelu").Expand(ExpandGelu),
      Activation<rt::HardSigmoidParams>("HardSigmoid"),
      Activation<rt::LeakyReluParams>("LeakyRelu"),
      Activation<rt::SeluParams>("Selu"),
      Op("Shrink", "(input: T) -> (output: T)", "T: number")
          .Attributes<rt::ShrinkParams>()
          .Infer(SameTypeAsFirst)
          .Class(OpClass::kUnary)
          .Kernel({.header = "runtime/kernels/activation.h", .types = "T"}),
      Activation<rt::SwishParams>("Swish").Expand(ExpandSwish),
      Activation<rt::ThresholdedReluParams>("ThresholdedRelu"),
  };
}

}  // namespace dragoman

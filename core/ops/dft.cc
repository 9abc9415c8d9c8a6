// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/dft.h"

#include "core/ops/dft_formula.h"
#include "core/ops/movement.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

Status InferDft(InferContext& context) {
  const auto& params = context.params<rt::DFTParams>();
  DRAGOMAN_TRY(CheckMinRank(context, 0, 2));
  const IntsOperand length(context, 1);
  const IntsOperand axis(context, 2);
  const std::optional<rt::Shape> known = ToRuntimeShape(context.shape(0));
  if (known && length.known() && axis.known()) {
    rt::Shape y;
    DRAGOMAN_TRY(context.Check(rt::DFTShape(params, *known, length.span(), axis.span(), &y)));
    context.SetShape(0, y);
    return {};
  }
  const Shape* x = context.shape(0);
  if (x == nullptr) return {};
  Shape y = *x;
  y.back() = Dim(2);
  if (axis.known()) {
    DRAGOMAN_ASSIGN(const int along, NormalizeAxis(context, axis.present() ? axis[0] : -2,
                                                   static_cast<int>(y.size())));
    Dim n = y[static_cast<std::size_t>(along)];
    if (length.present()) {
      DRAGOMAN_ASSIGN(n, ScalarOperand(context, 1));
      if (n.unknown()) n = context.FreshDim(0);
    }
    y[static_cast<std::size_t>(along)] = params.onesided ? FloorDiv(n, Dim(2)) + Dim(1) : n;
  } else {
    for (std::size_t i = 0; i + 1 < y.size(); ++i) y[i] = context.FreshDim(0);
  }
  context.SetShape(0, std::move(y));
  return {};
}

}  // namespace

std::vector<OpDef> DftOps() {
  return {
      Op("DFT", {17, 20}, "(input: T1, dft_length: T2?#, axis: i64?#) -> (output: T1)",
         "T1: float; T2: index")
          .Attributes<rt::DFTParams>()
          .Infer(InferDft)
          .Sizes(
              {.function = "DFTShape", .header = "runtime/params/dft.h", .arguments = "p s0 v1 v2"})
          .Kernel({.header = "runtime/kernels/dft.h",
                   .types = "T1 T2=i64",
                   .fallible = true,
                   .scratch = true})
          .Expand(ExpandDft)};
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// dragoman.CtcBeamSearch: the most likely label sequences.
#include "runtime/params/ctc_beam_search.h"

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

Status InferCtcBeamSearch(InferContext& context) {
  constexpr std::int64_t kMostPrefixes = 1 << 20;
  const auto& params = context.params<rt::CtcBeamSearchParams>();
  if (params.beam_width < 1 || params.beam_width > kMostPrefixes)
    return context.Fail("beam_width out of range");
  if (params.top_paths < 1 || params.top_paths > params.beam_width)
    return context.Fail("top_paths out of range");
  const Shape* x = context.shape(0);
  if (x == nullptr) return {};
  if (x->size() != 3) return context.Fail("the steps are not of rank 3");
  DRAGOMAN_TRY(CheckVector(context, 1, (*x)[1]));
  context.SetShape(0, Shape{Dim(params.top_paths), (*x)[1], (*x)[0]});
  context.SetShape(1, Shape{(*x)[1], Dim(params.top_paths)});
  return {};
}

}  // namespace

std::vector<OpDef> CtcBeamSearchOps() {
  return {
      DragomanOp("CtcBeamSearch", "(x: T, lengths: i64) -> (labels: i64, scores: T)", "T: f32 f64")
          .Attributes<rt::CtcBeamSearchParams>()
          .Infer(InferCtcBeamSearch)
          .Kernel({.header = "runtime/kernels/ctc_beam_search.h", .types = "T", .fallible = true})};
}

}  // namespace dragoman

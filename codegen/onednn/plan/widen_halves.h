// SPDX-License-Identifier: Apache-2.0
// Operators on 16-bit floats as operators on f32, for which programs have fast loops.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_WIDEN_HALVES_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_WIDEN_HALVES_H_

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman::onednn {

// Puts casts around operators on f16 or bf16 that are faster in f32, and what moves their results
// moves them in f32. The meaning stays, up to the order of sums: kernels of 16-bit floats compute
// in f32, too, and round once at the end, as the casts do. Casts there and back become a term of a
// loop (MakeMaps).
Status WidenHalves(Model& model);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_WIDEN_HALVES_H_

// SPDX-License-Identifier: Apache-2.0
// The rows of the table of emitters: each file has those of the operators that it emits.
#ifndef DRAGOMAN_EXPORTERS_PT2_OPS_OP_ROWS_H_
#define DRAGOMAN_EXPORTERS_PT2_OPS_OP_ROWS_H_

#include <span>

#include "exporters/pt2/aten_op.h"

namespace dragoman::pt2 {

std::span<const Row> ActivationRows();
std::span<const Row> ComplexRows();
std::span<const Row> ControlFlowRows();
std::span<const Row> ConvolutionRows();
std::span<const Row> DetectionRows();
std::span<const Row> EffectRows();
std::span<const Row> ElementwiseRows();
std::span<const Row> ImageRows();
std::span<const Row> IndexingRows();
std::span<const Row> MaxRoiPoolRows();
std::span<const Row> MovementRows();
std::span<const Row> NormalizationRows();
std::span<const Row> PoolRows();
std::span<const Row> ProductRows();
std::span<const Row> QuantizeRows();
std::span<const Row> RandomRows();
std::span<const Row> RecurrentRows();
std::span<const Row> ReductionRows();
std::span<const Row> RoiAlignRows();

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_OPS_OP_ROWS_H_

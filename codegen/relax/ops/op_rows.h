// SPDX-License-Identifier: Apache-2.0
// The rows of the table of emitters: each file has those of the operators that it emits.
#ifndef DRAGOMAN_CODEGEN_RELAX_OPS_OP_ROWS_H_
#define DRAGOMAN_CODEGEN_RELAX_OPS_OP_ROWS_H_

#include <span>

#include "codegen/relax/relax_op.h"

namespace dragoman::relax {

std::span<const Row> ActivationRows();
std::span<const Row> ConvolutionRows();
std::span<const Row> ElementwiseRows();
std::span<const Row> GridSampleRows();
std::span<const Row> IndexingRows();
std::span<const Row> IntegerProductRows();
std::span<const Row> MovementRows();
std::span<const Row> NormalizationRows();
std::span<const Row> PadRows();
std::span<const Row> PoolRows();
std::span<const Row> ProductRows();
std::span<const Row> QuantizeRows();
std::span<const Row> RangeRows();
std::span<const Row> ReductionRows();
std::span<const Row> ResizeRows();
std::span<const Row> SliceRows();
std::span<const Row> UniqueRows();
std::span<const Row> VisionRows();

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_OPS_OP_ROWS_H_

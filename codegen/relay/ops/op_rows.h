// SPDX-License-Identifier: Apache-2.0
// The rows of the table of emitters: each file has those of the operators that it emits.
#ifndef DRAGOMAN_CODEGEN_RELAY_OPS_OP_ROWS_H_
#define DRAGOMAN_CODEGEN_RELAY_OPS_OP_ROWS_H_

#include <span>

#include "codegen/relay/relay_op.h"

namespace dragoman::relay::emit {

std::span<const Row> ActivationRows();
std::span<const Row> ConvolutionRows();
std::span<const Row> EinsumRows();
std::span<const Row> ElementwiseRows();
std::span<const Row> ImageRows();
std::span<const Row> IndexingRows();
std::span<const Row> LinearRows();
std::span<const Row> NormalizationRows();
std::span<const Row> QuantizeRows();
std::span<const Row> ReductionRows();
std::span<const Row> ShapeRows();
std::span<const Row> SliceRows();

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_OPS_OP_ROWS_H_

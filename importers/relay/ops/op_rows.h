// SPDX-License-Identifier: Apache-2.0
// The rows of op_table.h: each file has those of the operators that it lowers.
#ifndef DRAGOMAN_IMPORTERS_RELAY_OPS_OP_ROWS_H_
#define DRAGOMAN_IMPORTERS_RELAY_OPS_OP_ROWS_H_

#include <span>

#include "importers/relay/ops/op_table.h"

namespace dragoman::relay {

// `lower` with what the operators of its rows differ in.
template <auto lower, auto... parameters>
auto With(Call& c) {
  return lower(c, parameters...);
}

// How sizes, axes and the like are given: the operators "dyn.…" have them as operands.
enum class Given { kAsAttribute, kAsOperand };

std::span<const OpRow> AdvancedIndexingRows();
std::span<const OpRow> BlocksRows();
std::span<const OpRow> ConvolutionRows();
std::span<const OpRow> CorrelationRows();
std::span<const OpRow> DeformableRows();
std::span<const OpRow> ElementwiseRows();
std::span<const OpRow> FourierRows();
std::span<const OpRow> ImageRows();
std::span<const OpRow> IndexingRows();
std::span<const OpRow> LayoutRows();
std::span<const OpRow> LinearRows();
std::span<const OpRow> LossRows();
std::span<const OpRow> OrderRows();
std::span<const OpRow> ProposalRows();
std::span<const OpRow> QuantizedRows();
std::span<const OpRow> RandomRows();
std::span<const OpRow> ReductionRows();
std::span<const OpRow> RegularSuppressionRows();
std::span<const OpRow> ShapeRows();
std::span<const OpRow> SparseRows();
std::span<const OpRow> SuppressionRows();
std::span<const OpRow> VisionRows();

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_OPS_OP_ROWS_H_

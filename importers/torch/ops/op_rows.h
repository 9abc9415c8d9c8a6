// SPDX-License-Identifier: Apache-2.0
// The rows of op_table.h: each file has those of the operators that it lowers.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_OP_ROWS_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_OP_ROWS_H_

#include <span>

#include "importers/torch/ops/op_table.h"

namespace dragoman::torch {

inline constexpr GridRule kOperandGrid = {.kind = GridRule::Kind::kOperand};
inline constexpr GridRule kIntegerGrid = {.kind = GridRule::Kind::kIntegers};
// Of results in [0, 1] and in [-1, 1].
inline constexpr GridRule kUnitGrid = {GridRule::Kind::kSteps, 256, 0, -128};
inline constexpr GridRule kSymmetricGrid = {GridRule::Kind::kSteps, 128, 128, 0};

std::span<const OpRow> ActivationRows();
std::span<const OpRow> AdaptivePoolingRows();
std::span<const OpRow> ArithmeticRows();
std::span<const OpRow> AttentionRows();
std::span<const OpRow> BackwardRows();
std::span<const OpRow> ComplexTensorsRows();
std::span<const OpRow> ConvolutionRows();
std::span<const OpRow> CreationRows();
std::span<const OpRow> CtcLossRows();
std::span<const OpRow> CumulativeRows();
std::span<const OpRow> DecomposedRows();
std::span<const OpRow> DecomposedLayersRows();
std::span<const OpRow> DistanceRows();
std::span<const OpRow> EmbeddingRows();
std::span<const OpRow> FoldRows();
std::span<const OpRow> FourierRows();
std::span<const OpRow> FractionalPoolingRows();
std::span<const OpRow> IndexingRows();
std::span<const OpRow> JoinRows();
std::span<const OpRow> LinearSystemsRows();
std::span<const OpRow> ListsRows();
std::span<const OpRow> LogicRows();
std::span<const OpRow> LossRows();
std::span<const OpRow> MaskedIndexRows();
std::span<const OpRow> MatrixSpectraRows();
std::span<const OpRow> NormRows();
std::span<const OpRow> NormalizationRows();
std::span<const OpRow> NumberPartsRows();
std::span<const OpRow> OrderRows();
std::span<const OpRow> PackedRows();
std::span<const OpRow> PaddingRows();
std::span<const OpRow> PointwiseRows();
std::span<const OpRow> PolynomialRows();
std::span<const OpRow> PoolingRows();
std::span<const OpRow> PrimitivesRows();
std::span<const OpRow> ProductRows();
std::span<const OpRow> QuantizedRows();
std::span<const OpRow> QuantizedAffineRows();
std::span<const OpRow> QuantizedDecomposedRows();
std::span<const OpRow> QuantizedFunctionsRows();
std::span<const OpRow> QuantizedGroupsRows();
std::span<const OpRow> QuantizedRecurrenceRows();
std::span<const OpRow> QuantizedResultsRows();
std::span<const OpRow> RandomRows();
std::span<const OpRow> RearrangeRows();
std::span<const OpRow> RecurrentRows();
std::span<const OpRow> ReductionRows();
std::span<const OpRow> ResamplingRows();
std::span<const OpRow> ScatterRows();
std::span<const OpRow> SegmentsRows();
std::span<const OpRow> SpecialRows();
std::span<const OpRow> StatisticsRows();
std::span<const OpRow> StridedRows();
std::span<const OpRow> TernaryRows();
std::span<const OpRow> TorchaudioRows();
std::span<const OpRow> TorchvisionRows();
std::span<const OpRow> UnaryRows();
std::span<const OpRow> ViewAxesRows();
std::span<const OpRow> ViewPartsRows();
std::span<const OpRow> ViewShapeRows();

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_OP_ROWS_H_

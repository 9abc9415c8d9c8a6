// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/op_table.h"

#include <vector>

#include "core/support/gather_rows.h"
#include "importers/torch/ops/op_rows.h"

namespace dragoman::torch {
namespace {

constexpr RowsOfFile<OpRow> kFiles[] = {
    ActivationRows,
    AdaptivePoolingRows,
    ArithmeticRows,
    AttentionRows,
    BackwardRows,
    ComplexTensorsRows,
    ConvolutionRows,
    CreationRows,
    CtcLossRows,
    CumulativeRows,
    DecomposedRows,
    DecomposedLayersRows,
    DistanceRows,
    EmbeddingRows,
    FoldRows,
    FourierRows,
    FractionalPoolingRows,
    IndexingRows,
    JoinRows,
    LinearSystemsRows,
    ListsRows,
    LogicRows,
    LossRows,
    MaskedIndexRows,
    MatrixSpectraRows,
    NormRows,
    NormalizationRows,
    NumberPartsRows,
    OrderRows,
    PackedRows,
    PaddingRows,
    PointwiseRows,
    PolynomialRows,
    PoolingRows,
    PrimitivesRows,
    ProductRows,
    QuantizedRows,
    QuantizedAffineRows,
    QuantizedDecomposedRows,
    QuantizedFunctionsRows,
    QuantizedGroupsRows,
    QuantizedRecurrenceRows,
    QuantizedResultsRows,
    RandomRows,
    RearrangeRows,
    RecurrentRows,
    ReductionRows,
    ResamplingRows,
    ScatterRows,
    SegmentsRows,
    SpecialRows,
    StatisticsRows,
    StridedRows,
    TernaryRows,
    TorchaudioRows,
    TorchvisionRows,
    UnaryRows,
    ViewAxesRows,
    ViewPartsRows,
    ViewShapeRows,
};

}  // namespace

std::span<const OpRow> OpRows() {
  static const std::vector<OpRow> rows = GatherRows(kFiles, &OpRow::name);
  return rows;
}

const OpRow* FindOpRow(std::string_view name) { return FindByKey(OpRows(), name, &OpRow::name); }

}  // namespace dragoman::torch

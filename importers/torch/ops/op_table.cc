// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/op_table.h"

#include <algorithm>
#include <vector>

#include "core/support/find_by_key.h"
#include "importers/torch/ops/op_rows.h"

namespace dragoman::torch {
namespace {

using Family = std::span<const OpRow> (*)();
constexpr Family kFamilies[] = {
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

std::vector<OpRow> AllRows() {
  std::vector<OpRow> rows;
  for (const Family family : kFamilies) rows.insert(rows.end(), family().begin(), family().end());
  std::ranges::sort(rows, {}, &OpRow::name);
  return rows;
}

}  // namespace

std::span<const OpRow> OpRows() {
  static const std::vector<OpRow> rows = AllRows();
  return rows;
}

const OpRow* FindOpRow(std::string_view name) { return FindByKey(OpRows(), name, &OpRow::name); }

}  // namespace dragoman::torch

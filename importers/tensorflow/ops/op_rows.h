// SPDX-License-Identifier: Apache-2.0
// The rows of op_table.h: each file has those of the operators that it lowers.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_OP_ROWS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_OP_ROWS_H_

#include <span>

#include "importers/tensorflow/ops/op_table.h"

namespace dragoman::tf {

// `lower` with what the operators of its rows differ in.
template <auto lower, auto... parameters>
auto With(Call& c) {
  return lower(c, parameters...);
}

std::span<const OpRow> AudioRows();
std::span<const OpRow> BicubicRows();
std::span<const OpRow> BitsRows();
std::span<const OpRow> BlocksRows();
std::span<const OpRow> BoxesRows();
std::span<const OpRow> ChoicesRows();
std::span<const OpRow> ConvolutionRows();
std::span<const OpRow> CountsRows();
std::span<const OpRow> DecodingRows();
std::span<const OpRow> DiagonalsRows();
std::span<const OpRow> EffectsRows();
std::span<const OpRow> ElementwiseRows();
std::span<const OpRow> EncodedRows();
std::span<const OpRow> ExamplesRows();
std::span<const OpRow> FusedRows();
std::span<const OpRow> GradientsRows();
std::span<const OpRow> ImagesRows();
std::span<const OpRow> IndexingRows();
std::span<const OpRow> LayerGradientsRows();
std::span<const OpRow> LinalgRows();
std::span<const OpRow> LinearRows();
std::span<const OpRow> NeuralRows();
std::span<const OpRow> NgramsRows();
std::span<const OpRow> ProjectiveRows();
std::span<const OpRow> QuantizationRows();
std::span<const OpRow> QuantizedRows();
std::span<const OpRow> QuantizedArithmeticRows();
std::span<const OpRow> QuantizedFusedRows();
std::span<const OpRow> RaggedTensorRows();
std::span<const OpRow> RaggedRowsRows();
std::span<const OpRow> RandomRows();
std::span<const OpRow> RandomStateRows();
std::span<const OpRow> RangesRows();
std::span<const OpRow> RecurrentRows();
std::span<const OpRow> ReductionRows();
std::span<const OpRow> ResamplingRows();
std::span<const OpRow> ResizingRows();
std::span<const OpRow> SegmentsRows();
std::span<const OpRow> SetsRows();
std::span<const OpRow> ShapeRows();
std::span<const OpRow> SliceAssignRows();
std::span<const OpRow> SparseRows();
std::span<const OpRow> SparseCountsRows();
std::span<const OpRow> SparseCrossRows();
std::span<const OpRow> SparseTensorsRows();
std::span<const OpRow> SpecialRows();
std::span<const OpRow> SpectralRows();
std::span<const OpRow> StatelessRandomRows();
std::span<const OpRow> StringsRows();
std::span<const OpRow> SuppressionRows();
std::span<const OpRow> TablesRows();
std::span<const OpRow> TensorArraysRows();
std::span<const OpRow> TensorListsRows();
std::span<const OpRow> TransposedConvolutionRows();
std::span<const OpRow> UnicodeRows();
std::span<const OpRow> VariablesRows();

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_OP_ROWS_H_

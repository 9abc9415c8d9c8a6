// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/op_table.h"

#include "core/support/gather_rows.h"
#include "importers/tensorflow/ops/op_rows.h"

namespace dragoman::tf {
namespace {

constexpr RowsOfFile<OpRow> kFiles[] = {
    AudioRows,          BicubicRows,      BitsRows,
    BlocksRows,         BoxesRows,        ChoicesRows,
    ConvolutionRows,    CountsRows,       DecodingRows,
    DiagonalsRows,      EffectsRows,      ElementwiseRows,
    EncodedRows,        ExamplesRows,     FusedRows,
    GradientsRows,      ImagesRows,       IndexingRows,
    LayerGradientsRows, LinalgRows,       LinearRows,
    NeuralRows,         NgramsRows,       ProjectiveRows,
    QuantizationRows,   QuantizedRows,    QuantizedArithmeticRows,
    QuantizedFusedRows, RaggedTensorRows, RaggedRowsRows,
    RandomRows,         RandomStateRows,  RangesRows,
    RecurrentRows,      ReductionRows,    ResamplingRows,
    ResizingRows,       SegmentsRows,     SetsRows,
    ShapeRows,          SliceAssignRows,  SparseRows,
    SparseCountsRows,   SparseCrossRows,  SparseTensorsRows,
    SpecialRows,        SpectralRows,     StatelessRandomRows,
    StringsRows,        SuppressionRows,  TablesRows,
    TensorArraysRows,   TensorListsRows,  TransposedConvolutionRows,
    UnicodeRows,        VariablesRows,
};

}  // namespace

std::span<const OpRow> OpRows() {
  static const std::vector<OpRow> rows = GatherRows(kFiles, &OpRow::name);
  return rows;
}

const OpRow* FindOpRow(std::string_view name) { return FindByKey(OpRows(), name, &OpRow::name); }

Result<std::vector<Abstract>> OpLowering::operator()(Call& call) const {
  std::vector<Abstract> results;
  std::vector<Value*> values;
  if (general_ != nullptr) {
    results = general_(call);
  } else if (multiple_ != nullptr) {
    values = multiple_(call);
  } else {
    values = {plain_(call)};
  }
  DRAGOMAN_TRY(call.status());
  for (Value* value : values) results.push_back(call.NewTensor(value));
  return results;
}

}  // namespace dragoman::tf

// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "core/support/gather_rows.h"
#include "exporters/pt2/ops/op_rows.h"

namespace dragoman::pt2 {
namespace {

constexpr RowsOfFile<Row> kFiles[] = {
    ActivationRows, ComplexRows,       ControlFlowRows, ConvolutionRows, DetectionRows,
    EffectRows,     ElementwiseRows,   ImageRows,       IndexingRows,    MaxRoiPoolRows,
    MovementRows,   NormalizationRows, PoolRows,        ProductRows,     QuantizeRows,
    RandomRows,     RecurrentRows,     ReductionRows,   RoiAlignRows,
};

}  // namespace

const Row* FindRow(std::string_view label) {
  static const std::vector<Row> rows = GatherRows(kFiles, &Row::label);
  return FindByKey(rows, label, &Row::label);
}

}  // namespace dragoman::pt2

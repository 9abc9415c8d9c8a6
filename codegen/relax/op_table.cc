// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "codegen/relax/ops/op_rows.h"
#include "core/support/gather_rows.h"

namespace dragoman::relax {
namespace {

constexpr RowsOfFile<Row> kFiles[] = {
    ActivationRows,     ConvolutionRows, ElementwiseRows,   GridSampleRows, IndexingRows,
    IntegerProductRows, MovementRows,    NormalizationRows, PadRows,        PoolRows,
    ProductRows,        QuantizeRows,    RangeRows,         ReductionRows,  ResizeRows,
    SliceRows,          UniqueRows,      VisionRows,
};

}  // namespace

const Row* FindRow(std::string_view label) {
  static const std::vector<Row> rows = GatherRows(kFiles, &Row::label);
  return FindByKey(rows, label, &Row::label);
}

}  // namespace dragoman::relax

// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "codegen/relay/ops/op_rows.h"
#include "core/support/gather_rows.h"

namespace dragoman::relay::emit {
namespace {

constexpr RowsOfFile<Row> kFiles[] = {
    ActivationRows, ConvolutionRows,   EinsumRows,   ElementwiseRows, ImageRows, IndexingRows,
    LinearRows,     NormalizationRows, QuantizeRows, ReductionRows,   ShapeRows, SliceRows,
};

}  // namespace

const Row* FindRow(std::string_view label) {
  static const std::vector<Row> rows = GatherRows(kFiles, &Row::label);
  return FindByKey(rows, label, &Row::label);
}

}  // namespace dragoman::relay::emit

// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/ops/op_table.h"

#include <vector>

#include "core/support/gather_rows.h"
#include "importers/relay/ops/op_rows.h"

namespace dragoman::relay {
namespace {

constexpr RowsOfFile<OpRow> kFiles[] = {
    AdvancedIndexingRows,
    BlocksRows,
    ConvolutionRows,
    CorrelationRows,
    DeformableRows,
    ElementwiseRows,
    FourierRows,
    ImageRows,
    IndexingRows,
    LayoutRows,
    LinearRows,
    LossRows,
    OrderRows,
    ProposalRows,
    QuantizedRows,
    RandomRows,
    ReductionRows,
    RegularSuppressionRows,
    ShapeRows,
    SparseRows,
    SuppressionRows,
    VisionRows,
};

}  // namespace

std::span<const OpRow> OpRows() {
  static const std::vector<OpRow> rows = GatherRows(kFiles, &OpRow::name);
  return rows;
}

const OpRow* FindOpRow(std::string_view name) { return FindByKey(OpRows(), name, &OpRow::name); }

Result<Abstract> OpLowering::operator()(Call& call) const {
  Abstract result;
  if (any_ != nullptr) {
    result = any_(call);
  } else if (multiple_ != nullptr) {
    result = call.TupleOf(multiple_(call));
  } else {
    result = call.NewTensor(plain_(call));
  }
  call.CheckAllRead();
  DRAGOMAN_TRY(call.status());
  return result;
}

}  // namespace dragoman::relay

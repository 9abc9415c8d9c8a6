// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/ops/op_table.h"

#include <algorithm>
#include <vector>

#include "core/support/find_by_key.h"
#include "importers/relay/ops/op_rows.h"

namespace dragoman::relay {
namespace {

using Family = std::span<const OpRow> (*)();
constexpr Family kFamilies[] = {
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

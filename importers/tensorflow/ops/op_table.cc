// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/op_table.h"

#include "core/support/find_by_key.h"
#include "importers/tensorflow/ops/op_rows.h"

namespace dragoman::tf {

const OpRow* FindOpRow(std::string_view name) {
  for (const std::span<const OpRow> rows : {OpRowsAToM(), OpRowsNToZ()}) {
    if (const OpRow* row = FindByKey(rows, name, &OpRow::name)) return row;
  }
  return nullptr;
}

std::vector<OpRow> OpRows() {
  const std::span<const OpRow> first = OpRowsAToM();
  const std::span<const OpRow> second = OpRowsNToZ();
  std::vector<OpRow> rows(first.begin(), first.end());
  rows.insert(rows.end(), second.begin(), second.end());
  return rows;
}

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

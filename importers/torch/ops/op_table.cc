// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/op_table.h"

#include "core/support/find_by_key.h"
#include "importers/torch/ops/op_rows.h"

namespace dragoman::torch {

const OpRow* FindOpRow(std::string_view name) {
  for (const std::span<const OpRow> rows : {OpRowsAToL(), OpRowsMToZ()}) {
    if (const OpRow* row = FindByKey(rows, name, &OpRow::name)) return row;
  }
  return nullptr;
}

}  // namespace dragoman::torch

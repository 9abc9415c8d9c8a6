#include "importers/torch/ops/op_table.h"

#include <algorithm>

#include "importers/torch/ops/op_rows.h"

namespace dragoman::torch {

const OpRow* FindOpRow(std::string_view name) {
  for (const std::span<const OpRow> rows : {OpRowsAToL(), OpRowsMToZ()}) {
    const auto row = std::ranges::lower_bound(rows, name, {}, &OpRow::name);
    if (row != rows.end() && row->name == name) return &*row;
  }
  return nullptr;
}

}  // namespace dragoman::torch

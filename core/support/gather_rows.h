// SPDX-License-Identifier: Apache-2.0
// Tables whose rows stand in several files, each beside the functions that its rows name:
//
//     std::span<const Row> ShapeRows();                            // one per file
//     constexpr RowsOfFile<Row> kFiles[] = {ShapeRows, …};
//     static const std::vector<Row> rows = GatherRows(kFiles, &Row::label);
//     const Row* row = FindByKey(rows, label, &Row::label);
#ifndef DRAGOMAN_CORE_SUPPORT_GATHER_ROWS_H_
#define DRAGOMAN_CORE_SUPPORT_GATHER_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "core/support/find_by_key.h"

namespace dragoman {

template <class Row>
using RowsOfFile = std::span<const Row> (*)();

// The rows of all files, sorted by their keys. Two rows of one key are a fault of the program,
// which ends.
template <class Row, std::size_t count, class Projection>
std::vector<Row> GatherRows(const RowsOfFile<Row> (&files)[count], Projection key_of) {
  std::vector<Row> rows;
  for (const RowsOfFile<Row> file : files) {
    const std::span<const Row> more = file();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  std::ranges::sort(rows, {}, key_of);
  if (std::ranges::adjacent_find(rows, {}, key_of) != rows.end()) {
    std::fputs("a table has two rows of one key\n", stderr);
    std::abort();
  }
  return rows;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_GATHER_ROWS_H_

// SPDX-License-Identifier: Apache-2.0
// States of a loop of which every iteration replaces one row: results that are put into a tensor
// made for all of them, `outputs[t] = h`.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_WRITTEN_ROWS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_WRITTEN_ROWS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rewrite/recurrence/loop_view.h"

namespace dragoman {

struct RowWrite {
  Value* row = nullptr;  // of size 1 along `axis`
  int axis = 0;
  Shape shape;                     // of all rows
  std::vector<std::int64_t> back;  // the Transpose of the rows that gives the state; empty: none
  bool from_end = false;           // the first iteration writes the last row
};

// nullopt unless the iterations write all rows of the state.
std::optional<RowWrite> ReadRowWrite(const LoopView& loop, const LoopState& state,
                                     const PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_WRITTEN_ROWS_H_

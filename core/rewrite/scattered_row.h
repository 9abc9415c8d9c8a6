// SPDX-License-Identifier: Apache-2.0
// ScatterND and ScatterElements that replace one row of a tensor, `outputs[:, t] = row`: their
// indices are the positions of all that lies in the row.
#ifndef DRAGOMAN_CORE_REWRITE_SCATTERED_ROW_H_
#define DRAGOMAN_CORE_REWRITE_SCATTERED_ROW_H_

#include <cstdint>
#include <optional>

#include "core/rewrite/pass_context.h"

namespace dragoman {

struct ScatteredRow {
  Value* rows = nullptr;  // what the row is put into
  Value* row = nullptr;   // of size 1 along `axis`, of the sizes of `rows` along others
  int axis = 0;
  const Value* place = nullptr;  // of one element: which row it is; nullptr: it is row `index`
  std::int64_t index = 0;        // from the end if negative
};

std::optional<ScatteredRow> ReadScatteredRow(const Node& node, const PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_SCATTERED_ROW_H_

// SPDX-License-Identifier: Apache-2.0
// Which scatters TVM's scatter_elements gets right.
#ifndef DRAGOMAN_CODEGEN_TVM_SCATTER_H_
#define DRAGOMAN_CODEGEN_TVM_SCATTER_H_

#include <cstddef>
#include <cstdint>

#include "core/ir/dim.h"

namespace dragoman::tvm {

// TVM counts the elements before the axis, and those after it, by the sizes of the indices: so
// these must be the sizes of the data, but for the first of either.
inline bool CountsAsData(const Shape& data, const Shape& indices, std::int64_t axis) {
  for (std::size_t i = 1; i < data.size() && i < indices.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (at != axis && at != axis + 1 && data[i] != indices[i]) return false;
  }
  return true;
}

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_SCATTER_H_

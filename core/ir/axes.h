// SPDX-License-Identifier: Apache-2.0
// Lists of axes.
#ifndef DRAGOMAN_CORE_IR_AXES_H_
#define DRAGOMAN_CORE_IR_AXES_H_

#include <cstdint>
#include <vector>

namespace dragoman {

// first, first + 1, … to before `end`; none if `first` is not before it.
inline std::vector<std::int64_t> AxesFrom(std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> axes;
  for (; first < end; ++first) axes.push_back(first);
  return axes;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_AXES_H_

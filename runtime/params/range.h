// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of Range.
#ifndef DRAGOMAN_RUNTIME_PARAMS_RANGE_H_
#define DRAGOMAN_RUNTIME_PARAMS_RANGE_H_

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// max(ceil((limit - start) / delta), 0) elements; floats are counted in double, integers exactly.
// T is an integer of up to 64 bits, float or double; narrow floats come as float.
template <class T>
Status RangeShape(T start, T limit, T delta, Shape* output) {
  if (delta == T(0)) return Status::Error("the delta of a range is 0");
  if constexpr (std::is_floating_point_v<T>) {
    const double count = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                                   static_cast<double>(delta));
    if (!(count < 9.2e18)) return Status::Error("the size of a range overflows 64 bits");
    *output = {count > 0 ? static_cast<std::int64_t>(count) : 0};
  } else {
    const bool up = delta > 0;
    const auto low = static_cast<std::uint64_t>(up ? start : limit);
    const auto high = static_cast<std::uint64_t>(up ? limit : start);
    const auto wide = static_cast<std::uint64_t>(delta);
    const std::uint64_t step = up ? wide : 0 - wide;
    const bool empty = up ? limit <= start : start <= limit;
    const std::uint64_t count = empty ? 0 : (high - low - 1) / step + 1;
    if (count > INT64_MAX) return Status::Error("the size of a range overflows 64 bits");
    *output = {static_cast<std::int64_t>(count)};
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_RANGE_H_

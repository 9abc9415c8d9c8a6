// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/int8_product.h"

#include <algorithm>
#include <cstring>

#include "runtime/fast/clones.h"

namespace dragoman::rt {
namespace {

// to[i * step] = x[i] + shift
template <class T, class To>
DRAGOMAN_RT_CLONES void CopyLine(const T* x, std::int64_t count, std::int32_t shift,
                                 std::int64_t step, To* to) {
  if (step == 1) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(x[i] + shift);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i * step] = static_cast<To>(x[i] + shift);
}

template <class To>
void CopyAny(Int8Data x, std::int64_t at, std::int64_t count, std::int32_t shift, std::int64_t step,
             To* to) {
  if (x.is_signed) {
    CopyLine(static_cast<const std::int8_t*>(x.data) + at, count, shift, step, to);
  } else {
    CopyLine(static_cast<const std::uint8_t*>(x.data) + at, count, shift, step, to);
  }
}

// f(depth, element less its zero point), for every depth of a column that has one.
template <class F>
void ForEachElement(const Int8Columns& from, std::int64_t column, const Int8Zeros& zeros, F f) {
  const std::int64_t start = from.start + from.columns[static_cast<std::size_t>(column)];
  const std::int32_t zero = zeros[column];
  for (std::size_t k = 0; k < from.depths.size(); ++k) {
    if (from.depths[k] >= 0)
      f(static_cast<std::int64_t>(k), from.data[start + from.depths[k]] - zero);
  }
}

template <class T>
void PackColumns(const Int8Columns& from, std::int64_t first, std::int64_t count,
                 const Int8Zeros& zeros, std::int64_t width, char* packed) {
  constexpr auto kDepths = kInt8Word / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t panel_bytes =
      static_cast<std::int64_t>(from.depths.size() * sizeof(T)) * width;
  for (std::int64_t panel = 0; panel < count; panel += width, packed += panel_bytes) {
    std::fill_n(packed, panel_bytes, char{0});
    for (std::int64_t i = 0; i < std::min(width, count - panel); ++i) {
      ForEachElement(from, first + panel + i, zeros, [&](std::int64_t k, std::int32_t element) {
        const auto factor = static_cast<T>(element);
        const std::int64_t at = (k / kDepths * width + i) * kDepths + k % kDepths;
        std::memcpy(packed + at * static_cast<std::int64_t>(sizeof factor), &factor, sizeof factor);
      });
    }
  }
}

}  // namespace

bool FitBytes(Int8Data x, std::int64_t count, const Int8Zeros& zeros, std::int64_t columns,
              std::int64_t inner) noexcept {
  bool shifted = !x.is_signed;
  for (std::int64_t i = 0; i < zeros.zeros.size; ++i) shifted = shifted || zeros[i] != 0;
  for (std::int64_t i = 0; i < count && shifted; ++i) {
    const std::int32_t factor = x[i] - zeros[i / inner % columns];
    if (factor < -128 || factor > 127) return false;
  }
  return true;
}

void PackInt8(const Int8Columns& from, std::int64_t first, std::int64_t count,
              const Int8Zeros& zeros, std::int64_t width, int factor_bytes, char* packed) noexcept {
  if (factor_bytes == 1) {
    PackColumns<std::int8_t>(from, first, count, zeros, width, packed);
  } else {
    PackColumns<std::int16_t>(from, first, count, zeros, width, packed);
  }
}

void CopyInt8(Int8Data x, std::int64_t at, std::int64_t count, std::int32_t zero, std::int64_t step,
              std::int16_t* to) noexcept {
  CopyAny(x, at, count, -zero, step, to);
}

void CopyInt8(Int8Data x, std::int64_t at, std::int64_t count, std::int32_t, std::int64_t step,
              std::uint8_t* to) noexcept {
  CopyAny(x, at, count, ShiftToBytes(x), step, to);
}

}  // namespace dragoman::rt

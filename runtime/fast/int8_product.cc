#include "runtime/fast/int8_product.h"

#include <algorithm>

#include "runtime/fast/clones.h"

namespace dragoman::rt {
namespace {

template <class T>
DRAGOMAN_RT_CLONES void Widen(const T* x, std::int64_t count, std::int32_t zero, std::int64_t step,
                              std::int16_t* to) {
  if (step == 1) {
    DRAGOMAN_RT_INDEPENDENT
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<std::int16_t>(x[i] - zero);
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) to[i * step] = static_cast<std::int16_t>(x[i] - zero);
}

}  // namespace

void PackInt8(const Int8Columns& from, std::int64_t first, std::int64_t count, Int8Data zeros,
              bool by_column, std::int64_t width, std::int16_t* packed) noexcept {
  const auto depth = static_cast<std::int64_t>(from.depths.size());
  for (std::int64_t panel = 0; panel < count; panel += width, packed += depth * width) {
    std::fill_n(packed, depth * width, std::int16_t{0});
    for (std::int64_t i = 0; i < std::min(width, count - panel); ++i) {
      const std::int64_t column = first + panel + i;
      const std::int64_t start = from.start + from.columns[static_cast<std::size_t>(column)];
      const std::int32_t zero = zeros.present() ? zeros[by_column ? column : 0] : 0;
      for (std::int64_t k = 0; k < depth; ++k) {
        const std::int64_t at = from.depths[static_cast<std::size_t>(k)];
        if (at < 0) continue;
        packed[(k / 2 * width + i) * 2 + k % 2] =
            static_cast<std::int16_t>(from.data[start + at] - zero);
      }
    }
  }
}

void WidenInt8(Int8Data x, std::int64_t at, std::int64_t count, std::int32_t zero,
               std::int64_t step, std::int16_t* to) noexcept {
  if (x.is_signed) {
    Widen(static_cast<const std::int8_t*>(x.data) + at, count, zero, step, to);
  } else {
    Widen(static_cast<const std::uint8_t*>(x.data) + at, count, zero, step, to);
  }
}

}  // namespace dragoman::rt

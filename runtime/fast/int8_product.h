// Products of 8-bit integers less their zero points, summed in int32 (which wraps): what prepared
// convolutions and matrix products of quantised operands have in common.
//
// Both factors are widened to 16 bits after the zero points are subtracted, so that, unlike with
// the instructions that multiply bytes, no processor saturates in between: sums are exact, whatever
// the signs and zero points of the operands.
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_PRODUCT_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_PRODUCT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// 8-bit integers of either sign; none if there is no data.
struct Int8Data {
  const void* data = nullptr;
  bool is_signed = false;

  Int8Data() = default;
  Int8Data(std::nullptr_t) {}
  Int8Data(const std::int8_t* values) : data(values), is_signed(true) {}
  Int8Data(const std::uint8_t* values) : data(values) {}

  bool present() const { return data != nullptr; }
  std::int32_t operator[](std::int64_t i) const {
    if (is_signed) return static_cast<const std::int8_t*>(data)[i];
    return static_cast<const std::uint8_t*>(data)[i];
  }
};

// The same with their number.
struct Int8View {
  Int8Data data;
  std::int64_t size = 0;

  Int8View() = default;
  Int8View(TensorView<const std::int8_t> view)
      : data(view.data), size(view.present() ? view.size() : 0) {}
  Int8View(TensorView<const std::uint8_t> view)
      : data(view.data), size(view.present() ? view.size() : 0) {}
};

// The right factor as it lies in memory: depth k of column c is data[columns[c] + depths[k]], and 0
// where depths[k] is negative. There is an even number of depths.
struct Int8Columns {
  Int8Data data;
  std::int64_t start = 0;
  std::vector<std::int64_t> columns;
  std::vector<std::int64_t> depths;
};

// Elements of `columns` columns in panels of `width` columns, which are filled up with zeros.
inline std::int64_t PackedSize(std::int64_t columns, std::int64_t depth, std::int64_t width) {
  return (columns + width - 1) / width * width * depth;
}

// Packs columns [first, first + count), less their zero points: one or, if `by_column`, one each.
// A panel holds its depths by pairs: [pair of depths][column][2].
void PackInt8(const Int8Columns& from, std::int64_t first, std::int64_t count, Int8Data zeros,
              bool by_column, std::int64_t width, std::int16_t* packed) noexcept;

// to[i * step] = x[at + i] - zero
void WidenInt8(Int8Data x, std::int64_t at, std::int64_t count, std::int32_t zero,
               std::int64_t step, std::int16_t* to) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_PRODUCT_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of 8-bit integers less their zero points, summed in int32 (which wraps): what prepared
// convolutions and matrix products of quantised operands have in common.
//
// Factors have 16 bits, widened after the zero points are subtracted, so that no processor
// saturates in between: sums are exact, whatever the signs and zero points of the operands. Where
// an instruction keeps sums of products of bytes exact, and the right factor less its zero points
// fits signed bytes, factors stay bytes: the left one as it is, or plus 128 if it is signed, so
// that all are unsigned. The epilogue takes its zero point out: sum((a - z) b) = sum(a b) - z
// sum(b).
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_PRODUCT_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_PRODUCT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/fast/int8_kernels.h"
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
  Int8View(Int8Data values, std::int64_t count)
      : data(values), size(values.present() ? count : 0) {}
  Int8View(TensorView<const std::int8_t> view)
      : data(view.data), size(view.present() ? view.size() : 0) {}
  Int8View(TensorView<const std::uint8_t> view)
      : data(view.data), size(view.present() ? view.size() : 0) {}
};

// The right factor as it lies in memory: depth k of column c is data[columns[c] + depths[k]], and 0
// where depths[k] is negative. They fill whole words.
struct Int8Columns {
  Int8Data data;
  std::int64_t start = 0;
  std::vector<std::int64_t> columns;
  std::vector<std::int64_t> depths;
};

// Their zero points: none, one, or one each.
struct Int8Zeros {
  Int8View zeros;

  Int8Zeros(const Int8View& view = {}) : zeros(view) {}
  std::int32_t operator[](std::int64_t column) const {
    return zeros.size == 0 ? 0 : zeros.data[zeros.size > 1 ? column : 0];
  }
};

// Whether `count` elements, less their zero points, fit signed bytes. Element i belongs to column
// i / inner % columns.
bool FitBytes(Int8Data x, std::int64_t count, const Int8Zeros& zeros, std::int64_t columns,
              std::int64_t inner) noexcept;

// Bytes of `columns` columns of `words` words in panels of `width` columns, filled up with zeros.
inline std::int64_t PackedBytes(std::int64_t columns, std::int64_t words, std::int64_t width) {
  return (columns + width - 1) / width * width * words * kInt8Word;
}

// Packs columns [first, first + count), less their zero points, as factors of `factor_bytes`. A
// panel holds words of depths: [word][column].
void PackInt8(const Int8Columns& from, std::int64_t first, std::int64_t count,
              const Int8Zeros& zeros, std::int64_t width, int factor_bytes, char* packed) noexcept;

// to[i * step] = x[at + i] - zero
void CopyInt8(Int8Data x, std::int64_t at, std::int64_t count, std::int32_t zero, std::int64_t step,
              std::int16_t* to) noexcept;
// to[i * step] = x[at + i] as an unsigned byte
void CopyInt8(Int8Data x, std::int64_t at, std::int64_t count, std::int32_t zero, std::int64_t step,
              std::uint8_t* to) noexcept;

// What makes a value of x an unsigned byte, if added.
inline std::int32_t ShiftToBytes(Int8Data x) { return x.is_signed ? 128 : 0; }

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_PRODUCT_H_

// Products of 8-bit integers less their zero points, summed in int32 (which wraps): what prepared
// convolutions and matrix products of quantised operands have in common.
//
// Both factors are widened to 16 bits after the zero points are subtracted, so that, unlike with
// the instructions that multiply bytes, no processor saturates in between: sums are exact, whatever
// the signs and zero points of the operands.
//
// A factor is packed in panels of `width` lines (rows of the left one, columns of the right one). A
// panel holds its lines by pairs of depths: [depth / 2][line][2], filled up with zeros.
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_PRODUCT_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_PRODUCT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/fast/int8_kernels.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/status.h"

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

// Where results go: as they are, or requantised.
struct Int8Result {
  enum class Kind { kI32, kI8, kU8 };

  void* data = nullptr;
  Kind kind = Kind::kI32;

  Int8Result(std::int32_t* values) : data(values), kind(Kind::kI32) {}
  Int8Result(std::int8_t* values) : data(values), kind(Kind::kI8) {}
  Int8Result(std::uint8_t* values) : data(values), kind(Kind::kU8) {}
};

// result = saturate(round_to_even((sum + bias) * x_scale * w_scale / y_scale) + y_zero). `w_scale`
// has one element, or one a result channel (a convolution) or column (a matrix product), as has
// `bias`, if there is one. Without y_scale results are the sums.
struct Requantization {
  TensorView<const float> x_scale;
  TensorView<const float> w_scale;
  TensorView<const float> y_scale;
  Int8View y_zero;
  TensorView<const std::int32_t> bias;
};

// A Requantization, resolved for a number of channels or columns.
struct Requantizer {
  std::vector<float> scales;       // empty: results are sums
  std::vector<std::int32_t> bias;  // empty: none
  std::int32_t zero = 0;

  // Error: numbers of elements that do not fit.
  Status Init(const Requantization& q, std::int64_t channels);
  // `count` results of one channel, or of channels from `channel` on.
  void StoreChannel(const std::int32_t* sums, std::int64_t count, std::int64_t channel,
                    Int8Result y, std::int64_t at) const noexcept;
  void StoreChannels(const std::int32_t* sums, std::int64_t count, std::int64_t channel,
                     Int8Result y, std::int64_t at) const noexcept;
};

// Pairs of depths.
inline std::int64_t DepthPairs(std::int64_t depth) { return (depth + 1) / 2; }
// Elements of one panel.
inline std::int64_t PanelSize(std::int64_t depth, std::int64_t width) {
  return DepthPairs(depth) * width * 2;
}
// Elements of a packed factor.
inline std::int64_t PackedSize(std::int64_t lines, std::int64_t depth, std::int64_t width) {
  return (lines + width - 1) / width * PanelSize(depth, width);
}

// A factor as it lies in memory: depth k of line i is data[start + i * line_step + k * depth_step].
struct Int8Factor {
  Int8Data data;
  std::int64_t start = 0;
  std::int64_t lines = 0;
  std::int64_t depth = 0;
  std::int64_t line_step = 0;
  std::int64_t depth_step = 0;
};

// Packs lines [first, first + count). `zeros`: one zero point, or one a line if `by_line`.
void PackInt8(const Int8Factor& factor, std::int64_t first, std::int64_t count, Int8Data zeros,
              bool by_line, std::int64_t width, std::int16_t* packed) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_PRODUCT_H_

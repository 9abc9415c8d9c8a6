// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of the int32 sums of a product of quantised operands before they are stored: the
// operators after the product, computed element by element while the sums are at hand. Every step
// is the arithmetic of the operator that it replaces (runtime/kernels/quantize_linear.h, Add,
// Clip), in float and in the same order, so that results are equal to the last bit.
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_EPILOGUE_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_EPILOGUE_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/fast/int8_product.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// The numbers that 8-bit integers stand for: q is (q - zero) * scale; and which of them occur. A
// scale of 0 is not a grid.
struct Int8Grid {
  float scale = 0.0f;
  std::int32_t zero = 0;
  std::int32_t low = 0;
  std::int32_t high = 0;

  bool present() const { return scale != 0.0f; }
};

struct Int8Limits {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

// In this order; what is absent, or has its default, does nothing:
//
//     sum += sum_bias[c]
//     v = sum * (x_scale * w_scale[c] / y_scale) + bias[c]         without w_scale: y = sum
//     v = limited(v, limits)
//     v = (quantised(v, through) - through.zero) * through_scale
//     v = limited(v + dequantised(residual, residual grid), sum_limits)
//     y = quantised(v, result)                                     without result: y = v
//
// c is the channel of a convolution's result, the column of a matrix product's. Vectors have one
// element, or one per channel.
struct Int8Epilogue {
  TensorView<const std::int32_t> sum_bias;
  float x_scale = 1.0f;
  TensorView<const float> w_scale;
  float y_scale = 1.0f;
  TensorView<const float> bias;
  Int8Limits limits;
  Int8Grid through;
  float through_scale = 0.0f;
  Int8Grid residual;
  Int8Limits sum_limits;
  Int8Grid result;
  bool scaled_at_run = false;  // x_scale is passed by every run
};

// Where results go.
struct Int8Result {
  enum class Kind { kI32, kF32, kI8, kU8 };

  void* data = nullptr;
  Kind kind = Kind::kI32;

  Int8Result(std::int32_t* values) : data(values), kind(Kind::kI32) {}
  Int8Result(float* values) : data(values), kind(Kind::kF32) {}
  Int8Result(std::int8_t* values) : data(values), kind(Kind::kI8) {}
  Int8Result(std::uint8_t* values) : data(values), kind(Kind::kU8) {}
};

// A block of sums: `rows` lines of `count` channels from `channel` on, `step` sums apart, with room
// for a whole number of strips of 16 channels.
struct Int8Sums {
  const std::int32_t* sums = nullptr;
  std::int64_t rows = 0;
  std::int64_t step = 0;
  std::int64_t channel = 0;
  std::int64_t count = 0;  // at most kMaxInt8Columns
};

// Where the elements of a block belong, in the result and in the residual: `channel` 0 of row r is
// element at[r], the next ones follow at distances of `channel_step`.
struct Int8Places {
  const std::int64_t* at = nullptr;
  std::int64_t channel_step = 1;
};

// An Int8Epilogue, resolved for a number of channels.
class Int8Finisher {
 public:
  // `column_sums`: empty, or for sums of which the left zero point is yet to be taken out
  // (int8_product.h), those of the right factor. Error: numbers of elements that do not fit.
  Status Init(const Int8Epilogue& epilogue, std::int64_t channels,
              std::vector<std::int32_t> column_sums = {});
  // Begins a run with that zero point. Error: operands, or a kind of results, that were not
  // prepared for; `x_scale` is null unless every run passes it.
  Status Begin(std::int32_t left_zero, const float* x_scale, Int8Data residual,
               Int8Result y) noexcept;
  void Store(const Int8Sums& block, const Int8Places& places, Int8Data residual,
             Int8Result y) const noexcept;

 private:
  void StoreSums(const Int8Sums& block, const Int8Places& places, std::int32_t* y) const noexcept;
  void StoreBatch(const Int8Sums& block, const Int8Places& places, Int8Data residual,
                  Int8Result y) const noexcept;

  Int8Epilogue epilogue_;  // but for its vectors
  bool is_sum_ = true;
  std::vector<std::int32_t> sum_bias_, column_sums_, added_;
  std::vector<float> w_scales_, scales_, bias_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_EPILOGUE_H_

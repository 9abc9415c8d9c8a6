// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 3 x 3 convolutions of 8-bit integers with stride 1 by Winograd's algorithm F(m x m, 3 x 3), m = 2
// or 4: a tile of m x m results takes (m + 2)^2 products in place of 9 m^2.
//
//     y = A'((G' w G) * (B' x B)) A / divisor        * element by element, summed over channels
//
// The transforms are scaled so that all of them are whole numbers: G by a factor a row, which is
// taken out again in A. Transformed operands fit 16 bits: 100 * 255 and 49 * 255 at most. Sums are
// kept modulo 2^32; as the divisor is 4 (m = 2) or 576 = 64 * 9 (m = 4), of which 9 has an inverse,
// results come out exactly if their magnitude is below 2^29 or 2^25. That is known from the
// weights.
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_WINOGRAD_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_WINOGRAD_H_

#include <cstdint>
#include <vector>

#include "runtime/fast/int8_epilogue.h"
#include "runtime/fast/int8_image.h"
#include "runtime/fast/int8_kernels.h"

namespace dragoman::rt {

// Weights as (out, in, 3, 3), and the zero points of the result channels.
struct Int8Filter {
  Int8Data values;
  Int8Zeros zeros;
  std::int64_t in = 0;
  std::int64_t out = 0;

  // Weight `tap` of channels m and c, less its zero point.
  std::int32_t At(std::int64_t m, std::int64_t c, std::int64_t tap) const {
    return values[(m * in + c) * 9 + tap] - zeros[m];
  }
};

// What a call works on, and where the results of a sample belong.
struct Int8WinogradCall {
  const std::int16_t* image = nullptr;
  const Int8Finisher* finisher = nullptr;
  Int8Data residual;
  Int8Result y;
  std::int64_t start = 0;          // of the sample
  std::int64_t position_step = 1;  // from one position to the next
  std::int64_t channel_step = 1;
  char* scratch = nullptr;
};

class Int8Winograd {
 public:
  // The side of the tiles that suits a convolution best: 4, 2, or 0 if the algorithm does not fit
  // or does not pay. `image` has the windows of one group with unit dilation.
  static int ChooseTile(const Int8Image& image, const Int8Filter& filter);

  // Extends the image to whole tiles, and packs the weights.
  Int8Winograd(int tile, const Int8Filter& filter, const Int8Kernel& product, std::int64_t threads,
               Int8Image& image);

  std::int64_t ScratchBytes() const;
  void Run(const Int8WinogradCall& call) const noexcept;

 private:
  std::int64_t Points() const { return (tile_ + 2) * (tile_ + 2); }
  std::int64_t OperandBytes() const { return Points() * chunk_ * in_ * 2; }
  std::int64_t ChunkBytes() const {
    return OperandBytes() + Points() * chunk_ * kMaxInt8Columns * 4;
  }
  void PackPanel(const Int8Filter& filter, std::int64_t channel);
  void RunChunk(const Int8WinogradCall& call, std::int64_t first, std::int64_t count,
                char* scratch) const;
  void Multiply(const std::int16_t* operand, std::int64_t count, std::int64_t panel,
                std::int32_t* products) const;
  void Finish(const Int8WinogradCall& call, const std::int32_t* products, std::int64_t count,
              std::int64_t position, std::int64_t channel) const;

  int tile_;
  std::int64_t in_, out_;
  const Int8Kernel* product_;
  std::int64_t threads_;
  std::int64_t height_, width_;        // of the result
  std::int64_t row_size_;              // elements of a row of the image
  std::int64_t across_, tiles_;        // tiles in a row, and in all
  std::int64_t chunk_;                 // tiles that are transformed before they are multiplied
  std::vector<std::int16_t> weights_;  // [panel][point][word of channels][column]
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_WINOGRAD_H_

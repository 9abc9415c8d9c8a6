// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/channels_last.h"

#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kTransposeGrain = 1 << 15;  // elements that a thread is worth

// Lines of `columns` bytes, `rows` of them for each of `count` matrices, become columns.
void TransposeEach(const std::uint8_t* x, std::int64_t count, std::int64_t rows,
                   std::int64_t columns, std::uint8_t* y) {
  Parallel(count * columns, kTransposeGrain / rows + 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line) {
      const std::uint8_t* from = x + line / columns * columns * rows + line % columns;
      std::uint8_t* to = y + line * rows;
      for (std::int64_t i = 0; i < rows; ++i) to[i] = from[i * columns];
    }
  });
}

}  // namespace

void RowMajorToChannelsLast(TensorView<const std::uint8_t> x, TensorView<std::uint8_t> y) noexcept {
  TransposeEach(x.data, x.shape[0], x.shape[1], x.size() / x.shape[0] / x.shape[1], y.data);
}

void ChannelsLastToRowMajor(TensorView<const std::uint8_t> x, TensorView<std::uint8_t> y) noexcept {
  TransposeEach(x.data, x.shape[0], x.size() / x.shape[0] / x.shape[1], x.shape[1], y.data);
}

}  // namespace dragoman::rt

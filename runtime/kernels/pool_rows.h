// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk of the pools over their windows, a row of results at a time.
#ifndef DRAGOMAN_RUNTIME_KERNELS_POOL_ROWS_H_
#define DRAGOMAN_RUNTIME_KERNELS_POOL_ROWS_H_

#include <algorithm>
#include <cstdint>

#include "runtime/params/window.h"

namespace dragoman::rt {

// The results [begin, end) of a row for which a tap lies in the operand: result `o` reads element
// `offset + o * step` of the operand's plane.
struct PoolTap {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t offset = 0;
  std::int64_t step = 1;
};

class PoolRows {
 public:
  explicit PoolRows(const Window& window)
      : window_(window), last_(window.axes[window.rank - 1]), taps_(window.Taps()) {}

  // Rows of results in a plane, and their length.
  std::int64_t rows() const { return window_.OutputSize() / last_.output; }
  std::int64_t row_size() const { return last_.output; }

  // Calls f(tap) for each tap that some result of [first, last) of row `row` has in the operand, in
  // row-major order of the kernel.
  template <class F>
  void ForEachTap(std::int64_t row, std::int64_t first, std::int64_t last, F f) const {
    for (std::int64_t tap = 0; tap < taps_; ++tap) {
      PoolTap found;
      if (Locate(row, tap, &found)) {
        found.begin = std::max(found.begin, first);
        found.end = std::min(found.end, last);
        if (found.begin < found.end) f(found);
      }
    }
  }

  // The taps of result `column` of row `row` that lie in the operand with its padding.
  std::int64_t PaddedTaps(std::int64_t row, std::int64_t column) const {
    std::int64_t count = 1;
    std::int64_t rest = row;
    for (int i = window_.rank - 1; i >= 0; --i) {
      const WindowAxis& axis = window_.axes[i];
      const bool is_last = i == window_.rank - 1;
      const std::int64_t at = is_last ? column : rest % axis.output;
      if (!is_last) rest /= axis.output;
      const std::int64_t room = axis.input + axis.pad_begin + axis.pad_end - 1 - at * axis.stride;
      count *= room < 0 ? 0 : std::min(axis.kernel, room / axis.dilation + 1);
    }
    return count;
  }

 private:
  // False if the tap lies in the padding of an axis before the last.
  bool Locate(std::int64_t row, std::int64_t tap, PoolTap* found) const {
    const std::int64_t shift = tap % last_.kernel * last_.dilation - last_.pad_begin;
    std::int64_t offset = shift;
    std::int64_t size = last_.input;
    std::int64_t rest = row;
    tap /= last_.kernel;
    for (int i = window_.rank - 2; i >= 0; --i) {
      const WindowAxis& axis = window_.axes[i];
      const std::int64_t at =
          rest % axis.output * axis.stride - axis.pad_begin + tap % axis.kernel * axis.dilation;
      if (at < 0 || at >= axis.input) return false;
      offset += at * size;
      size *= axis.input;
      rest /= axis.output;
      tap /= axis.kernel;
    }
    const std::int64_t room = last_.input - 1 - shift;
    found->begin = shift < 0 ? (-shift + last_.stride - 1) / last_.stride : 0;
    found->end = room < 0 ? 0 : std::min(last_.output, room / last_.stride + 1);
    found->offset = offset;
    found->step = last_.stride;
    return true;
  }

  const Window& window_;
  const WindowAxis& last_;
  const std::int64_t taps_;
};

// Pools by sums. For each plane of x and each block of up to 64 results, `add(element, sum)` is
// called for every tap in the operand and `finish(sum, taps, padded_taps)` gives the result: `taps`
// counts those in the operand, `padded_taps` those in the operand with its padding.
template <class T, class Sum, class Add, class Finish>
void PoolBySums(const Window& window, std::int64_t planes, const T* x, T* y, Add add,
                Finish finish) {
  constexpr std::int64_t kBlock = 64;
  Sum sums[kBlock];
  std::int64_t counts[kBlock];
  const PoolRows pool(window);
  const std::int64_t in_plane = window.InputSize();
  const std::int64_t row_size = pool.row_size();
  for (std::int64_t i = 0; i < planes * pool.rows(); ++i) {
    const T* plane = x + i / pool.rows() * in_plane;
    const std::int64_t row = i % pool.rows();
    for (std::int64_t first = 0; first < row_size; first += kBlock) {
      const std::int64_t last = std::min(row_size, first + kBlock);
      std::fill_n(sums, kBlock, Sum(0));
      std::fill_n(counts, kBlock, std::int64_t{0});
      pool.ForEachTap(row, first, last, [&](const PoolTap& tap) {
        for (std::int64_t o = tap.begin; o < tap.end; ++o) {
          add(plane[tap.offset + o * tap.step], sums[o - first]);
          ++counts[o - first];
        }
      });
      for (std::int64_t o = first; o < last; ++o) {
        y[i * row_size + o] = finish(sums[o - first], counts[o - first], pool.PaddedTaps(row, o));
      }
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_POOL_ROWS_H_

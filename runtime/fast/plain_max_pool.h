// MaxPool by a plain loop, for the operands with which oneDNN goes its own way.
#ifndef DRAGOMAN_RUNTIME_FAST_PLAIN_MAX_POOL_H_
#define DRAGOMAN_RUNTIME_FAST_PLAIN_MAX_POOL_H_

#include <array>
#include <cstdint>

#include "runtime/fast/layout.h"
#include "runtime/params/window.h"

namespace dragoman::rt {

// oneDNN passes over NaN, and for windows of -inf gives the lowest number. Here NaN wins.
class PlainMaxPool {
 public:
  PlainMaxPool() = default;
  // Of a window without dilations over x, at most 3 spatial axes; x and y lie in such blocks.
  PlainMaxPool(const Window& window, const Shape& x, std::int64_t x_block, std::int64_t y_block);

  void Run(const float* x, float* y) const noexcept;
  void Run(const BFloat16* x, BFloat16* y) const noexcept;
  // Elements of x in memory.
  std::int64_t x_size() const { return x_.size(); }

 private:
  static constexpr int kAxes = 3;

  struct Range {
    std::int64_t begin, end;
  };

  static std::int64_t At(const BlockedSizes& sizes, std::int64_t image, std::int64_t channel);
  static Range Taps(const WindowAxis& axis, std::int64_t output);
  template <class T>
  void RunAll(const T* x, T* y) const;
  template <class T>
  void RunChannel(const T* x, T* y) const;
  template <class T>
  float Largest(const std::array<Range, kAxes>& taps, const T* x) const;

  std::array<WindowAxis, kAxes> axes_;  // missing ones come first, with one element
  BlockedSizes x_ = BlockedSizes({1, 1}, kRowMajor), y_ = x_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_PLAIN_MAX_POOL_H_

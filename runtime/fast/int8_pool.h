// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MaxPool of 8-bit integers, prepared for one shape.
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_POOL_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_POOL_H_

#include <cstdint>
#include <vector>

#include "runtime/fast/channels_last.h"
#include "runtime/fast/context.h"
#include "runtime/params/max_pool.h"

namespace dragoman::rt {

class PreparedInt8Pool {
 public:
  // 1 to 3 spatial axes, nothing empty, every window with an element of x. Indices are not
  // computed.
  static bool Supports(const MaxPoolParams& p, const Shape& x);

  Status Init(const FastContext& context, const MaxPoolParams& p, const Shape& x,
              ChannelsLast layout = {}) noexcept;

  // `scratch` has ScratchBytes().
  Status Run(const std::uint8_t* x, std::uint8_t* y, void* scratch) noexcept;
  Status Run(const std::int8_t* x, std::int8_t* y, void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  const char* Implementation() const noexcept { return "int8:channels_last"; }

 private:
  template <class T>
  void RunAs(const T* x, T* y, void* scratch) const noexcept;

  Shape x_, y_;
  ChannelsLast layout_;
  std::int64_t input_ = 1, output_ = 1;  // elements of a channel
  // The elements of x's plane that are in the window of position i: taps_[begins_[i] ...
  // begins_[i + 1]).
  std::vector<std::int64_t> begins_, taps_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_POOL_H_

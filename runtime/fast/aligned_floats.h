// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats at the begin of a line of the cache.
#ifndef DRAGOMAN_RUNTIME_FAST_ALIGNED_FLOATS_H_
#define DRAGOMAN_RUNTIME_FAST_ALIGNED_FLOATS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace dragoman::rt {

inline constexpr std::align_val_t kFloatsAlignment{64};

struct FreeAlignedFloats {
  void operator()(float* data) const { ::operator delete(data, kFloatsAlignment); }
};
using AlignedFloats = std::unique_ptr<float, FreeAlignedFloats>;

// Floats that objects may share.
using SharedFloats = std::shared_ptr<const float>;

// Without values. Throws std::bad_alloc.
inline AlignedFloats NewAlignedFloats(std::int64_t count) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
  return AlignedFloats(static_cast<float*>(::operator new(bytes, kFloatsAlignment)));
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_ALIGNED_FLOATS_H_

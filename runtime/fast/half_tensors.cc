#include "runtime/fast/half_tensors.h"

#include "runtime/fast/clones.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

DRAGOMAN_RT_CLONES void Widen(const BFloat16* from, std::int64_t count, float* to) noexcept {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
}

DRAGOMAN_RT_CLONES void Narrow(const float* from, std::int64_t count, BFloat16* to) noexcept {
  DRAGOMAN_RT_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) to[i] = BFloat16(from[i]);
}

void WideCopies::Create(const ElementTypes& types, std::int64_t x_size, std::int64_t y_size,
                        std::int64_t offset) {
  const auto bytes = [](Precision type, std::int64_t size) {
    return type == Precision::kF32 ? 0 : AlignedBytes(size * std::int64_t{sizeof(float)});
  };
  x_size_ = x_size;
  y_size_ = y_size;
  offset_ = offset;
  x_bytes_ = bytes(types.x, x_size);
  y_bytes_ = bytes(types.y, y_size);
}

}  // namespace dragoman::rt

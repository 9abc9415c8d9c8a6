// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/finite.h"

#include <atomic>
#include <cstring>

#include "runtime/fast/clones.h"
#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kFiniteGrain = 1 << 16;  // below which a thread is not worth its start

// The exponent bits of NaN and infinities are all set.
template <class Bits>
DRAGOMAN_RT_INLINE bool AreNumbers(const void* x, std::int64_t count, Bits exponent) {
  const char* bytes = static_cast<const char*>(x);
  Bits found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, bytes + i * std::int64_t{sizeof bits}, sizeof bits);
    found |= static_cast<Bits>((bits & exponent) == exponent ? 1 : 0);
  }
  return found == 0;
}

DRAGOMAN_RT_CLONES bool FinitePart(const float* x, std::int64_t count) {
  return AreNumbers<std::uint32_t>(x, count, 0x7f800000u);
}

DRAGOMAN_RT_CLONES bool FinitePart(const BFloat16* x, std::int64_t count) {
  return AreNumbers<std::uint16_t>(x, count, 0x7f80u);
}

template <class T>
bool AllPartsFinite(const T* x, std::int64_t count) {
  if (x == nullptr) return true;
  std::atomic<bool> finite{true};
  Parallel(count, kFiniteGrain, [&](std::int64_t begin, std::int64_t end) {
    if (!FinitePart(x + begin, end - begin)) finite = false;
  });
  return finite;
}

}  // namespace

bool AllFinite(const float* x, std::int64_t count) noexcept { return AllPartsFinite(x, count); }

bool AllFinite(const BFloat16* x, std::int64_t count) noexcept { return AllPartsFinite(x, count); }

}  // namespace dragoman::rt

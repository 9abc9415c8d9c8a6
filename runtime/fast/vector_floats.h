// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the vectors are in oneDNN's loops, and in those of our own that share its layouts.
#ifndef DRAGOMAN_RUNTIME_FAST_VECTOR_FLOATS_H_
#define DRAGOMAN_RUNTIME_FAST_VECTOR_FLOATS_H_

#include <cstdint>

namespace dragoman::rt {

// The floats of one vector: 16 with AVX-512, else 8. That is asked of oneDNN, so that its variable
// ONEDNN_MAX_CPU_ISA holds here as well.
std::int64_t VectorFloats() noexcept;

// For loops that are templates over the length. `Unaligned` may lie anywhere among floats.
struct Floats8 {
  static constexpr std::int64_t kCount = 8;
  using Vector = float __attribute__((vector_size(32)));
  struct __attribute__((packed, may_alias)) Unaligned {
    Vector vector;
  };
};

struct Floats16 {
  static constexpr std::int64_t kCount = 16;
  using Vector = float __attribute__((vector_size(64)));
  struct __attribute__((packed, may_alias)) Unaligned {
    Vector vector;
  };
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_VECTOR_FLOATS_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MaxPool and AveragePool in f32 or bf16 on oneDNN, prepared for one shape.
#ifndef DRAGOMAN_RUNTIME_FAST_POOL_H_
#define DRAGOMAN_RUNTIME_FAST_POOL_H_

#include <cstdint>

#include "runtime/fast/blocked_sizes.h"
#include "runtime/fast/context.h"
#include "runtime/fast/half_tensors.h"
#include "runtime/fast/pimpl.h"
#include "runtime/params/average_pool.h"
#include "runtime/params/max_pool.h"

namespace dragoman::rt {

class PreparedPool {
 public:
  // 1 to 3 spatial axes, no dilations, nothing empty, every window with an element of x; with
  // count_include_pad no window that reaches beyond the padding. Indices are not computed.
  static bool Supports(const MaxPoolParams& p, const Shape& x);
  static bool Supports(const AveragePoolParams& p, const Shape& x);

  Status Init(const FastContext& context, const MaxPoolParams& p, const Shape& x,
              const Blocks& blocks = {}, const ElementTypes& types = {}) noexcept;
  Status Init(const FastContext& context, const AveragePoolParams& p, const Shape& x,
              const Blocks& blocks = {}, const ElementTypes& types = {}) noexcept;

  // x and y lie as `blocks` says and have such element types as Init was given. `scratch` has
  // ScratchBytes() and is aligned to 64.
  Status Run(const void* x, void* y, void* scratch) noexcept;
  std::int64_t ScratchBytes() const noexcept;
  // The implementation that oneDNN chose.
  const char* Implementation() const noexcept;

 private:
  struct Impl;
  Pimpl<Impl> impl_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_POOL_H_

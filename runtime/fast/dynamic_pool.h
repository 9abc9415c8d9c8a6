// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MaxPool and AveragePool in f32, for sizes of images known only at run time: what is prepared for
// sizes that were seen lately is kept.
#ifndef DRAGOMAN_RUNTIME_FAST_DYNAMIC_POOL_H_
#define DRAGOMAN_RUNTIME_FAST_DYNAMIC_POOL_H_

#include <utility>

#include "runtime/fast/context.h"
#include "runtime/fast/pool.h"
#include "runtime/fast/shape_cache.h"
#include "runtime/kernels/average_pool.h"
#include "runtime/kernels/max_pool.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

// P is MaxPoolParams or AveragePoolParams.
template <class P>
class DynamicPool {
 public:
  Status Init(const FastContext& context, const P& p) noexcept {
    context_ = &context;
    p_ = p;
    return Status();
  }

  // y has the sizes of the pool. x and y lie as `blocks` says: always the same ones; row-major, if
  // there may be sizes for which a window has no element. Primitives for sizes that were not seen
  // lately are made first, and the scratch memory grows for them.
  Status Run(TensorView<const float> x, TensorView<float> y, Memory& scratch,
             const Blocks& blocks = {}) noexcept {
    if (y.size() == 0) {
      if (blocks.y != nullptr && *blocks.y == 0) *blocks.y = kRowMajor;
      return Status();
    }
    PreparedPool* pool = cache_.Find(x.shape);
    if (pool == nullptr) {
      if (!PreparedPool::Supports(p_, x.shape)) return RunKernel(p_, x, y);
      PreparedPool made;
      DRAGOMAN_RT_TRY(made.Init(*context_, p_, x.shape, blocks));
      pool = cache_.Insert(x.shape, std::move(made));
    }
    DRAGOMAN_RT_TRY(scratch.Reserve(pool->ScratchBytes()));
    return pool->Run(x.data, y.data, scratch.data());
  }

 private:
  static Status RunKernel(const MaxPoolParams& p, TensorView<const float> x,
                          TensorView<float> y) noexcept {
    MaxPool<float>(p, x, y, {});
    return Status();
  }
  static Status RunKernel(const AveragePoolParams& p, TensorView<const float> x,
                          TensorView<float> y) noexcept {
    AveragePool<float>(p, x, y);
    return Status();
  }

  const FastContext* context_ = nullptr;
  P p_;
  ShapeCache<PreparedPool> cache_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_DYNAMIC_POOL_H_

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/pool.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "runtime/fast/half_weights.h"
#include "runtime/fast/primitive.h"
#include "runtime/fast/vector_floats.h"
#include "runtime/kernels/max_pool.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kChannelBlock = 8;   // where channels do not fill a longer one
constexpr std::int64_t kLeastChannels = 4;  // for which blocks that are partly empty still pay

bool IsVectorised(const char* implementation) {
  return std::strstr(implementation, "jit") != nullptr;
}

// The kernel, for what oneDNN's largest element does otherwise: it passes over NaN, and for windows
// of -inf gives the lowest number.
class MaxPoolKernel {
 public:
  MaxPoolKernel() = default;
  // Between tensors that lie as `x` and `y`. Throws dnnl::error.
  MaxPoolKernel(const FastContext& context, const MaxPoolParams& p, const Shape& x_shape,
                const Shape& y_shape, const dnnl::memory::desc& x, const dnnl::memory::desc& y)
      : params_(p), x_shape_(x_shape), y_shape_(y_shape), x_(x) {
    const DataType type = dnnl_compat::TypeOf(x);
    x_out_.Create(context.impl(), x, PlainDesc(ToDims(x_shape), type));
    y_in_.Create(context.impl(), PlainDesc(ToDims(y_shape), type), y);
  }

  bool IsNeeded(const void* x) const noexcept { return x_out_ && !IsFinite(x_, x); }
  Status Run(const void* x, void* y) noexcept {
    const bool is_half = dnnl_compat::TypeOf(x_) == DataType::bf16;
    return is_half ? Run<BFloat16>(x, y) : Run<float>(x, y);
  }

 private:
  template <class T>
  Status Run(const void* x, void* y) noexcept {
    DRAGOMAN_RT_GUARDED {
      std::vector<T> from(static_cast<std::size_t>(NumElements(x_shape_)));
      std::vector<T> to(static_cast<std::size_t>(NumElements(y_shape_)));
      const bool read = x_out_.Run(x, from.data());
      MaxPool<T>(params_, {from.data(), x_shape_}, {to.data(), y_shape_}, {});
      if (read && y_in_.Run(to.data(), y)) return Status();
    }
    DRAGOMAN_RT_CAUGHT(std::bad_alloc) {}
    return Status::Error("a max pool failed");
  }

  MaxPoolParams params_;
  Shape x_shape_, y_shape_;
  dnnl::memory::desc x_;
  Relayout x_out_, y_in_;  // false: it is another pool
};

}  // namespace

struct PreparedPool::Impl {
  Primitive primitive;
  WideCopies copies;
  MaxPoolKernel kernel;

  // `max`: of a max pool, else nullptr. False if there is no implementation. Row-major pools are
  // scalar loops in oneDNN: where there are channels enough, x is brought into blocks of them for
  // the call.
  bool Prepare(const FastContext& context, dnnl::algorithm algorithm, const Window& window,
               const Shape& x, const Shape& y, const Blocks& blocks, const ElementTypes& types,
               const MaxPoolParams* max) {
    const DataType x_type = ProductType(types.x), y_type = ProductType(types.y);
    if (blocks.y != nullptr && *blocks.y == 0) *blocks.y = blocks.x;
    const auto describe = [&](std::int64_t block) {
      return dnnl_compat::MakePooling(
          context.impl().engine, algorithm,
          {BlockedDesc(x, block, x_type), {}, {}, BlockedDesc(y, block, x_type)},
          ToWindowDims(window), MakeAttributes(PostOps()));
    };
    auto desc = describe(blocks.x);
    if (!desc || (!IsVectorised(desc.impl_info_str()) && x[1] >= kLeastChannels)) {
      const auto blocked = describe(x[1] > kChannelBlock ? VectorFloats() : kChannelBlock);
      if (blocked && (!desc || IsVectorised(blocked.impl_info_str()))) desc = blocked;
    }
    if (!desc) return false;
    const std::int64_t y_block = blocks.y != nullptr ? *blocks.y : kRowMajor;
    primitive.Create(context, desc, dnnl::pooling_forward(desc), false,
                     BlockedDesc(y, y_block, y_type));
    primitive.BindOperand(DNNL_ARG_SRC, BlockedDesc(x, blocks.x, x_type), desc.src_desc());
    if (max != nullptr)
      kernel = MaxPoolKernel(context, *max, x, y, BlockedDesc(x, blocks.x, x_type),
                             BlockedDesc(y, y_block, y_type));
    copies.Create(LackingHere(types), BlockedSizes(x, blocks.x).size(),
                  BlockedSizes(y, y_block).size(), primitive.scratch_bytes());
    return true;
  }

  Status Run(const void* x, void* y, void* scratch) noexcept {
    return kernel.IsNeeded(x) ? kernel.Run(x, y) : primitive.Run({x}, nullptr, y, scratch);
  }
};

namespace {

// Where the last window ends beyond x: oneDNN's padding at the end.
std::int64_t ReachAtEnd(const WindowAxis& axis) {
  const std::int64_t end = (axis.output - 1) * axis.stride + axis.kernel - axis.pad_begin;
  return std::max<std::int64_t>(end - axis.input, 0);
}

bool WindowSupported(const Window& window, bool full_divisor) {
  for (int i = 0; i < window.rank; ++i) {
    const WindowAxis& axis = window.axes[i];
    const std::int64_t reach = ReachAtEnd(axis);
    if (axis.dilation != 1 || axis.pad_begin >= axis.kernel || reach >= axis.kernel) return false;
    if (full_divisor && reach > axis.pad_end) return false;
  }
  return window.rank <= 3;
}

template <class Impl>
Status Prepare(const FastContext& context, dnnl::algorithm algorithm, Window window, const Shape& x,
               const Shape& y, const Blocks& blocks, const ElementTypes& types,
               const MaxPoolParams* max, Pimpl<Impl>* prepared) noexcept {
  for (int i = 0; i < window.rank; ++i) window.axes[i].pad_end = ReachAtEnd(window.axes[i]);
  DRAGOMAN_RT_GUARDED {
    auto impl = Pimpl<Impl>::Make();
    if (!impl->Prepare(context, algorithm, window, x, y, blocks, types, max))
      return Status::Error("oneDNN has no implementation of this pool");
    *prepared = std::move(impl);
  }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("oneDNN could not prepare a pool"); }
  return Status();
}

}  // namespace

bool PreparedPool::Supports(const MaxPoolParams& p, const Shape& x) {
  Window window;
  return MaxPoolWindow(p, x, &window).ok() && HasElements(x) && WindowSupported(window, false);
}

bool PreparedPool::Supports(const AveragePoolParams& p, const Shape& x) {
  Window window;
  return AveragePoolWindow(p, x, &window).ok() && HasElements(x) &&
         WindowSupported(window, p.count_include_pad);
}

Status PreparedPool::Init(const FastContext& context, const MaxPoolParams& p, const Shape& x,
                          const Blocks& blocks, const ElementTypes& types) noexcept {
  if (!Supports(p, x)) return Status::Error("this pool is not supported by oneDNN");
  Window window;
  Shape y;
  DRAGOMAN_RT_TRY(MaxPoolWindow(p, x, &window));
  DRAGOMAN_RT_TRY(MaxPoolShape(p, x, &y));
  return Prepare(context, dnnl::algorithm::pooling_max, window, x, y, blocks, types, &p, &impl_);
}

Status PreparedPool::Init(const FastContext& context, const AveragePoolParams& p, const Shape& x,
                          const Blocks& blocks, const ElementTypes& types) noexcept {
  if (!Supports(p, x)) return Status::Error("this pool is not supported by oneDNN");
  Window window;
  Shape y;
  DRAGOMAN_RT_TRY(AveragePoolWindow(p, x, &window));
  DRAGOMAN_RT_TRY(AveragePoolShape(p, x, &y));
  const dnnl::algorithm algorithm = p.count_include_pad
                                        ? dnnl::algorithm::pooling_avg_include_padding
                                        : dnnl::algorithm::pooling_avg_exclude_padding;
  return Prepare(context, algorithm, window, x, y, blocks, types, nullptr, &impl_);
}

Status PreparedPool::Run(const void* x, void* y, void* scratch) noexcept {
  return impl_->copies.Run(x, nullptr, y, scratch, [&](const void* from, const void*, void* to) {
    return impl_->Run(from, to, scratch);
  });
}

const char* PreparedPool::Implementation() const noexcept {
  return impl_->primitive.implementation();
}

std::int64_t PreparedPool::ScratchBytes() const noexcept { return impl_->copies.ScratchBytes(); }

}  // namespace dragoman::rt

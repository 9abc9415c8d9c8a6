#include "runtime/fast/pool.h"

#include <algorithm>
#include <exception>

#include "runtime/fast/primitive.h"

namespace dragoman::rt {

struct PreparedPool::Impl {
  Primitive primitive;
  dnnl_memory_t x = nullptr;

  void Prepare(const FastContext& context, dnnl::algorithm algorithm, const Window& window,
               const Shape& x_shape, const Shape& y_shape) {
    const dnnl_compat::OperandDescs descs{
        PlainDesc(ToDims(x_shape)), {}, {}, PlainDesc(ToDims(y_shape))};
    const auto desc = dnnl_compat::MakePooling(context.impl().engine, algorithm, descs,
                                               ToWindowDims(window), MakeAttributes(PostOps()));
    if (!desc) return;
    primitive.Create(context, desc, dnnl::pooling_forward(desc), false);
    x = primitive.Bind(DNNL_ARG_SRC, desc.src_desc());
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
               const Shape& y, std::unique_ptr<Impl>* prepared) noexcept {
  for (int i = 0; i < window.rank; ++i) window.axes[i].pad_end = ReachAtEnd(window.axes[i]);
  try {
    auto impl = std::make_unique<Impl>();
    impl->Prepare(context, algorithm, window, x, y);
    if (impl->x == nullptr) return Status::Error("oneDNN has no implementation of this pool");
    *prepared = std::move(impl);
  } catch (const std::exception&) {
    return Status::Error("oneDNN could not prepare a pool");
  }
  return Status();
}

}  // namespace

PreparedPool::PreparedPool() = default;
PreparedPool::~PreparedPool() = default;
PreparedPool::PreparedPool(PreparedPool&&) noexcept = default;
PreparedPool& PreparedPool::operator=(PreparedPool&&) noexcept = default;

bool PreparedPool::Supports(const MaxPoolParams& p, const Shape& x) {
  Window window;
  return MaxPoolWindow(p, x, &window).ok() && HasElements(x) && WindowSupported(window, false);
}

bool PreparedPool::Supports(const AveragePoolParams& p, const Shape& x) {
  Window window;
  return AveragePoolWindow(p, x, &window).ok() && HasElements(x) &&
         WindowSupported(window, p.count_include_pad);
}

Status PreparedPool::Init(const FastContext& context, const MaxPoolParams& p,
                          const Shape& x) noexcept {
  if (!Supports(p, x)) return Status::Error("this pool is not supported by oneDNN");
  Window window;
  Shape y;
  DRAGOMAN_RT_TRY(MaxPoolWindow(p, x, &window));
  DRAGOMAN_RT_TRY(MaxPoolShape(p, x, &y));
  return Prepare(context, dnnl::algorithm::pooling_max, window, x, y, &impl_);
}

Status PreparedPool::Init(const FastContext& context, const AveragePoolParams& p,
                          const Shape& x) noexcept {
  if (!Supports(p, x)) return Status::Error("this pool is not supported by oneDNN");
  Window window;
  Shape y;
  DRAGOMAN_RT_TRY(AveragePoolWindow(p, x, &window));
  DRAGOMAN_RT_TRY(AveragePoolShape(p, x, &y));
  const dnnl::algorithm algorithm = p.count_include_pad
                                        ? dnnl::algorithm::pooling_avg_include_padding
                                        : dnnl::algorithm::pooling_avg_exclude_padding;
  return Prepare(context, algorithm, window, x, y, &impl_);
}

Status PreparedPool::Run(const float* x, float* y, void* scratch) noexcept {
  impl_->primitive.SetData(impl_->x, x);
  return impl_->primitive.Run(nullptr, y, scratch);
}

std::int64_t PreparedPool::ScratchBytes() const noexcept {
  return impl_->primitive.scratch_bytes();
}

}  // namespace dragoman::rt

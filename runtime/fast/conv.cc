#include "runtime/fast/conv.h"

#include <exception>

#include "runtime/fast/primitive.h"

namespace dragoman::rt {

struct PreparedConv::Impl {
  Primitive primitive;
  dnnl_memory_t x = nullptr;
};

namespace {

// w as oneDNN sees it: with an axis of groups where there are several.
dnnl::memory::dims GroupedDims(const Shape& w, std::int64_t group) {
  dnnl::memory::dims dims = ToDims(w);
  if (group == 1) return dims;
  dims[0] /= group;
  dims.insert(dims.begin(), group);
  return dims;
}

}  // namespace

PreparedConv::PreparedConv() = default;
PreparedConv::~PreparedConv() = default;
PreparedConv::PreparedConv(PreparedConv&&) noexcept = default;
PreparedConv& PreparedConv::operator=(PreparedConv&&) noexcept = default;

bool PreparedConv::Supports(const ConvParams& p, const Shape& x, const Shape& w) {
  Window window;
  return x.size() <= 5 && ConvWindow(p, x, w, &window).ok() && HasElements(x) && HasElements(w);
}

Status PreparedConv::Init(const FastContext& context, const ConvParams& p, const Shape& x,
                          const Shape& w, const float* weights, const float* bias,
                          const PostOps& post) noexcept {
  if (!Supports(p, x, w)) return Status::Error("this convolution is not supported by oneDNN");
  Window window;
  DRAGOMAN_RT_TRY(ConvWindow(p, x, w, &window));
  Shape y;
  DRAGOMAN_RT_TRY(ConvShape(p, x, w, &y));
  try {
    const dnnl::memory::dims w_dims = GroupedDims(w, p.group);
    dnnl_compat::OperandDescs descs{
        PlainDesc(ToDims(x)), AnyDesc(w_dims), {}, PlainDesc(ToDims(y))};
    if (bias != nullptr) descs.bias = PlainDesc({w[0]});
    const auto desc = dnnl_compat::MakeConvolution<dnnl::convolution_forward>(
        context.impl().engine, dnnl::algorithm::convolution_direct, descs, ToWindowDims(window),
        MakeAttributes(post));
    if (!desc) return Status::Error("oneDNN has no implementation of this convolution");
    auto impl = std::make_unique<Impl>();
    impl->primitive.Create(context, desc, dnnl::convolution_forward(desc), post.residual);
    impl->x = impl->primitive.Bind(DNNL_ARG_SRC, desc.src_desc());
    impl->primitive.Own(DNNL_ARG_WEIGHTS,
                        Reordered(context, PlainDesc(w_dims), weights, desc.weights_desc()));
    if (bias != nullptr) {
      impl->primitive.Own(DNNL_ARG_BIAS, Reordered(context, descs.bias, bias, descs.bias));
    }
    impl_ = std::move(impl);
  } catch (const std::exception&) {
    return Status::Error("oneDNN could not prepare a convolution");
  }
  return Status();
}

Status PreparedConv::Run(const float* x, const float* residual, float* y, void* scratch) noexcept {
  impl_->primitive.SetData(impl_->x, x);
  return impl_->primitive.Run(residual, y, scratch);
}

std::int64_t PreparedConv::ScratchBytes() const noexcept {
  return impl_->primitive.scratch_bytes();
}

}  // namespace dragoman::rt

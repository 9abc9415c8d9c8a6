// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/conv_transpose.h"

#include <exception>
#include <utility>

#include "runtime/fast/finite.h"
#include "runtime/fast/half_weights.h"
#include "runtime/fast/primitive.h"
#include "runtime/fast/tap_product.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {

struct PreparedConvTranspose::Impl {
  bool own = false;
  TapProduct product;
  Lookout lookout;  // of the product
  Primitive primitive;
};

namespace {

// The elements of the full result that the end of an axis cuts off, whatever pad_end says of it.
std::int64_t CutAtEnd(const WindowAxis& axis) {
  return (axis.input - 1) * axis.stride + axis.Span() - axis.pad_begin - axis.output;
}

// w (C, M / group, kernel...) as oneDNN's (group, M / group, C / group, kernel...), not moved.
dnnl::memory::desc TransposedDesc(const Shape& w, std::int64_t group) {
  const Shape steps = Strides(w);
  const std::int64_t in = w[0] / group;
  dnnl::memory::dims sizes{group, w[1], in};
  dnnl::memory::dims strides{in * steps[0], steps[1], steps[0]};
  for (int i = 2; i < w.size(); ++i) {
    sizes.push_back(w[i]);
    strides.push_back(steps[i]);
  }
  if (group == 1) {
    sizes.erase(sizes.begin());
    strides.erase(strides.begin());
  }
  return StridedDesc(sizes, strides);
}

dnnl::memory::dims TransposedDims(const Shape& w, std::int64_t group) {
  dnnl::memory::dims sizes{w[1], w[0] / group};
  for (int i = 2; i < w.size(); ++i) sizes.push_back(w[i]);
  if (group != 1) sizes.insert(sizes.begin(), group);
  return sizes;
}

}  // namespace

bool PreparedConvTranspose::Supports(const ConvTransposeParams& p, const Shape& x, const Shape& w) {
  Window window;
  if (x.size() > 5 || !ConvTransposeWindow(p, x, w, &window).ok()) return false;
  for (int i = 0; i < window.rank; ++i) {
    if (CutAtEnd(window.axes[i]) < 0) return false;
  }
  return HasElements(x) && HasElements(w);
}

Status PreparedConvTranspose::Init(const FastContext& context, const ConvTransposeParams& p,
                                   const Shape& x, const Shape& w, const WeightData& weights,
                                   const float* bias, const PostOps& post) noexcept {
  if (!Supports(p, x, w)) return Status::Error("this deconvolution is not supported by oneDNN");
  Window window;
  DRAGOMAN_RT_TRY(ConvTransposeWindow(p, x, w, &window));
  for (int i = 0; i < window.rank; ++i) window.axes[i].pad_end = CutAtEnd(window.axes[i]);
  Shape y;
  DRAGOMAN_RT_TRY(ConvTransposeShape(p, x, w, &y));
  DRAGOMAN_RT_GUARDED {
    const WideWeights wide(weights, NumElements(w));
    auto impl = Pimpl<Impl>::Make();
    if (ProductType(weights.precision) == ElementType::f32 && TapProduct::Suits(p, w)) {
      impl->own = true;
      impl->product.Pack(w, wide.data(), bias, post);
      impl->product.Resize(x, window);
      impl->lookout.Create(context, post, NumElements(x), NumElements(y));
      impl_ = std::move(impl);
      return Status();
    }
    const dnnl::memory::desc b_desc = bias != nullptr ? PlainDesc({y[1]}) : dnnl::memory::desc();
    const auto make = [&](dnnl::memory::data_type factors) {
      return dnnl_compat::MakeConvolution<dnnl::deconvolution_forward>(
          context.impl().engine, dnnl::algorithm::deconvolution_direct,
          {AnyDesc(ToDims(x), factors), AnyDesc(TransposedDims(w, p.group), factors), b_desc,
           AnyDesc(ToDims(y))},
          ToWindowDims(window), MakeAttributes(post));
    };
    auto desc = make(ProductType(weights.precision));
    if (!desc) desc = make(dnnl::memory::data_type::f32);
    if (!desc) return Status::Error("oneDNN has no implementation of this deconvolution");
    impl->primitive.Create(context, desc, dnnl::deconvolution_forward(desc), post.residual,
                           PlainDesc(ToDims(y)));
    impl->primitive.BindOperand(DNNL_ARG_SRC, PlainDesc(ToDims(x)), desc.src_desc());
    impl->primitive.Own(DNNL_ARG_WEIGHTS, Reordered(context, TransposedDesc(w, p.group),
                                                    wide.data(), desc.weights_desc()));
    if (bias != nullptr)
      impl->primitive.Own(DNNL_ARG_BIAS, Reordered(context, b_desc, bias, b_desc));
    const dnnl_compat::OperandDescs descs{desc.src_desc(), desc.weights_desc(), b_desc,
                                          desc.dst_desc()};
    const bool finite = AllFinite(wide.data(), NumElements(w)) && AllFinite(bias, y[1]);
    impl->primitive.KeepNan(
        post, finite,
        [descs, engine = context.impl().engine,
         dims = ToWindowDims(window)](const dnnl::primitive_attr& attr) {
          return dnnl::deconvolution_forward(
              dnnl_compat::MakeConvolution<dnnl::deconvolution_forward>(
                  engine, dnnl::algorithm::deconvolution_direct, descs, dims, attr));
        });
    impl_ = std::move(impl);
  }
  DRAGOMAN_RT_CAUGHT(std::exception) {
    return Status::Error("oneDNN could not prepare a deconvolution");
  }
  return Status();
}

Status PreparedConvTranspose::Run(const float* x, const float* residual, float* y,
                                  void* scratch) noexcept {
  if (!impl_->own) return impl_->primitive.Run({x}, residual, y, scratch);
  impl_->lookout.Run(x, residual);
  impl_->product.Run(x, residual, y, scratch);
  return Status();
}

const char* PreparedConvTranspose::Implementation() const noexcept {
  return impl_->own ? "own panels" : impl_->primitive.implementation();
}

std::int64_t PreparedConvTranspose::ScratchBytes() const noexcept {
  return impl_->own ? impl_->product.ScratchBytes() : impl_->primitive.scratch_bytes();
}

}  // namespace dragoman::rt

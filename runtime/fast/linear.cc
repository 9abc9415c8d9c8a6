#include "runtime/fast/linear.h"

#include <cstring>
#include <exception>
#include <utility>

#include "runtime/fast/half_weights.h"
#include "runtime/fast/panel_product.h"
#include "runtime/fast/primitive.h"

namespace dragoman::rt {

struct PreparedLinear::Impl {
  bool own = false;
  PanelProduct panels;
  Primitive primitive;
};

namespace {

// Such implementations pack the weights in every call.
bool IsPlainGemm(const char* implementation) {
  return std::strstr(implementation, "gemm:") != nullptr &&
         std::strstr(implementation, "brgemm") == nullptr;
}

}  // namespace

bool PreparedLinear::Supports(const LinearSizes& sizes) {
  return sizes.rows > 0 && sizes.in > 0 && sizes.out > 0;
}

Status PreparedLinear::Init(const FastContext& context, const LinearSizes& sizes,
                            const WeightData& weights, const float* bias,
                            const PostOps& post) noexcept {
  if (!Supports(sizes)) return Status::Error("a product without elements is not for oneDNN");
  try {
    auto impl = Pimpl<Impl>::Make();
    const WideWeights wide(weights, sizes.in * sizes.out);
    const auto pack = [&] {
      impl->own = true;
      impl->panels.Pack(wide.data(), sizes.in_first ? 1 : sizes.in, sizes.in_first ? sizes.out : 1,
                        bias, sizes.out, sizes.in, sizes.rows, post);
      impl_ = std::move(impl);
      return Status();
    };
    if (sizes.rows <= kOwnRows) return pack();
    const dnnl::memory::dims w_dims{sizes.out, sizes.in};
    const dnnl::memory::desc x = PlainDesc({sizes.rows, sizes.in});
    const dnnl::memory::desc y = PlainDesc({sizes.rows, sizes.out});
    const dnnl::memory::data_type type = ProductType(weights.precision);
    const bool is_wide = type == dnnl::memory::data_type::f32;
    dnnl_compat::OperandDescs descs{
        is_wide ? x : AnyDesc({sizes.rows, sizes.in}, type), AnyDesc(w_dims, type), {}, y};
    if (bias != nullptr) descs.bias = PlainDesc({sizes.out});
    const auto desc =
        dnnl_compat::MakeInnerProduct(context.impl().engine, descs, MakeAttributes(post));
    if (!desc || IsPlainGemm(desc.impl_info_str())) return pack();
    impl->primitive.Create(context, desc, dnnl::inner_product_forward(desc), post.residual, y);
    impl->primitive.BindOperand(DNNL_ARG_SRC, x, desc.src_desc());
    const dnnl::memory::desc given =
        sizes.in_first ? StridedDesc(w_dims, {1, sizes.out}) : PlainDesc(w_dims);
    impl->primitive.Own(DNNL_ARG_WEIGHTS,
                        Reordered(context, given, wide.data(), desc.weights_desc()));
    if (bias != nullptr)
      impl->primitive.Own(DNNL_ARG_BIAS, Reordered(context, descs.bias, bias, descs.bias));
    impl_ = std::move(impl);
  } catch (const std::exception&) {
    return Status::Error("oneDNN could not prepare a product");
  }
  return Status();
}

Status PreparedLinear::Run(const float* x, const float* residual, float* y,
                           void* scratch) noexcept {
  if (!impl_->own) return impl_->primitive.Run({x}, residual, y, scratch);
  impl_->panels.Run(x, residual, y, scratch);
  return Status();
}

const char* PreparedLinear::Implementation() const noexcept {
  return impl_->own ? "own panels" : impl_->primitive.implementation();
}

std::int64_t PreparedLinear::ScratchBytes() const noexcept {
  return impl_->own ? impl_->panels.ScratchBytes() : impl_->primitive.scratch_bytes();
}

}  // namespace dragoman::rt

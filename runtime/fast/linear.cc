// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/linear.h"

#include <cstring>
#include <exception>
#include <utility>

#include "runtime/fast/finite.h"
#include "runtime/fast/half_weights.h"
#include "runtime/fast/primitive.h"
#include "runtime/fast/wide_weights.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {

struct PreparedLinear::Impl {
  bool is_own = false;
  OwnLinear own;
  Primitive primitive;
  WideCopies copies;  // for the primitive
};

namespace {

// Such implementations pack the weights in every call.
bool IsPlainGemm(const char* implementation) {
  return std::strstr(implementation, "gemm:") != nullptr &&
         std::strstr(implementation, "brgemm") == nullptr;
}

// Rows that threads cannot divide evenly among themselves where they divide blocks of 64 of them,
// as oneDNN's do; our own divide the outputs. Whatever the threads, so that results do not depend
// on them.
bool DivideUnevenly(std::int64_t rows) {
  constexpr std::int64_t kBlock = 64;
  return rows > kBlock && rows % kBlock != 0;
}

}  // namespace

bool PreparedLinear::Supports(const LinearSizes& sizes) {
  return sizes.rows > 0 && sizes.in > 0 && sizes.out > 0;
}

Status PreparedLinear::Init(const FastContext& context, const LinearSizes& sizes,
                            const WeightData& weights, const float* bias, const PostOps& post,
                            const ElementTypes& types) noexcept {
  if (!Supports(sizes)) return Status::Error("a product without elements is not for oneDNN");
  DRAGOMAN_RT_GUARDED {
    auto impl = Pimpl<Impl>::Make();
    const auto use_own = [&] {
      impl->is_own = true;
      DRAGOMAN_RT_TRY(impl->own.Init(context, sizes, weights, bias, post, types));
      impl_ = std::move(impl);
      return Status();
    };
    const DataType type = ProductType(weights.precision);
    const bool is_wide = type == DataType::f32;
    if (OwnLinear::Suits(sizes, is_wide ? Precision::kF32 : weights.precision) ||
        (is_wide && DivideUnevenly(sizes.rows))) {
      return use_own();
    }
    const WideWeights wide(weights, sizes.in * sizes.out);
    const dnnl::memory::dims w_dims{sizes.out, sizes.in};
    const dnnl::memory::desc x = PlainDesc({sizes.rows, sizes.in}, ProductType(types.x));
    const dnnl::memory::desc y = PlainDesc({sizes.rows, sizes.out}, ProductType(types.y));
    dnnl_compat::OperandDescs descs{PlainDesc({sizes.rows, sizes.in}, type),
                                    AnyDesc(w_dims, type),
                                    {},
                                    is_wide ? PlainDesc({sizes.rows, sizes.out}) : y};
    if (bias != nullptr) descs.bias = PlainDesc({sizes.out});
    const auto desc =
        dnnl_compat::MakeInnerProduct(context.impl().engine, descs, MakeAttributes(post));
    if (!desc || IsPlainGemm(desc.impl_info_str())) return use_own();
    impl->primitive.Create(context, desc, dnnl::inner_product_forward(desc), post.residual, y);
    impl->primitive.BindOperand(DNNL_ARG_SRC, x, desc.src_desc());
    const dnnl::memory::desc given =
        sizes.in_first ? StridedDesc(w_dims, {1, sizes.out}) : PlainDesc(w_dims);
    impl->primitive.OwnWeights({&context, weights.data}, given, wide.data(), desc.weights_desc());
    if (bias != nullptr)
      impl->primitive.Own(DNNL_ARG_BIAS, Reordered(context, descs.bias, bias, descs.bias));
    const dnnl_compat::OperandDescs made{desc.src_desc(), desc.weights_desc(), descs.bias,
                                         desc.dst_desc()};
    const bool finite = AllFinite(wide.data(), sizes.in * sizes.out) && AllFinite(bias, sizes.out);
    impl->primitive.KeepNan(
        post, finite, [made, engine = context.impl().engine](const dnnl::primitive_attr& attr) {
          return dnnl::inner_product_forward(dnnl_compat::MakeInnerProduct(engine, made, attr));
        });
    impl->copies.Create(LackingHere(types), sizes.rows * sizes.in, sizes.rows * sizes.out,
                        impl->primitive.scratch_bytes());
    impl_ = std::move(impl);
    return Status();
  }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("oneDNN could not prepare a product"); }
}

Status PreparedLinear::Run(const void* x, const void* residual, void* y, void* scratch) noexcept {
  if (impl_->is_own) return impl_->own.Run(x, residual, y, scratch);
  return impl_->copies.Run(x, residual, y, scratch,
                           [&](const void* from, const void* added, void* to) {
                             return impl_->primitive.Run({from}, added, to, scratch);
                           });
}

const char* PreparedLinear::Implementation() const noexcept {
  return impl_->is_own ? impl_->own.Implementation() : impl_->primitive.implementation();
}

std::int64_t PreparedLinear::ScratchBytes() const noexcept {
  return impl_->is_own ? impl_->own.ScratchBytes() : impl_->copies.ScratchBytes();
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/mat_mul.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "runtime/fast/primitive.h"
#include "runtime/params/guarded.h"

namespace dragoman::rt {

struct PreparedMatMul::Impl {
  Primitive primitive;
};

namespace {

// `shape` with leading ones up to `rank`.
dnnl::memory::dims WithRank(const Shape& shape, int rank) {
  dnnl::memory::dims dims(static_cast<std::size_t>(rank - shape.size()), 1);
  dims.insert(dims.end(), shape.begin(), shape.end());
  return dims;
}

}  // namespace

bool PreparedMatMul::Supports(const Shape& a, const Shape& b) {
  MatMulSizes sizes;
  return a.size() >= 2 && b.size() >= 2 && ResolveMatMul(a, b, &sizes).ok() && HasElements(a) &&
         HasElements(b);
}

Status PreparedMatMul::Init(const FastContext& context, const Shape& a, const Shape& b,
                            const PostOps& post) noexcept {
  if (!Supports(a, b)) return Status::Error("this product is not supported by oneDNN");
  Shape y;
  DRAGOMAN_RT_TRY(MatMulShape(a, b, &y));
  DRAGOMAN_RT_GUARDED {
    const int rank = std::max(a.size(), b.size());
    const dnnl_compat::OperandDescs descs{
        PlainDesc(WithRank(a, rank)), PlainDesc(WithRank(b, rank)), {}, PlainDesc(ToDims(y))};
    const auto desc = dnnl_compat::MakeMatMul(context.impl().engine, descs, MakeAttributes(post));
    if (!desc) return Status::Error("oneDNN has no implementation of this product");
    auto impl = Pimpl<Impl>::Make();
    impl->primitive.Create(context, desc, dnnl::matmul(desc), post.residual, descs.dst);
    impl->primitive.BindOperand(DNNL_ARG_SRC, descs.src, desc.src_desc());
    impl->primitive.BindOperand(DNNL_ARG_WEIGHTS, descs.weights, desc.weights_desc());
    impl->primitive.KeepNan(
        post, true, [descs, engine = context.impl().engine](const dnnl::primitive_attr& attr) {
          return dnnl::matmul(dnnl_compat::MakeMatMul(engine, descs, attr));
        });
    impl_ = std::move(impl);
  }
  DRAGOMAN_RT_CAUGHT(std::exception) { return Status::Error("oneDNN could not prepare a product"); }
  return Status();
}

Status PreparedMatMul::Run(const float* a, const float* b, const float* residual, float* y,
                           void* scratch) noexcept {
  return impl_->primitive.Run({a, b}, residual, y, scratch);
}

const char* PreparedMatMul::Implementation() const noexcept {
  return impl_->primitive.implementation();
}

std::int64_t PreparedMatMul::ScratchBytes() const noexcept {
  return impl_->primitive.scratch_bytes();
}

}  // namespace dragoman::rt

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/dynamic_product.h"

#include <algorithm>
#include <cstdint>
#include <dnnl.hpp>

#include "runtime/kernels/linear.h"
#include "runtime/kernels/mat_mul.h"

namespace dragoman::rt {
namespace {

Status Checked(dnnl_status_t status) {
  return status == dnnl_success ? Status() : Status::Error("a product of oneDNN failed");
}

}  // namespace

Status DynamicLinear(TensorView<const float> x, TensorView<const float> weight,
                     TensorView<const float> bias, TensorView<float> y) noexcept {
  const std::int64_t out = weight.shape[0], in = weight.shape[1];
  if (x.size() == 0 || y.size() == 0) {
    Linear<float>(x, weight, bias, y);
    return Status();
  }
  const std::int64_t rows = x.size() / in;
  for (std::int64_t row = 0; row < rows && bias.present(); ++row)
    std::copy_n(bias.data, out, y.data + row * out);
  return Checked(dnnl_sgemm('N', 'T', rows, out, in, 1.0f, x.data, in, weight.data, in,
                            bias.present() ? 1.0f : 0.0f, y.data, out));
}

Status DynamicMatMul(TensorView<const float> a, TensorView<const float> b,
                     TensorView<float> y) noexcept {
  MatMulSizes sizes;
  DRAGOMAN_RT_TRY(ResolveMatMul(a.shape, b.shape, &sizes));
  if (a.size() == 0 || b.size() == 0) {
    MatMul<float>(a, b, y);
    return Status();
  }
  Status status;
  ForEachMatrix(sizes, [&](std::int64_t n, std::int64_t a_offset, std::int64_t b_offset) {
    const Status product =
        Checked(dnnl_sgemm('N', 'N', sizes.rows, sizes.columns, sizes.depth, 1.0f,
                           a.data + a_offset, sizes.depth, b.data + b_offset, sizes.columns, 0.0f,
                           y.data + n * sizes.rows * sizes.columns, sizes.columns));
    if (!product.ok()) status = product;
  });
  return status;
}

}  // namespace dragoman::rt

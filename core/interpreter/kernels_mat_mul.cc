// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/gemm.h"
#include "runtime/kernels/linear.h"
#include "runtime/kernels/mat_mul.h"
#include "runtime/kernels/mat_mul_integer.h"
#include "runtime/kernels/q_linear_mat_mul.h"

namespace dragoman {

void AddMatMulKernels(KernelTable& table) {
  using Factors = Plus<Floats, Types<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>>;
  using Bytes = Types<std::int8_t, std::uint8_t>;
  using Scales = Types<float, rt::Half, rt::BFloat16>;
  Add<Factors>(table, "Gemm", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Gemm, T); });
  Add<Floats>(table, "Linear", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Linear, T); });
  Add<Factors>(table, "MatMul", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(MatMul, T); });
  Add<Bytes, Bytes>(table, "MatMulInteger", []<class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(MatMulInteger, T1, T2);
  });
  Add<Bytes, Scales, Bytes, Bytes>(table, "QLinearMatMul",
                                   []<class T1, class TS, class T2, class T3>() {
                                     return DRAGOMAN_KERNEL_ENTRY(QLinearMatMul, T1, TS, T2, T3);
                                   });
}

}  // namespace dragoman

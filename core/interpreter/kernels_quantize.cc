// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/dynamic_quantize_linear.h"
#include "runtime/kernels/quantize_linear.h"

namespace dragoman {
namespace {

using Scales = Types<float, rt::Half, rt::BFloat16>;
using Quantized = Plus<Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, rt::Int4,
                             rt::UInt4, rt::Int2, rt::UInt2, rt::Float4E2M1>,
                       Float8s>;

}  // namespace

void AddQuantizeKernels(KernelTable& table) {
  Add<Plus<Quantized, Types<std::int32_t>>, Scales>(
      table, "DequantizeLinear",
      []<class T1, class T2>() { return DRAGOMAN_KERNEL_ENTRY(DequantizeLinear, T1, T2); });
  Add<Types<float>, Types<std::uint8_t>>(table, "DynamicQuantizeLinear", []<class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(DynamicQuantizeLinear, T1, T2);
  });
  Add<Plus<Scales, Types<std::int32_t>>, Quantized>(
      table, "QuantizeLinear",
      []<class T1, class T2>() { return DRAGOMAN_KERNEL_ENTRY(QuantizeLinear, T1, T2); });
}

}  // namespace dragoman

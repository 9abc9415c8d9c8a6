// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/kernel_table.h"
#include "core/interpreter/random_call.h"
#include "runtime/kernels/cum_sum.h"
#include "runtime/kernels/dropout.h"
#include "runtime/kernels/einsum.h"
#include "runtime/kernels/eye_like.h"
#include "runtime/kernels/one_hot.h"
#include "runtime/kernels/random.h"
#include "runtime/kernels/range.h"

namespace dragoman {

namespace {

void AddRandomKernels(KernelTable& table) {
  Add<Floats>(table, "RandomNormal",
              []<class T>() { return DRAGOMAN_KERNEL_ENTRY(RandomNormal, T); });
  Add<Floats>(table, "RandomUniform",
              []<class T>() { return DRAGOMAN_KERNEL_ENTRY(RandomUniform, T); });
  Add<Bits, Floats>(table, "RandomNormalLike", []<class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(RandomNormalLike, T1, T2);
  });
  Add<Bits, Floats>(table, "RandomUniformLike", []<class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(RandomUniformLike, T1, T2);
  });
  Add<Floats, Plus<Numbers, Bool>>(table, "Bernoulli", []<class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(Bernoulli, T1, T2);
  });
  Add<Floats, Floats, Bool>(table, "Dropout", []<class T, class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(Dropout, T, T1, T2);
  });
  Add<Floats, Index>(table, "Multinomial", []<class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(Multinomial, T1, T2);
  });
}

}  // namespace

void AddGenerateKernels(KernelTable& table) {
  AddRandomKernels(table);
  using Summed = Plus<Floats, Types<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>>;
  using OldNumbers = Plus<Integers, Types<float, double, rt::Half>>;
  Add<Summed, Index>(table, "CumSum", []<class T, class Taxis>() {
    return DRAGOMAN_KERNEL_ENTRY(CumSum, T, Taxis);
  });
  Add<OldNumbers>(table, "Einsum", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Einsum, T); });
  Add<Unsigned, Plus<Numbers, Bool>>(table, "EyeLike", []<class T1, class T2>() {
    return DRAGOMAN_KERNEL_ENTRY(EyeLike, T1, T2);
  });
  Add<OldNumbers, Unsigned, Bits>(table, "OneHot", []<class T1, class T2, class T3>() {
    return DRAGOMAN_KERNEL_ENTRY(OneHot, T1, T2, T3);
  });
  Add<Types<float, double, std::int16_t, std::int32_t, std::int64_t>>(
      table, "Range", []<class T>() { return DRAGOMAN_KERNEL_ENTRY(Range, T); });
}

}  // namespace dragoman

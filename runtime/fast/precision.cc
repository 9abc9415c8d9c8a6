// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/precision.h"

#include <cstdio>

namespace dragoman::rt {

bool HasArithmetic(Precision precision) noexcept {
  if (precision == Precision::kF32) return true;
#if defined(__x86_64__) && defined(__GNUC__)
  return precision == Precision::kBF16 && __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

void WarnWithoutArithmetic(Precision precision) noexcept {
  if (HasArithmetic(precision)) return;
  std::fprintf(stderr,
               "warning: no %s arithmetic here: weights are kept in %s, products computed in f32\n",
               Name(precision), Name(precision));
}

}  // namespace dragoman::rt

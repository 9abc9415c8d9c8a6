// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/vector_floats.h"

#include "runtime/fast/dnnl_compat.h"

namespace dragoman::rt {

std::int64_t VectorFloats() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool is_long = dnnl_compat::Uses(dnnl::cpu_isa::avx512_core);
  return is_long ? 16 : 8;
#else
  return 8;
#endif
}

}  // namespace dragoman::rt

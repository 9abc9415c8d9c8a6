// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/vector_floats.h"

#include <dnnl.h>

namespace dragoman::rt {

std::int64_t VectorFloats() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  // dnnl.hpp would be most of what is compiled of a program that uses nothing else of it.
  constexpr auto kWanted = static_cast<unsigned>(dnnl_cpu_isa_avx512_core);
  static const bool is_long =
      (static_cast<unsigned>(dnnl_get_effective_cpu_isa()) & kWanted) == kWanted;
  return is_long ? 16 : 8;
#else
  return 8;
#endif
}

}  // namespace dragoman::rt

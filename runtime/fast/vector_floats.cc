#include "runtime/fast/vector_floats.h"

#include <dnnl.h>

namespace dragoman::rt {

std::int64_t VectorFloats() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  static const unsigned isa = dnnl_get_effective_cpu_isa();
  return (isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core ? 16 : 8;
#else
  return 8;
#endif
}

}  // namespace dragoman::rt

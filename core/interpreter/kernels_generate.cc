#include "core/interpreter/kernel_table.h"
#include "runtime/kernels/cum_sum.h"
#include "runtime/kernels/einsum.h"
#include "runtime/kernels/eye_like.h"
#include "runtime/kernels/one_hot.h"
#include "runtime/kernels/range.h"

namespace dragoman {

void AddGenerateKernels(KernelTable& table) {
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

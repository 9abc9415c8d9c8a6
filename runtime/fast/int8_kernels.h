// The innermost loops of products of 16-bit factors: one for each instruction set that is worth its
// own, and a portable one.
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_KERNELS_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_KERNELS_H_

#include <cstdint>
#include <vector>

namespace dragoman::rt {

inline constexpr std::int64_t kInt8Rows = 6;         // of a panel of the left factor
inline constexpr std::int64_t kMaxInt8Columns = 32;  // of a panel of the right factor

// The loop that suits the processor.
struct Int8Kernel {
  const char* name;      // for profiles: "int8:avx2"
  std::int64_t columns;  // of a panel of the right factor
  // sums (kInt8Rows rows of `columns`), of which `rows` are wanted, of two panels.
  void (*multiply)(std::int64_t rows, std::int64_t pairs, const std::int16_t* left,
                   const std::int16_t* right, std::int32_t* sums);
};

const Int8Kernel& ChooseInt8Kernel() noexcept;
// Every one that this processor can run, for tests.
std::vector<const Int8Kernel*> UsableInt8Kernels();

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_KERNELS_H_

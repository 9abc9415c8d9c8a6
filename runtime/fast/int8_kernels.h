// The innermost loops of products of 16-bit factors: one for each instruction set that is worth its
// own, and a portable one.
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_KERNELS_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_KERNELS_H_

#include <cstdint>
#include <vector>

namespace dragoman::rt {

inline constexpr std::int64_t kInt8Rows = 6;  // of the left factor that are multiplied at once
inline constexpr std::int64_t kMaxInt8Columns = 32;  // of a panel of the right factor

// Up to kInt8Rows lines of the left factor. The depths of a line lie in runs of `pairs` pairs each,
// `runs` elements behind where the line starts.
struct Int8Lines {
  const std::int16_t* starts[kInt8Rows] = {};
  const std::int64_t* runs = nullptr;
  std::int64_t num_runs = 0;
  std::int64_t pairs = 0;
};

// The loop that suits the processor.
struct Int8Kernel {
  const char* name;      // for profiles: "int8:avx2"
  std::int64_t columns;  // of a panel of the right factor
  // sums (`rows` rows of `columns`) = left times a panel, of which the depths lie by pairs:
  // [pair of depths][column][2].
  void (*multiply)(std::int64_t rows, const Int8Lines& left, const std::int16_t* right,
                   std::int32_t* sums);
};

const Int8Kernel& ChooseInt8Kernel() noexcept;
// Every one that this processor can run, for tests.
std::vector<const Int8Kernel*> UsableInt8Kernels();

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_KERNELS_H_

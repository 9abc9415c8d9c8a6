// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The innermost loops of products of integers: a pair for each instruction set that is worth its
// own, and a portable one. Factors have 16 bits, or are bytes, unsigned on the left and signed on
// the right. Neighbouring depths, two of 16 bits or four bytes, lie in one word of 32 bits.
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_KERNELS_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_KERNELS_H_

#include <cstdint>
#include <vector>

namespace dragoman::rt {

inline constexpr std::int64_t kInt8Word = 4;  // bytes
inline constexpr std::int64_t kInt8Rows = 6;  // of the left factor that are multiplied at once
inline constexpr std::int64_t kMaxInt8Columns = 32;  // of a panel of the right factor

// Up to kInt8Rows lines of the left factor. The depths of a line lie in runs of `words` words each,
// `runs` bytes after where the line starts.
struct Int8Lines {
  const char* starts[kInt8Rows] = {};
  const std::int64_t* runs = nullptr;
  std::int64_t num_runs = 0;
  std::int64_t words = 0;
};

// sums (`rows` rows of Int8Kernel::columns) = left times a panel: [word of depths][column].
using Int8Multiply = void (*)(std::int64_t rows, const Int8Lines& left, const char* right,
                              std::int32_t* sums);

// The loops that suit the processor.
struct Int8Kernel {
  const char* name;      // for profiles: "int8:avx2"
  std::int64_t columns;  // of a panel of the right factor
  Int8Multiply multiply;
  // Null if no instruction of the processor keeps sums of products of bytes exact.
  Int8Multiply multiply_bytes;
};

// Appends the sum of each of `columns` packed columns of bytes of `words` words: products by ones.
void AppendColumnSums(const Int8Kernel& kernel, const char* packed, std::int64_t columns,
                      std::int64_t words, std::vector<std::int32_t>& sums);

const Int8Kernel& ChooseInt8Kernel() noexcept;
// Every one that this processor can run, for tests.
std::vector<const Int8Kernel*> UsableInt8Kernels();

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_KERNELS_H_

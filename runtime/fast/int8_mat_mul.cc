// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/int8_mat_mul.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "runtime/fast/parallel.h"
#include "runtime/kernels/mat_mul.h"
#include "runtime/params/guarded.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kMatMulWork = 1 << 18;  // multiply-adds that a thread is worth

}  // namespace

struct PreparedInt8MatMul::Impl {
  const Int8Kernel* product = nullptr;
  Int8Finisher finisher;
  MatMulSizes sizes;
  Int8Columns right;  // but for its data
  bool constant_b = false;
  int factor_bytes = 2;
  std::string implementation;
  std::vector<char> packed_b;

  // Of a line of the left factor, which is filled up.
  std::int64_t Words() const { return (sizes.depth * factor_bytes + kInt8Word - 1) / kInt8Word; }
  std::int64_t LineBytes() const { return Words() * kInt8Word; }
  std::int64_t LeftBytes() const { return AlignedBytes(sizes.rows * LineBytes()); }
  std::int64_t RightBytes() const {
    return AlignedBytes(PackedBytes(sizes.columns, Words(), product->columns));
  }

  void SetColumns();
  void PackRight(Int8Data b, std::int64_t start, const Int8Zeros& zeros, char* to);
  std::vector<std::int32_t> PackConstant(Int8Data b, const Int8View& zeros);
  const char* LeftOf(Int8Data a, std::int64_t start, std::int32_t zero, char* scratch) const;
  void Multiply(const char* left, const char* packed, Int8Data residual, Int8Result y,
                std::int64_t at) const;
};

void PreparedInt8MatMul::Impl::SetColumns() {
  for (std::int64_t i = 0; i < sizes.columns; ++i) right.columns.push_back(i);
  for (std::int64_t k = 0; k < LineBytes() / factor_bytes; ++k)
    right.depths.push_back(k < sizes.depth ? k * sizes.columns : -1);
}

void PreparedInt8MatMul::Impl::PackRight(Int8Data b, std::int64_t start, const Int8Zeros& zeros,
                                         char* to) {
  right.data = b;
  right.start = start;
  PackInt8(right, 0, sizes.columns, zeros, product->columns, factor_bytes, to);
}

// Returns the sums of the columns, if they are bytes.
std::vector<std::int32_t> PreparedInt8MatMul::Impl::PackConstant(Int8Data b,
                                                                 const Int8View& zeros) {
  SetColumns();
  packed_b.resize(static_cast<std::size_t>(RightBytes()));
  PackRight(b, 0, zeros, packed_b.data());
  std::vector<std::int32_t> sums;
  if (factor_bytes == 1) AppendColumnSums(*product, packed_b.data(), sizes.columns, Words(), sums);
  return sums;
}

// Its lines, as factors: where they lie, if they are such already.
const char* PreparedInt8MatMul::Impl::LeftOf(Int8Data a, std::int64_t start, std::int32_t zero,
                                             char* scratch) const {
  if (factor_bytes == 1 && !a.is_signed && sizes.depth % kInt8Word == 0)
    return static_cast<const char*>(a.data) + start;
  char* line = scratch;
  for (std::int64_t row = 0; row < sizes.rows; ++row, line += LineBytes()) {
    const std::int64_t at = start + row * sizes.depth;
    std::fill_n(line + LineBytes() - kInt8Word, kInt8Word, char{0});
    if (factor_bytes == 1) {
      CopyInt8(a, at, sizes.depth, zero, 1, reinterpret_cast<std::uint8_t*>(line));
    } else {
      CopyInt8(a, at, sizes.depth, zero, 1, reinterpret_cast<std::int16_t*>(line));
    }
  }
  return scratch;
}

// All rows with one panel of columns after the other: the right factor is read once.
void PreparedInt8MatMul::Impl::Multiply(const char* left, const char* packed, Int8Data residual,
                                        Int8Result y, std::int64_t at) const {
  const auto multiply = factor_bytes == 1 ? product->multiply_bytes : product->multiply;
  const std::int64_t width = product->columns, panels = (sizes.columns + width - 1) / width;
  const std::int64_t work = sizes.rows * sizes.depth * width;
  const std::int64_t grain = std::max<std::int64_t>(kMatMulWork / work, 1);
  Parallel(panels, grain, [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t kRun = 0;
    alignas(64) std::int32_t sums[kInt8Rows * kMaxInt8Columns];
    std::int64_t places[kInt8Rows];
    Int8Lines lines{{}, &kRun, 1, Words()};
    for (std::int64_t panel = begin; panel < end; ++panel) {
      const std::int64_t column = panel * width;
      for (std::int64_t row = 0; row < sizes.rows; row += kInt8Rows) {
        const std::int64_t rows = std::min(kInt8Rows, sizes.rows - row);
        for (std::int64_t r = 0; r < rows; ++r) {
          lines.starts[r] = left + (row + r) * LineBytes();
          places[r] = at + (row + r) * sizes.columns;
        }
        multiply(rows, lines, packed + column * LineBytes(), sums);
        finisher.Store({sums, rows, width, column, std::min(width, sizes.columns - column)},
                       {places, 1}, residual, y);
      }
    }
  });
}

bool PreparedInt8MatMul::Supports(const Shape& a, const Shape& b, bool constant_b) {
  MatMulSizes sizes;
  return a.size() >= 2 && b.size() >= 2 && (!constant_b || b.size() == 2) &&
         ResolveMatMul(a, b, &sizes).ok() && NumElements(a) > 0 && NumElements(b) > 0;
}

Status PreparedInt8MatMul::Init(const FastContext&, const Shape& a, const Shape& b,
                                Int8Data b_values, const Int8View& b_zero,
                                const Int8Epilogue& epilogue, const Int8Kernel& product) noexcept {
  if (!Supports(a, b, b_values.present()))
    return Status::Error("this product of integers is not supported");
  DRAGOMAN_RT_GUARDED {
    auto impl = Pimpl<Impl>::Make();
    impl->product = &product;
    DRAGOMAN_RT_TRY(ResolveMatMul(a, b, &impl->sizes));
    impl->implementation = product.name;
    std::vector<std::int32_t> sums;
    if (b_values.present()) {
      // One matrix for all of a: its batch is more rows.
      impl->constant_b = true;
      impl->sizes.rows *= NumElements(impl->sizes.batch);
      impl->sizes.batch = impl->sizes.a_batch_strides = impl->sizes.b_batch_strides = Shape();
      if (product.multiply_bytes != nullptr &&
          FitBytes(b_values, NumElements(b), b_zero, b[1], 1)) {
        impl->factor_bytes = 1;
        impl->implementation += ":bytes";
      }
      sums = impl->PackConstant(b_values, b_zero);
    } else {
      impl->SetColumns();
    }
    DRAGOMAN_RT_TRY(impl->finisher.Init(epilogue, impl->sizes.columns, std::move(sums)));
    impl_ = std::move(impl);
  }
  DRAGOMAN_RT_CAUGHT(std::bad_alloc) { return Status::Error("out of memory"); }
  return Status();
}

Status PreparedInt8MatMul::Run(Int8Data a, Int8Data a_zero, Int8Data b, Int8Data b_zero,
                               const float* a_scale, Int8Data residual, Int8Result y,
                               void* scratch) noexcept {
  const std::int32_t zero = a_zero.present() ? a_zero[0] : 0;
  DRAGOMAN_RT_TRY(impl_->finisher.Begin(zero + ShiftToBytes(a), a_scale, residual, y));
  if (b.present() == impl_->constant_b)
    return Status::Error("a product of integers is called with other operands than prepared for");
  const MatMulSizes& sizes = impl_->sizes;
  auto* bytes = static_cast<char*>(scratch);
  char* right = bytes + impl_->LeftBytes();
  ForEachMatrix(sizes, [&](std::int64_t n, std::int64_t a_offset, std::int64_t b_offset) {
    const char* left = impl_->LeftOf(a, a_offset, zero, bytes);
    if (b.present()) impl_->PackRight(b, b_offset, Int8View(b_zero, 1), right);
    impl_->Multiply(left, b.present() ? right : impl_->packed_b.data(), residual, y,
                    n * sizes.rows * sizes.columns);
  });
  return Status();
}

std::int64_t PreparedInt8MatMul::ScratchBytes() const noexcept {
  return impl_->LeftBytes() + (impl_->constant_b ? 0 : impl_->RightBytes());
}

const char* PreparedInt8MatMul::Implementation() const noexcept {
  return impl_->implementation.c_str();
}

}  // namespace dragoman::rt

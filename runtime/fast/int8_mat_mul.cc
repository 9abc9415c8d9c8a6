#include "runtime/fast/int8_mat_mul.h"

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "runtime/fast/parallel.h"
#include "runtime/kernels/mat_mul.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kWorkPerThread = 1 << 18;  // multiply-adds that a thread is worth

}  // namespace

struct PreparedInt8MatMul::Impl {
  const Int8Kernel* product = nullptr;
  Int8Finisher finisher;
  MatMulSizes sizes;
  Int8Columns right;  // but for its data
  bool constant_b = false;
  std::vector<std::int16_t> packed_b;

  // Lines of the left factor have an even number of elements.
  std::int64_t Depth() const { return (sizes.depth + 1) / 2 * 2; }
  std::int64_t LeftBytes() const { return AlignedBytes(sizes.rows * Depth() * 2); }
  std::int64_t RightBytes() const {
    return AlignedBytes(PackedSize(sizes.columns, Depth(), product->columns) * 2);
  }

  void SetColumns();
  void PackRight(Int8Data b, std::int64_t start, Int8Data zero, bool by_column, std::int16_t* to);
  void WidenLeft(Int8Data a, std::int64_t start, Int8Data zero, std::int16_t* to) const;
  void Multiply(const std::int16_t* left, const std::int16_t* packed, Int8Data residual,
                Int8Result y, std::int64_t at) const;
};

void PreparedInt8MatMul::Impl::SetColumns() {
  for (std::int64_t i = 0; i < sizes.columns; ++i) right.columns.push_back(i);
  for (std::int64_t k = 0; k < Depth(); ++k)
    right.depths.push_back(k < sizes.depth ? k * sizes.columns : -1);
}

void PreparedInt8MatMul::Impl::PackRight(Int8Data b, std::int64_t start, Int8Data zero,
                                         bool by_column, std::int16_t* to) {
  right.data = b;
  right.start = start;
  PackInt8(right, 0, sizes.columns, zero, by_column, product->columns, to);
}

void PreparedInt8MatMul::Impl::WidenLeft(Int8Data a, std::int64_t start, Int8Data zero,
                                         std::int16_t* to) const {
  const std::int32_t shift = zero.present() ? zero[0] : 0;
  for (std::int64_t row = 0; row < sizes.rows; ++row, to += Depth()) {
    to[Depth() - 1] = 0;
    WidenInt8(a, start + row * sizes.depth, sizes.depth, shift, 1, to);
  }
}

// All rows with one panel of columns after the other: the right factor is read once.
void PreparedInt8MatMul::Impl::Multiply(const std::int16_t* left, const std::int16_t* packed,
                                        Int8Data residual, Int8Result y, std::int64_t at) const {
  const std::int64_t width = product->columns, panels = (sizes.columns + width - 1) / width;
  const std::int64_t work = sizes.rows * sizes.depth * width;
  const std::int64_t grain = std::max<std::int64_t>(kWorkPerThread / work, 1);
  Parallel(panels, grain, [&](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t kRun = 0;
    alignas(64) std::int32_t sums[kInt8Rows * kMaxInt8Columns];
    std::int64_t places[kInt8Rows];
    Int8Lines lines{{}, &kRun, 1, Depth() / 2};
    for (std::int64_t panel = begin; panel < end; ++panel) {
      const std::int64_t column = panel * width;
      for (std::int64_t row = 0; row < sizes.rows; row += kInt8Rows) {
        const std::int64_t rows = std::min(kInt8Rows, sizes.rows - row);
        for (std::int64_t r = 0; r < rows; ++r) {
          lines.starts[r] = left + (row + r) * Depth();
          places[r] = at + (row + r) * sizes.columns;
        }
        product->multiply(rows, lines, packed + column * Depth(), sums);
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
  try {
    auto impl = Pimpl<Impl>::Make();
    impl->product = &product;
    DRAGOMAN_RT_TRY(ResolveMatMul(a, b, &impl->sizes));
    impl->SetColumns();
    if (b_values.present()) {
      // One matrix for all of a: its batch is more rows.
      impl->constant_b = true;
      impl->sizes.rows *= NumElements(impl->sizes.batch);
      impl->sizes.batch = impl->sizes.a_batch_strides = impl->sizes.b_batch_strides = Shape();
      impl->packed_b.resize(static_cast<std::size_t>(impl->RightBytes() / 2));
      impl->PackRight(b_values, 0, b_zero.data, b_zero.size > 1, impl->packed_b.data());
    }
    DRAGOMAN_RT_TRY(impl->finisher.Init(epilogue, impl->sizes.columns));
    impl_ = std::move(impl);
  } catch (const std::bad_alloc&) {
    return Status::Error("out of memory");
  }
  return Status();
}

Status PreparedInt8MatMul::Run(Int8Data a, Int8Data a_zero, Int8Data b, Int8Data b_zero,
                               const float* a_scale, Int8Data residual, Int8Result y,
                               void* scratch) noexcept {
  DRAGOMAN_RT_TRY(impl_->finisher.Begin(a_scale, residual, y));
  if (b.present() == impl_->constant_b)
    return Status::Error("a product of integers is called with other operands than prepared for");
  const MatMulSizes& sizes = impl_->sizes;
  auto* left = static_cast<std::int16_t*>(scratch);
  auto* right = reinterpret_cast<std::int16_t*>(static_cast<char*>(scratch) + impl_->LeftBytes());
  ForEachMatrix(sizes, [&](std::int64_t n, std::int64_t a_offset, std::int64_t b_offset) {
    impl_->WidenLeft(a, a_offset, a_zero, left);
    if (b.present()) impl_->PackRight(b, b_offset, b_zero, false, right);
    impl_->Multiply(left, b.present() ? right : impl_->packed_b.data(), residual, y,
                    n * sizes.rows * sizes.columns);
  });
  return Status();
}

std::int64_t PreparedInt8MatMul::ScratchBytes() const noexcept {
  return impl_->LeftBytes() + (impl_->constant_b ? 0 : impl_->RightBytes());
}

const char* PreparedInt8MatMul::Implementation() const noexcept { return impl_->product->name; }

}  // namespace dragoman::rt

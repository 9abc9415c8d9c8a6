// SPDX-License-Identifier: Apache-2.0
// Constant tensors: element type, sizes, and a shared immutable buffer.
#ifndef DRAGOMAN_CORE_IR_TENSOR_H_
#define DRAGOMAN_CORE_IR_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/ir/dtype.h"
#include "core/ir/type.h"
#include "core/support/result.h"

namespace dragoman {

// Immutable bytes with an owner: an allocation of our own, or a window on a mapped file, which
// stays mapped as long as a Buffer points into it. Copying shares.
class Buffer {
 public:
  Buffer() = default;
  // Takes over `bytes`.
  static Buffer Own(std::string bytes);
  static Buffer Copy(std::span<const std::byte> bytes);
  // A window on memory that `owner` keeps alive.
  static Buffer Window(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

  std::span<const std::byte> bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

// Elements are dense, row-major, little-endian; 4-bit types are packed two a byte, the first in the
// low half (2-bit types four a byte); bool is one byte, 0 or 1; strings are a vector of byte
// strings.
//
// Invariant: the buffer has exactly PackedBytes(dtype, size()) bytes, or `strings()` size()
// entries. A Tensor that is default-made has no element type and no elements.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor&);
  Tensor(Tensor&&) noexcept;
  Tensor& operator=(const Tensor&);
  Tensor& operator=(Tensor&&) noexcept;
  ~Tensor();

  // Errors: negative or overflowing sizes; a buffer of another length.
  static Result<Tensor> Make(DType dtype, std::vector<std::int64_t> sizes, Buffer buffer);
  static Result<Tensor> MakeStrings(std::vector<std::int64_t> sizes,
                                    std::vector<std::string> strings);

  // From numbers; the caller's sizes and count must agree. T is float, double, bool, (u)int8..64
  // for its own element type.
  template <class T>
  static Tensor Of(std::vector<std::int64_t> sizes, std::span<const T> values);
  static Tensor Ints(std::span<const std::int64_t> values);  // int64, rank 1
  static Tensor Int(std::int64_t value);                     // int64, rank 0
  static Tensor Float(float value);                          // float32, rank 0
  // Every element equal to `value`, converted to `dtype` (f16 to f64, bf16, integers of 8 bits and
  // more, bool). Integers cut fractions off and wrap around; beyond 64 bits they are the extremes.
  static Result<Tensor> Full(DType dtype, std::vector<std::int64_t> sizes, double value);

  DType dtype() const { return dtype_; }
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  int rank() const { return static_cast<int>(sizes_.size()); }
  std::int64_t size() const { return size_; }
  Type type() const { return Type::Tensor(dtype_, sizes_); }

  std::span<const std::byte> bytes() const { return buffer_.bytes(); }
  const Buffer& buffer() const { return buffer_; }
  // kString only.
  std::span<const std::string> strings() const;

  // The elements as T, whose size is that of the element type. A window that is not aligned for T
  // is copied once, on the first call; afterwards all copies of this Tensor made from this one see
  // the aligned bytes.
  template <class T>
  std::span<const T> data() const {
    return {reinterpret_cast<const T*>(Aligned(alignof(T))), static_cast<std::size_t>(size_)};
  }

  // The bytes at an address that is a multiple of `alignment`, in the same way.
  const std::byte* AlignedBytes(std::size_t alignment) const { return Aligned(alignment); }

  // Element `i` as a number, of any integer type or bool / any numeric type. Not for large loops.
  std::int64_t IntAt(std::int64_t i) const;
  double FloatAt(std::int64_t i) const;
  // All elements of an integer or bool tensor.
  std::vector<std::int64_t> ToInts() const;

  // The same buffer with other sizes of the same element count.
  Tensor Reshaped(std::vector<std::int64_t> sizes) const;

  // Element type, sizes and bits are equal (NaN payloads and signed zeros count).
  friend bool operator==(const Tensor& a, const Tensor& b);
  // Of element type, sizes and bits.
  std::uint64_t Hash() const;

 private:
  struct Shared;  // strings, and the aligned copy
  const std::byte* Aligned(std::size_t alignment) const;

  DType dtype_ = DType::kUnknown;
  std::int64_t size_ = 0;
  std::vector<std::int64_t> sizes_;
  Buffer buffer_;
  std::shared_ptr<Shared> shared_;
};

// Values at the places that `indices` lists (int64, [nnz] linear or [nnz, rank]); zero elsewhere.
struct SparseTensor {
  Tensor values;
  Tensor indices;
  std::vector<std::int64_t> sizes;

  friend bool operator==(const SparseTensor&, const SparseTensor&) = default;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_TENSOR_H_

// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/array.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/ir/unpack.h"
#include "core/ops/kernel_name.h"

namespace dragoman {
namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40;

}  // namespace

Result<Array> Array::Make(DType dtype, const rt::Shape& shape) {
  std::int64_t bytes = dtype == DType::kString ? std::int64_t{sizeof(std::string)}
                                               : static_cast<std::int64_t>(RuntimeBytes(dtype));
  for (std::int64_t d : shape) {
    if (d < 0 || __builtin_mul_overflow(bytes, d, &bytes) || bytes > kMaxBytes) {
      return InvalidInput("a tensor of the sizes that are asked for does not fit into memory");
    }
  }
  Array array;
  array.dtype_ = dtype;
  array.shape_ = shape;
  if (dtype == DType::kString) {
    auto strings = std::make_shared<std::vector<std::string>>(
        static_cast<std::size_t>(rt::NumElements(shape)) + 1);
    array.data_ = strings->data();
    array.owner_ = std::move(strings);
    return array;
  }
  auto* memory = static_cast<std::byte*>(std::calloc(static_cast<std::size_t>(bytes) + 64, 1));
  if (memory == nullptr) return InvalidInput("out of memory: " + std::to_string(bytes) + " bytes");
  array.data_ = memory;
  array.owner_ = std::shared_ptr<void>(memory, std::free);
  return array;
}

Array Array::On(std::shared_ptr<const void> elements, DType dtype, const rt::Shape& shape) {
  Array array;
  array.dtype_ = dtype;
  array.shape_ = shape;
  array.data_ = const_cast<void*>(elements.get());
  array.owner_ = std::move(elements);
  return array;
}

Result<Array> Array::FromTensor(const Tensor& tensor) {
  if (tensor.rank() > rt::kMaxRank) {
    return Unsupported("rank " + std::to_string(tensor.rank()) + " is above " +
                       std::to_string(rt::kMaxRank));
  }
  rt::Shape shape;
  for (std::int64_t d : tensor.sizes()) shape.push_back(d);
  const int per_byte = ElementsPerByte(tensor.dtype());
  if (tensor.dtype() != DType::kString && per_byte == 1 && tensor.size() > 0) {
    auto owner = std::make_shared<const Tensor>(tensor);
    Array array;
    array.dtype_ = tensor.dtype();
    array.shape_ = shape;
    array.data_ = const_cast<std::byte*>(owner->AlignedBytes(RuntimeBytes(tensor.dtype())));
    array.owner_ = std::move(owner);
    return array;
  }
  DRAGOMAN_ASSIGN(Array array, Make(tensor.dtype(), shape));
  if (tensor.dtype() == DType::kString) {
    std::copy(tensor.strings().begin(), tensor.strings().end(),
              static_cast<std::string*>(array.data_));
    return array;
  }
  if (per_byte > 1) {
    Unpack(tensor, {static_cast<std::byte*>(array.data_), static_cast<std::size_t>(tensor.size())});
  }
  return array;
}

Tensor Array::ToTensor() const {
  std::vector<std::int64_t> sizes(shape_.begin(), shape_.end());
  const auto count = static_cast<std::size_t>(size());
  if (dtype_ == DType::kString) {
    const auto* strings = static_cast<const std::string*>(data_);
    Result<Tensor> tensor = Tensor::MakeStrings(std::move(sizes), {strings, strings + count});
    return std::move(*tensor);
  }
  const int per_byte = ElementsPerByte(dtype_);
  const std::span<const std::byte> elements(static_cast<const std::byte*>(data_),
                                            count * RuntimeBytes(dtype_));
  Buffer buffer = Buffer::Window(elements, owner_);
  if (per_byte > 1) {
    const DTypeInfo& info = Info(dtype_);
    std::string packed(
        (count + static_cast<std::size_t>(per_byte) - 1) / static_cast<std::size_t>(per_byte),
        '\0');
    for (std::size_t i = 0; i < count; ++i) {
      const auto slot = static_cast<int>(i % static_cast<std::size_t>(per_byte));
      const int bits = static_cast<int>(elements[i]) & ((1 << info.bits) - 1);
      packed[i / static_cast<std::size_t>(per_byte)] |=
          static_cast<char>(bits << (slot * info.bits));
    }
    buffer = Buffer::Own(std::move(packed));
  }
  Result<Tensor> tensor = Tensor::Make(dtype_, std::move(sizes), std::move(buffer));
  return std::move(*tensor);
}

Array Array::Reshaped(const rt::Shape& shape) const {
  Array array = *this;
  array.shape_ = shape;
  return array;
}

Array Array::Slice(std::int64_t index, const rt::Shape& shape) const {
  Array array = Reshaped(shape);
  const auto width = dtype_ == DType::kString ? sizeof(std::string) : RuntimeBytes(dtype_);
  const auto offset = static_cast<std::size_t>(index * rt::NumElements(shape)) * width;
  array.data_ = static_cast<std::byte*>(data_) + offset;
  return array;
}

Result<Array> StackArrays(std::span<const Array> arrays) {
  const Array& first = arrays.front();
  if (first.shape().size() == rt::kMaxRank)
    return Unsupported("stacked outputs have too many axes");
  rt::Shape shape = {static_cast<std::int64_t>(arrays.size())};
  for (std::int64_t d : first.shape()) shape.push_back(d);
  DRAGOMAN_ASSIGN(Array whole, Array::Make(first.dtype(), shape));
  const auto count = static_cast<std::size_t>(first.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (first.dtype() == DType::kString) {
      const auto* from = static_cast<const std::string*>(arrays[i].data());
      std::copy(from, from + count, static_cast<std::string*>(whole.data()) + i * count);
    } else if (const std::size_t bytes = count * RuntimeBytes(first.dtype()); bytes > 0) {
      std::memcpy(static_cast<std::byte*>(whole.data()) + i * bytes, arrays[i].data(), bytes);
    }
  }
  return whole;
}

}  // namespace dragoman

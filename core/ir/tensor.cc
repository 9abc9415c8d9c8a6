// SPDX-License-Identifier: Apache-2.0
#include "core/ir/tensor.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/ir/half.h"
#include "core/support/bytes.h"
#include "core/support/count_elements.h"
#include "core/support/hash.h"
#include "core/support/truth_bytes.h"

namespace dragoman {

static_assert(std::endian::native == std::endian::little, "tensor bytes are little-endian");

Buffer Buffer::Own(std::string bytes) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  Buffer buffer;
  buffer.bytes_ = std::as_bytes(std::span(owner->data(), owner->size()));
  buffer.owner_ = std::move(owner);
  return buffer;
}

Buffer Buffer::Copy(std::span<const std::byte> bytes) { return Own(std::string(AsText(bytes))); }

Buffer Buffer::Window(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  Buffer buffer;
  buffer.bytes_ = bytes;
  buffer.owner_ = std::move(owner);
  return buffer;
}

struct Tensor::Shared {
  std::vector<std::string> strings;
  std::once_flag once;
  std::unique_ptr<std::byte[]> aligned;
};

namespace {

Result<std::int64_t> CheckedCount(const std::vector<std::int64_t>& sizes) {
  if (const std::optional<std::int64_t> count = CountElements(sizes)) return *count;
  for (const std::int64_t size : sizes) {
    if (size < 0) return InvalidInput("tensor has a negative size " + std::to_string(size));
  }
  return InvalidInput("the number of elements of a tensor overflows");
}

template <class T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>) return DType::kF32;
  if constexpr (std::is_same_v<T, double>) return DType::kF64;
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, std::int8_t>) return DType::kI8;
  if constexpr (std::is_same_v<T, std::int16_t>) return DType::kI16;
  if constexpr (std::is_same_v<T, std::int32_t>) return DType::kI32;
  if constexpr (std::is_same_v<T, std::int64_t>) return DType::kI64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return DType::kU8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return DType::kU16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return DType::kU32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return DType::kU64;
}

}  // namespace

Tensor::Tensor(const Tensor&) = default;
Tensor::Tensor(Tensor&&) noexcept = default;
Tensor& Tensor::operator=(const Tensor&) = default;
Tensor& Tensor::operator=(Tensor&&) noexcept = default;
Tensor::~Tensor() = default;

Result<Tensor> Tensor::Make(DType dtype, std::vector<std::int64_t> sizes, Buffer buffer) {
  DRAGOMAN_ASSIGN(std::int64_t count, CheckedCount(sizes));
  std::optional<std::size_t> bytes = PackedBytes(dtype, count);
  if (!bytes)
    return InvalidInput("a tensor of element type " + std::string(Name(dtype)) + " has no bytes");
  if (*bytes != buffer.size()) {
    return InvalidInput("tensor data has " + std::to_string(buffer.size()) + " bytes, expected " +
                        std::to_string(*bytes));
  }
  if (dtype == DType::kBool && !AreTruths(buffer.bytes()))
    return InvalidInput("tensor data of bool holds bytes that are neither 0 nor 1");
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.size_ = count;
  tensor.sizes_ = std::move(sizes);
  tensor.buffer_ = std::move(buffer);
  tensor.shared_ = std::make_shared<Shared>();
  return tensor;
}

Result<Tensor> Tensor::MakeStrings(std::vector<std::int64_t> sizes,
                                   std::vector<std::string> strings) {
  DRAGOMAN_ASSIGN(std::int64_t count, CheckedCount(sizes));
  if (static_cast<std::uint64_t>(count) != strings.size()) {
    return InvalidInput("tensor data has " + std::to_string(strings.size()) +
                        " strings, expected " + std::to_string(count));
  }
  Tensor tensor;
  tensor.dtype_ = DType::kString;
  tensor.size_ = count;
  tensor.sizes_ = std::move(sizes);
  tensor.shared_ = std::make_shared<Shared>();
  tensor.shared_->strings = std::move(strings);
  return tensor;
}

template <class T>
// The check does not see that templates move. NOLINTNEXTLINE(performance-unnecessary-value-param)
Tensor Tensor::Of(std::vector<std::int64_t> sizes, std::span<const T> values) {
  Result<Tensor> tensor = Make(DTypeOf<T>(), std::move(sizes), Buffer::Copy(std::as_bytes(values)));
  assert(tensor.ok());
  return std::move(*tensor);
}

template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const float>);
template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const double>);
template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const bool>);
template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const std::int8_t>);
template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const std::int16_t>);
template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const std::int32_t>);
template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const std::int64_t>);
template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const std::uint8_t>);
template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const std::uint16_t>);
template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const std::uint32_t>);
template Tensor Tensor::Of(std::vector<std::int64_t>, std::span<const std::uint64_t>);

Tensor Tensor::Ints(std::span<const std::int64_t> values) {
  return Of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

Tensor Tensor::Int(std::int64_t value) { return Of<std::int64_t>({}, std::span(&value, 1)); }

Tensor Tensor::Float(float value) { return Of<float>({}, std::span(&value, 1)); }

namespace {

template <class T>
void Append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Cut off towards zero; numbers beyond the ends are the ends, NaN is 0.
template <class T>
T CutOff(double value) {
  constexpr int kDigits = std::numeric_limits<T>::digits;
  constexpr double kEnd = 2.0 * static_cast<double>(std::uint64_t{1} << (kDigits - 1));
  if (value >= kEnd) return std::numeric_limits<T>::max();
  if (value < static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return value == value ? static_cast<T>(value) : T{0};
}

// One element of `dtype` (of at least 8 bits) as bytes.
std::string Encode(DType dtype, double value) {
  std::string bytes;
  const auto whole = CutOff<std::int64_t>(value);
  switch (dtype) {
    case DType::kF32:
      Append(bytes, static_cast<float>(value));
      break;
    case DType::kF64:
      Append(bytes, value);
      break;
    case DType::kF16:
      Append(bytes, FloatToHalfBits(static_cast<float>(value)));
      break;
    case DType::kBF16:
      Append(bytes, FloatToBFloat16Bits(static_cast<float>(value)));
      break;
    case DType::kBool:
      Append(bytes, value != 0);
      break;
    case DType::kI8:
      Append(bytes, static_cast<std::int8_t>(whole));
      break;
    case DType::kI16:
      Append(bytes, static_cast<std::int16_t>(whole));
      break;
    case DType::kI32:
      Append(bytes, static_cast<std::int32_t>(whole));
      break;
    case DType::kI64:
      Append(bytes, whole);
      break;
    case DType::kU8:
      Append(bytes, static_cast<std::uint8_t>(whole));
      break;
    case DType::kU16:
      Append(bytes, static_cast<std::uint16_t>(whole));
      break;
    case DType::kU32:
      Append(bytes, static_cast<std::uint32_t>(whole));
      break;
    case DType::kU64:
      Append(bytes, value < 0 ? static_cast<std::uint64_t>(whole) : CutOff<std::uint64_t>(value));
      break;
    default:
      break;
  }
  return bytes;
}

}  // namespace

Result<Tensor> Tensor::Full(DType dtype, std::vector<std::int64_t> sizes, double value) {
  const std::string element = Encode(dtype, value);
  if (element.empty())
    return Unsupported("cannot fill a tensor of element type " + std::string(Name(dtype)));
  DRAGOMAN_ASSIGN(std::int64_t count, CheckedCount(sizes));
  std::string bytes;
  bytes.reserve(element.size() * static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) bytes += element;
  return Make(dtype, std::move(sizes), Buffer::Own(std::move(bytes)));
}

std::span<const std::string> Tensor::strings() const {
  if (!shared_) return {};
  return shared_->strings;
}

const std::byte* Tensor::Aligned(std::size_t alignment) const {
  const std::byte* bytes = buffer_.bytes().data();
  if (reinterpret_cast<std::uintptr_t>(bytes) % alignment == 0) return bytes;
  std::call_once(shared_->once, [&] {
    shared_->aligned = std::make_unique<std::byte[]>(buffer_.size());
    std::memcpy(shared_->aligned.get(), bytes, buffer_.size());
  });
  return shared_->aligned.get();
}

std::int64_t Tensor::IntAt(std::int64_t i) const {
  const auto n = static_cast<std::size_t>(i);
  switch (dtype_) {
    case DType::kBool:
    case DType::kU8:
      return data<std::uint8_t>()[n];
    case DType::kI8:
      return data<std::int8_t>()[n];
    case DType::kU16:
      return data<std::uint16_t>()[n];
    case DType::kI16:
      return data<std::int16_t>()[n];
    case DType::kU32:
      return data<std::uint32_t>()[n];
    case DType::kI32:
      return data<std::int32_t>()[n];
    case DType::kU64:
      return static_cast<std::int64_t>(data<std::uint64_t>()[n]);
    case DType::kI64:
      return data<std::int64_t>()[n];
    case DType::kU4:
    case DType::kI4: {
      const int nibble = (data<std::uint8_t>()[n / 2] >> (n % 2 * 4)) & 15;
      return dtype_ == DType::kI4 && nibble > 7 ? nibble - 16 : nibble;
    }
    case DType::kU2:
    case DType::kI2: {
      const int bits = (data<std::uint8_t>()[n / 4] >> (n % 4 * 2)) & 3;
      return dtype_ == DType::kI2 && bits > 1 ? bits - 4 : bits;
    }
    default:
      return 0;
  }
}

double Tensor::FloatAt(std::int64_t i) const {
  const auto n = static_cast<std::size_t>(i);
  switch (dtype_) {
    case DType::kF32:
      return data<float>()[n];
    case DType::kF64:
      return data<double>()[n];
    case DType::kF16:
      return HalfBitsToFloat(data<std::uint16_t>()[n]);
    case DType::kBF16:
      return BFloat16BitsToFloat(data<std::uint16_t>()[n]);
    case DType::kU64:
      return static_cast<double>(data<std::uint64_t>()[n]);
    default:
      return static_cast<double>(IntAt(i));
  }
}

std::vector<std::int64_t> Tensor::ToInts() const {
  std::vector<std::int64_t> ints;
  ints.reserve(static_cast<std::size_t>(size_));
  for (std::int64_t i = 0; i < size_; ++i) ints.push_back(IntAt(i));
  return ints;
}

Tensor Tensor::Reshaped(std::vector<std::int64_t> sizes) const {
  assert(CountElements(sizes) == size_);
  Tensor tensor = *this;
  tensor.sizes_ = std::move(sizes);
  return tensor;
}

bool operator==(const Tensor& a, const Tensor& b) {
  if (a.dtype_ != b.dtype_ || a.sizes_ != b.sizes_) return false;
  if (a.dtype_ == DType::kString) {
    return std::equal(a.strings().begin(), a.strings().end(), b.strings().begin(),
                      b.strings().end());
  }
  if (a.bytes().data() == b.bytes().data()) return a.bytes().size() == b.bytes().size();
  return a.bytes().size() == b.bytes().size() &&
         (a.bytes().empty() ||
          std::memcmp(a.bytes().data(), b.bytes().data(), a.bytes().size()) == 0);
}

std::uint64_t Tensor::Hash() const {
  std::uint64_t hash =
      HashBytes(std::as_bytes(std::span(sizes_)), static_cast<std::uint64_t>(dtype_));
  for (const std::string& s : strings())
    hash = HashBytes(std::as_bytes(std::span(s)), hash + s.size());
  return HashBytes(bytes(), hash);
}

}  // namespace dragoman

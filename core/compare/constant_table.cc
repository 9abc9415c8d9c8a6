#include "core/compare/constant_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/compare/fingerprint.h"
#include "core/support/hash.h"

namespace dragoman::compare {
namespace {

bool IsNumber(DType dtype) { return dtype != DType::kString && !IsComplex(dtype); }

// NaNs are equal to one another, infinities to themselves.
double Distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double distance = std::abs(a - b);
  return std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance;
}

void AddDistance(double a, double b, TensorDifference& difference) {
  const double distance = Distance(a, b);
  difference.largest_absolute = std::max(difference.largest_absolute, distance);
  if (distance > 0) {
    difference.largest_relative = std::max(difference.largest_relative, distance / std::abs(a));
  }
}

template <class T>
void CountBits(std::span<const T> a, std::span<const T> b, TensorDifference& difference) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::memcmp(&a[i], &b[i], sizeof(T)) == 0) continue;
    if (difference.count++ == 0) difference.first = static_cast<std::int64_t>(i);
    AddDistance(static_cast<double>(a[i]), static_cast<double>(b[i]), difference);
  }
}

void CountStrings(const Tensor& a, const Tensor& b, TensorDifference& difference) {
  for (std::size_t i = 0; i < a.strings().size(); ++i) {
    if (a.strings()[i] == b.strings()[i]) continue;
    if (difference.count++ == 0) difference.first = static_cast<std::int64_t>(i);
  }
}

// One half of a complex element, or an element of a narrow type, at a time.
void CountOthers(const Tensor& a, const Tensor& b, TensorDifference& difference) {
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double x = a.FloatAt(i), y = b.FloatAt(i);
    const bool same = x == y ? std::signbit(x) == std::signbit(y) : std::isnan(x) && std::isnan(y);
    if (same) continue;
    if (difference.count++ == 0) difference.first = i;
    AddDistance(x, y, difference);
  }
}

Tensor AsParts(const Tensor& tensor) {
  std::vector<std::int64_t> sizes = tensor.sizes();
  sizes.push_back(2);
  const DType part = tensor.dtype() == DType::kC64 ? DType::kF32 : DType::kF64;
  Result<Tensor> parts = Tensor::Make(part, std::move(sizes), tensor.buffer());
  return parts.ok() ? std::move(parts).value() : Tensor();
}

}  // namespace

TensorDifference CompareElements(const Tensor& a, const Tensor& b) {
  TensorDifference difference;
  if (IsComplex(a.dtype())) return CompareElements(AsParts(a), AsParts(b));
  switch (a.dtype()) {
    case DType::kString:
      CountStrings(a, b, difference);
      break;
    case DType::kF32:
      CountBits(a.data<float>(), b.data<float>(), difference);
      break;
    case DType::kF64:
      CountBits(a.data<double>(), b.data<double>(), difference);
      break;
    case DType::kI64:
      CountBits(a.data<std::int64_t>(), b.data<std::int64_t>(), difference);
      break;
    case DType::kI32:
      CountBits(a.data<std::int32_t>(), b.data<std::int32_t>(), difference);
      break;
    default:
      CountOthers(a, b, difference);
  }
  return difference;
}

std::uint32_t ConstantTable::ClassOfType(const Tensor& tensor) {
  const Attribute key(options_.ignore_shapes ? std::string(Name(tensor.dtype()))
                                             : tensor.type().ToString());
  return ClassOf(&key);
}

std::uint32_t ConstantTable::ClassOf(const Tensor& tensor) {
  if (options_.ignore_weights) return ClassOfType(tensor);
  const std::byte* buffer = tensor.bytes().data();
  if (buffer != nullptr) {
    auto found = by_buffer_.find(buffer);
    if (found != by_buffer_.end() && found->second.tensor == tensor) return found->second.number;
  }
  const std::uint64_t hash = tensor.Hash();
  auto [first, last] = by_hash_.equal_range(hash);
  auto equal = std::find_if(first, last, [&](const auto& e) { return e.second.tensor == tensor; });
  const std::uint32_t number = equal != last ? equal->second.number : next_++;
  if (equal == last) by_hash_.emplace(hash, Seen{tensor, number});
  if (buffer != nullptr) by_buffer_.insert_or_assign(buffer, Seen{tensor, number});
  return number;
}

std::uint32_t ConstantTable::ClassOf(const SparseTensor& tensor) {
  std::vector<std::int64_t> parts = tensor.sizes;
  parts.push_back(ClassOf(tensor.values));
  parts.push_back(ClassOf(tensor.indices));
  const Attribute key(std::move(parts));
  return ClassOf(&key);
}

std::uint32_t ConstantTable::ClassOf(const Attribute* data) {
  if (data == nullptr) return 0;
  if (const Tensor* tensor = data->tensor()) return ClassOf(*tensor);
  if (const SparseTensor* sparse = data->sparse_tensor()) return ClassOf(*sparse);
  std::string bytes;
  AttributeEncoder(*this).Append(*data, bytes);
  const std::uint64_t hash = HashString(bytes);
  auto [first, last] = other_.equal_range(hash);
  auto equal =
      std::find_if(first, last, [&](const auto& e) { return Identical(e.second.first, *data); });
  if (equal != last) return equal->second.second;
  other_.emplace(hash, std::pair(*data, next_));
  return next_++;
}

bool ConstantTable::Close(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.sizes() != b.sizes()) return false;
  if (!IsNumber(a.dtype()) || !IsFloating(a.dtype())) return false;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double x = a.FloatAt(i);
    if (!(Distance(x, b.FloatAt(i)) <= *options_.rtol * std::abs(x))) return false;
  }
  return true;
}

bool ConstantTable::Same(const Tensor& a, const Tensor& b) {
  const std::uint32_t x = ClassOf(a), y = ClassOf(b);
  if (x == y || !options_.rtol || options_.ignore_weights) return x == y;
  auto [found, added] = close_.try_emplace(std::uint64_t{x} << 32 | y, false);
  if (added) found->second = Close(a, b);
  return found->second;
}

bool ConstantTable::Same(const Attribute* a, const Attribute* b) {
  const Tensor* x = a != nullptr ? a->tensor() : nullptr;
  const Tensor* y = b != nullptr ? b->tensor() : nullptr;
  if (x != nullptr && y != nullptr) return Same(*x, *y);
  return ClassOf(a) == ClassOf(b);
}

}  // namespace dragoman::compare

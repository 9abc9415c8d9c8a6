// SPDX-License-Identifier: Apache-2.0
#include "core/compare/constant_table.h"

#include <algorithm>
#include <utility>

#include "core/compare/fingerprint.h"
#include "core/compare/tensor_differences.h"
#include "core/support/hash.h"

namespace dragoman::compare {
std::uint32_t ConstantTable::ClassOfType(const Tensor& tensor) {
  const Attribute key(options_.ignore_shapes ? std::string(Name(tensor.dtype()))
                                             : tensor.type().ToString());
  return ClassOf(&key);
}

std::uint32_t ConstantTable::ClassOf(const Tensor& tensor) {
  const bool by_type = floats_ == Floats::kByType && IsFloating(tensor.dtype());
  if (options_.ignore_weights || by_type) return ClassOfType(tensor);
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
  if (!IsFloating(a.dtype()) && !IsComplex(a.dtype())) return false;
  const rt::Closeness closeness = {*options_.rtol, 0, rt::Scale::kLarger};
  return FindDifferences(a, b, closeness).outside == 0;
}

bool ConstantTable::Same(const Tensor& a, const Tensor& b) {
  const std::uint32_t x = ClassOf(a), y = ClassOf(b);
  if (x == y || !options_.rtol || options_.ignore_weights) return x == y;
  auto [found, added] = close_.try_emplace(std::uint64_t{x} << 32 | y, false);
  if (added) found->second = Close(a, b);
  return found->second;
}

bool ConstantTable::Same(const SparseTensor& a, const SparseTensor& b) {
  if (!tolerant()) return ClassOf(a) == ClassOf(b);
  return a.sizes == b.sizes && ClassOf(a.indices) == ClassOf(b.indices) && Same(a.values, b.values);
}

bool ConstantTable::Same(const Attribute* a, const Attribute* b) {
  if (a == nullptr || b == nullptr || a->kind() != b->kind()) return ClassOf(a) == ClassOf(b);
  if (const Tensor* tensor = a->tensor()) return Same(*tensor, *b->tensor());
  if (const SparseTensor* sparse = a->sparse_tensor()) return Same(*sparse, *b->sparse_tensor());
  if (const auto* tensors = a->As<Attribute::Tensors>()) {
    const auto& others = *b->As<Attribute::Tensors>();
    return std::equal(tensors->begin(), tensors->end(), others.begin(), others.end(),
                      [&](const Tensor& x, const Tensor& y) { return Same(x, y); });
  }
  return ClassOf(a) == ClassOf(b);
}

}  // namespace dragoman::compare

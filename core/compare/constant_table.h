// SPDX-License-Identifier: Apache-2.0
// Classes of equal constants, over both models.
#ifndef DRAGOMAN_CORE_COMPARE_CONSTANT_TABLE_H_
#define DRAGOMAN_CORE_COMPARE_CONSTANT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/compare/equal.h"

namespace dragoman::compare {

// Numbers the distinct contents of constants: equal element type, sizes and bits give equal
// classes. Each buffer is hashed once and compared with an equal one once. With `ignore_weights`
// only element type and sizes count (without `ignore_shapes`), and with `rtol` Same is laxer than
// classes.
class ConstantTable {
 public:
  // Whether floating-point tensors of equal type are one class: a model and its fine-tuned copy.
  enum class Floats { kByContents, kByType };

  explicit ConstantTable(const CompareOptions& options, Floats floats = Floats::kByContents)
      : options_(options), floats_(floats) {}

  std::uint32_t ClassOf(const Tensor& tensor);
  std::uint32_t ClassOf(const SparseTensor& tensor);
  // Of the contents of a constant or the default of an input; nullptr is a class of its own.
  std::uint32_t ClassOf(const Attribute* data);

  // Whether constants of different classes may be the same.
  bool tolerant() const { return options_.rtol.has_value(); }
  bool Same(const Tensor& a, const Tensor& b);
  bool Same(const SparseTensor& a, const SparseTensor& b);
  // Lists of tensors one by one.
  bool Same(const Attribute* a, const Attribute* b);

 private:
  struct Seen {
    Tensor tensor;
    std::uint32_t number;
  };
  bool Close(const Tensor& a, const Tensor& b);
  std::uint32_t ClassOfType(const Tensor& tensor);

  const CompareOptions& options_;
  Floats floats_;
  std::uint32_t next_ = 1;
  std::unordered_map<const std::byte*, Seen> by_buffer_;
  std::unordered_multimap<std::uint64_t, Seen> by_hash_;
  std::unordered_multimap<std::uint64_t, std::pair<Attribute, std::uint32_t>> other_;
  std::unordered_map<std::uint64_t, bool> close_;  // by pair of classes
};

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_CONSTANT_TABLE_H_

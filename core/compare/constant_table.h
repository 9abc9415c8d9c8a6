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

// How the elements of two tensors of equal element type and sizes differ.
struct TensorDifference {
  std::int64_t count = 0;       // of elements whose bits differ
  std::int64_t first = 0;       // the first of them, in row-major order
  double largest_absolute = 0;  // over numbers; 0 for strings
  double largest_relative = 0;  // |a - b| / |a|
};
TensorDifference CompareElements(const Tensor& a, const Tensor& b);

// Numbers the distinct contents of constants: equal element type, sizes and bits give equal
// classes. Each buffer is hashed once and compared with an equal one once. With `ignore_weights`
// only element type and sizes count (without `ignore_shapes`), and with `rtol` Same is laxer than
// classes.
class ConstantTable {
 public:
  explicit ConstantTable(const CompareOptions& options) : options_(options) {}

  std::uint32_t ClassOf(const Tensor& tensor);
  std::uint32_t ClassOf(const SparseTensor& tensor);
  // Of the contents of a constant or the default of an input; nullptr is a class of its own.
  std::uint32_t ClassOf(const Attribute* data);

  bool Same(const Tensor& a, const Tensor& b);
  bool Same(const Attribute* a, const Attribute* b);

 private:
  struct Seen {
    Tensor tensor;
    std::uint32_t number;
  };
  bool Close(const Tensor& a, const Tensor& b);
  std::uint32_t ClassOfType(const Tensor& tensor);

  const CompareOptions& options_;
  std::uint32_t next_ = 1;
  std::unordered_map<const std::byte*, Seen> by_buffer_;
  std::unordered_multimap<std::uint64_t, Seen> by_hash_;
  std::unordered_multimap<std::uint64_t, std::pair<Attribute, std::uint32_t>> other_;
  std::unordered_map<std::uint64_t, bool> close_;  // by pair of classes
};

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_CONSTANT_TABLE_H_

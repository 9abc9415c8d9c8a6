// SPDX-License-Identifier: Apache-2.0
// What the emitter of one operator asks of its node, whichever form of TVM it writes.
#ifndef DRAGOMAN_CODEGEN_TVM_TVM_OP_H_
#define DRAGOMAN_CODEGEN_TVM_TVM_OP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/tvm/extremes.h"
#include "core/analysis/inference.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::tvm {

struct TvmOp {
  const Node& node;
  const Inference& inference;
  std::string_view writes;  // "Relax", as errors say it
  const BoundedValues& bounded;

  bool has(std::size_t i) const { return node.operand(i) != nullptr; }
  const Type& type(std::size_t i = 0) const { return node.operand(i)->type(); }
  const Type& result_type(std::size_t i = 0) const { return node.result(i)->type(); }
  DType dtype(std::size_t i = 0) const { return type(i).dtype(); }
  // Sizes of operand `i`. Errors: the rank is not known.
  Result<Shape> shape(std::size_t i) const;
  Result<Shape> result_shape(std::size_t i = 0) const;
  Result<std::int64_t> rank(std::size_t i = 0) const;
  // Errors: a size that is known at run time only.
  Result<std::vector<std::int64_t>> KnownSizes(const Shape& shape) const;

  // Attribute `name`, or the default that its operator declares.
  std::int64_t Int(std::string_view name) const;
  float Float(std::string_view name) const;
  std::string String(std::string_view name, std::string_view value) const;
  std::vector<std::int64_t> Ints(std::string_view name) const;
  // The integers of operand `i`, if they are known when the module is written.
  std::optional<std::vector<std::int64_t>> MaybeInts(std::size_t i) const;
  // The same of a constant of any length.
  std::optional<std::vector<std::int64_t>> Contents(std::size_t i) const;
  // Errors: they are not known.
  Result<std::vector<std::int64_t>> KnownInts(std::size_t i) const;
  // Whether none of the indices that are operand `i` can be negative.
  bool KnownNotNegative(std::size_t i) const;
  // Whether operand 0 may have elements that are -inf (extremes.h).
  bool MayBeMinusInfinity() const;
  // Attribute `name` as an axis of operand 0, counted from the front. Errors: no known rank.
  Result<std::int64_t> Axis(std::string_view name) const;

  // Errors: a scale or bias of another element type than operand 0.
  Status EqualElementTypes() const;

  Error Refuse(std::string_view why) const;
};

// What rows of emitters ask of a node (`takes`).
bool IsOfFloats(const Node& node);
bool IsOfWideFloats(const Node& node);  // not of halves
// Of a LayerNormalization or RMSNormalization: whether it has no statistics as results, and scale
// and bias are of the element type and exactly the sizes that are normalised.
bool HasPlainAffine(const Node& node);

// Why a node is refused that no emitter takes, and that has no expansion either.
inline constexpr std::string_view kNoForm =
    "it is neither written with these element types, sizes and attributes nor made of others";

// Whether the emitter of a row takes a node of its operator.
template <class Row>
bool Takes(const Row& row, const Node& node) {
  return row.takes == nullptr || row.takes(node);
}

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_TVM_OP_H_

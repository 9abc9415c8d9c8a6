// SPDX-License-Identifier: Apache-2.0
// What the shape rules of operators that only move elements share.
#ifndef DRAGOMAN_CORE_OPS_MOVEMENT_H_
#define DRAGOMAN_CORE_OPS_MOVEMENT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/ops/infer_context.h"
#include "runtime/params/shape.h"

namespace dragoman {

// An operand of integers as shape functions take it. Must outlive its span.
class IntsOperand {
 public:
  IntsOperand(const InferContext& context, std::size_t i);

  bool present() const { return present_; }
  // Absent, or every integer is a number.
  bool known() const { return !present_ || values_.has_value(); }
  // If known; without data if absent.
  rt::IntSpan span() const;
  std::int64_t operator[](std::size_t i) const { return (*values_)[i]; }

 private:
  bool present_;
  std::optional<std::vector<std::int64_t>> values_;
};

// An operand whose sizes and elements are both known.
struct SmallTensor {
  rt::Shape shape;
  Elements elements;

  const Dim& At(const rt::Shape& position) const;
};
std::optional<SmallTensor> SmallOperand(const InferContext& context, std::size_t i);

// Sets the elements of result `i`, which is of sizes `shape`: the one at position p is source(p).
// Does nothing if there are more than kMaxElements.
using ElementSource = std::function<Dim(const rt::Shape& position)>;
void SetMovedElements(InferContext& context, std::size_t i, const rt::Shape& shape,
                      const ElementSource& source);

// The elements of operand `i`, or as many unknown ones as its known size says; nullopt if not even
// their number is known.
std::optional<Elements> ElementsOrUnknown(const InferContext& context, std::size_t i);

// The integer that operand `i` holds alone, a scalar or a list of one; unknown if it is not known.
// Errors: it holds another number of elements.
Result<Dim> ScalarOperand(const InferContext& context, std::size_t i);

// A size that an operand's element states: one of its own if nothing is known of it. Errors: it is
// negative.
Result<Dim> StatedSize(InferContext& context, std::size_t result, const Dim& element);

// Sizes of one result of the given rank known only at run time.
Shape FreshShape(InferContext& context, std::size_t result, std::size_t rank);

// Of two statements about one size the one that says more. Errors: both are known and differ.
Result<Dim> SameSize(const InferContext& context, const Dim& a, const Dim& b);

// The sizes of all operands, if all are known.
std::optional<std::vector<rt::Shape>> RuntimeShapes(const InferContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_MOVEMENT_H_

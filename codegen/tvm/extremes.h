// SPDX-License-Identifier: Apache-2.0
// TVM's maxima start from the lowest finite number, its minima from the highest: of nothing but
// infinities they give a finite number, and the place of the greatest element is -1. Of two
// elements, of which one is NaN, they give the second.
#ifndef DRAGOMAN_CODEGEN_TVM_EXTREMES_H_
#define DRAGOMAN_CODEGEN_TVM_EXTREMES_H_

#include <cstddef>
#include <unordered_set>
#include <vector>

#include "core/compare/composed_node.h"
#include "core/ir/graph.h"

namespace dragoman::tvm {

using BoundedValues = std::unordered_set<const Value*>;  // looked up, never iterated
// Results of operators that became others, whose elements are not -inf by what those were.
BoundedValues BoundedOf(const std::vector<ComposedNode>& changed);

// Whether elements of `value` may be -inf; false only where that is sure, by the operators that
// compute it.
bool MayBeMinusInfinity(const Value& value, const BoundedValues& bounded = {});
// Whether elements of `value` may be NaN; false for integers and for constants without one.
bool MayBeNan(const Value& value);

// Max or Min of the operands of `node` as a chain of the binary operator, which keeps NaN: where
// one of two may be NaN it is the second, and where both may, `guarded` gives NaN if the first is.
// `operand` gives what stands for an operand.
template <typename Operand, typename Binary, typename Guarded>
auto ChainOfExtremes(const Node& node, const Operand& operand, const Binary& binary,
                     const Guarded& guarded) {
  auto so_far = operand(0);
  bool may_be_nan = MayBeNan(*node.operand(0));
  for (std::size_t i = 1; i < node.num_operands(); ++i) {
    const auto next = operand(i);
    const bool next_may_be = MayBeNan(*node.operand(i));
    if (may_be_nan && next_may_be) {
      so_far = guarded(so_far, next);
    } else {
      so_far = may_be_nan ? binary(next, so_far) : binary(so_far, next);
    }
    may_be_nan = may_be_nan || next_may_be;
  }
  return so_far;
}

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_EXTREMES_H_

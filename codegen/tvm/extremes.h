// SPDX-License-Identifier: Apache-2.0
// TVM's maxima start from the lowest finite number, its minima from the highest: of nothing but
// infinities they give a finite number, and the place of the greatest element is -1. Of two
// elements, of which one is NaN, they give the second.
#ifndef DRAGOMAN_CODEGEN_TVM_EXTREMES_H_
#define DRAGOMAN_CODEGEN_TVM_EXTREMES_H_

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

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_CODEGEN_TVM_EXTREMES_H_

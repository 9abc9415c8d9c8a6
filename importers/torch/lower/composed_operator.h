// SPDX-License-Identifier: Apache-2.0
// An operator of the common dialect in a program: what calls compute that a remark of ours is on
// (core/lowering/composed.h).
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_COMPOSED_OPERATOR_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_COMPOSED_OPERATOR_H_

#include <string_view>

#include "core/compare/composed_part.h"
#include "core/ir/graph.h"

namespace dragoman::torch {

// prim.Composed(operands…) {calls = graph () { … }}: the calls, which read the values around them,
// and give the results that are not omitted.
inline constexpr std::string_view kComposedOperator = "Composed";
inline constexpr std::string_view kComposedCalls = "calls";

// The operator as attributes of such a node, which has its operands.
void SetComposedOperator(const ComposedOperator& op, Node& node);
ComposedOperator ComposedOperatorOf(const Node& node);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_COMPOSED_OPERATOR_H_

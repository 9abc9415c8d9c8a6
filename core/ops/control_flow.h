// SPDX-License-Identifier: Apache-2.0
// What the shape rules of nodes with bodies share.
#ifndef DRAGOMAN_CORE_OPS_CONTROL_FLOW_H_
#define DRAGOMAN_CORE_OPS_CONTROL_FLOW_H_

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/infer_context.h"

namespace dragoman {

// After so many passes over a body, sizes no longer change what it carries.
inline constexpr int kMaxLoopPasses = 3;

// What a loop carries has to fit each iteration: widens `types` to hold what came back after pass
// `pass` (from 0), `returned`. First sizes that differ become unknown, then the ranks of what still
// changes, then all. Gives whether the body must be looked at again.
// Errors: an element type or a kind that changes on the way round.
Result<bool> WidenCarried(std::vector<Type>& types, std::span<const Type> returned, int pass);

// The body that attribute `name` holds, which must take `inputs` operands and give at least
// `outputs` results.
Result<Graph*> BodyOf(const InferContext& context, std::string_view name, std::size_t inputs,
                      std::size_t outputs);

// The symbols that have a meaning outside of the bodies of the node: those of its operands and of
// what its bodies capture.
std::set<std::string> OuterSymbols(const InferContext& context);
// `shape` as a size of result `i`: what is unknown, or said in symbols of a body, gets a symbol of
// its own.
Shape OuterShape(InferContext& context, std::size_t i, const Shape& shape,
                 const std::set<std::string>& outer);
Type OuterType(InferContext& context, std::size_t i, const Type& type,
               const std::set<std::string>& outer);

// Every element is a number, the same in a body and outside of it.
bool KnownElements(const Elements& elements);
// The operand or output is a bool that is always `value`.
bool IsConstantBool(const Knowledge& knowledge, bool value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_CONTROL_FLOW_H_

// SPDX-License-Identifier: Apache-2.0
// The number that a value is, as patterns ask.
#ifndef DRAGOMAN_CORE_REWRITE_SCALAR_H_
#define DRAGOMAN_CORE_REWRITE_SCALAR_H_

#include <optional>
#include <string_view>

#include "core/ir/graph.h"

namespace dragoman {

// The number in a constant of one f32 element; nullopt for an omitted operand, nullptr, too.
std::optional<float> ScalarOf(const Value* value);

// The number in a constant of one element of f16, bf16, f32 or f64, if f32 has it exactly: what a
// pattern makes an attribute of, or compares. nullopt for an omitted operand, nullptr, too.
std::optional<float> FormulaNumber(const Value* value);

// Whether a formula over `x` may become operator `type`: formulas are read in all element types in
// which ONNX computes with reals and that the operator has; but not in f64 where the operator
// `rounds` numbers of the formula, which are attributes, to f32.
bool IsReadAs(std::string_view type, const Value* x, bool rounds = false);

// Whether it is a number of a formula, which files round to the element type or, as texts of TVM do
// with f32, to six digits.
bool IsAbout(double scalar, double number);
bool IsAbout(const Value* value, double number);
// The same of one element of any number type, of which integers must be equal.
bool IsAbout(const Tensor& scalar, double number);

// The other operand of a node of operator `type` that also reads about `number`; nullptr: no such
// node.
Value* OtherThan(double number, const Value* value, std::string_view type);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_SCALAR_H_

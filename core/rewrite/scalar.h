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
// which ONNX computes with reals and that the operator has.
bool IsReadAs(std::string_view type, const Value* x);

// Whether the one element of a tensor is a number of a formula, which files round to the element
// type or, as texts of TVM do with f32, to six digits. Integers must be equal, and numbers that
// every floating-point type holds: nothing rounds these.
bool IsAbout(const Tensor& scalar, double number);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_SCALAR_H_

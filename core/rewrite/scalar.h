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

// Whether it is a number of a formula, which files round to f32 or, as texts of TVM do, to six
// digits.
bool IsAbout(double scalar, double number);
bool IsAbout(const Value* value, double number);

// The other operand of a node of operator `type` that also reads about `number`; nullptr: no such
// node.
Value* OtherThan(double number, const Value* value, std::string_view type);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_SCALAR_H_

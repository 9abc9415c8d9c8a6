// SPDX-License-Identifier: Apache-2.0
// What two statements about the type of one value say together, and what they have in common; types
// without shapes, and the symbols of types.
#ifndef DRAGOMAN_CORE_IR_TYPE_ALGEBRA_H_
#define DRAGOMAN_CORE_IR_TYPE_ALGEBRA_H_

#include <set>
#include <string>

#include "core/ir/type.h"

namespace dragoman {

// Of two statements about one value, what both together say: a known part wins over an unknown one,
// and where both are known `a` is kept.
Type Refine(const Type& a, const Type& b);
// The most special type that both are instances of: sizes that differ become unknown, as do ranks.
// A value is an instance of an optional that holds it.
Type Generalize(const Type& a, const Type& b);

// The type without the sizes and ranks of its tensors.
Type WithoutShapes(const Type& type);

// Adds the names of the symbols in its sizes.
void AddSymbols(const Type& type, std::set<std::string>& symbols);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_TYPE_ALGEBRA_H_

// The number that a value is, as patterns ask.
#ifndef DRAGOMAN_CORE_REWRITE_SCALAR_H_
#define DRAGOMAN_CORE_REWRITE_SCALAR_H_

#include <optional>

#include "core/ir/graph.h"

namespace dragoman {

// The number in a constant of one f32 element; nullopt for an omitted operand, nullptr, too.
std::optional<float> ScalarOf(const Value* value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_SCALAR_H_

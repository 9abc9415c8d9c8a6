// Patterns that find dragoman.Linear, which computes x * transpose(weight) + bias.
#ifndef DRAGOMAN_CORE_REWRITE_PATTERNS_LINEAR_PATTERNS_H_
#define DRAGOMAN_CORE_REWRITE_PATTERNS_LINEAR_PATTERNS_H_

#include <span>

#include "core/rewrite/pass_context.h"

namespace dragoman {

std::span<const Pattern> LinearPatterns();

// Those that find it in operators for more than products.
std::span<const Pattern> ProductPatterns();

// The transposed copy of a constant matrix, as a constant of the graph that `constant` is in.
Result<Value*> TransposeConstant(Value& constant, const std::vector<std::int64_t>& perm,
                                 PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PATTERNS_LINEAR_PATTERNS_H_

// SPDX-License-Identifier: Apache-2.0
// Patterns that find dragoman.Linear, which computes x * transpose(weight) + bias.
#ifndef DRAGOMAN_CORE_REWRITE_PATTERNS_LINEAR_PATTERNS_H_
#define DRAGOMAN_CORE_REWRITE_PATTERNS_LINEAR_PATTERNS_H_

#include <optional>
#include <span>

#include "core/rewrite/pass_context.h"

namespace dragoman {

std::span<const Pattern> LinearPatterns();

// Those that find it in operators for more than products.
std::span<const Pattern> BatchPatterns();
std::span<const Pattern> ProductPatterns();

// What an affine layer multiplies by, (out, in), and adds, a vector or nullptr.
struct AffineOperands {
  Value* weight = nullptr;
  Value* bias = nullptr;
};
// Those of a Gemm that is one, with its operand 0 as input.
Result<std::optional<AffineOperands>> ReadGemm(Node& node, PassContext& context);
// Those of a MatMul by a constant matrix.
Result<std::optional<AffineOperands>> ReadMatMul(Node& node, PassContext& context);

// Add(Linear(x, W), b) = Linear(x, W, b)
Result<bool> FuseBias(Node& node, PassContext& context);

// The transposed copy of a constant matrix, as a constant of the graph that `constant` is in.
Result<Value*> TransposeConstant(Value& constant, const std::vector<std::int64_t>& perm,
                                 PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PATTERNS_LINEAR_PATTERNS_H_

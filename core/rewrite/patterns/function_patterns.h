// SPDX-License-Identifier: Apache-2.0
// Patterns that read a function in the formula that spells it.
#ifndef DRAGOMAN_CORE_REWRITE_PATTERNS_FUNCTION_PATTERNS_H_
#define DRAGOMAN_CORE_REWRITE_PATTERNS_FUNCTION_PATTERNS_H_

#include <span>

#include "core/rewrite/pass_context.h"

namespace dragoman {

std::span<const Pattern> PReluPatterns();
std::span<const Pattern> AttentionPatterns();             // factors, safe softmax
std::span<const Pattern> FactorPatterns();                // of products of matrices
std::span<const Pattern> ShufflePatterns();               // DepthToSpace
std::span<const Pattern> NormalizationPatterns();         // LayerNormalization, RMSNormalization
std::span<const Pattern> ChannelNormalizationPatterns();  // InstanceNormalization, by groups

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PATTERNS_FUNCTION_PATTERNS_H_

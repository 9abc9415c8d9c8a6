// SPDX-License-Identifier: Apache-2.0
// Patterns that state computed sizes as constants where an operator can refer to its operand's own
// sizes.
#ifndef DRAGOMAN_CORE_REWRITE_PATTERNS_FOLD_SIZE_OPERANDS_H_
#define DRAGOMAN_CORE_REWRITE_PATTERNS_FOLD_SIZE_OPERANDS_H_

#include <span>

#include "core/rewrite/pass_context.h"

namespace dragoman {

std::span<const Pattern> SizeOperandPatterns();

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PATTERNS_FOLD_SIZE_OPERANDS_H_

// SPDX-License-Identifier: Apache-2.0
// Operators that one of two models has and the other is made without.
#ifndef DRAGOMAN_CORE_REWRITE_EXPAND_APART_H_
#define DRAGOMAN_CORE_REWRITE_EXPAND_APART_H_

#include <array>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// In two common models, operators that only one of them has become what they are made of (a tree
// ensemble comparisons and choices, a factorisation a Loop), where they have an expansion, as
// writers do for formats that lack them. Returns whether there were any.
Result<bool> ExpandApart(std::array<Model, 2>& models);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_EXPAND_APART_H_

// SPDX-License-Identifier: Apache-2.0
// How Python writes a call of an operator of ATen.
#ifndef DRAGOMAN_EXPORTERS_TORCH_SPELLING_H_
#define DRAGOMAN_EXPORTERS_TORCH_SPELLING_H_

#include <optional>
#include <string>

#include "exporters/torch/expression.h"
#include "exporters/torch/program.h"

namespace dragoman::pytorch {

// The call as an operator, a method, or a function of torch or torch.nn.functional; of those that
// have none, and of arguments that these do not take, as torch.ops has it.
Expr Spell(const Call& call);

// The argument as an expression; `what` names its numbers.
Expr ArgumentExpr(const pt2::Json& value, std::string_view what);
// Numbers that are the same along all axes as one.
Expr PerAxis(const pt2::Json& ints, std::string_view what);

// nn.ReLU() and the like for a call without weights that a Sequential may hold; nullopt: it has
// none.
std::optional<Expr> LayerWithoutWeights(const Call& call);

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_SPELLING_H_

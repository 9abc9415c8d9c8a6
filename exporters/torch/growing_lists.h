// SPDX-License-Identifier: Apache-2.0
// Modules each of which takes what all before it gave, as in dense blocks: a list that grows, and
// classes that take any number of tensors.
#ifndef DRAGOMAN_EXPORTERS_TORCH_GROWING_LISTS_H_
#define DRAGOMAN_EXPORTERS_TORCH_GROWING_LISTS_H_

#include <optional>

#include "exporters/torch/functions.h"

namespace dragoman::pytorch {

// `function` with all its inputs as one list, if it does nothing with them but to read that list,
// in their order, in one place; nullopt: it does more.
std::optional<Function> WithGatheredInputs(const Function& function);

// y = f(x); z = g(x, y); … as appending to a list, which each call takes.
void FoldGrowingCalls(Function& function);

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_GROWING_LISTS_H_

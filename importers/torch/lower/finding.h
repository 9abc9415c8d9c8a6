// SPDX-License-Identifier: Apache-2.0
// Findings at places of the user's source.
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_FINDING_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_FINDING_H_

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::torch {

// `finding` at the source line of `node`: "policy.py:87" as the place, and below the message the
// line with a caret, and the calls that lead there.
Finding AtSource(const Node& node, Finding finding);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_FINDING_H_

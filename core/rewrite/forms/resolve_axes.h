// SPDX-License-Identifier: Apache-2.0
// Axes that only run time knows, for targets that want them when a program is written.
#ifndef DRAGOMAN_CORE_REWRITE_FORMS_RESOLVE_AXES_H_
#define DRAGOMAN_CORE_REWRITE_FORMS_RESOLVE_AXES_H_

#include <cstddef>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// Replaces operators with such axes by others that say the same of all axes in turn: a reduction
// asks of each axis whether it goes, a CumSum or DFT takes one of as many; Squeeze and Unsqueeze
// are reshapes to sizes that are computed, Slice and Pad state bounds for every axis. What is of an
// unknown rank, or of an unknown number of axes that come or go, stays.
Status ResolveAxes(Graph& entry);

// Whether the operator has its axes as an operand that is not a constant, so that ResolveAxes may
// replace it.
bool HasComputedAxes(const Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_FORMS_RESOLVE_AXES_H_

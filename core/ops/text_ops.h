// SPDX-License-Identifier: Apache-2.0
// Operators on strings, those that look elements up, and decision trees, beside the families of
// op_list.h.
#ifndef DRAGOMAN_CORE_OPS_TEXT_OPS_H_
#define DRAGOMAN_CORE_OPS_TEXT_OPS_H_

#include <vector>

#include "core/ops/op_def.h"

namespace dragoman {

std::vector<OpDef> FindSortedOps();
std::vector<OpDef> TextFormOps();
std::vector<OpDef> TextOps();
std::vector<OpDef> TreeEnsembleOps();

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_TEXT_OPS_H_

// Operators on strings, and those that look elements up, beside the families of op_list.h.
#ifndef DRAGOMAN_CORE_OPS_TEXT_OPS_H_
#define DRAGOMAN_CORE_OPS_TEXT_OPS_H_

#include <vector>

#include "core/ops/op_def.h"

namespace dragoman {

std::vector<OpDef> FindSortedOps();
std::vector<OpDef> TextOps();

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_TEXT_OPS_H_

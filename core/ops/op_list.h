// Every operator of the common dialect: one function a file, which returns the definitions that the
// file holds.
#ifndef DRAGOMAN_CORE_OPS_OP_LIST_H_
#define DRAGOMAN_CORE_OPS_OP_LIST_H_

#include <vector>

#include "core/ops/op_def.h"

namespace dragoman {

std::vector<OpDef> ReshapeOps();
std::vector<OpDef> ShapeOps();
std::vector<OpDef> SoftmaxOps();

using OpFamily = std::vector<OpDef> (*)();

inline constexpr OpFamily kOpFamilies[] = {
    ReshapeOps,
    ShapeOps,
    SoftmaxOps,
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_OP_LIST_H_

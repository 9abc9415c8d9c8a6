// Every operator of the common dialect: one function a file, which returns the definitions that the
// file holds.
#ifndef DRAGOMAN_CORE_OPS_OP_LIST_H_
#define DRAGOMAN_CORE_OPS_OP_LIST_H_

#include <vector>

#include "core/ops/op_def.h"

namespace dragoman {

std::vector<OpDef> ActivationOps();
std::vector<OpDef> ArgReduceOps();
std::vector<OpDef> BinaryOps();
std::vector<OpDef> CastOps();
std::vector<OpDef> DropoutOps();
std::vector<OpDef> NormalizationOps();
std::vector<OpDef> QuantizeOps();
std::vector<OpDef> RandomOps();
std::vector<OpDef> ReduceOps();
std::vector<OpDef> ReshapeOps();
std::vector<OpDef> SelectOps();
std::vector<OpDef> ShapeOps();
std::vector<OpDef> SoftmaxOps();
std::vector<OpDef> UnaryOps();

using OpFamily = std::vector<OpDef> (*)();

inline constexpr OpFamily kOpFamilies[] = {
    ActivationOps,
    ArgReduceOps,
    BinaryOps,
    CastOps,
    DropoutOps,
    NormalizationOps,
    QuantizeOps,
    RandomOps,
    ReduceOps,
    ReshapeOps,
    SelectOps,
    ShapeOps,
    SoftmaxOps,
    UnaryOps,
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_OP_LIST_H_

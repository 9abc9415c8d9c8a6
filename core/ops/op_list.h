// SPDX-License-Identifier: Apache-2.0
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
std::vector<OpDef> BitCastOps();
std::vector<OpDef> CastOps();
std::vector<OpDef> ComplexOps();
std::vector<OpDef> CompressOps();
std::vector<OpDef> ConcatOps();
std::vector<OpDef> ConstantOfShapeOps();
std::vector<OpDef> ConvOps();
std::vector<OpDef> CtcBeamSearchOps();
std::vector<OpDef> CumSumOps();
std::vector<OpDef> DepthToSpaceOps();
std::vector<OpDef> DftOps();
std::vector<OpDef> DropoutOps();
std::vector<OpDef> EffectOps();
std::vector<OpDef> EinsumOps();
std::vector<OpDef> ExpandOps();
std::vector<OpDef> EyeLikeOps();
std::vector<OpDef> FlattenOps();
std::vector<OpDef> FusedOps();
std::vector<OpDef> GatherOps();
std::vector<OpDef> GridSampleOps();
std::vector<OpDef> IfOps();
std::vector<OpDef> ImageDecoderOps();
std::vector<OpDef> LinalgOps();
std::vector<OpDef> LinearOps();
std::vector<OpDef> LoopOps();
std::vector<OpDef> MatMulOps();
std::vector<OpDef> NonMaxSuppressionOps();
std::vector<OpDef> NonZeroOps();
std::vector<OpDef> NormalizationOps();
std::vector<OpDef> OneHotOps();
std::vector<OpDef> OptionalOps();
std::vector<OpDef> PadOps();
std::vector<OpDef> PoolOps();
std::vector<OpDef> QuantizeOps();
std::vector<OpDef> RandomOps();
std::vector<OpDef> RangeOps();
std::vector<OpDef> RecurrentOps();
std::vector<OpDef> ReduceOps();
std::vector<OpDef> ReshapeOps();
std::vector<OpDef> ResizeOps();
std::vector<OpDef> ReverseSequenceOps();
std::vector<OpDef> RoiAlignOps();
std::vector<OpDef> ScanOps();
std::vector<OpDef> ScatterOps();
std::vector<OpDef> SequenceOps();
std::vector<OpDef> ShapeOps();
std::vector<OpDef> SliceOps();
std::vector<OpDef> SoftmaxOps();
std::vector<OpDef> SplitOps();
std::vector<OpDef> SqueezeOps();
std::vector<OpDef> TileOps();
std::vector<OpDef> TopKOps();
std::vector<OpDef> TransposeOps();
std::vector<OpDef> TriluOps();
std::vector<OpDef> UnaryOps();
std::vector<OpDef> UniqueOps();
std::vector<OpDef> WhereOps();

using OpFamily = std::vector<OpDef> (*)();

inline constexpr OpFamily kOpFamilies[] = {
    ActivationOps,
    ArgReduceOps,
    BinaryOps,
    BitCastOps,
    CastOps,
    ComplexOps,
    CompressOps,
    ConcatOps,
    ConstantOfShapeOps,
    ConvOps,
    CtcBeamSearchOps,
    CumSumOps,
    DepthToSpaceOps,
    DftOps,
    DropoutOps,
    EffectOps,
    EinsumOps,
    ExpandOps,
    EyeLikeOps,
    FlattenOps,
    FusedOps,
    GatherOps,
    GridSampleOps,
    IfOps,
    ImageDecoderOps,
    LinalgOps,
    LinearOps,
    LoopOps,
    MatMulOps,
    NonMaxSuppressionOps,
    NonZeroOps,
    NormalizationOps,
    OneHotOps,
    OptionalOps,
    PadOps,
    PoolOps,
    QuantizeOps,
    RandomOps,
    RangeOps,
    RecurrentOps,
    ReduceOps,
    ReshapeOps,
    ResizeOps,
    ReverseSequenceOps,
    RoiAlignOps,
    ScanOps,
    ScatterOps,
    SequenceOps,
    ShapeOps,
    SliceOps,
    SoftmaxOps,
    SplitOps,
    SqueezeOps,
    TileOps,
    TopKOps,
    TransposeOps,
    TriluOps,
    UnaryOps,
    UniqueOps,
    WhereOps,
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_OP_LIST_H_

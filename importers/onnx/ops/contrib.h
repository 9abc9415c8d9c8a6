// SPDX-License-Identifier: Apache-2.0
// Operators of com.microsoft, written in operators of ai.onnx: what ONNX Runtime's optimiser,
// quantiser and transformer tools write. Their meaning is that of ONNX Runtime's
// docs/ContribOperators.md and, where that leaves it open (defaults above all), of what its CPU
// provider computes.
//
// An attribute that a lowering has not taken is refused after it by name.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_CONTRIB_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_CONTRIB_H_

#include <string>
#include <string_view>
#include <vector>

#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

// Errors: the source uses result `i`, which is `what`.
Status RefuseResult(const OpLowering& op, std::size_t i, std::string_view what);

// Whether the source names result `i`.
bool WantsResult(const OpLowering& op, std::size_t i);

// The rank of an image, operand 0. Errors: it is not known, or there is no spatial axis.
Result<int> ImageRank(const OpLowering& op);

// The attribute as a flag; absent is false.
Result<bool> TakeFlag(OpLowering& op, std::string_view name);

// (batch, ..., channels) as (batch, channels, ...), and back.
Value* ChannelsFirst(OpComposer& f, Value* x, int rank);
Value* ChannelsLast(OpComposer& f, Value* x, int rank, std::string_view name);

// Softmax along all axes from `axis` on, of a value of rank `rank`.
Value* SoftmaxFrom(OpComposer& f, Value* x, std::int64_t axis, int rank,
                   std::string_view name = "");

LoweredResults LowerBiasAdd(OpLowering& op);
LoweredResults LowerBiasDropout(OpLowering& op);
LoweredResults LowerBiasGelu(OpLowering& op);
LoweredResults LowerBiasSoftmax(OpLowering& op);
LoweredResults LowerBiasSplitGelu(OpLowering& op);
LoweredResults LowerCDist(OpLowering& op);
LoweredResults LowerContribAttention(OpLowering& op);
LoweredResults LowerContribGatherNd(OpLowering& op);
LoweredResults LowerContribGelu(OpLowering& op);
LoweredResults LowerContribGridSample(OpLowering& op);
LoweredResults LowerContribPad(OpLowering& op);
LoweredResults LowerContribQLinearConv(OpLowering& op);
LoweredResults LowerContribQuantization(OpLowering& op);
LoweredResults LowerContribRange(OpLowering& op);
LoweredResults LowerContribRotaryEmbedding(OpLowering& op);
LoweredResults LowerContribTrilu(OpLowering& op);
LoweredResults LowerContribUnique(OpLowering& op);
LoweredResults LowerDynamicQuantizeLstm(OpLowering& op);
LoweredResults LowerDynamicQuantizeMatMul(OpLowering& op);
LoweredResults LowerEmbedLayerNormalization(OpLowering& op);
LoweredResults LowerExpandDims(OpLowering& op);
LoweredResults LowerFastGelu(OpLowering& op);
LoweredResults LowerFusedConv(OpLowering& op);
LoweredResults LowerFusedGemm(OpLowering& op);
LoweredResults LowerFusedMatMul(OpLowering& op);
LoweredResults LowerGatherBlockQuantized(OpLowering& op);
LoweredResults LowerGatedAdd(OpLowering& op);
LoweredResults LowerGatedRmsNorm(OpLowering& op);
LoweredResults LowerGemmFastGelu(OpLowering& op);
LoweredResults LowerGroupNorm(OpLowering& op);
LoweredResults LowerGroupQueryAttention(OpLowering& op);
LoweredResults LowerInverse(OpLowering& op);
LoweredResults LowerLinearAttentionGate(OpLowering& op);
LoweredResults LowerMatMulBnb4(OpLowering& op);
LoweredResults LowerMatMulInteger16(OpLowering& op);
LoweredResults LowerMatMulIntegerToFloat(OpLowering& op);
LoweredResults LowerMatMulNBits(OpLowering& op);
LoweredResults LowerMoe(OpLowering& op);
LoweredResults LowerMulInteger(OpLowering& op);
LoweredResults LowerMultiHeadAttention(OpLowering& op);
LoweredResults LowerMultimodalRotaryEmbedding(OpLowering& op);
LoweredResults LowerNhwcConv(OpLowering& op);
LoweredResults LowerNhwcMaxPool(OpLowering& op);
LoweredResults LowerQAttention(OpLowering& op);
LoweredResults LowerQEmbedLayerNormalization(OpLowering& op);
LoweredResults LowerQGemm(OpLowering& op);
LoweredResults LowerQLinearBinary(OpLowering& op);
LoweredResults LowerQLinearConcat(OpLowering& op);
LoweredResults LowerQLinearPool(OpLowering& op);
LoweredResults LowerQLinearReduceMean(OpLowering& op);
LoweredResults LowerQLinearSoftmax(OpLowering& op);
LoweredResults LowerQLinearUnary(OpLowering& op);
LoweredResults LowerQLinearWhere(OpLowering& op);
LoweredResults LowerQMoe(OpLowering& op);
LoweredResults LowerQuickGelu(OpLowering& op);
LoweredResults LowerSkipGroupNorm(OpLowering& op);
LoweredResults LowerSkipLayerNormalization(OpLowering& op);
LoweredResults LowerSkipSimplifiedLayerNormalization(OpLowering& op);

// Of any operator whose operands lie in blocks of channels.
LoweredResults RefuseBlockedLayout(OpLowering& op);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_CONTRIB_H_

// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/ops/lowerings.h"

#include <set>
#include <string_view>

#include "core/ir/domain.h"
#include "core/ops/op_def.h"
#include "importers/onnx/ops/domains.h"
#include "importers/onnx/ops/text.h"

namespace dragoman {
namespace {

// Of operator `type` below opset `before`.
struct LoweringRow {
  std::string_view type;
  std::int64_t before;
  OnnxLowering lower;
};

constexpr std::int64_t kAlways = INT64_MAX;

constexpr LoweringRow kOnnxLowerings[] = {
    {"Add", 7, LowerLegacyBroadcast},
    {"Affine", kAlways, LowerAffine},
    {"AffineGrid", kAlways, LowerAffineGrid},
    {"And", 7, LowerLegacyBroadcast},
    {"Attention", kAlways, LowerAttention},
    {"BatchNormalization", 14, LowerBatchNormalization},
    {"BitCast", kAlways, LowerBitCast},
    {"BitShift", kAlways, LowerBitShift},
    {"BlackmanWindow", kAlways, LowerWindow},
    {"Cast", kAlways, LowerCast},
    {"CastLike", kAlways, LowerCastLike},
    {"CausalConvWithState", kAlways, LowerCausalConvWithState},
    {"CenterCropPad", kAlways, LowerCenterCropPad},
    {"Clip", 11, LowerClip},
    {"Col2Im", kAlways, LowerCol2Im},
    {"Compress", kAlways, LowerOfBFloat16},
    {"Concat", 4, LowerConcat},
    {"CumProd", kAlways, LowerCumProd},
    {"DFT", kAlways, LowerDft},
    {"DeformConv", kAlways, LowerDeformConv},
    {"Div", 7, LowerLegacyBroadcast},
    {"Dropout", 12, LowerDropout},
    {"Einsum", kAlways, LowerOfBFloat16},
    {"Equal", 7, LowerLegacyBroadcast},
    {"Erf", kAlways, LowerErf},
    {"GRU", 14, LowerRecurrent},
    {"Gemm", 7, LowerLegacyBroadcast},
    {"GlobalLpPool", 2, LowerLpPool},
    {"Greater", 7, LowerLegacyBroadcast},
    {"GridSample", 20, LowerGridSample},
    {"GroupNormalization", 21, LowerGroupNormalization},
    {"HammingWindow", kAlways, LowerWindow},
    {"HannWindow", kAlways, LowerWindow},
    {"Hardmax", 13, LowerSoftmax},
    {"ImageScaler", kAlways, LowerImageScaler},
    {"LSTM", 14, LowerRecurrent},
    {"Less", 7, LowerLegacyBroadcast},
    {"LinearAttention", kAlways, LowerLinearAttention},
    {"LogSoftmax", 13, LowerSoftmax},
    {"LpNormalization", 2, LowerLpPool},
    {"LpPool", 2, LowerLpPool},
    {"MeanVarianceNormalization", 9, LowerMeanVarianceNormalization},
    {"MelWeightMatrix", kAlways, LowerMelWeightMatrix},
    {"Mul", 7, LowerLegacyBroadcast},
    {"NegativeLogLikelihoodLoss", kAlways, LowerNegativeLogLikelihoodLoss},
    {"NonZero", kAlways, LowerNonZero},
    {"OneHot", kAlways, LowerOfBFloat16},
    {"Or", 7, LowerLegacyBroadcast},
    {"PRelu", 7, LowerPRelu},
    {"Pad", 11, LowerPad},
    {"ParametricSoftplus", kAlways, LowerParametricSoftplus},
    {"Pow", 7, LowerLegacyBroadcast},
    {"QuantizeLinear", 19, LowerQuantizeLinear},
    {"RNN", 14, LowerRecurrent},
    {"Range", kAlways, LowerRange},
    {"ReduceL1", 18, LowerReduce},
    {"ReduceL2", 18, LowerReduce},
    {"ReduceLogSum", 18, LowerReduce},
    {"ReduceLogSumExp", 18, LowerReduce},
    {"ReduceMax", 18, LowerReduce},
    {"ReduceMean", 18, LowerReduce},
    {"ReduceMin", 18, LowerReduce},
    {"ReduceProd", 18, LowerReduce},
    {"ReduceSum", 13, LowerReduce},
    {"ReduceSumSquare", 18, LowerReduce},
    {"RegexFullMatch", kAlways, LowerRegexFullMatch},
    {"Reshape", 5, LowerReshape},
    {"Resize", 11, LowerResize},
    {"ReverseSequence", kAlways, LowerOfBFloat16},
    {"RoiAlign", 16, LowerRoiAlign},
    {"RotaryEmbedding", kAlways, LowerRotaryEmbedding},
    {"STFT", kAlways, LowerStft},
    {"ScaledTanh", kAlways, LowerScaledTanh},
    {"Scatter", kAlways, LowerScatter},
    {"Selu", 6, LowerSelu},
    {"SimplifiedLayerNormalization", kAlways, LowerSimplifiedLayerNormalization},
    {"Slice", 10, LowerSlice},
    {"Softmax", 13, LowerSoftmax},
    {"SoftmaxCrossEntropyLoss", kAlways, LowerSoftmaxCrossEntropyLoss},
    {"SpaceToDepth", kAlways, LowerSpaceToDepth},
    {"Split", 18, LowerSplit},
    {"SplitToSequence", kAlways, LowerSplitToSequence},
    {"Squeeze", kAlways, LowerSqueeze},
    {"StringNormalizer", kAlways, LowerStringNormalizer},
    {"StringSplit", kAlways, LowerStringSplit},
    {"Sub", 7, LowerLegacyBroadcast},
    {"SwiGLU", kAlways, LowerSwiGlu},
    {"TensorScatter", kAlways, LowerTensorScatter},
    {"TfIdfVectorizer", kAlways, LowerTfIdfVectorizer},
    {"Tile", 6, LowerTile},
    {"TopK", 10, LowerTopK},
    {"Unique", kAlways, LowerOfBFloat16},
    {"Unsqueeze", 13, LowerSqueeze},
    {"Upsample", kAlways, LowerUpsample},
    {"Xor", 7, LowerLegacyBroadcast},
};

}  // namespace

OnnxLowering FindOnnxLowering(std::string_view type, std::int64_t opset) {
  for (const LoweringRow& row : kOnnxLowerings) {
    if (row.type == type) return opset < row.before ? row.lower : nullptr;
  }
  return nullptr;
}

std::vector<std::string_view> AiOnnxOperators() {
  std::set<std::string_view> types = {"Constant", "SequenceMap"};
  for (const LoweringRow& row : kOnnxLowerings) types.insert(row.type);
  for (const OpDef* def : AllOps()) {
    if (IsDefaultDomain(def->name->domain)) types.insert(def->name->type);
  }
  return {types.begin(), types.end()};
}

}  // namespace dragoman

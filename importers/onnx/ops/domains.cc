// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/ops/domains.h"

#include <span>

#include "importers/onnx/ops/contrib.h"
#include "importers/onnx/ops/extension_text.h"
#include "importers/onnx/ops/ml.h"
#include "importers/onnx/ops/training.h"

namespace dragoman {
namespace {

struct DomainRow {
  std::string_view type;
  OnnxLowering lower;
};

constexpr DomainRow kMlLowerings[] = {
    {"ArrayFeatureExtractor", LowerArrayFeatureExtractor},
    {"Binarizer", LowerBinarizer},
    {"CastMap", LowerCastMap},
    {"CategoryMapper", LowerCategoryMapper},
    {"DictVectorizer", LowerDictVectorizer},
    {"FeatureVectorizer", LowerFeatureVectorizer},
    {"Imputer", LowerImputer},
    {"LabelEncoder", LowerLabelEncoder},
    {"LinearClassifier", LowerLinearClassifier},
    {"LinearRegressor", LowerLinearRegressor},
    {"Normalizer", LowerNormalizer},
    {"OneHotEncoder", LowerMlOneHotEncoder},
    {"SVMClassifier", LowerSvmClassifier},
    {"SVMRegressor", LowerSvmRegressor},
    {"Scaler", LowerScaler},
    {"TreeEnsemble", LowerTreeEnsemble},
    {"TreeEnsembleClassifier", LowerTreeEnsembleClassifier},
    {"TreeEnsembleRegressor", LowerTreeEnsembleRegressor},
    {"ZipMap", LowerZipMap},
};

constexpr DomainRow kTrainingLowerings[] = {
    {"Adagrad", LowerAdagrad},
    {"Adam", LowerAdam},
    {"Momentum", LowerMomentum},
};

constexpr DomainRow kContribLowerings[] = {
    {"Attention", LowerContribAttention},
    {"BiasAdd", LowerBiasAdd},
    {"BiasDropout", LowerBiasDropout},
    {"BiasGelu", LowerBiasGelu},
    {"BiasSoftmax", LowerBiasSoftmax},
    {"BiasSplitGelu", LowerBiasSplitGelu},
    {"CDist", LowerCDist},
    {"CausalConvWithState", LowerCausalConvWithState},
    {"DequantizeLinear", LowerContribQuantization},
    {"DynamicQuantizeLSTM", LowerDynamicQuantizeLstm},
    {"DynamicQuantizeMatMul", LowerDynamicQuantizeMatMul},
    {"EmbedLayerNormalization", LowerEmbedLayerNormalization},
    {"ExpandDims", LowerExpandDims},
    {"FastGelu", LowerFastGelu},
    {"FusedConv", LowerFusedConv},
    {"FusedGemm", LowerFusedGemm},
    {"FusedMatMul", LowerFusedMatMul},
    {"FusedMatMulActivation", LowerFusedMatMul},
    {"GatherBlockQuantized", LowerGatherBlockQuantized},
    {"GatherND", LowerContribGatherNd},
    {"GatedAdd", LowerGatedAdd},
    {"GatedRMSNorm", LowerGatedRmsNorm},
    {"Gelu", LowerContribGelu},
    {"GemmFastGelu", LowerGemmFastGelu},
    {"GridSample", LowerContribGridSample},
    {"GroupNorm", LowerGroupNorm},
    {"GroupQueryAttention", LowerGroupQueryAttention},
    {"Inverse", LowerInverse},
    {"LinearAttention", LowerLinearAttention},
    {"LinearAttentionGate", LowerLinearAttentionGate},
    {"MRotaryEmbedding", LowerMultimodalRotaryEmbedding},
    {"MatMulBnb4", LowerMatMulBnb4},
    {"MatMulInteger16", LowerMatMulInteger16},
    {"MatMulIntegerToFloat", LowerMatMulIntegerToFloat},
    {"MatMulNBits", LowerMatMulNBits},
    {"MoE", LowerMoe},
    {"MulInteger", LowerMulInteger},
    {"MultiHeadAttention", LowerMultiHeadAttention},
    {"NhwcConv", LowerNhwcConv},
    {"NhwcFusedConv", LowerNhwcConv},
    {"NhwcMaxPool", LowerNhwcMaxPool},
    {"Pad", LowerContribPad},
    {"QAttention", LowerQAttention},
    {"QEmbedLayerNormalization", LowerQEmbedLayerNormalization},
    {"QGemm", LowerQGemm},
    {"QLinearAdd", LowerQLinearBinary},
    {"QLinearAveragePool", LowerQLinearPool},
    {"QLinearConcat", LowerQLinearConcat},
    {"QLinearConv", LowerContribQLinearConv},
    {"QLinearGlobalAveragePool", LowerQLinearPool},
    {"QLinearLeakyRelu", LowerQLinearUnary},
    {"QLinearMul", LowerQLinearBinary},
    {"QLinearReduceMean", LowerQLinearReduceMean},
    {"QLinearSigmoid", LowerQLinearUnary},
    {"QLinearSoftmax", LowerQLinearSoftmax},
    {"QLinearWhere", LowerQLinearWhere},
    {"QMoE", LowerQMoe},
    {"QuantizeLinear", LowerContribQuantization},
    {"QuickGelu", LowerQuickGelu},
    {"Range", LowerContribRange},
    {"RotaryEmbedding", LowerContribRotaryEmbedding},
    {"SkipGroupNorm", LowerSkipGroupNorm},
    {"SkipLayerNormalization", LowerSkipLayerNormalization},
    {"SkipSimplifiedLayerNormalization", LowerSkipSimplifiedLayerNormalization},
    {"TransposeMatMul", LowerFusedMatMul},
    {"Trilu", LowerContribTrilu},
    {"Unique", LowerContribUnique},
};

constexpr DomainRow kExtensionLowerings[] = {
    {"StringLength", LowerStringLength},
    {"StringRegexReplace", LowerStringRegexReplace},
};

std::span<const DomainRow> RowsOf(std::string_view domain) {
  if (domain == "ai.onnx.ml") return kMlLowerings;
  if (domain == "ai.onnx.preview.training") return kTrainingLowerings;
  if (domain == kContribDomain) return kContribLowerings;
  if (domain == "ai.onnx.contrib") return kExtensionLowerings;
  return {};
}

}  // namespace

OnnxLowering FindDomainLowering(std::string_view domain, std::string_view type) {
  if (domain == "com.microsoft.nchwc") return RefuseBlockedLayout;
  for (const DomainRow& row : RowsOf(domain)) {
    if (row.type == type) return row.lower;
  }
  return nullptr;
}

std::vector<std::string_view> LoweredOperators(std::string_view domain) {
  if (domain == "ai.onnx") return AiOnnxOperators();
  std::vector<std::string_view> types;
  for (const DomainRow& row : RowsOf(domain)) types.push_back(row.type);
  return types;
}

}  // namespace dragoman

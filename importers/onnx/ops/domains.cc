#include "importers/onnx/ops/domains.h"

#include <span>

#include "importers/onnx/ops/contrib.h"
#include "importers/onnx/ops/ml.h"

namespace dragoman {
namespace {

struct Row {
  std::string_view type;
  OnnxLowering lower;
};

constexpr Row kMlLowerings[] = {
    {"ArrayFeatureExtractor", LowerArrayFeatureExtractor},
    {"Binarizer", LowerBinarizer},
    {"FeatureVectorizer", LowerFeatureVectorizer},
    {"Imputer", LowerImputer},
    {"LabelEncoder", LowerLabelEncoder},
    {"LinearClassifier", LowerLinearClassifier},
    {"LinearRegressor", LowerLinearRegressor},
    {"Normalizer", LowerNormalizer},
    {"OneHotEncoder", LowerMlOneHotEncoder},
    {"Scaler", LowerScaler},
    {"TreeEnsembleClassifier", LowerTreeEnsembleClassifier},
    {"TreeEnsembleRegressor", LowerTreeEnsembleRegressor},
};

constexpr Row kContribLowerings[] = {
    {"BiasGelu", LowerBiasGelu},
    {"BiasSoftmax", LowerBiasSoftmax},
    {"BiasSplitGelu", LowerBiasSplitGelu},
    {"EmbedLayerNormalization", LowerEmbedLayerNormalization},
    {"FastGelu", LowerFastGelu},
    {"FusedConv", LowerFusedConv},
    {"FusedGemm", LowerFusedGemm},
    {"FusedMatMul", LowerFusedMatMul},
    {"FusedMatMulActivation", LowerFusedMatMul},
    {"Gelu", LowerContribGelu},
    {"GemmFastGelu", LowerGemmFastGelu},
    {"GroupNorm", LowerGroupNorm},
    {"NhwcConv", LowerNhwcConv},
    {"NhwcFusedConv", LowerNhwcConv},
    {"QuickGelu", LowerQuickGelu},
    {"SkipGroupNorm", LowerSkipGroupNorm},
    {"SkipLayerNormalization", LowerSkipLayerNormalization},
    {"SkipSimplifiedLayerNormalization", LowerSkipSimplifiedLayerNormalization},
    {"TransposeMatMul", LowerFusedMatMul},
};

std::span<const Row> RowsOf(std::string_view domain) {
  if (domain == "ai.onnx.ml") return kMlLowerings;
  if (domain == kContribDomain) return kContribLowerings;
  return {};
}

}  // namespace

OnnxLowering FindDomainLowering(std::string_view domain, std::string_view type) {
  for (const Row& row : RowsOf(domain)) {
    if (row.type == type) return row.lower;
  }
  return nullptr;
}

std::vector<std::string_view> LoweredOperators(std::string_view domain) {
  std::vector<std::string_view> types;
  for (const Row& row : RowsOf(domain)) types.push_back(row.type);
  return types;
}

}  // namespace dragoman

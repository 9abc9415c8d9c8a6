// SPDX-License-Identifier: Apache-2.0
// What the lowerings of ai.onnx.ml share: classic learners, written as arithmetic of ai.onnx.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_ML_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_ML_H_

#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/tensor.h"
#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

// Lists are empty where the attribute is absent.
Result<std::vector<float>> TakeFloatList(OpLowering& op, std::string_view name);
Result<std::vector<std::int64_t>> TakeIntList(OpLowering& op, std::string_view name);
Result<std::vector<std::string>> TakeStringList(OpLowering& op, std::string_view name);

// A vector of the one attribute of the three that is there, in the order i64, string, f32; an empty
// name is none. nullopt: all are absent or empty.
struct ListNames {
  std::string_view ints, strings, floats;
};
Result<std::optional<Tensor>> TakeVector(OpLowering& op, const ListNames& names);
// The same of single values, as a tensor of rank 0.
Result<std::optional<Tensor>> TakeValue(OpLowering& op, const ListNames& names);

Tensor FloatVector(const std::vector<float>& values);
Tensor FloatMatrix(std::int64_t rows, const std::vector<float>& values);

enum class PostTransform { kNone, kLogistic, kSoftmax, kSoftmaxZero, kProbit };
// Errors: one of the others.
Result<PostTransform> TakePostTransform(OpLowering& op);
// That of a regressor: as ONNX Runtime has it, one target alone is changed by PROBIT only.
PostTransform OfTargets(PostTransform transform, std::int64_t targets);
// Of scores (examples, classes), called `name`.
Value* Transformed(OpComposer& f, PostTransform transform, Value* scores, std::string_view name);

// The first operand as f32, a row an example: a vector is one example. Errors: its rank is not
// known, or above 2.
Result<Value*> Examples(OpLowering& op, OpComposer& f);

LoweredResults LowerArrayFeatureExtractor(OpLowering& op);
LoweredResults LowerBinarizer(OpLowering& op);
LoweredResults LowerCastMap(OpLowering& op);
LoweredResults LowerCategoryMapper(OpLowering& op);
LoweredResults LowerDictVectorizer(OpLowering& op);
LoweredResults LowerFeatureVectorizer(OpLowering& op);
LoweredResults LowerImputer(OpLowering& op);
LoweredResults LowerLabelEncoder(OpLowering& op);
LoweredResults LowerLinearClassifier(OpLowering& op);
LoweredResults LowerLinearRegressor(OpLowering& op);
LoweredResults LowerMlOneHotEncoder(OpLowering& op);
LoweredResults LowerNormalizer(OpLowering& op);
LoweredResults LowerScaler(OpLowering& op);
LoweredResults LowerSvmClassifier(OpLowering& op);
LoweredResults LowerSvmRegressor(OpLowering& op);
LoweredResults LowerTreeEnsemble(OpLowering& op);
LoweredResults LowerTreeEnsembleClassifier(OpLowering& op);
LoweredResults LowerTreeEnsembleRegressor(OpLowering& op);
LoweredResults LowerZipMap(OpLowering& op);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_ML_H_

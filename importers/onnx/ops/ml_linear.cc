// SPDX-License-Identifier: Apache-2.0
// Linear learners.
#include <string>

#include "core/ir/find_as.h"
#include "importers/onnx/ops/ml.h"

namespace dragoman {
namespace {

// x * coefficients^T + intercepts, where there are `rows` of both.
Result<Value*> LinearScores(OpLowering& op, OpComposer& f, std::int64_t rows) {
  DRAGOMAN_ASSIGN(const std::vector<float> coefficients, TakeFloatList(op, "coefficients"));
  DRAGOMAN_ASSIGN(const std::vector<float> intercepts, TakeFloatList(op, "intercepts"));
  const auto count = static_cast<std::int64_t>(coefficients.size());
  const auto offsets = static_cast<std::int64_t>(intercepts.size());
  if (rows < 1 || count == 0 || count % rows != 0 || (offsets != 0 && offsets != rows)) {
    return op.Invalid(std::to_string(count) + " coefficients and " + std::to_string(offsets) +
                      " intercepts do not make " + std::to_string(rows) + " rows");
  }
  DRAGOMAN_ASSIGN(Value * x, Examples(op, f));
  Value* matrix = op.builder.Constant(FloatMatrix(rows, coefficients));
  Value* weights = f.Op("Transpose", {matrix}, {{"perm", Attribute::Ints{1, 0}}});
  Value* product = f.Op("MatMul", {x, weights});
  if (intercepts.empty()) return product;
  return f.Op("Add", {product, op.builder.Constant(FloatVector(intercepts))});
}

}  // namespace

LoweredResults LowerLinearRegressor(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> targets, op.TakeInt("targets"));
  DRAGOMAN_ASSIGN(PostTransform transform, TakePostTransform(op));
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * scores, LinearScores(op, f, targets.value_or(1)));
  transform = OfTargets(transform, targets.value_or(1));
  return f.Finish({Transformed(f, transform, scores, op.ResultName(0))});
}

// Results: labels (examples), scores (examples, classes). A single row of coefficients is the score
// of the second of two classes; a softmax leaves these two scores as they are, as in ONNX Runtime.
LoweredResults LowerLinearClassifier(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<Tensor> labels,
                  TakeVector(op, {"classlabels_ints", "classlabels_strings", ""}));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakePostTransform(op));
  op.Drop("multi_class");  // how it was trained; scores do not depend on it in ONNX Runtime
  const auto* intercepts = FindAs<Attribute::Floats>(op.attributes, "intercepts");
  if (!labels) return op.Invalid("has no class labels");
  const std::int64_t rows =
      intercepts != nullptr ? static_cast<std::int64_t>(intercepts->size()) : labels->size();
  const bool binary = rows == 1 && labels->size() == 2;
  const bool logistic = transform == PostTransform::kLogistic;
  if (binary && transform == PostTransform::kProbit)
    return op.Unsupported("PROBIT of two classes that share their coefficients");
  if (!binary && rows != labels->size())
    return op.Invalid("has " + std::to_string(labels->size()) + " labels for " +
                      std::to_string(rows) + " classes");
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * scores, LinearScores(op, f, rows));
  const std::int64_t drop = 0, columns = 1;
  Value* index = nullptr;
  if (binary) {
    Value* second = f.Op("Greater", {scores, op.builder.Float(0)});
    index = f.Op("Squeeze", {f.Cast(second, DType::kI64), f.Ints({1})});
    if (logistic) scores = f.Op("Sigmoid", {scores});
    Value* first = f.Op("Sub", {op.builder.Float(1), scores});
    scores = f.Op("Concat", {first, scores}, {{"axis", columns}}, op.ResultName(1));
  } else {
    index = f.Op("ArgMax", {scores}, {{"axis", columns}, {"keepdims", drop}});
    scores = Transformed(f, transform, scores, op.ResultName(1));
  }
  Value* label = f.Op("Gather", {op.builder.Constant(*labels), index}, {}, op.ResultName(0));
  return f.Finish({label, scores});
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include <string>

#include "importers/onnx/op_composer.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

struct LossOptions {
  std::string reduction;
  std::optional<std::int64_t> ignored;  // a class that counts for nothing
};

Result<LossOptions> TakeLossOptions(OpLowering& op) {
  LossOptions options;
  DRAGOMAN_ASSIGN(std::optional<std::string> reduction, op.TakeString("reduction"));
  DRAGOMAN_ASSIGN(options.ignored, op.TakeInt("ignore_index"));
  options.reduction = reduction.value_or("mean");
  if (options.reduction != "none" && options.reduction != "sum" && options.reduction != "mean")
    return op.Invalid("reduction is '" + options.reduction + "'");
  DRAGOMAN_TRY(op.Require({0, 1}));
  return options;
}

Value* Reduced(OpComposer& f, std::string_view type, Value* value, std::string_view name = "") {
  return f.Op(type, {value}, {{"keepdims", std::int64_t{0}}}, name);
}

// The sum of the weights, or without these the number of targets that are not ignored.
Value* TotalWeight(OpComposer& f, Value* weights, Value* ignored, Value* losses) {
  if (weights != nullptr) return Reduced(f, "ReduceSum", weights);
  Value* counted = f.Cast(f.Op("Not", {ignored}), DType::kI64);
  return f.Cast(Reduced(f, "ReduceSum", counted), f.dtype(losses));
}

// -weight[target] * log_probability[target], reduced; the mean is by weight.
Value* Loss(OpComposer& f, OpLowering& op, Value* log_probabilities, const LossOptions& options) {
  Value* target = op.operand(1);
  Value* weight = op.operand(2);
  Value* ignored = nullptr;
  if (options.ignored) {
    const Value* like = target;
    ignored = f.Op("Equal", {target, f.Number(static_cast<double>(*options.ignored), like)});
    target = f.Op("Where", {ignored, f.Number(0, like), target});
  }
  if (weight != nullptr) weight = f.Op("Gather", {weight, target});
  Value* axis = f.Ints({1});
  Value* chosen = f.Op("GatherElements", {log_probabilities, f.Op("Unsqueeze", {target, axis})},
                       {{"axis", std::int64_t{1}}});
  const std::string name = op.ResultName(0);
  const bool plain = weight == nullptr;
  const std::string own = options.reduction == "none" ? name : "";  // of the losses
  Value* loss =
      f.Op("Neg", {f.Op("Squeeze", {chosen, axis})}, {}, plain && ignored == nullptr ? own : "");
  if (ignored != nullptr) {
    Value* zero = f.Number(0, log_probabilities);
    if (!plain) weight = f.Op("Where", {ignored, zero, weight});
    loss = f.Op("Where", {ignored, zero, loss}, {}, plain ? own : "");
  }
  if (!plain) loss = f.Op("Mul", {loss, weight}, {}, own);
  if (options.reduction == "none") return loss;
  if (options.reduction == "sum") return Reduced(f, "ReduceSum", loss, name);
  if (plain && ignored == nullptr) return Reduced(f, "ReduceMean", loss, name);
  Value* sum = Reduced(f, "ReduceSum", loss);
  return f.Op("Div", {sum, TotalWeight(f, plain ? nullptr : weight, ignored, loss)}, {}, name);
}

}  // namespace

LoweredResults LowerNegativeLogLikelihoodLoss(OpLowering& op) {
  DRAGOMAN_ASSIGN(const LossOptions options, TakeLossOptions(op));
  OpComposer f(op);
  return f.Finish({Loss(f, op, op.operand(0), options)});
}

LoweredResults LowerSoftmaxCrossEntropyLoss(OpLowering& op) {
  DRAGOMAN_ASSIGN(const LossOptions options, TakeLossOptions(op));
  OpComposer f(op);
  Value* log_probabilities =
      f.Op("LogSoftmax", {op.operand(0)}, {{"axis", std::int64_t{1}}}, op.ResultName(1));
  Value* loss = Loss(f, op, log_probabilities, options);
  if (op.num_results() < 2) return f.Finish({loss});
  return f.Finish({loss, log_probabilities});
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// Normalisations, fused with the sums before and the activations after them.
#include <numeric>
#include <string>
#include <utility>

#include "importers/onnx/ops/contrib.h"

namespace dragoman {
namespace {

constexpr float kFusedEpsilon = 1e-12f;  // of the fused forms, where the attribute is absent
constexpr float kPlainEpsilon = 1e-5f;
constexpr std::int64_t kLast = -1;

// 1 / sqrt(mean of squares + epsilon) along `axes`, which stay with size 1, in f32.
Value* InverseRms(OpComposer& f, Value* x, const std::vector<std::int64_t>& axes, float epsilon,
                  std::string_view name) {
  const bool is_exact = x != nullptr && x->type().dtype() == DType::kF32;
  Value* exact = is_exact ? x : f.Cast(x, DType::kF32);
  Value* mean = f.Op("ReduceMean", {f.Op("Mul", {exact, exact}), f.Ints(axes)});
  Value* shifted = f.Op("Add", {mean, f.Number(epsilon, mean)});
  return f.Op("Reciprocal", {f.Op("Sqrt", {shifted})}, {}, name);
}

// input + skip (+ bias), which is result 3 too.
Value* SkipSum(OpComposer& f, const OpLowering& op, Value* bias) {
  const std::string name = op.ResultName(3);
  if (bias == nullptr) return f.Op("Add", {op.operand(0), op.operand(1)}, {}, name);
  return f.Op("Add", {f.Op("Add", {op.operand(0), op.operand(1)}), bias}, {}, name);
}

struct GroupNormOptions {
  std::int64_t groups = 0;
  bool channels_last = true;
  bool silu = false;
  float epsilon = kPlainEpsilon;
};

Result<GroupNormOptions> TakeGroupNormOptions(OpLowering& op) {
  GroupNormOptions options;
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> groups, op.TakeInt("groups"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> last, op.TakeInt("channels_last"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> activation, op.TakeInt("activation"));
  DRAGOMAN_ASSIGN(const std::optional<float> epsilon, op.TakeFloat("epsilon"));
  if (!groups) return op.Invalid("attribute 'groups' is missing");
  if (activation.value_or(0) != 0 && activation.value_or(0) != 1)
    return op.Unsupported("activation " + std::to_string(*activation));
  options.groups = *groups;
  options.channels_last = last.value_or(1) != 0;
  options.silu = activation.value_or(0) == 1;
  options.epsilon = epsilon.value_or(kPlainEpsilon);
  return options;
}

Value* GroupNormalized(OpComposer& f, const OpLowering& op, const GroupNormOptions& options,
                       Value* x, int rank) {
  const DType dtype = op.operand(0)->type().dtype();
  const auto parameter = [&](std::size_t i) {
    Value* value = op.operand(i);
    return value->type().dtype() == dtype ? value : f.Cast(value, dtype);
  };
  const std::string name = op.ResultName(0);
  if (options.channels_last) x = ChannelsFirst(f, x, rank);
  Value* y = f.Op("GroupNormalization", {x, parameter(1), parameter(2)},
                  {{"num_groups", options.groups}, {"epsilon", options.epsilon}});
  if (options.silu) y = f.Op("Mul", {y, f.Op("Sigmoid", {y})});
  return options.channels_last ? ChannelsLast(f, y, rank, name) : f.Op("Identity", {y}, {}, name);
}

}  // namespace

LoweredResults LowerSkipLayerNormalization(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  DRAGOMAN_ASSIGN(const std::optional<float> epsilon, op.TakeFloat("epsilon"));
  OpComposer f(op);
  Value* sum = SkipSum(f, op, op.operand(4));
  std::vector<Value*> results =
      f.Ops("LayerNormalization", {sum, op.operand(2), op.operand(3)},
            {{"axis", kLast}, {"epsilon", epsilon.value_or(kFusedEpsilon)}},
            {op.ResultName(0), op.ResultName(1), op.ResultName(2)});
  results.push_back(sum);
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

LoweredResults LowerSkipSimplifiedLayerNormalization(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  DRAGOMAN_TRY(RefuseResult(op, 1, "the mean"));
  DRAGOMAN_ASSIGN(const std::optional<float> given, op.TakeFloat("epsilon"));
  const float epsilon = given.value_or(kFusedEpsilon);
  OpComposer f(op);
  Value* sum = SkipSum(f, op, op.operand(3));
  Value* normal = f.Op("RMSNormalization", {sum, op.operand(2)},
                       {{"axis", kLast}, {"epsilon", epsilon}}, op.ResultName(0));
  Value* deviation =
      WantsResult(op, 2) ? InverseRms(f, sum, {kLast}, epsilon, op.ResultName(2)) : nullptr;
  std::vector<Value*> results = {normal, nullptr, deviation, sum};
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

// ONNX Runtime writes it in the domain ai.onnx, which has it as RMSNormalization.
LoweredResults LowerSimplifiedLayerNormalization(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> given, op.TakeInt("axis"));
  DRAGOMAN_ASSIGN(const std::optional<float> epsilon, op.TakeFloat("epsilon"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> stash, op.TakeInt("stash_type"));
  std::int64_t axis = given.value_or(kLast);
  OpComposer f(op);
  Value* x = op.operand(0);
  std::vector<Value*> results = {f.Op("RMSNormalization", {x, op.operand(1)},
                                      {{"axis", axis},
                                       {"epsilon", epsilon.value_or(kPlainEpsilon)},
                                       {"stash_type", stash.value_or(1)}},
                                      op.ResultName(0))};
  if (WantsResult(op, 1)) {
    DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return op.Invalid("axis is out of range");
    std::vector<std::int64_t> axes(static_cast<std::size_t>(rank - axis));
    std::iota(axes.begin(), axes.end(), axis);
    results.push_back(InverseRms(f, x, axes, epsilon.value_or(kPlainEpsilon), op.ResultName(1)));
  }
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

LoweredResults LowerGroupNorm(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  DRAGOMAN_ASSIGN(const GroupNormOptions options, TakeGroupNormOptions(op));
  DRAGOMAN_ASSIGN(const int rank, ImageRank(op));
  OpComposer f(op);
  return f.Finish({GroupNormalized(f, op, options, op.operand(0), rank)});
}

// Operands: input, scale, bias, skip, and the bias of the skip. Result 1 is their sum.
LoweredResults LowerSkipGroupNorm(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2, 3}));
  DRAGOMAN_ASSIGN(const GroupNormOptions options, TakeGroupNormOptions(op));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  DRAGOMAN_ASSIGN(const int skip_rank, op.Rank(3));
  if (rank != 4) return op.Invalid("operand 0 has rank " + std::to_string(rank) + ", expected 4");
  if (!options.channels_last) return op.Unsupported("channels_last = 0");
  OpComposer f(op);
  Value* skip = op.operand(3);
  if (skip_rank == 2) skip = f.Op("Unsqueeze", {skip, f.Ints({1, 2})});
  Value* sum = f.Op("Add", {op.operand(0), skip}, {}, op.operand(4) ? "" : op.ResultName(1));
  if (op.operand(4) != nullptr) sum = f.Op("Add", {sum, op.operand(4)}, {}, op.ResultName(1));
  std::vector<Value*> results = {GroupNormalized(f, op, options, sum, rank), sum};
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

}  // namespace dragoman

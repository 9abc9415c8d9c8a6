// SPDX-License-Identifier: Apache-2.0
// Which nodes prepared operators on 8-bit integers compute: sizes known, or only at run time;
// weights, scales and the zero points of weights and results constant.
#include <optional>
#include <utility>

#include "codegen/onednn/plan/build.h"
#include "codegen/onednn/plan/value_queries.h"
#include "runtime/fast/int8_conv.h"
#include "runtime/fast/int8_mat_mul.h"
#include "runtime/fast/int8_pool.h"

namespace dragoman::onednn {
namespace {

// None, or a tensor of one element.
bool IsOne(const Value* value) {
  if (value == nullptr) return true;
  const std::optional<rt::Shape> shape = SizesOf(value);
  return shape && rt::NumElements(*shape) == 1;
}

// None, or a constant of one element or of one for each of `count`.
bool IsOneOrLine(const Value* value, std::int64_t count) {
  if (value == nullptr) return true;
  const std::optional<rt::Shape> shape = SizesOf(value);
  if (!IsConstant(value) || !shape || shape->size() > 1) return false;
  return rt::NumElements(*shape) == 1 || rt::NumElements(*shape) == count;
}

// Where QLinearConv and QLinearMatMul, or ConvInteger and MatMulInteger, have their operands.
struct QuantizedOperands {
  const Value* x = nullptr;
  const Value* x_scale = nullptr;
  const Value* x_zero = nullptr;
  const Value* w = nullptr;
  const Value* w_scale = nullptr;
  const Value* w_zero = nullptr;
  const Value* y_scale = nullptr;
  const Value* y_zero = nullptr;
  const Value* bias = nullptr;

  explicit QuantizedOperands(const Node& node) {
    x = node.operand(0);
    if (node.Is("QLinearConv") || node.Is("QLinearMatMul")) {
      x_scale = node.operand(1);
      x_zero = node.operand(2);
      w = node.operand(3);
      w_scale = node.operand(4);
      w_zero = node.operand(5);
      y_scale = node.operand(6);
      y_zero = node.operand(7);
      bias = node.operand(8);
    } else {
      w = node.operand(1);
      x_zero = node.operand(2);
      w_zero = node.operand(3);
    }
  }

  // Whether the operators can requantise results of `channels` channels, or need not.
  bool CanRequantize(std::int64_t channels) const {
    if (y_scale == nullptr) return true;
    return IsF32(x_scale) && IsF32(y_scale) && IsF32(w_scale) && IsInt8(y_zero) &&
           IsOneOrLine(x_scale, 1) && IsOneOrLine(y_scale, 1) && IsOneOrLine(y_zero, 1) &&
           IsOneOrLine(w_scale, channels) && (bias == nullptr || IsConstant(bias));
  }
};

bool IsInt8Conv(const Node& node) { return node.Is("QLinearConv") || node.Is("ConvInteger"); }

bool IsInt8Product(const Node& node) {
  return IsInt8Conv(node) || node.Is("QLinearMatMul") || node.Is("MatMulInteger");
}

bool HasConstantWeights(const QuantizedOperands& operands) {
  return IsConstant(operands.w) && (operands.w_zero == nullptr || IsConstant(operands.w_zero));
}

}  // namespace

// What the node itself does with the sums.
Int8Post PlanBuilder::Int8PostOf(const Node& node) {
  const QuantizedOperands operands(node);
  Int8Post post;
  if (HasConstantWeights(operands)) post.w_zero = Get(operands.w_zero);
  if (operands.y_scale == nullptr) return post;
  const int low = operands.y_zero->type().dtype() == DType::kI8 ? -128 : 0;
  post.sum_bias = Get(operands.bias);
  post.w_scale = Get(operands.w_scale);
  post.rest.x_scale = static_cast<float>(operands.x_scale->tensor()->FloatAt(0));
  post.rest.y_scale = static_cast<float>(operands.y_scale->tensor()->FloatAt(0));
  post.rest.result = {1.0f, static_cast<std::int32_t>(operands.y_zero->tensor()->IntAt(0)), low,
                      low + 255};
  return post;
}

bool PlanBuilder::PrepareInt8Conv(const Node& node, const OpDef& def, Prepared& prepared) {
  const QuantizedOperands operands(node);
  const std::optional<rt::Shape> x = SizesOf(operands.x), w = SizesOf(operands.w);
  const Result<Params> params = def.fill_params(node);
  if (!x || !w || w->empty() || !params.ok() || !HasConstantWeights(operands) ||
      !IsOneOrLine(operands.w_zero, (*w)[0]) || !operands.CanRequantize((*w)[0]) ||
      !rt::PreparedInt8Conv::Supports(params->As<rt::ConvParams>(), *x, *w)) {
    return false;
  }
  prepared.type = "rt::PreparedInt8Conv";
  prepared.header = "runtime/fast/int8_conv.h";
  prepared.takes_channels_last = true;
  prepared.init = params->cpp() + ", " + SizesText(*x) + ", " + SizesText(*w);
  prepared.constants = {Get(operands.w)};
  return true;
}

bool PlanBuilder::PrepareInt8MatMul(const Node& node, Prepared& prepared) {
  const QuantizedOperands operands(node);
  const std::optional<rt::Shape> a = SizesOf(operands.x), b = SizesOf(operands.w);
  if (!a || !b || b->empty()) return false;
  const bool constant = HasConstantWeights(operands);
  const bool fits = constant ? IsOneOrLine(operands.w_zero, b->back()) : IsOne(operands.w_zero);
  if (!fits || !operands.CanRequantize(b->back()) ||
      !rt::PreparedInt8MatMul::Supports(*a, *b, constant)) {
    return false;
  }
  prepared.type = "rt::PreparedInt8MatMul";
  prepared.header = "runtime/fast/int8_mat_mul.h";
  prepared.init = SizesText(*a) + ", " + SizesText(*b);
  prepared.constants = {constant ? Get(operands.w) : kAbsent};
  return true;
}

bool PlanBuilder::BuildInt8Pool(const Node& node, const OpDef& def, Step& step) {
  const std::optional<rt::Shape> x = SizesOf(node.operand(0));
  const Result<Params> params = def.fill_params(node);
  if (!IsInt8(node.operand(0)) || node.result(1) != nullptr || !x || !params.ok() ||
      !rt::PreparedInt8Pool::Supports(params->As<rt::MaxPoolParams>(), *x)) {
    return false;
  }
  Prepared prepared;
  prepared.type = "rt::PreparedInt8Pool";
  prepared.header = "runtime/fast/int8_pool.h";
  prepared.takes_channels_last = true;
  prepared.init = params->cpp() + ", " + SizesText(*x);
  step.inputs = {Get(node.operand(0))};
  Make(*node.result());
  AddPrepared(node, std::move(prepared), step);
  return true;
}

bool PlanBuilder::BuildInt8(const Node& node, const OpDef& def, Step& step) {
  if (node.Is("MaxPool")) return BuildInt8Pool(node, def, step);
  if (!IsInt8Product(node)) return false;
  const bool conv = IsInt8Conv(node);
  const QuantizedOperands operands(node);
  if (!IsInt8(operands.x) || !IsInt8(operands.w) || !IsOne(operands.x_zero) ||
      !SizesOf(node.result())) {
    return false;
  }
  Prepared prepared;
  if (!(conv ? PrepareInt8Conv(node, def, prepared) : PrepareInt8MatMul(node, prepared)))
    return false;
  prepared.takes_post = true;
  prepared.int8 = Int8PostOf(node);
  step.inputs = {Get(operands.x), Get(operands.x_zero)};
  if (!conv) {
    const bool prepacked = HasConstantWeights(operands);
    step.inputs.push_back(prepacked ? kAbsent : Get(operands.w));
    step.inputs.push_back(prepacked ? kAbsent : Get(operands.w_zero));
  }
  step.inputs.push_back(kAbsent);  // the scale of x, which FuseInt8Epilogues may find
  Make(*node.result());
  AddPrepared(node, std::move(prepared), step);
  return true;
}

bool PlanBuilder::UseDynamicInt8(const Node& node, const OpDef& def, Step& step) {
  if (!IsInt8Product(node)) return false;
  const QuantizedOperands operands(node);
  const bool conv = IsInt8Conv(node);
  const std::optional<rt::Shape> x =
      conv ? SampleImageSizesOf(operands.x) : SampleSizesOf(operands.x);
  const std::optional<rt::Shape> w = SizesOf(operands.w);
  if (!IsInt8(operands.x) || !IsInt8(operands.w) || !IsOne(operands.x_zero) || !x || x->empty() ||
      SizesOf(operands.x) || !w || w->empty() || !HasConstantWeights(operands)) {
    return false;
  }
  if (!conv && !operands.x->type().shape()->back().known()) return false;
  const std::int64_t channels = conv ? (*w)[0] : w->back();
  if (!IsOneOrLine(operands.w_zero, channels) || !operands.CanRequantize(channels)) return false;
  Prepared prepared;
  if (conv) {
    const Result<Params> params = def.fill_params(node);
    if (!params.ok() || !rt::PreparedInt8Conv::Supports(params->As<rt::ConvParams>(), *x, *w))
      return false;
    prepared.init = params->cpp() + ", ";
  } else if (!rt::PreparedInt8MatMul::Supports(*x, *w, true)) {
    return false;
  }
  prepared.type = conv ? "rt::DynamicInt8Conv" : "rt::DynamicInt8MatMul";
  prepared.header = "runtime/fast/dynamic_int8.h";
  prepared.init += SizesText(*w);
  prepared.constants = {Get(operands.w)};
  prepared.is_dynamic = prepared.reads_constants = prepared.takes_post = true;
  prepared.int8 = Int8PostOf(node);
  step.inputs = {Get(operands.x), Get(operands.x_zero)};
  if (!conv) step.inputs.insert(step.inputs.end(), {kAbsent, kAbsent});
  step.inputs.push_back(kAbsent);  // the scale of x, which FuseInt8Epilogues may find
  SetPrepared(std::move(prepared), step);
  return true;
}

}  // namespace dragoman::onednn

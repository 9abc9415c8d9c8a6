// SPDX-License-Identifier: Apache-2.0
// FlexAttention of ai.onnx.preview: attention whose scores and weights pass through bodies.
#include <optional>
#include <utility>

#include "core/ir/node_attributes.h"
#include "importers/onnx/graph_lowering.h"
#include "importers/onnx/ops/heads.h"

namespace dragoman {
namespace {

enum FlexOperand : std::size_t { kQuery, kKey, kValue };

struct FlexOptions {
  std::optional<float> scale;
  DType precision = DType::kF32;  // of scores and weights
};

Result<FlexOptions> TakeFlexOptions(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kQuery, kKey, kValue}));
  FlexOptions options;
  DRAGOMAN_ASSIGN(options.scale, op.TakeFloat("scale"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> precision, op.TakeInt("softmax_precision"));
  op.Drop("score_mod");
  op.Drop("prob_mod");
  if (!op.attributes.empty())
    return op.Unsupported("attribute '" + op.attributes.front().name + "' is not known");
  if (precision && !IsDTypeNumber(*precision))
    return op.Invalid("softmax_precision is not an element type");
  const DType dtype = op.builder.dtype(op.operand(kQuery));
  if (dtype == DType::kF64) options.precision = dtype;
  if (precision) options.precision = static_cast<DType>(*precision);
  return options;
}

}  // namespace

Result<Value*> OnnxGraphLowering::LowerModifier(const Node& node, std::string_view attribute,
                                                Value* x, const CallScope& scope,
                                                GraphBuilder& builder) {
  if (node.attribute(attribute) == nullptr) return x;
  DRAGOMAN_ASSIGN(const Graph* body, Body(node, attribute));
  if (body->num_inputs() != 1 || body->num_outputs() != 1)
    return InvalidInput("body '" + body->name() + "' has not one input and one output")
        .At(node.Describe());
  values_[body->input(0)] = x;
  DRAGOMAN_ASSIGN(const std::vector<Value*> outputs, LowerTaken(*body, scope, builder));
  return outputs.front();
}

Result<std::vector<Value*>> OnnxGraphLowering::LowerFlexAttention(const Node& node,
                                                                  const CallScope& scope,
                                                                  GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(OpLowering op, StartLowering(node, 0, scope, builder));
  DRAGOMAN_ASSIGN(const FlexOptions options, TakeFlexOptions(op));
  const std::optional<std::int64_t> query_heads = KnownSize(op.operand(kQuery), kHeads);
  const std::optional<std::int64_t> key_heads = KnownSize(op.operand(kKey), kHeads);
  if (!query_heads || !key_heads)
    return op.Unsupported("the number of heads is not known; state the inputs' sizes with --shape");
  if (*key_heads < 1 || *query_heads % *key_heads != 0)
    return op.Invalid("the number of query heads is not a multiple of the number of key heads");
  OpComposer f(op);
  const auto repeated = [&](FlexOperand i) {
    return RepeatHeads(f, op.operand(i), *key_heads, *query_heads / *key_heads);
  };
  Value* products = Products(f, op.operand(kQuery), repeated(kKey));
  Value* scaled = Scaled(f, products, op.operand(kQuery), options.scale);
  Value* scores = f.Cast(scaled, options.precision);
  DRAGOMAN_TRY(f.status());
  DRAGOMAN_ASSIGN(scores, LowerModifier(node, "score_mod", scores, scope, builder));
  Value* weights = f.Op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  DRAGOMAN_TRY(f.status());
  DRAGOMAN_ASSIGN(weights, LowerModifier(node, "prob_mod", weights, scope, builder));
  Value* y = f.Op("MatMul", {weights, f.CastLike(repeated(kValue), weights)});
  return f.Finish({f.NamedCast(y, f.dtype(op.operand(kValue)), op.ResultName(0))});
}

}  // namespace dragoman

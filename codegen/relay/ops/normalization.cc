// SPDX-License-Identifier: Apache-2.0
// Normalisations, in inference.
#include "codegen/relay/ops/op_rows.h"

#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/ops/unary.h"
#include "core/ir/axes.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::relay::emit {
namespace {

NamedAttribute Epsilon(const RelayOp& op) { return {"epsilon", op.Float("epsilon")}; }

Value* Mean(RelayOp& op, Value* x, const Ints& axes) {
  return op.Do("mean", {x}, {{"axis", axes}, {"keepdims", true}});
}

// `x`, a form of operand 0, with mean 0 and variance 1 along the axes.
Value* Unit(RelayOp& op, Value* x, const Ints& axes) {
  const DType wide = op.Wide();
  Value* centred = op.Cast(x, op.dtype(), wide);
  centred = op.Do("subtract", {centred, Mean(op, centred, axes)});
  Value* variance = Mean(op, op.Do("multiply", {centred, centred}), axes);
  Value* raised = op.Do("add", {variance, op.Number(op.Float("epsilon"), wide)});
  Value* inverse = op.Do("divide", {op.Number(1, wide), op.Do("sqrt", {raised})});
  return op.Cast(op.Do("multiply", {centred, inverse}), wide, op.dtype());
}

// `x` times operand 1 plus operand 2, which have an element for each channel.
Value* OfChannels(RelayOp& op, Value* x, std::int64_t rank) {
  Value* scaled = op.Do("multiply", {x, WithAxesBehind(op, op.arg(1), rank - 2)});
  return op.Do("add", {scaled, WithAxesBehind(op, op.arg(2), rank - 2)});
}

// A vector of zeros as long as operand `like`.
Result<Value*> Zeros(RelayOp& op, std::size_t like) {
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(like));
  DRAGOMAN_ASSIGN(const Ints sizes, op.KnownSizes(shape));
  return op.builder.Constant(*Tensor::Full(op.dtype(), sizes, 0));
}

Emitted EmitBatchNormalization(RelayOp& op) {
  DRAGOMAN_TRY(op.EqualElementTypes());
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  if (rank < 2) return op.Refuse("an operand of so low a rank");
  Value* mean = op.arg(3);
  Value* variance = op.arg(4);
  Values results = {nullptr};
  if (op.Int("training_mode") != 0) {
    Ints axes = AxesFrom(1, rank);
    axes.front() = 0;
    const float momentum = op.Float("momentum");
    const auto blend = [&](Value* given, Value* now) {
      results.push_back(op.Do("add", {op.Do("multiply", {given, op.Number(momentum)}),
                                      op.Do("multiply", {now, op.Number(1.0f - momentum)})}));
      return now;
    };
    Value* x = op.arg(0);
    Value* kept = Mean(op, x, axes);
    Value* centred = op.Do("subtract", {x, kept});
    mean = blend(mean, op.Do("squeeze", {kept}, {{"axis", axes}}));
    variance =
        blend(variance, op.Do("mean", {op.Do("multiply", {centred, centred})}, {{"axis", axes}}));
  }
  if (HasOpenSizes(op.node)) {
    Value* centred = op.Do("subtract", {op.arg(0), WithAxesBehind(op, mean, rank - 2)});
    Value* raised = op.Do("add", {variance, op.Number(op.Float("epsilon"))});
    Value* deviation = WithAxesBehind(op, op.Do("sqrt", {raised}), rank - 2);
    results.front() = OfChannels(op, op.Do("divide", {centred, deviation}), rank);
    return results;
  }
  Value* all =
      op.Do("nn.batch_norm", {op.arg(0), op.arg(1), op.arg(2), mean, variance}, {Epsilon(op)});
  results.front() = op.builder.Element(all, 0);
  return results;
}

Emitted EmitInstanceNormalization(RelayOp& op) {
  DRAGOMAN_TRY(op.EqualElementTypes());
  if (HasOpenSizes(op.node)) {
    DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
    return One(OfChannels(op, Unit(op, op.arg(0), AxesFrom(2, rank)), rank));
  }
  return One(op.Do("nn.instance_norm", op.args(), {Epsilon(op)}));
}

Emitted EmitGroupNormalization(RelayOp& op) {
  DRAGOMAN_TRY(op.EqualElementTypes());
  if (HasOpenSizes(op.node)) {
    DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
    Value* groups =
        op.Do("reshape", {op.arg(0)}, {{"newshape", Ints{0, -4, op.Int("num_groups"), -1, -2}}});
    Value* unit = Unit(op, groups, AxesFrom(2, rank + 1));
    return One(OfChannels(op, op.Do("reshape", {unit}, {{"newshape", Ints{0, -3, -2}}}), rank));
  }
  return One(
      op.Do("nn.group_norm", op.args(), {{"num_groups", op.Int("num_groups")}, Epsilon(op)}));
}

// nn.layer_norm has one axis.
bool TakesLayerNormalization(const Node& node) {
  return tvm::HasPlainAffine(node) && node.operand(1)->type().rank() == 1 && !HasOpenSizes(node);
}

Emitted EmitLayerNormalization(RelayOp& op) {
  Value* bias = nullptr;
  if (op.has(2)) {
    bias = op.arg(2);
  } else {
    DRAGOMAN_ASSIGN(bias, Zeros(op, 1));
  }
  return One(op.Do("nn.layer_norm", {op.arg(0), op.arg(1), bias}, {Epsilon(op)}));
}

// nn.lrn has windows of odd sizes only, and no shape function.
bool TakesLrn(const Node& node) {
  return IntAttribute(node, "size") % 2 == 1 && !HasOpenSizes(node);
}

Emitted EmitLrn(RelayOp& op) {
  return One(op.Do("nn.lrn", {op.arg(0)},
                   {{"size", op.Int("size")},
                    {"axis", std::int64_t{1}},
                    {"bias", op.Float("bias")},
                    {"alpha", op.Float("alpha")},
                    {"beta", op.Float("beta")}}));
}

}  // namespace

std::span<const Row> NormalizationRows() {
  static constexpr Row kRows[] = {
      {"BatchNormalization", EmitBatchNormalization},
      {"GroupNormalization", EmitGroupNormalization},
      {"InstanceNormalization", EmitInstanceNormalization},
      {.label = "LRN", .emit = EmitLrn, .takes = TakesLrn},
      {.label = "LayerNormalization",
       .emit = EmitLayerNormalization,
       .takes = TakesLayerNormalization},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit

// SPDX-License-Identifier: Apache-2.0
// MoE and QMoE: a layer of experts of which each row takes the k that the router scores highest.
// All experts compute all rows; those that a row does not take have weight 0.
#include <limits>
#include <string>

#include "importers/onnx/ops/contrib_quantized.h"

namespace dragoman {
namespace {

enum Operand : std::size_t {
  kX,          // (rows, hidden) or (batch, steps, hidden)
  kRouter,     // (rows, experts)
  kInner,      // (experts, inner, hidden); twice as much of inner with a gate
  kInnerBias,  // (experts, inner)
  kOuter,      // (experts, hidden, inner)
  kOuterBias,  // (experts, hidden)
  kFirstRefused
};

// Those of QMoE: weights of 2, 4 or 8 bits, packed along their last axis; scales (experts, rows) or
// (experts, rows, blocks).
enum PackedOperand : std::size_t {
  kPackedInner = 2,
  kInnerScales,
  kPackedInnerBias,
  kPackedOuter,
  kOuterScales,
  kPackedOuterBias,
  kFirstRefusedPacked
};

struct Options {
  std::int64_t taken = 1;
  std::string activation;
  bool normalize = false;
  float alpha = 1;  // of swiglu
  float beta = 0;
  float limit = std::numeric_limits<float>::infinity();
};

Result<Options> TakeOptions(OpLowering& op, std::size_t first_refused) {
  Options options;
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> taken, op.TakeInt("k"));
  DRAGOMAN_ASSIGN(const std::optional<std::string> activation, op.TakeString("activation_type"));
  DRAGOMAN_ASSIGN(options.normalize, TakeFlag(op, "normalize_routing_weights"));
  DRAGOMAN_ASSIGN(const bool mixer, TakeFlag(op, "use_sparse_mixer"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> fusion, op.TakeInt("swiglu_fusion"));
  DRAGOMAN_ASSIGN(const std::optional<float> alpha, op.TakeFloat("activation_alpha"));
  DRAGOMAN_ASSIGN(const std::optional<float> beta, op.TakeFloat("activation_beta"));
  DRAGOMAN_ASSIGN(const std::optional<float> limit, op.TakeFloat("swiglu_limit"));
  options.taken = taken.value_or(1);
  options.activation = activation.value_or("relu");
  options.alpha = alpha.value_or(options.alpha);
  options.beta = beta.value_or(options.beta);
  options.limit = limit.value_or(options.limit);
  if (options.taken < 1) return op.Invalid("k is " + std::to_string(options.taken));
  if (mixer) return op.Unsupported("use_sparse_mixer");
  if (options.activation == "swiglu" && fusion.value_or(0) != 1)
    return op.Unsupported("swiglu whose halves are not interleaved (swiglu_fusion = 1)");
  for (std::size_t i = first_refused; i < op.operands.size(); ++i) {
    if (op.operand(i) != nullptr) return op.Unsupported("operand " + std::to_string(i));
  }
  return options;
}

// Of each row, the weight of each expert: (rows, experts), zero for those that it does not take.
// QMoE's weights of those taken have sum 1 in any case.
Value* Shares(OpComposer& f, Value* scores, const Options& options) {
  Value* shares = f.Op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  const std::vector<Value*> top =
      f.Ops("TopK", {shares, f.Ints({options.taken})}, {{"axis", std::int64_t{-1}}}, 2);
  Value* kept = top[0];
  if (options.normalize) kept = f.Div(kept, f.ReduceSum(kept, {1}, true));
  return f.Op("ScatterElements", {f.Mul(shares, 0), top[1], kept}, {{"axis", std::int64_t{1}}});
}

// Of pairs (gate, linear) along the last axis.
Value* SwiGlu(OpComposer& f, Value* x, const Options& options) {
  Value* gate = f.Slice(x, 2, 0, kEnd, 2);
  Value* linear = f.Slice(x, 2, 1, kEnd, 2);
  if (options.limit < std::numeric_limits<float>::infinity()) {
    gate = f.Min(gate, options.limit);
    linear = f.Max(f.Min(linear, options.limit), -options.limit);
  }
  Value* open = f.Mul(gate, f.Sigmoid(f.Mul(gate, options.alpha)));
  return f.Mul(open, f.Add(linear, options.beta));
}

Result<Value*> Activated(OpLowering& op, OpComposer& f, Value* x, const Options& options) {
  if (options.activation == "relu") return f.Op("Relu", {x});
  if (options.activation == "gelu") return f.Op("Gelu", {x}, {{"approximate", "tanh"}});
  if (options.activation == "silu") return f.Mul(x, f.Sigmoid(x));
  if (options.activation == "identity") return x;
  if (options.activation == "swiglu") return SwiGlu(f, x, options);
  return op.Unsupported("activation_type " + options.activation);
}

// x (experts or 1, rows, n) by weights (experts, m, n), with a bias (experts, m).
Value* Layer(OpComposer& f, Value* x, Value* weights, Value* bias) {
  Value* y = f.Op("MatMul", {x, f.Transpose(weights, {0, 2, 1})});
  return bias != nullptr ? f.Add(y, f.Unsqueeze(bias, {1})) : y;
}

struct Weights {
  Value* inner;
  Value* inner_bias;
  Value* outer;
  Value* outer_bias;
};

LoweredResults Mixed(OpLowering& op, OpComposer& f, const Options& options,
                     const Weights& weights) {
  Value* sizes = f.Shape(op.operand(kX));
  Value* rows =
      f.Reshape(op.operand(kX), f.ConcatSizes({f.Ints({1, -1}), f.Slice(sizes, 0, -1, kEnd)}));
  Value* inner = Layer(f, rows, weights.inner, weights.inner_bias);
  DRAGOMAN_ASSIGN(inner, Activated(op, f, inner, options));
  Value* outer = Layer(f, inner, weights.outer, weights.outer_bias);
  Value* shares = f.Unsqueeze(f.Transpose(Shares(f, op.operand(kRouter), options), {1, 0}), {2});
  Value* mixed = f.ReduceSum(f.Mul(outer, shares), {0});
  return f.Finish({f.Op("Reshape", {mixed, sizes}, {}, op.ResultName(0))});
}

// Operand `packed` as numbers, scaled by the operand after it. The middle of their range is 0.
Result<Value*> Unpacked(OpLowering& op, OpComposer& f, std::size_t packed, std::int64_t bits,
                        std::int64_t block) {
  DRAGOMAN_ASSIGN(const int rank, op.Rank(packed));
  DRAGOMAN_ASSIGN(const int scales_rank, op.Rank(packed + 1));
  if (rank != 3 || scales_rank != (block > 0 ? 3 : 2))
    return op.Invalid("weights or scales of rank " + std::to_string(rank) + " and " +
                      std::to_string(scales_rank));
  if (op.operand(packed)->type().dtype() != DType::kU8)
    return op.Unsupported("weights that are not packed in bytes");
  Value* numbers = Spread(op, f, op.operand(packed), bits, rank);
  if (numbers == nullptr) return nullptr;
  const Dim columns = numbers->type().shape()->back();
  if (!columns.known() || columns.value() < 1)
    return op.Unsupported("weights whose sizes are not known");
  Value* scales = op.operand(packed + 1);
  if (block == 0) scales = f.Unsqueeze(scales, {2});
  Value* middle = f.Cast(op.builder.Int(std::int64_t{1} << (bits - 1)), DType::kU8);
  Value* zeros = f.Op("Expand", {middle, f.Shape(scales)});
  return f.Op("DequantizeLinear", {numbers, scales, zeros},
              {{"axis", std::int64_t{2}}, {"block_size", block > 0 ? block : columns.value()}});
}

}  // namespace

LoweredResults LowerMoe(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kX, kRouter, kInner, kOuter}));
  DRAGOMAN_ASSIGN(const Options options, TakeOptions(op, kFirstRefused));
  OpComposer f(op);
  return Mixed(
      op, f, options,
      {op.operand(kInner), op.operand(kInnerBias), op.operand(kOuter), op.operand(kOuterBias)});
}

LoweredResults LowerQMoe(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kX, kRouter, kPackedInner, kInnerScales, kPackedOuter, kOuterScales}));
  DRAGOMAN_ASSIGN(Options options, TakeOptions(op, kFirstRefusedPacked));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> given, op.TakeInt("expert_weight_bits"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> block, op.TakeInt("block_size"));
  const std::int64_t bits = given.value_or(4);
  if (bits != 2 && bits != 4 && bits != 8)
    return op.Unsupported("expert_weight_bits = " + std::to_string(bits));
  if (block.value_or(0) < 0) return op.Invalid("block_size is negative");
  options.normalize = true;
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * inner, Unpacked(op, f, kPackedInner, bits, block.value_or(0)));
  DRAGOMAN_ASSIGN(Value * outer, Unpacked(op, f, kPackedOuter, bits, block.value_or(0)));
  return Mixed(op, f, options,
               {inner, op.operand(kPackedInnerBias), outer, op.operand(kPackedOuterBias)});
}

}  // namespace dragoman

// MoE: a layer of experts of which each row takes the k that the router scores highest. All experts
// compute all rows; those that a row does not take have weight 0.
#include <limits>
#include <string>

#include "importers/onnx/ops/contrib.h"

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

struct Options {
  std::int64_t taken = 1;
  std::string activation;
  bool normalize = false;
  float alpha = 1;  // of swiglu
  float beta = 0;
  float limit = std::numeric_limits<float>::infinity();
};

Result<Options> TakeOptions(OpLowering& op) {
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
  for (std::size_t i = kFirstRefused; i < op.operands.size(); ++i) {
    if (op.operand(i) != nullptr) return op.Unsupported("operand " + std::to_string(i));
  }
  return options;
}

// Of each row, the weight of each expert: (rows, experts), zero for those that it does not take.
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

}  // namespace

LoweredResults LowerMoe(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kX, kRouter, kInner, kOuter}));
  DRAGOMAN_ASSIGN(const Options options, TakeOptions(op));
  OpComposer f(op);
  Value* sizes = f.Shape(op.operand(kX));
  Value* rows =
      f.Reshape(op.operand(kX), f.ConcatSizes({f.Ints({1, -1}), f.Slice(sizes, 0, -1, kEnd)}));
  Value* inner = Layer(f, rows, op.operand(kInner), op.operand(kInnerBias));
  DRAGOMAN_ASSIGN(inner, Activated(op, f, inner, options));
  Value* outer = Layer(f, inner, op.operand(kOuter), op.operand(kOuterBias));
  Value* shares = f.Unsqueeze(f.Transpose(Shares(f, op.operand(kRouter), options), {1, 0}), {2});
  Value* mixed = f.ReduceSum(f.Mul(outer, shares), {0});
  return f.Finish({f.Op("Reshape", {mixed, sizes}, {}, op.ResultName(0))});
}

}  // namespace dragoman

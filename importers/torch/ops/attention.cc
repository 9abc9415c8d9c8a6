// SPDX-License-Identifier: Apache-2.0
// Attention: scaled dot products, and torch's fused layers around them.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "core/lowering/heap.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

struct Attention {
  Value* query;
  Value* key;
  Value* value;
  Value* mask = nullptr;                // bool: true where it counts; else added
  Number causal = Number::Bool(false);  // a query sees no key after it
  std::optional<double> scale;          // 1 / sqrt(features) if not given
  bool safe = false;                    // scores that are all -inf give zeros, without a mask, too
  bool fused = false;                   // of a fused layer: scores that a mask hides all give NaN
};

struct Attended {
  Value* output;
  Value* weights;
};

Value* SwapLast(Composer& c, Value* x) {
  const int rank = c.Rank(x);
  return rank < 2 ? x : c.SwapAxes(x, rank - 2, rank - 1);
}

// 1 / sqrt(features), or as given.
Value* Scale(Composer& c, const Attention& a, Value* query) {
  if (a.scale) return c.Number(*a.scale, query);
  const int last = c.Rank(query) - 1;
  if (std::optional<std::int64_t> size = c.KnownSize(query, last))
    return c.Number(1 / std::sqrt(static_cast<double>(*size)), query);
  return c.Op("Reciprocal", {c.Sqrt(c.CastLike(c.Size(query, last), query))});
}

// True where a query may look at a key: not after it.
Value* CausalMask(Composer& c, Value* query, Value* key) {
  Value* rows = c.Unsqueeze(c.Iota(c.Size(query, c.Rank(query) - 2)), {1});
  return c.GreaterOrEqual(rows, c.Iota(c.Size(key, c.Rank(key) - 2)));
}

// As torch decomposes it: what a mask of bool hides is -inf, which is added, and rows that may look
// nowhere are zero (from torch 2.5 on).
Value* Weights(Composer& c, const Attention& a, Value* scores, Value* mask) {
  if (mask != nullptr) {
    const bool hides = c.dtype(mask) == DType::kBool;
    scores = c.Add(
        scores, hides ? c.Where(mask, c.Number(0, scores), -INFINITY) : c.CastLike(mask, scores));
  }
  const bool plain = a.fused || (mask == nullptr && !a.safe);
  if (plain) return c.Op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  return SafeSoftmax(c, scores, c.Rank(scores) - 1);
}

// What the given mask and causality hide; nullptr: nothing.
Value* Mask(Composer& c, const Attention& a, Value* query, Value* key) {
  if (a.causal.known() && a.causal.AsInt() == 0) return a.mask;
  Value* visible = CausalMask(c, query, key);
  if (!a.causal.known()) visible = c.Or(visible, c.Not(a.causal.symbolic()));
  if (a.mask == nullptr) return visible;
  if (c.dtype(a.mask) == DType::kBool) return c.And(a.mask, visible);
  return c.Where(visible, a.mask, -INFINITY);
}

Attended Attend(Composer& c, const Attention& a) {
  Value* query = c.Widen(a.query);
  Value* key = c.Widen(a.key);
  Value* scores = MatMul(c, c.Mul(query, Scale(c, a, query)), SwapLast(c, key));
  Value* weights = Weights(c, a, scores, Mask(c, a, query, key));
  Value* output = MatMul(c, weights, c.Widen(a.value));
  return {c.CastLike(output, a.query), c.CastLike(weights, a.query)};
}

// Heads of keys and values, each for as many heads of queries.
Value* RepeatHeads(Composer& c, Value* x, Value* like) {
  const int axis = c.Rank(x) - 3;
  const std::optional<std::int64_t> heads = c.KnownSize(x, axis);
  const std::optional<std::int64_t> wanted = c.KnownSize(like, c.Rank(like) - 3);
  if (!heads || !wanted || *heads < 1)
    return c.Fail("enable_gqa with numbers of heads that are not known; state them with --shape");
  if (*heads == *wanted) return x;
  if (*wanted % *heads != 0)
    return c.Fail(InvalidInput("the query's heads are not a multiple of the key's"));
  Value* before = c.SizeVector(x, 0, axis);
  Value* matrix = c.SizeVector(x, axis + 1, 2);
  Value* apart = c.ConcatSizes({before, c.Ints({*heads, *wanted / *heads}), matrix});
  Value* repeated = c.Op("Expand", {c.Unsqueeze(x, {axis + 1}), apart});
  return c.Reshape(repeated, c.ConcatSizes({before, c.Ints({*wanted}), matrix}));
}

// Argument attn_mask; one that is None at run time hides nothing.
Value* TakeMask(CallComposer& c) {
  const Abstract argument = c.Take(c.call().Argument("attn_mask"));
  const auto* maybe = argument.As<Maybe>();
  if (maybe == nullptr) return c.OptionalTensor("attn_mask");
  Value* mask = c.Tensor("attn_mask");
  if (c.dtype(mask) == DType::kBool) return c.Or(mask, c.Not(maybe->present));
  return c.Where(maybe->present, mask, 0);
}

Attention TakeAttention(CallComposer& c) {
  Attention a{c.Tensor("query"), c.Tensor("key"), c.Tensor("value")};
  if (c.call().Declares("attn_mask")) a.mask = TakeMask(c);
  // Programs of torch 2 conclude it from the contents of a mask.
  if (c.Has("is_causal")) a.causal = c.Take(c.call().Scalar("is_causal"));
  // Torch 1.13 and 2.0 had an operator with this argument, and no safe softmax.
  a.safe = !c.call().Declares("need_attn_weights");
  if (c.Has("scale")) a.scale = c.Float("scale");
  if (c.FloatOr("dropout_p", 0) != 0) c.Fail("dropout_p > 0 draws random masks");
  if (c.BoolOr("enable_gqa", false)) {
    a.key = RepeatHeads(c, a.key, a.query);
    a.value = RepeatHeads(c, a.value, a.query);
  }
  return a;
}

// (batch, length, heads * features) to (batch, heads, length, features).
Value* SplitHeads(Composer& c, Value* x, std::int64_t heads) {
  Value* shape =
      c.ConcatSizes({c.SizeVector(x, 0, 2), c.Ints({heads}), MergedSize(c, x, 2, 1, heads)});
  return c.Transpose(c.Reshape(x, shape), {0, 2, 1, 3});
}

Value* JoinHeads(Composer& c, Value* x) {
  Value* ordered = c.Transpose(x, {0, 2, 1, 3});
  return c.Reshape(ordered,
                   c.ConcatSizes({c.SizeVector(ordered, 0, 2), MergedSize(c, ordered, 2, 2)}));
}

// A mask of torch's fused layers, not 0 where it hides: of kind 0 (length, length), of kind 1
// (batch, length), of kind 2 (batch, heads, length, length).
Value* VisibleMask(CallComposer& c) {
  Value* mask = c.OptionalTensor("mask");
  if (mask == nullptr) return nullptr;
  const std::int64_t kind = c.IntOr("mask_type", c.Rank(mask) == 2 ? 0 : 2);
  mask = c.Cast(mask, DType::kBool);
  if (kind == 1) mask = c.Unsqueeze(mask, {1, 2});
  return c.Not(mask);
}

struct Projections {
  Value* weight;  // queries, keys, values one above the other
  Value* bias;
  Value* out_weight;
  Value* out_bias;
  std::int64_t heads;
};

Projections TakeProjections(CallComposer& c, std::string_view heads) {
  return {c.Tensor("qkv_weight"), c.Tensor("qkv_bias"), c.Tensor("proj_weight"),
          c.Tensor("proj_bias"), c.Int(heads)};
}

Value* Linear(Composer& c, Value* x, Value* weight, Value* bias) {
  return c.Op("dragoman.Linear", {x, weight, bias});
}

// Multi-head attention of (batch, length, features), with its weights averaged over heads or not.
// `visible` (batch, length), if any, says which keys count, beside the argument `mask`.
Attended MultiHead(CallComposer& c, const std::vector<Value*>& inputs, const Projections& p,
                   Value* visible = nullptr) {
  const auto thirds = [&](Value* x) {
    return c.Ops("Split", {x}, {{"axis", std::int64_t{0}}, {"num_outputs", std::int64_t{3}}}, 3);
  };
  const std::vector<Value*> weights = thirds(p.weight);
  const std::vector<Value*> biases = thirds(p.bias);
  std::vector<Value*> parts;
  for (std::size_t i = 0; i < 3; ++i)
    parts.push_back(SplitHeads(c, Linear(c, inputs[i], weights[i], biases[i]), p.heads));
  Attention attention{parts[0], parts[1], parts[2]};
  attention.fused = true;
  attention.mask = VisibleMask(c);
  if (visible != nullptr) {
    Value* keys = c.Unsqueeze(visible, {1, 2});
    attention.mask = attention.mask != nullptr ? c.And(attention.mask, keys) : keys;
  }
  const Attended attended = Attend(c, attention);
  return {Linear(c, JoinHeads(c, attended.output), p.out_weight, p.out_bias), attended.weights};
}

Value* LayerNorm(CallComposer& c, Value* x, std::string_view weight, std::string_view bias) {
  Value* scale = c.Tensor(weight);
  return c.Op("LayerNormalization", {x, scale, c.Tensor(bias)},
              {{"axis", std::int64_t{-1}}, {"epsilon", static_cast<float>(c.Float("eps"))}});
}

Value* FeedForward(CallComposer& c, Value* x) {
  Value* hidden = Linear(c, x, c.Tensor("ffn_weight_1"), c.Tensor("ffn_bias_1"));
  hidden = c.Bool("use_gelu") ? c.Op("Gelu", {hidden}) : c.Op("Relu", {hidden});
  return Linear(c, hidden, c.Tensor("ffn_weight_2"), c.Tensor("ffn_bias_2"));
}

// A nested tensor: rows of several lengths, padded, and which of their elements there are. It is
// passed on as a tuple, which operators that know no nested tensors refuse.
struct Nested {
  Value* rows = nullptr;     // (batch, length, …)
  Value* visible = nullptr;  // (batch, length) bool; nullptr: a tensor as any other
};

Nested TakeNested(CallComposer& c, std::string_view name) {
  const Abstract argument = c.Take(c.call().Argument(name));
  const auto* parts = argument.As<Tuple>();
  if (parts == nullptr) return {c.Tensor(name), nullptr};
  const auto part = [&](std::size_t i) {
    const auto* tensor = parts->items->at(i).As<TensorRef>();
    return c.Take(c.call().heap().Read(c.builder(), *tensor));
  };
  return {part(0), part(1)};
}

Abstract NewNested(CallComposer& c, const Nested& nested) {
  if (c.failed() || nested.visible == nullptr) return c.call().NewTensor(nested.rows);
  std::vector<Abstract> parts = {c.call().NewTensor(nested.rows),
                                 c.call().NewTensor(nested.visible)};
  return Abstract(Tuple{std::make_shared<const std::vector<Abstract>>(std::move(parts))});
}

Value* LowerAttention(CallComposer& c) { return Attend(c, TakeAttention(c)).output; }

// _scaled_dot_product_attention_math, _scaled_dot_product_attention: the weights too.
Result<Results> LowerAttentionWithWeights(Call& call) {
  CallComposer c(call);
  const Attended attended = Attend(c, TakeAttention(c));
  return c.Done({attended.output, attended.weights});
}

Result<Results> LowerNativeMultiHeadAttention(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> inputs = {c.Tensor("query"), c.Tensor("key"), c.Tensor("value")};
  Attended attended = MultiHead(c, inputs, TakeProjections(c, "num_head"));
  if (!c.BoolOr("need_weights", true)) {
    return c.DoneWith({call.NewTensor(attended.output), Abstract(None())});
  }
  if (c.BoolOr("average_attn_weights", true))
    attended.weights = c.ReduceMean(attended.weights, {1});
  return c.Done({attended.output, attended.weights});
}

Result<Results> LowerTransformerEncoderLayer(Call& call) {
  CallComposer c(call);
  const Nested nested = TakeNested(c, "src");
  Value* x = nested.rows;
  const bool norm_first = c.Bool("norm_first");
  const Projections projections = TakeProjections(c, "num_heads");
  Value* in = norm_first ? LayerNorm(c, x, "norm_weight_1", "norm_bias_1") : x;
  x = c.Add(x, MultiHead(c, {in, in, in}, projections, nested.visible).output);
  if (!norm_first) x = LayerNorm(c, x, "norm_weight_1", "norm_bias_1");
  in = norm_first ? LayerNorm(c, x, "norm_weight_2", "norm_bias_2") : x;
  x = c.Add(x, FeedForward(c, in));
  if (!norm_first) x = LayerNorm(c, x, "norm_weight_2", "norm_bias_2");
  return c.DoneWith({NewNested(c, {x, nested.visible})});
}

// A mask only says how many elements each row keeps, its first ones.
Result<Results> LowerNestedFromMask(Call& call) {
  CallComposer c(call);
  Value* mask = c.Tensor("mask");
  Value* lengths = c.ReduceSum(c.Cast(mask, DType::kI64), {1});
  Value* visible = c.Less(c.Unsqueeze(c.Iota(c.Size(mask, 1)), {0}), c.Unsqueeze(lengths, {1}));
  return c.DoneWith({NewNested(c, {c.Tensor("t"), visible})});
}

// Whether the mask shows no element after one that it hides.
Result<Results> LowerIsLeftAligned(Call& call) {
  CallComposer c(call);
  Value* mask = c.Tensor("mask");
  Value* lengths = c.ReduceSum(c.Cast(mask, DType::kI64), {1}, true);
  Value* aligned = c.Equal(mask, c.Less(c.Iota(c.Size(mask, 1)), lengths));
  Value* all = c.Cast(c.ReduceAll("ReduceMin", c.Cast(aligned, DType::kI64)), DType::kBool);
  DRAGOMAN_ASSIGN(all, c.Done(all));
  return Results{call.NewNumber(Number::Kind::kBool, all)};
}

// Rows end with the longest, unless `output_size` states another end.
Value* LowerToPadded(CallComposer& c) {
  const Nested nested = TakeNested(c, "self");
  if (nested.visible == nullptr) return c.Refuse("a tensor that is not nested");
  std::vector<std::int64_t> further;
  for (int axis = 2; axis < c.Rank(nested.rows); ++axis) further.push_back(axis);
  Value* padding = c.As("padding", c.dtype(nested.rows));
  Value* rows = c.Where(c.Unsqueeze(nested.visible, further), nested.rows, padding);
  if (!c.Has("output_size")) {
    Value* lengths = c.ReduceSum(c.Cast(nested.visible, DType::kI64), {1});
    Value* longest = c.Vector(c.ReduceAll("ReduceMax", lengths));
    return c.Slice(rows, 1, c.Ints({0}), longest, c.Ints({1}));
  }
  Value* missing = c.Sub(c.Take(c.call().IntListValue("output_size")), c.Shape(rows));
  const auto known = c.failed() ? std::nullopt : c.builder().KnownInts(missing);
  if (known && std::ranges::all_of(*known, [](std::int64_t size) { return size == 0; }))
    return rows;
  Value* before = c.Ints(std::vector<std::int64_t>(further.size() + 2, 0));
  return c.Op("Pad", {rows, c.ConcatSizes({before, missing}), padding});
}

}  // namespace

std::span<const OpRow> AttentionRows() {
  static constexpr OpRow kRows[] = {
      {"aten._native_multi_head_attention", LowerNativeMultiHeadAttention},
      {"aten._nested_tensor_from_mask", LowerNestedFromMask},
      {"aten._nested_tensor_from_mask_left_aligned", LowerIsLeftAligned},
      {"aten._scaled_dot_product_attention", LowerAttentionWithWeights},
      {"aten._scaled_dot_product_attention_math", LowerAttentionWithWeights},
      {"aten._transformer_encoder_layer_fwd", LowerTransformerEncoderLayer},
      {"aten.scaled_dot_product_attention", LowerAttention},
      {"aten.to_padded_tensor", LowerToPadded},
  };
  return kRows;
}

}  // namespace dragoman::torch

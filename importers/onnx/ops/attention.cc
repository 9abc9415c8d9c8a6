// SPDX-License-Identifier: Apache-2.0
// Attention of opsets 23 to 25, as the products and masks that exporters of older opsets write.
#include <limits>

#include "importers/onnx/ops/heads.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

enum AttentionOperand : std::size_t { kQuery, kKey, kValue, kMask, kPastKey, kPastValue, kLengths };

constexpr double kMasked = -std::numeric_limits<double>::infinity();

struct AttentionOptions {
  std::optional<std::int64_t> query_heads;
  std::optional<std::int64_t> key_heads;
  std::optional<float> scale;
  float softcap = 0;
  bool causal = false;
  std::int64_t left_window = -1;   // how many keys before and after its own place a query attends;
  std::int64_t right_window = -1;  // -1: all
  std::int64_t scores = 0;         // which scores the last result shows
  std::optional<std::int64_t> precision;
};

Result<AttentionOptions> TakeAttentionOptions(OpLowering& op) {
  AttentionOptions options;
  DRAGOMAN_ASSIGN(options.query_heads, op.TakeInt("q_num_heads"));
  DRAGOMAN_ASSIGN(options.key_heads, op.TakeInt("kv_num_heads"));
  DRAGOMAN_ASSIGN(options.scale, op.TakeFloat("scale"));
  DRAGOMAN_ASSIGN(options.precision, op.TakeInt("softmax_precision"));
  DRAGOMAN_ASSIGN(const std::optional<float> softcap, op.TakeFloat("softcap"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> causal, op.TakeInt("is_causal"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> scores, op.TakeInt("qk_matmul_output_mode"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> left, op.TakeInt("left_window_size"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> right, op.TakeInt("right_window_size"));
  options.softcap = softcap.value_or(0);
  options.causal = causal.value_or(0) != 0;
  options.left_window = left.value_or(-1);
  options.right_window = right.value_or(-1);
  options.scores = scores.value_or(0);
  if (options.precision && !IsDTypeNumber(*options.precision))
    return op.Invalid("softmax_precision is not an element type");
  return options;
}

Value* WithPast(OpComposer& f, Value* past, Value* x, std::string_view name) {
  if (past == nullptr) return x;
  return f.Op("Concat", {past, x}, {{"axis", std::int64_t{kSteps}}}, name);
}

// A mask that is shorter than the keys masks those that it does not reach.
Value* PaddedMask(OpComposer& f, Value* mask, const Value* key) {
  const Shape* shape = mask->type().shape();
  const std::optional<std::int64_t> keys = KnownSize(key, kSteps);
  if (!keys || shape == nullptr || shape->empty() || !shape->back().known()) return mask;
  const std::int64_t missing = *keys - shape->back().value();
  if (missing <= 0) return mask;
  std::vector<std::int64_t> pads(2 * shape->size(), 0);
  pads.back() = missing;
  const bool is_bool = mask->type().dtype() == DType::kBool;
  return f.Op("Pad", {mask, f.Ints(pads), f.Number(is_bool ? 0 : kMasked, mask)});
}

// What restricts the keys that queries attend.
struct Masks {
  Value* attended = nullptr;  // conditions; nullptr: all keys
  Value* bias = nullptr;      // added to the scores; -inf hides a key; nullptr: none
  bool may_hide_all = false;  // the keys of a query

  void Restrict(OpComposer& f, Value* condition) {
    attended = attended != nullptr ? f.And(attended, condition) : condition;
  }
};

// Restricts by the places of queries and keys. The first query lies after the keys of the past, or
// the queries are the last of `lengths` keys.
void RestrictByPlace(OpComposer& f, const OpLowering& op, const AttentionOptions& options,
                     Value* query, Value* keys, Value* lengths, Masks& masks) {
  if (!options.causal && options.left_window < 0 && options.right_window < 0) return;
  Value* past = nullptr;
  if (op.operand(kPastKey) != nullptr) {
    past = f.Size(op.operand(kPastKey), kSteps);
  } else if (lengths != nullptr) {
    past = f.Sub(lengths, f.Size(query, kSteps));
  }
  Value* places = QueryPlaces(f, query, past);
  const auto number = [](std::int64_t window) { return static_cast<double>(window); };
  if (options.causal) masks.Restrict(f, f.LessOrEqual(keys, places));
  if (options.left_window >= 0)
    masks.Restrict(f, f.GreaterOrEqual(keys, f.Sub(places, number(options.left_window))));
  if (options.right_window >= 0)
    masks.Restrict(f, f.LessOrEqual(keys, f.Add(places, number(options.right_window))));
}

Masks MasksOf(OpComposer& f, const OpLowering& op, const AttentionOptions& options, Value* query,
              Value* key) {
  Masks masks;
  Value* lengths = op.operand(kLengths);
  if (lengths != nullptr) lengths = f.Unsqueeze(lengths, {1, 2, 3});
  if (Value* mask = op.operand(kMask); mask != nullptr) {
    mask = PaddedMask(f, mask, key);
    if (f.dtype(mask) == DType::kBool) {
      masks.attended = mask;
    } else {
      masks.bias = f.CastLike(mask, query);
    }
  }
  Value* keys = f.Iota(f.Size(key, kSteps));
  RestrictByPlace(f, op, options, query, keys, lengths, masks);
  if (lengths != nullptr) masks.Restrict(f, f.Less(keys, lengths));
  const std::optional<int> rank = f.MaybeRank(masks.bias);
  if (masks.bias != nullptr && (masks.attended != nullptr || rank.value_or(0) == 0))
    masks.Restrict(f, f.Greater(masks.bias, kMasked));
  masks.may_hide_all =
      op.operand(kMask) != nullptr || lengths != nullptr || options.left_window >= 0;
  return masks;
}

Value* Masked(OpComposer& f, const Masks& masks, Value* scores) {
  if (masks.attended != nullptr) scores = f.Where(masks.attended, scores, kMasked);
  return masks.bias != nullptr ? f.Add(scores, masks.bias) : scores;
}

// A query all of whose keys are hidden has weights of 0.
Value* WithoutHidden(OpComposer& f, const Masks& masks, Value* weights) {
  if (!masks.may_hide_all) return weights;
  if (masks.attended != nullptr) return f.Where(masks.attended, weights, 0);
  Value* most = f.Reduce("ReduceMax", masks.bias, {f.Rank(masks.bias) - 1}, true);
  return f.Where(f.Equal(most, kMasked), 0, weights);
}

Value* Softmax(OpComposer& f, Value* scores, std::optional<std::int64_t> precision) {
  const std::vector<NamedAttribute> last = {{"axis", std::int64_t{-1}}};
  if (scores == nullptr) return nullptr;
  const DType dtype = scores->type().dtype();
  if (!precision || static_cast<DType>(*precision) == dtype) return f.Op("Softmax", {scores}, last);
  Value* exact = f.Cast(scores, static_cast<DType>(*precision));
  return f.Cast(f.Op("Softmax", {exact}, last), dtype);
}

struct Heads {
  std::int64_t query = 0;
  std::int64_t key = 0;
  std::int64_t times() const { return query / key; }  // each head of the keys is used
};

Result<Heads> CountHeads(const OpLowering& op, const AttentionOptions& options, int rank) {
  std::optional<std::int64_t> query = options.query_heads;
  std::optional<std::int64_t> key = options.key_heads;
  if (rank == 4) {
    query = KnownSize(op.operand(kQuery), kHeads);
    key = KnownSize(op.operand(kKey), kHeads);
    if (!query || !key)
      return op.Unsupported(
          "the number of heads is not known; state the inputs' sizes with --shape");
  }
  if (query.value_or(0) < 1 || key.value_or(0) < 1)
    return op.Invalid("q_num_heads or kv_num_heads is missing");
  if (*query % *key != 0)
    return op.Invalid("the number of query heads is not a multiple of the number of key heads");
  return Heads{*query, *key};
}

Result<void> CheckAttention(const OpLowering& op, const AttentionOptions& options, int rank) {
  if (rank != 3 && rank != 4) return op.Invalid("the query's rank is neither 3 nor 4");
  if ((op.operand(kPastKey) == nullptr) != (op.operand(kPastValue) == nullptr))
    return op.Invalid("past_key and past_value come together");
  if (op.operand(kPastKey) != nullptr && op.operand(kLengths) != nullptr)
    return op.Invalid("past_key and nonpad_kv_seqlen exclude each other");
  if (options.left_window < -1 || options.right_window < -1)
    return op.Invalid("a window's size is below -1");
  if (options.scores < 0 || options.scores > 3)
    return op.Invalid("qk_matmul_output_mode is not 0, 1, 2 or 3");
  return {};
}

// The stages of the scores, in order.
struct Scores {
  Value* products;
  Value* capped;
  Value* masked;
  Value* weights;
};

// What the last result shows.
Value* Shown(std::int64_t mode, const Scores& scores) {
  Value* const stages[] = {scores.products, scores.capped, scores.masked, scores.weights};
  return stages[mode];
}

}  // namespace

LoweredResults LowerAttention(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kQuery, kKey, kValue}));
  DRAGOMAN_ASSIGN(const AttentionOptions options, TakeAttentionOptions(op));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(kQuery));
  DRAGOMAN_TRY(CheckAttention(op, options, rank));
  DRAGOMAN_ASSIGN(const Heads heads, CountHeads(op, options, rank));
  OpComposer f(op);
  const auto apart = [&](AttentionOperand i, std::int64_t count) {
    return rank == 3 ? SplitHeads(f, op.operand(i), count) : op.operand(i);
  };
  Value* query = apart(kQuery, heads.query);
  Value* key = WithPast(f, op.operand(kPastKey), apart(kKey, heads.key), op.ResultName(1));
  Value* value = WithPast(f, op.operand(kPastValue), apart(kValue, heads.key), op.ResultName(2));
  Value* products = Scaled(f, Products(f, query, RepeatHeads(f, key, heads.key, heads.times())),
                           query, options.scale);
  Value* scores = products;
  if (options.softcap > 0) {
    Value* cap = f.Number(options.softcap, scores);
    scores = f.Op("Mul", {f.Op("Tanh", {f.Op("Div", {scores, cap})}), cap});
  }
  Value* const capped = scores;
  const Masks masks = MasksOf(f, op, options, query, key);
  scores = Masked(f, masks, scores);
  Value* weights = WithoutHidden(f, masks, Softmax(f, scores, options.precision));
  Value* values = f.CastLike(RepeatHeads(f, value, heads.key, heads.times()), weights);
  std::vector<Value*> results = {nullptr, key, value,
                                 Shown(options.scores, {products, capped, scores, weights})};
  if (rank == 3) {
    results[0] = JoinHeads(f, f.Op("MatMul", {weights, values}), op.ResultName(0));
  } else {
    results[0] = f.Op("MatMul", {weights, values}, {}, op.ResultName(0));
  }
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

}  // namespace dragoman

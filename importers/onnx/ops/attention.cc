// SPDX-License-Identifier: Apache-2.0
// Attention of opsets 23 and 24, as the products and masks that exporters of older opsets write.
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
  std::int64_t scores = 0;  // which scores the last result shows
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
  options.softcap = softcap.value_or(0);
  options.causal = causal.value_or(0) != 0;
  options.scores = scores.value_or(0);
  if (options.precision && !IsDTypeNumber(*options.precision))
    return op.Invalid("softmax_precision is no element type");
  return options;
}

Value* WithPast(OpComposer& f, Value* past, Value* x, std::string_view name) {
  if (past == nullptr) return x;
  return f.Op("Concat", {past, x}, {{"axis", std::int64_t{kSteps}}}, name);
}

Value* Allowed(OpComposer& f, Value* scores, Value* mask) {
  return f.Op("Where", {mask, scores, f.Number(kMasked, scores)});
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

Value* Masked(OpComposer& f, const OpLowering& op, const AttentionOptions& options, Value* scores,
              Value* query, Value* key) {
  if (Value* mask = op.operand(kMask); mask != nullptr) {
    mask = PaddedMask(f, mask, key);
    scores = mask->type().dtype() == DType::kBool ? Allowed(f, scores, mask)
                                                  : f.Op("Add", {scores, mask});
  }
  Value* lengths = op.operand(kLengths);
  if (lengths != nullptr) lengths = f.Op("Unsqueeze", {lengths, f.Ints({1, 2, 3})});
  if (options.causal) {
    Value* past = nullptr;
    if (op.operand(kPastKey) != nullptr) {
      past = f.Size(op.operand(kPastKey), kSteps);
    } else if (lengths != nullptr) {
      past = f.Op("Sub", {lengths, f.Size(query, kSteps)});
    }
    scores = Allowed(f, scores, CausalMask(f, query, key, past));
  }
  if (lengths != nullptr)
    scores = Allowed(f, scores, f.Op("Less", {f.Iota(f.Size(key, kSteps)), lengths}));
  return scores;
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
    return op.Invalid("the number of query heads is no multiple of the number of key heads");
  return Heads{*query, *key};
}

// Whether some keys are masked, or a bias is added.
bool Masks(const OpLowering& op, const AttentionOptions& options) {
  return options.causal || op.operand(kMask) != nullptr || op.operand(kLengths) != nullptr;
}

Result<void> CheckAttention(const OpLowering& op, const AttentionOptions& options, int rank) {
  if (rank != 3 && rank != 4) return op.Invalid("the query's rank is neither 3 nor 4");
  if ((op.operand(kPastKey) == nullptr) != (op.operand(kPastValue) == nullptr))
    return op.Invalid("past_key and past_value come together");
  if (options.scores < 0 || options.scores > 3)
    return op.Invalid("qk_matmul_output_mode is not 0, 1, 2 or 3");
  const bool either = options.scores == 1 || options.scores == 2;
  if (op.num_results() > 3 && either && op.opset < 24 && options.softcap > 0 && Masks(op, options))
    return op.Unsupported(
        "qk_matmul_output_mode 1 and 2 of opset 23 with softcap and a mask, whose order runtimes "
        "do "
        "not agree about");
  return {};
}

// The stages of the scores, in order.
struct Scores {
  Value* products;
  Value* capped;
  Value* masked;
  Value* weights;
};

// What the last result shows. Opset 23 adds the mask before softcap, and counts so: 1 is behind the
// mask, 2 behind both. Opset 24 adds it behind softcap.
Value* Shown(const OpLowering& op, const AttentionOptions& options, const Scores& scores) {
  switch (options.scores) {
    case 1:
      if (op.opset >= 24) return scores.capped;
      return Masks(op, options) ? scores.masked : scores.products;
    case 2:
      return scores.masked;
    case 3:
      return scores.weights;
    default:
      return scores.products;
  }
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
  scores = Masked(f, op, options, scores, query, key);
  Value* weights = Softmax(f, scores, options.precision);
  Value* values = RepeatHeads(f, value, heads.key, heads.times());
  std::vector<Value*> results = {nullptr, key, value,
                                 Shown(op, options, {products, capped, scores, weights})};
  if (rank == 3) {
    results[0] = JoinHeads(f, f.Op("MatMul", {weights, values}), op.ResultName(0));
  } else {
    results[0] = f.Op("MatMul", {weights, values}, {}, op.ResultName(0));
  }
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

}  // namespace dragoman

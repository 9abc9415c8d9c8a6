// SPDX-License-Identifier: Apache-2.0
// Attention, QAttention and MultiHeadAttention: masks are summands, a large negative number where a
// key is not seen.
#include <limits>
#include <string>
#include <utility>

#include "importers/onnx/ops/contrib_quantized.h"
#include "importers/onnx/ops/heads.h"

namespace dragoman {
namespace {

constexpr double kLowest = std::numeric_limits<float>::lowest();

struct Options {
  std::int64_t heads = 0;
  std::optional<float> scale;
  float filter = -10000;  // what is added to the scores of masked keys
  bool causal = false;
};

Result<Options> TakeOptions(OpLowering& op) {
  Options options;
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> heads, op.TakeInt("num_heads"));
  DRAGOMAN_ASSIGN(options.scale, TakeScale(op));
  DRAGOMAN_ASSIGN(const std::optional<float> filter, op.TakeFloat("mask_filter_value"));
  DRAGOMAN_ASSIGN(options.causal, TakeFlag(op, "unidirectional"));
  if (heads.value_or(0) < 1) return op.Invalid("num_heads is missing or not positive");
  options.heads = *heads;
  options.filter = filter.value_or(options.filter);
  return options;
}

// Heads apart: (batch, heads, steps, features).
struct Parts {
  Value* query;
  Value* key;
  Value* value;
  Value* past_length = nullptr;  // nullptr: no keys lie before the query's
};

// A vector of ends, one an example, and of as many starts after them, or none: keys between them.
Result<Value*> SeenBetween(OpLowering& op, OpComposer& f, Value* mask, const Parts& parts) {
  if (parts.query == nullptr) return nullptr;
  const Shape* shape = parts.query->type().shape();
  const Dim batch = shape != nullptr ? shape->front() : Dim::Unknown();
  const Dim size = mask->type().shape()->front();
  Value* keys = f.Iota(f.Size(parts.key, kSteps));
  const auto column = [&](Value* x) {
    return f.Op("Unsqueeze", {f.Cast(x, DType::kI64), f.Ints({1, 2, 3})});
  };
  if (Equal(size, batch) == Truth::kYes) return f.Op("Less", {keys, column(mask)});
  const Truth both = Equal(size, batch * Dim(2));
  if (Equal(size, batch) == Truth::kNo && both == Truth::kNo)
    return op.Unsupported("a mask that is a vector of neither one nor two numbers an example");
  Value* count = f.SizeVector(parts.query, 0, 1);
  Value* twice = f.Op("Add", {count, count});
  if (both != Truth::kYes) {
    Value* given = f.SizeVector(mask, 0, 1);
    Value* fits = f.Op("Or", {f.Op("Equal", {given, count}), f.Op("Equal", {given, twice})});
    f.Assert(f.Op("Squeeze", {fits}), "the mask has neither one nor two numbers an example");
  }
  Value* padded = f.Concat({mask, f.Op("Expand", {f.Number(0, mask), count})}, 0);
  const auto part = [&](Value* first, Value* end) {
    return column(f.Op("Slice", {padded, first, end, f.Ints({0})}));
  };
  return f.Op("And", {f.Op("Less", {keys, part(f.Ints({0}), count)}),
                      f.Op("GreaterOrEqual", {keys, part(count, twice)})});
}

// The mask (vectors: of lengths, or of ends and then starts; matrices: of keys, or of steps and
// keys, a batch) as bool, of the scores' rank.
Result<Value*> SeenKeys(OpLowering& op, OpComposer& f, Value* mask, const Parts& parts) {
  const std::optional<int> rank = op.builder.rank(mask);
  if (!rank) return op.Unsupported("the rank of the mask is not known; state sizes with --shape");
  if (*rank == 1) return SeenBetween(op, f, mask, parts);
  if (*rank != 2 && *rank != 3) return op.Unsupported("a mask of rank " + std::to_string(*rank));
  Value* seen = f.Op("Greater", {mask, f.Number(0, mask)});
  return f.Op("Unsqueeze", {seen, *rank == 2 ? f.Ints({1, 2}) : f.Ints({1})});
}

// What is added to the scores; nullptr: nothing.
Result<Value*> Summand(OpLowering& op, OpComposer& f, const Options& options, Value* mask,
                       const Parts& parts) {
  Value* summand = nullptr;
  if (mask != nullptr) {
    DRAGOMAN_ASSIGN(Value * seen, SeenKeys(op, f, mask, parts));
    summand =
        f.Op("Where", {seen, f.Number(0, parts.query), f.Number(options.filter, parts.query)});
  }
  if (!options.causal) return summand;
  // The documentation is silent on keys after the last query, and providers differ.
  if (parts.past_length == nullptr &&
      KnownSize(parts.query, kSteps) != KnownSize(parts.key, kSteps))
    return op.Unsupported("unidirectional where there are not as many keys as queries");
  Value* seen = CausalMask(f, parts.query, parts.key, parts.past_length);
  if (summand == nullptr) summand = f.Number(0, parts.query);
  return f.Op("Where", {seen, summand, f.Number(kLowest, parts.query)});
}

// The heads' results joined, called as the source's first result.
Result<Value*> Attended(OpLowering& op, OpComposer& f, const Options& options, const Parts& parts,
                        Value* mask, Value* score_bias) {
  Value* scores = Scaled(f, Products(f, parts.query, parts.key), parts.query, options.scale);
  DRAGOMAN_ASSIGN(Value * summand, Summand(op, f, options, mask, parts));
  if (summand != nullptr) scores = f.Op("Add", {scores, summand});
  if (score_bias != nullptr) scores = f.Op("Add", {scores, score_bias});
  Value* weights = f.Op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  return JoinHeads(f, f.Op("MatMul", {weights, parts.value}), op.ResultName(0));
}

Value* Behind(OpComposer& f, Value* past, Value* x, std::string_view name) {
  if (past == nullptr) return f.Op("Identity", {x}, {}, name);
  return f.Op("Concat", {past, x}, {{"axis", std::int64_t{kSteps}}}, name);
}

// `projected` holds queries, keys and values one after the other. Past and present are both, one
// after the other along a first axis.
LoweredResults SelfAttention(OpLowering& op, OpComposer& f, const Options& options,
                             Value* projected,
                             const std::optional<std::vector<std::int64_t>>& sizes, Value* mask,
                             Value* past, Value* score_bias) {
  const std::vector<std::string> names = {"query", "key", "value"};
  const std::vector<NamedAttribute> last = {{"axis", std::int64_t{-1}}};
  if (sizes && sizes->size() != 3) return op.Invalid("qkv_hidden_sizes are not three");
  if (sizes && (*sizes)[1] != (*sizes)[2] && (past != nullptr || WantsResult(op, 1)))
    return op.Unsupported(
        "past or present, one tensor, where values are larger or smaller than keys");
  const std::vector<Value*> flat =
      sizes ? f.Ops("Split", {projected, f.Ints(*sizes)}, last, names)
            : f.Ops("Split", {projected},
                    {{"axis", std::int64_t{-1}}, {"num_outputs", std::int64_t{3}}}, names);
  Parts parts{SplitHeads(f, flat[0], options.heads), SplitHeads(f, flat[1], options.heads),
              SplitHeads(f, flat[2], options.heads)};
  if (past != nullptr) {
    parts.past_length = f.Size(past, kSteps + 1);
    parts.key = Behind(f, f.Op("Gather", {past, f.Int(0)}), parts.key, "");
    parts.value = Behind(f, f.Op("Gather", {past, f.Int(1)}), parts.value, "");
  }
  DRAGOMAN_ASSIGN(Value * result, Attended(op, f, options, parts, mask, score_bias));
  Value* present = nullptr;
  if (WantsResult(op, 1)) {
    const auto first = [&](Value* x) { return f.Op("Unsqueeze", {x, f.Ints({0})}); };
    present = f.Op("Concat", {first(parts.key), first(parts.value)}, {{"axis", std::int64_t{0}}},
                   op.ResultName(1));
  }
  std::vector<Value*> results = {result, present};
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

// Attributes of the forms that write into buffers or turn features.
Status RefuseVariants(OpLowering& op) {
  for (const char* name : {"do_rotary", "past_present_share_buffer"}) {
    DRAGOMAN_ASSIGN(const bool given, TakeFlag(op, name));
    if (given) return op.Unsupported(name);
  }
  op.Drop("rotary_embedding_dim");  // of do_rotary
  return {};
}

}  // namespace

LoweredResults LowerContribAttention(OpLowering& op) {
  enum : std::size_t { kInput, kWeights, kBias, kMask, kPast, kScoreBias, kPastLength };
  DRAGOMAN_TRY(op.Require({kInput, kWeights}));
  DRAGOMAN_TRY(RefuseVariants(op));
  if (op.operand(kPastLength) != nullptr) return op.Unsupported("past_sequence_length");
  DRAGOMAN_ASSIGN(const Options options, TakeOptions(op));
  DRAGOMAN_ASSIGN(const std::optional<std::vector<std::int64_t>> sizes,
                  op.TakeInts("qkv_hidden_sizes"));
  OpComposer f(op);
  Value* projected = f.Op("MatMul", {op.operand(kInput), op.operand(kWeights)});
  if (op.operand(kBias) != nullptr) projected = f.Op("Add", {projected, op.operand(kBias)});
  const bool listed = sizes && !sizes->empty();
  return SelfAttention(op, f, options, projected, listed ? sizes : std::nullopt, op.operand(kMask),
                       op.operand(kPast), op.operand(kScoreBias));
}

LoweredResults LowerQAttention(OpLowering& op) {
  enum : std::size_t { kInput, kWeights, kBias, kInputScale, kWeightScale, kMask, kInputZero };
  constexpr std::size_t kWeightZero = kInputZero + 1, kPast = kInputZero + 2;
  DRAGOMAN_TRY(op.Require({kInput, kWeights, kBias, kInputScale, kWeightScale}));
  DRAGOMAN_TRY(RefuseVariants(op));
  DRAGOMAN_ASSIGN(const Options options, TakeOptions(op));
  OpComposer f(op);
  Value* product = ScaledProduct(
      f, {op.operand(kInput), OneNumber(f, op.operand(kInputScale)), op.operand(kInputZero)},
      {op.operand(kWeights), NumberOrVector(f, op.operand(kWeightScale)), op.operand(kWeightZero)});
  Value* projected = f.Op("Add", {product, op.operand(kBias)});
  return SelfAttention(op, f, options, projected, std::nullopt, op.operand(kMask),
                       op.operand(kPast), nullptr);
}

namespace {

enum Operand : std::size_t {
  kQuery,
  kKey,
  kValue,
  kBias,
  kKeyMask,
  kScoreBias,
  kPastKey,
  kPastValue,
  kPastLength,
  kIndirection
};

// Part `i` of (batch, steps, heads, parts, features), as (batch, steps, heads * features).
Value* PartOf(OpComposer& f, Value* packed, std::int64_t i) {
  Value* part = f.Op("Gather", {packed, f.Int(i)}, {{"axis", std::int64_t{3}}});
  return f.Op("Reshape", {part, f.Ints({0, 0, -1})});
}

struct Flat {
  Value* query;
  Value* key;
  Value* value;
  bool keys_apart = false;  // keys and values have their heads apart already
};

Result<Flat> Unpacked(OpLowering& op, OpComposer& f) {
  DRAGOMAN_ASSIGN(const int rank, op.Rank(kQuery));
  Value* query = op.operand(kQuery);
  if (rank == 5) {
    if (op.operand(kKey) != nullptr) return op.Invalid("a packed query and a key");
    return Flat{PartOf(f, query, 0), PartOf(f, query, 1), PartOf(f, query, 2)};
  }
  if (rank != 3) return op.Invalid("the query's rank is neither 3 nor 5");
  DRAGOMAN_TRY(op.Require({kKey}));
  DRAGOMAN_ASSIGN(const int key_rank, op.Rank(kKey));
  Value* key = op.operand(kKey);
  if (key_rank == 5) return Flat{query, PartOf(f, key, 0), PartOf(f, key, 1)};
  if (key_rank != 3 && key_rank != 4) return op.Invalid("the key's rank is not 3, 4 or 5");
  DRAGOMAN_TRY(op.Require({kValue}));
  return Flat{query, key, op.operand(kValue), key_rank == 4};
}

// The bias lies one part after the other; keys that come with heads apart have had theirs.
void AddBias(OpComposer& f, Value* bias, Flat& flat) {
  Value* size = f.SizeVector(flat.query, 2, 1);
  Value* twice = f.Op("Add", {size, size});
  const auto part = [&](Value* first, Value* end) {
    return f.Op("Slice", {bias, first, end, f.Ints({0})});
  };
  flat.query = f.Op("Add", {flat.query, part(f.Ints({0}), size)});
  if (flat.keys_apart) return;
  flat.key = f.Op("Add", {flat.key, part(size, twice)});
  flat.value =
      f.Op("Add", {flat.value, part(twice, f.Ints({std::numeric_limits<std::int64_t>::max()}))});
}

}  // namespace

LoweredResults LowerMultiHeadAttention(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kQuery}));
  if (op.operand(kPastLength) != nullptr) return op.Unsupported("past_sequence_length");
  if (op.operand(kIndirection) != nullptr) return op.Unsupported("cache_indirection");
  if ((op.operand(kPastKey) == nullptr) != (op.operand(kPastValue) == nullptr))
    return op.Invalid("past_key and past_value come together");
  DRAGOMAN_TRY(RefuseResult(op, 3, "the products of queries and keys"));
  DRAGOMAN_ASSIGN(const Options options, TakeOptions(op));
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Flat flat, Unpacked(op, f));
  if (op.operand(kBias) != nullptr) AddBias(f, op.operand(kBias), flat);
  const auto apart = [&](Value* x) {
    return flat.keys_apart ? x : SplitHeads(f, x, options.heads);
  };
  Parts parts{SplitHeads(f, flat.query, options.heads),
              Behind(f, op.operand(kPastKey), apart(flat.key), op.ResultName(1)),
              Behind(f, op.operand(kPastValue), apart(flat.value), op.ResultName(2))};
  if (op.operand(kPastKey) != nullptr) parts.past_length = f.Size(op.operand(kPastKey), kSteps);
  DRAGOMAN_ASSIGN(Value * result,
                  Attended(op, f, options, parts, op.operand(kKeyMask), op.operand(kScoreBias)));
  std::vector<Value*> results = {result, parts.key, parts.value};
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

}  // namespace dragoman

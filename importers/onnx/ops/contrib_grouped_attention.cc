// SPDX-License-Identifier: Apache-2.0
// GroupQueryAttention, whose keys and values lie in a cache that each call extends, and
// RotaryEmbedding.
#include <limits>
#include <utility>

#include "importers/onnx/ops/contrib_quantized.h"
#include "importers/onnx/ops/heads.h"

namespace dragoman {
namespace {

enum Operand : std::size_t {
  kQuery,
  kKey,
  kValue,
  kPastKey,
  kPastValue,
  kLastKeys,  // of each example, how many keys it has, less one
  kTotal,
  kCos,
  kSin,
  kPositions,
  kScoreBias,
  kHeadSink,
  kFirstRefused
};

struct Options {
  std::int64_t heads = 0;
  std::int64_t key_heads = 0;
  std::int64_t window = -1;
  std::optional<float> scale;
  float softcap = 0;
  bool causal = true;
  bool rotary = false;
  bool of_pairs = false;
  bool smooth = false;
};

Status RefuseVariants(OpLowering& op) {
  for (const char* name : {"k_quant_type", "v_quant_type"}) {
    DRAGOMAN_ASSIGN(const std::optional<std::string> type, op.TakeString(name));
    if (type && *type != "NONE") return op.Unsupported(std::string(name) + " " + *type);
  }
  for (const char* name : {"qk_output", "sliding_window_cache"}) {
    DRAGOMAN_ASSIGN(const bool given, TakeFlag(op, name));
    if (given) return op.Unsupported(name);
  }
  for (std::size_t i = kFirstRefused; i < op.operands.size(); ++i) {
    if (op.operand(i) != nullptr) return op.Unsupported("operand " + std::to_string(i));
  }
  op.Drop("kv_cache_bit_width");  // of quantised caches
  op.Drop("qk_norm_epsilon");     // of the operands that are refused
  return {};
}

Result<Options> TakeOptions(OpLowering& op) {
  Options options;
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> heads, op.TakeInt("num_heads"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> key_heads, op.TakeInt("kv_num_heads"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> window, op.TakeInt("local_window_size"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> causal, op.TakeInt("causal"));
  DRAGOMAN_ASSIGN(options.scale, TakeScale(op));
  DRAGOMAN_ASSIGN(const std::optional<float> softcap, op.TakeFloat("softcap"));
  DRAGOMAN_ASSIGN(options.rotary, TakeFlag(op, "do_rotary"));
  DRAGOMAN_ASSIGN(options.of_pairs, TakeFlag(op, "rotary_interleaved"));
  DRAGOMAN_ASSIGN(options.smooth, TakeFlag(op, "smooth_softmax"));
  if (heads.value_or(0) < 1 || key_heads.value_or(0) < 1)
    return op.Invalid("num_heads or kv_num_heads is missing");
  if (*heads % *key_heads != 0) return op.Invalid("num_heads is not a multiple of kv_num_heads");
  options.heads = *heads;
  options.key_heads = *key_heads;
  options.window = window.value_or(-1);
  options.causal = causal.value_or(1) != 0;
  options.softcap = softcap.value_or(0);
  return options;
}

struct Parts {
  Value* query;
  Value* key;
  Value* value;
};

// Heads apart, from three operands or from one that holds them one after the other.
Parts SplitParts(OpComposer& f, const OpLowering& op, const Options& options) {
  Value* query = op.operand(kQuery);
  if (op.operand(kKey) != nullptr) {
    return {SplitHeads(f, query, options.heads), SplitHeads(f, op.operand(kKey), options.key_heads),
            SplitHeads(f, op.operand(kValue), options.key_heads)};
  }
  Value* all = SplitHeads(f, query, options.heads + 2 * options.key_heads);
  const std::vector<Value*> parts =
      f.Ops("Split", {all, f.Ints({options.heads, options.key_heads, options.key_heads})},
            {{"axis", std::int64_t{kHeads}}}, {"query", "key", "value"});
  return {parts[0], parts[1], parts[2]};
}

// Of each example, the place of its last key: a column.
Value* LastPlaces(OpComposer& f, const OpLowering& op) {
  return f.Op("Reshape", {f.Cast(op.operand(kLastKeys), DType::kI64), f.Ints({-1, 1})});
}

// How many keys lie in the cache before this call.
Value* PastLengths(OpComposer& f, const OpLowering& op) {
  Value* keys = f.Op("Add", {LastPlaces(f, op), f.Int(1)});
  Value* past = f.Op("Sub", {keys, f.Size(op.operand(kQuery), 1)});
  return f.Op("Max", {past, f.Int(0)});
}

// Where the keys of the extended cache lie in past and new ones, put one after the other, and
// whether there is one: (batch, keys of the cache).
struct Places {
  Value* indices;
  Value* used;
};

Places PlacesInCache(OpComposer& f, const OpLowering& op, Value* past_lengths, Value* total) {
  Value* capacity = f.Size(op.operand(kPastKey), kSteps);
  Value* steps = f.Size(op.operand(kQuery), 1);
  Value* places = f.Iota(f.Op("Max", {capacity, total}));
  Value* among_new = f.Op("Sub", {places, past_lengths});
  Value* is_past = f.Op("Less", {among_new, f.Int(0)});
  Value* used = f.Op("Less", {among_new, steps});
  Value* of_new = f.Op("Add", {capacity, f.Op("Min", {among_new, f.Op("Sub", {steps, f.Int(1)})})});
  return {f.Op("Where", {is_past, places, of_new}), used};
}

// Zero where no key is.
Value* Extended(OpComposer& f, Value* past, Value* x, const Places& places, std::string_view name) {
  Value* all = f.Op("Concat", {past, x}, {{"axis", std::int64_t{kSteps}}});
  Value* sizes = f.Concat({f.SizeVector(x, 0, 1), f.SizeVector(x, kHeads, 1),
                           f.SizeVector(places.indices, 1, 1), f.SizeVector(x, kFeatures, 1)},
                          0);
  const auto column = [&](Value* of_keys) { return f.Op("Unsqueeze", {of_keys, f.Ints({1, 3})}); };
  Value* indices = f.Op("Expand", {column(places.indices), sizes});
  Value* found = f.Op("GatherElements", {all, indices}, {{"axis", std::int64_t{kSteps}}});
  return f.Op("Where", {column(places.used), found, f.Number(0, past)}, {}, name);
}

// How many features the tables turn; 0: all of them.
Result<std::int64_t> RotatedSize(const OpLowering& op, std::size_t table,
                                 std::optional<std::int64_t> features) {
  const Shape* shape = op.operand(table)->type().shape();
  if (!features || shape == nullptr || shape->size() != 2 || !shape->back().known()) {
    return op.Unsupported(
        "how many features are turned is not known; state the inputs' sizes with --shape");
  }
  const std::int64_t size = 2 * shape->back().value();
  if (size > *features) return op.Invalid("the tables are wider than half a head");
  return size == *features ? 0 : size;
}

Result<Parts> Turned(OpLowering& op, OpComposer& f, const Options& options, Parts parts,
                     Value* past_lengths) {
  if (!options.rotary) return parts;
  DRAGOMAN_TRY(op.Require({kCos, kSin}));
  DRAGOMAN_ASSIGN(const std::int64_t size,
                  RotatedSize(op, kCos, KnownSize(parts.query, kFeatures)));
  Value* positions = op.operand(kPositions);
  if (positions == nullptr)
    positions = f.Op("Add", {past_lengths, f.Iota(f.Size(op.operand(kQuery), 1))});
  const auto table = [&](std::size_t i) {
    return f.Op("Unsqueeze", {f.Op("Gather", {op.operand(i), positions}), f.Ints({kHeads})});
  };
  const Rotation rotation{table(kCos), table(kSin), options.of_pairs};
  parts.query = Rotated(f, parts.query, size, rotation);
  parts.key = Rotated(f, parts.key, size, rotation);
  return parts;
}

// (batch, 1, steps, keys): keys of the step and before, no further back than the window. Steps that
// only pad an example see what its last one sees.
Value* Seen(OpComposer& f, const OpLowering& op, const Options& options, Value* key,
            Value* past_lengths) {
  Value* places = f.Iota(f.Size(key, kSteps));
  Value* steps = f.Iota(f.Size(op.operand(kQuery), 1));
  Value* own = f.Op("Min", {f.Op("Add", {past_lengths, steps}), LastPlaces(f, op)});
  own = f.Op("Unsqueeze", {own, f.Ints({1, 3})});
  Value* seen = f.Op("LessOrEqual", {places, own});
  if (options.window < 0) return seen;
  Value* first = f.Op("Sub", {own, f.Int(options.window)});
  return f.Op("And", {seen, f.Op("Greater", {places, first})});
}

// With a sink, a further score of each head takes a share that goes to no key.
Value* Weights(OpComposer& f, const OpLowering& op, const Options& options, Value* scores) {
  const std::vector<NamedAttribute> last = {{"axis", std::int64_t{-1}}};
  Value* sink = op.operand(kHeadSink);
  if (sink == nullptr && !options.smooth) return f.Op("Softmax", {scores}, last);
  Value* column = sink != nullptr ? f.Op("Reshape", {sink, f.Ints({1, -1, 1, 1})})
                                  : f.Op("Reshape", {f.Number(0, scores), f.Ints({1, 1, 1, 1})});
  Value* sizes = f.Concat({f.Op("Shape", {scores}, {{"end", std::int64_t{3}}}), f.Ints({1})}, 0);
  Value* all = f.Op("Concat", {scores, f.Op("Expand", {column, sizes})}, last);
  Value* shares = f.Op("Softmax", {all}, last);
  return f.Op("Slice", {shares, f.Ints({0}), f.Ints({-1}), f.Ints({-1})});
}

}  // namespace

LoweredResults LowerGroupQueryAttention(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kQuery, kLastKeys, kTotal}));
  if ((op.operand(kKey) == nullptr) != (op.operand(kValue) == nullptr))
    return op.Invalid("key and value come together");
  if ((op.operand(kPastKey) == nullptr) != (op.operand(kPastValue) == nullptr))
    return op.Invalid("past_key and past_value come together");
  DRAGOMAN_TRY(RefuseVariants(op));
  DRAGOMAN_ASSIGN(const Options options, TakeOptions(op));
  if (!options.causal) return op.Unsupported("causal = 0");
  OpComposer f(op);
  Value* past_lengths = PastLengths(f, op);
  DRAGOMAN_ASSIGN(Parts parts, Turned(op, f, options, SplitParts(f, op, options), past_lengths));
  Parts read = parts;
  if (op.operand(kPastKey) != nullptr) {
    Value* total = f.Cast(OneNumber(f, op.operand(kTotal)), DType::kI64);
    const Places places = PlacesInCache(f, op, past_lengths, total);
    parts.key = Extended(f, op.operand(kPastKey), parts.key, places, op.ResultName(1));
    parts.value = Extended(f, op.operand(kPastValue), parts.value, places, op.ResultName(2));
    const auto filled = [&](Value* cache) {
      return f.Op("Slice",
                  {cache, f.Ints({0}), f.Op("Reshape", {total, f.Ints({1})}), f.Ints({kSteps})});
    };
    read.key = filled(parts.key);
    read.value = filled(parts.value);
  }
  const std::int64_t times = options.heads / options.key_heads;
  Value* keys = RepeatHeads(f, read.key, options.key_heads, times);
  Value* scores = Scaled(f, Products(f, parts.query, keys), parts.query, options.scale);
  if (options.softcap > 0) {
    Value* cap = f.Number(options.softcap, op.operand(kQuery));
    scores = f.Op("Mul", {f.Op("Tanh", {f.Op("Div", {scores, cap})}), cap});
  }
  if (op.operand(kScoreBias) != nullptr) scores = f.Op("Add", {scores, op.operand(kScoreBias)});
  Value* hidden = f.Number(-std::numeric_limits<double>::infinity(), op.operand(kQuery));
  scores = f.Op("Where", {Seen(f, op, options, read.key, past_lengths), scores, hidden});
  Value* values = RepeatHeads(f, read.value, options.key_heads, times);
  Value* mixed = f.Op("MatMul", {Weights(f, op, options, scores), values});
  std::vector<Value*> results = {JoinHeads(f, mixed, op.ResultName(0)), parts.key, parts.value};
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

// Operands: x (batch, steps, features) or (batch, heads, steps, features); positions (batch,
// steps), or the first one for all; tables.
LoweredResults LowerContribRotaryEmbedding(OpLowering& op) {
  enum : std::size_t { kX, kPlaces, kCosTable, kSinTable };
  DRAGOMAN_TRY(op.Require({kX, kPlaces, kCosTable, kSinTable}));
  DRAGOMAN_ASSIGN(const bool of_pairs, TakeFlag(op, "interleaved"));
  DRAGOMAN_ASSIGN(const bool packed, TakeFlag(op, "is_packed_batching"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> heads, op.TakeInt("num_heads"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> rotated, op.TakeInt("rotary_embedding_dim"));
  DRAGOMAN_ASSIGN(const std::optional<float> scale, op.TakeFloat("scale"));
  if (packed) return op.Unsupported("is_packed_batching");
  if (scale.value_or(1) != 1) return op.Unsupported("scale");
  const std::int64_t size = rotated.value_or(0);
  if (size < 0 || size % 2 != 0) return op.Invalid("rotary_embedding_dim is negative or odd");
  if (size > 0 && heads.value_or(0) < 1) return op.Invalid("num_heads is missing");
  DRAGOMAN_ASSIGN(const int rank, op.Rank(kX));
  DRAGOMAN_ASSIGN(const int places_rank, op.Rank(kPlaces));
  if (rank != 3 && rank != 4) return op.Invalid("the operand's rank is neither 3 nor 4");
  OpComposer f(op);
  Value* x = op.operand(kX);
  const int steps_axis = rank == 3 ? 1 : kSteps;
  Value* positions = op.operand(kPlaces);
  if (places_rank == 1) positions = f.Op("Add", {positions, f.Iota(f.Size(x, steps_axis))});
  const auto table = [&](std::size_t i) {
    Value* rows = f.Op("Gather", {op.operand(i), positions});
    if (places_rank == 1) rows = f.Op("Unsqueeze", {rows, f.Ints({0})});
    return f.Op("Unsqueeze", {rows, f.Ints({rank == 3 ? 2 : 1})});
  };
  const Rotation rotation{table(kCosTable), table(kSinTable), of_pairs};
  if (rank == 3) {
    Value* half = f.SizeVector(op.operand(kCosTable), 1, 1);
    Value* sizes = size > 0 ? f.Ints({0, 0, *heads, -1})
                            : f.Concat({f.Ints({0, 0, -1}), f.Op("Add", {half, half})}, 0);
    x = f.Op("Reshape", {x, sizes});
  }
  Value* result = Rotated(f, x, size, rotation);
  Value* sizes = f.Op("Shape", {op.operand(kX)});
  return f.Finish({f.Op("Reshape", {result, sizes}, {}, op.ResultName(0))});
}

}  // namespace dragoman

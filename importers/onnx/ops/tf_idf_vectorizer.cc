// SPDX-License-Identifier: Apache-2.0
// TfIdfVectorizer: how often each n-gram of a pool stands in a sequence.
#include <algorithm>
#include <string>
#include <utility>

#include "importers/onnx/ops/ml.h"

namespace dragoman {
namespace {

constexpr std::int64_t kMostLength = 64;   // of an n-gram
constexpr std::int64_t kMostSkips = 1024;  // between two of its elements
constexpr std::int64_t kMostColumns = 1 << 24;

struct Pool {
  Tensor elements;                    // n-grams one after the other, those of length 1 first
  std::vector<std::int64_t> begins;   // of those of each length, in `elements`
  std::vector<std::int64_t> columns;  // of the result, one an n-gram
  std::vector<float> weights;         // empty: 1
  std::int64_t shortest = 1;
  std::int64_t longest = 1;
  std::int64_t skips = 0;
};

struct Grams {
  std::int64_t length;
  std::int64_t begin;  // in the elements
  std::int64_t count;
};

// Those of each length, and whether they fill the pool.
Result<std::vector<Grams>> GramsOf(const OpLowering& op, const Pool& pool) {
  std::vector<Grams> all;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < pool.begins.size(); ++i) {
    const auto length = static_cast<std::int64_t>(i) + 1;
    const std::int64_t end = i + 1 < pool.begins.size() ? pool.begins[i + 1] : pool.elements.size();
    const std::int64_t size = end - pool.begins[i];
    if (pool.begins[i] < 0 || size < 0 || end > pool.elements.size() || size % length != 0)
      return op.Invalid("ngram_counts do not cut the pool into n-grams");
    all.push_back({length, pool.begins[i], size / length});
    number += size / length;
  }
  if (number != static_cast<std::int64_t>(pool.columns.size()))
    return op.Invalid("has " + std::to_string(pool.columns.size()) + " ngram_indexes for " +
                      std::to_string(number) + " n-grams");
  return all;
}

Result<Pool> TakePool(OpLowering& op) {
  Pool pool;
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> shortest, op.TakeInt("min_gram_length"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> longest, op.TakeInt("max_gram_length"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> skips, op.TakeInt("max_skip_count"));
  DRAGOMAN_ASSIGN(pool.begins, TakeIntList(op, "ngram_counts"));
  DRAGOMAN_ASSIGN(pool.columns, TakeIntList(op, "ngram_indexes"));
  DRAGOMAN_ASSIGN(pool.weights, TakeFloatList(op, "weights"));
  DRAGOMAN_ASSIGN(std::optional<Tensor> elements,
                  TakeVector(op, {"pool_int64s", "pool_strings", ""}));
  if (!shortest || !longest || !skips || !elements || pool.columns.empty())
    return op.Invalid("a required attribute is missing or empty");
  pool.elements = std::move(*elements);
  pool.shortest = *shortest;
  pool.longest = *longest;
  pool.skips = *skips;
  if (pool.shortest < 1 || pool.longest < pool.shortest || pool.longest > kMostLength)
    return op.Invalid("the lengths of n-grams are out of range");
  if (pool.skips < 0 || pool.skips > kMostSkips)
    return op.Invalid("max_skip_count is out of range");
  if (!pool.weights.empty() && pool.weights.size() != pool.columns.size())
    return op.Invalid("has not as many weights as n-grams");
  return pool;
}

// Element `i` of the n-grams of one length, one number or string each.
Result<Tensor> ElementsAt(const Pool& pool, const Grams& grams, std::int64_t i) {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> strings;
  const bool is_text = pool.elements.dtype() == DType::kString;
  for (std::int64_t g = 0; g < grams.count; ++g) {
    const std::int64_t at = grams.begin + g * grams.length + i;
    if (is_text) {
      strings.push_back(pool.elements.strings()[static_cast<std::size_t>(at)]);
    } else {
      numbers.push_back(pool.elements.IntAt(at));
    }
  }
  if (!is_text) return Tensor::Ints(numbers);
  return Tensor::MakeStrings({grams.count}, std::move(strings));
}

// How often each of `grams` stands in each row of x, with `skipped` elements between its own.
Result<Value*> Occurrences(OpLowering& op, OpComposer& f, const Pool& pool, const Grams& grams,
                           Value* x, std::int64_t skipped) {
  const std::int64_t step = skipped + 1;
  Value* all = nullptr;
  for (std::int64_t i = 0; i < grams.length; ++i) {
    DRAGOMAN_ASSIGN(Tensor elements, ElementsAt(pool, grams, i));
    const std::int64_t behind = (grams.length - 1 - i) * step;
    Value* window =
        f.Op("Slice", {x, f.Ints({i * step}), f.Ints({behind > 0 ? -behind : kEnd}), f.Ints({1})});
    Value* equal = f.Op("Equal", {f.Op("Unsqueeze", {window, f.Ints({2})}),
                                  op.builder.Constant(std::move(elements))});
    all = all == nullptr ? equal : f.Op("And", {all, equal});
  }
  return f.Op("ReduceSum", {f.Cast(all, DType::kF32), f.Ints({1})},
              {{"keepdims", std::int64_t{0}}});
}

// Counts of all n-grams of the lengths in question, in the pool's order; zeros for the others.
Result<Value*> Counts(OpLowering& op, OpComposer& f, const Pool& pool, Value* x) {
  DRAGOMAN_ASSIGN(const std::vector<Grams> all, GramsOf(op, pool));
  std::vector<Value*> parts;
  for (const Grams& grams : all) {
    if (grams.count == 0) continue;
    if (grams.length < pool.shortest || grams.length > pool.longest) {
      Value* sizes = f.Concat({f.SizeVector(x, 0, 1), f.Ints({grams.count})}, 0);
      parts.push_back(f.Op("Expand", {op.builder.Float(0), sizes}));
      continue;
    }
    Value* count = nullptr;
    for (std::int64_t skipped = 0; skipped <= (grams.length > 1 ? pool.skips : 0); ++skipped) {
      DRAGOMAN_ASSIGN(Value * found, Occurrences(op, f, pool, grams, x, skipped));
      count = count == nullptr ? found : f.Op("Add", {count, found});
    }
    parts.push_back(count);
  }
  return f.Op("Concat", std::move(parts), {{"axis", std::int64_t{1}}});
}

// Where each column of the result lies among the n-grams; after them all if it is none's.
Result<std::vector<std::int64_t>> Places(const OpLowering& op, const Pool& pool) {
  const std::int64_t last = *std::ranges::max_element(pool.columns);
  if (*std::ranges::min_element(pool.columns) < 0 || last >= kMostColumns)
    return op.Invalid("ngram_indexes are out of range");
  const auto none = static_cast<std::int64_t>(pool.columns.size());
  std::vector<std::int64_t> places(static_cast<std::size_t>(last) + 1, none);
  for (std::size_t i = 0; i < pool.columns.size(); ++i) {
    std::int64_t& place = places[static_cast<std::size_t>(pool.columns[i])];
    if (place != none) return op.Unsupported("n-grams that share a column");
    place = static_cast<std::int64_t>(i);
  }
  return places;
}

Result<Value*> Weighted(OpLowering& op, OpComposer& f, const Pool& pool, Value* counts,
                        std::string_view mode) {
  if (mode == "TF") return counts;
  if (mode != "IDF" && mode != "TFIDF") return op.Invalid("mode is " + std::string(mode));
  if (mode == "IDF") counts = f.Cast(f.Cast(counts, DType::kBool), DType::kF32);
  if (pool.weights.empty()) return counts;
  return f.Op("Mul", {counts, op.builder.Constant(FloatVector(pool.weights))});
}

}  // namespace

LoweredResults LowerTfIdfVectorizer(OpLowering& op) {
  DRAGOMAN_ASSIGN(const Pool pool, TakePool(op));
  DRAGOMAN_ASSIGN(const std::optional<std::string> mode, op.TakeString("mode"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  if (rank != 1 && rank != 2) return op.Invalid("operand 0 has neither rank 1 nor 2");
  DRAGOMAN_ASSIGN(const std::vector<std::int64_t> places, Places(op, pool));
  OpComposer f(op);
  Value* x = op.operand(0);
  if (x->type().dtype() == DType::kI32) x = f.Cast(x, DType::kI64);
  if (rank == 1) x = f.Op("Unsqueeze", {x, f.Ints({0})});
  DRAGOMAN_ASSIGN(Value * counts, Counts(op, f, pool, x));
  DRAGOMAN_ASSIGN(Value * weighted, Weighted(op, f, pool, counts, mode.value_or("")));
  Value* padded = f.Op("Pad", {weighted, f.Ints({0, 0, 0, 1})});
  const std::string name = op.ResultName(0);
  Value* y =
      f.Op("Gather", {padded, f.Ints(places)}, {{"axis", std::int64_t{1}}}, rank == 2 ? name : "");
  return f.Finish({rank == 2 ? y : f.Op("Squeeze", {y, f.Ints({0})}, {}, name)});
}

}  // namespace dragoman

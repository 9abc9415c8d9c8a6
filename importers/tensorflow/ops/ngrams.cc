// SPDX-License-Identifier: Apache-2.0
// Neighbouring words of the rows of a ragged tensor, joined.
#include "importers/tensorflow/ops/op_rows.h"

#include <string>
#include <vector>

#include "core/lowering/math.h"

namespace dragoman::tf {
namespace {

constexpr std::int64_t kMostWords = 64;

// For each word the words from it on, `width` of them, where there are as many.
Value* Joined(Call& c, Value* words, Value* places, std::int64_t width, Value* separator) {
  Value* last = c.Sub(c.Size(words, 0), 1);
  Value* joined = words;
  for (std::int64_t i = 1; i < width && !c.failed(); ++i) {
    Value* next = c.Gather(words, c.Min(c.Add(places, static_cast<double>(i)), last), 0);
    joined = c.Op("StringConcat", {c.Op("StringConcat", {joined, separator}), next});
  }
  return joined;
}

// ngrams, ngrams_splits: row by row those of each width, in the order of the widths.
std::vector<Value*> LowerStringNGrams(Call& c) {
  Value* words = c.Tensor(0);
  Value* splits = c.Index(1);
  const Ints widths = c.IntsAttribute("ngram_widths");
  const DType split_type = c.dtype(c.Tensor(1));
  const std::string between = c.TextAttribute("separator");
  const bool plain =
      c.IntAttribute("pad_width") == 0 && !c.BoolAttribute("preserve_short_sequences");
  if (c.failed()) return {};
  if (!plain || widths.empty() || widths.size() > kMostWords) {
    c.Fail("words beside padding, or short rows that are preserved");
    return {};
  }
  Value* separator = c.builder().Constant(c.Take(dragoman::Tensor::MakeStrings({}, {between})));
  Value* ends = c.Slice(splits, 0, 1, kEnd);
  Value* lengths = c.Sub(ends, c.Slice(splits, 0, 0, -1));
  Value* count = c.Size(words, 0);
  Value* places = c.Iota(count);
  Value* row = c.ReduceSum(
      c.Cast(c.LessOrEqual(c.Unsqueeze(ends, {0}), c.Unsqueeze(places, {1})), DType::kI64), {1});
  Value* end = c.Gather(ends, row, 0);
  std::vector<Value*> joined;
  std::vector<Value*> fits;
  std::vector<Value*> keys;
  Value* counts = nullptr;
  for (std::size_t k = 0; k < widths.size() && !c.failed(); ++k) {
    const std::int64_t width = widths[k];
    if (width < 1 || width > kMostWords) {
      c.Fail(InvalidInput("ngram_widths holds " + std::to_string(width)));
      return {};
    }
    joined.push_back(Joined(c, words, places, width, separator));
    fits.push_back(c.LessOrEqual(c.Add(places, static_cast<double>(width)), end));
    Value* family = c.Add(c.Mul(row, static_cast<double>(widths.size())), static_cast<double>(k));
    keys.push_back(c.Add(c.Mul(family, count), places));
    Value* found = c.Max(c.Sub(lengths, static_cast<double>(width - 1)), 0);
    counts = counts == nullptr ? found : c.Add(counts, found);
  }
  Value* all = c.Concat(std::move(joined), 0);
  Value* is_one = c.Concat(std::move(fits), 0);
  if (widths.size() > 1) {
    Value* key = c.Concat(std::move(keys), 0);
    const std::vector<Value*> sorted =
        c.Ops("TopK", {key, c.SizeVector(key, 0, 1)},
              {{"axis", std::int64_t{0}}, {"largest", std::int64_t{0}}}, 2);
    all = c.Gather(all, sorted[1], 0);
    is_one = c.Gather(is_one, sorted[1], 0);
  }
  Value* grams = c.Op("Compress", {all, is_one}, {{"axis", std::int64_t{0}}});
  Value* new_splits = c.Concat({c.Ints({0}), c.Op("CumSum", {counts, c.Int(0)})}, 0);
  return {grams, c.Cast(new_splits, split_type)};
}

}  // namespace

std::span<const OpRow> NgramsRows() {
  static constexpr OpRow kRows[] = {
      {"StringNGrams", LowerStringNGrams},
  };
  return kRows;
}

}  // namespace dragoman::tf

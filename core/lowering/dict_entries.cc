// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/dict_entries.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/lowering/math.h"
#include "core/lowering/merge.h"

namespace dragoman {
namespace {

// The sizes of one of the rows along the first axis; of a single row, all.
std::optional<std::span<const Dim>> RowSizes(const Type& type, bool is_row) {
  const Shape* shape = type.shape();
  if (shape == nullptr || (shape->empty() && !is_row)) return std::nullopt;
  return std::span(*shape).subspan(is_row ? 0 : 1);
}

// Whether `value`, rows or a row, is known to have rows of the type of those of `rows`.
bool IsAlike(const Value* value, bool is_row, const Value* rows) {
  const auto sizes = RowSizes(value->type(), is_row);
  const auto wanted = RowSizes(rows->type(), false);
  const DType dtype = value->type().dtype();
  return sizes && wanted && dtype != DType::kUnknown && dtype == rows->type().dtype() &&
         std::ranges::equal(*sizes, *wanted,
                            [](const Dim& a, const Dim& b) { return Equal(a, b) == Truth::kYes; });
}

Error NotAlike() {
  return Unsupported(
      "a dict whose keys are known only at run time, of tensors that differ in size or type, or "
      "may do so");
}

// Items along a new first axis.
Result<Value*> Rows(Heap& heap, GraphBuilder& builder, std::span<const Abstract* const> items) {
  Composer c(builder);
  std::vector<Value*> rows;
  for (const Abstract* item : items) {
    DRAGOMAN_ASSIGN(Value * row, EntryValue(heap, builder, *item));
    if (const auto* tensor = item->As<TensorRef>()) tensor->storage->is_item = true;
    DRAGOMAN_ASSIGN(rows.emplace_back(), c.Done(c.Unsqueeze(row, {0})));
    if (!IsAlike(row, true, rows.front())) return NotAlike();
  }
  return c.Done(c.Concat(std::move(rows), 0));
}

struct Search {
  Value* hits = nullptr;   // of each key, whether it is the one
  Value* place = nullptr;  // where it is; the number of keys if it is nowhere
  Value* found = nullptr;
};

Search SearchFor(Composer& c, const DictContents& dict, Value* key) {
  if (c.failed()) return {};
  Value* hits = c.Equal(dict.keys, key);
  Value* last = c.builder().Constant(c.Take(Tensor::Full(DType::kBool, {1}, 1)));
  Value* hits_or_last = c.Cast(c.Concat({hits, last}, 0), DType::kI32);
  Value* place =
      c.Op("ArgMax", {hits_or_last}, {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}});
  return {hits, place, c.Less(place, c.Size(dict.keys, 0))};
}

Value* Compress(Composer& c, Value* rows, Value* kept) {
  return c.Op("Compress", {rows, kept}, {{"axis", std::int64_t{0}}});
}

}  // namespace

Result<Value*> EntryValue(Heap& heap, GraphBuilder& builder, const Abstract& item) {
  DRAGOMAN_ASSIGN(Value * value, ItemValue(heap, builder, item));
  if (value == nullptr || IsComplex(value->type().dtype()))
    return Unsupported("a dict whose keys are known only at run time, with " + Describe(item));
  // Inference may have lost the rank of a number that loops carry.
  Composer c(builder);
  const bool is_known = item.Is<TensorRef>() || c.MaybeRank(value) == 0;
  return is_known ? value : c.Done(c.Reshape(value, std::vector<std::int64_t>()));
}

Result<Value*> KeysOf(Heap& heap, GraphBuilder& builder, const DictContents& dict) {
  if (dict.keys != nullptr) return dict.keys;
  std::vector<const Abstract*> keys;
  for (const auto& [key, value] : dict.items) {
    if (key.Is<TensorRef>())
      return Unsupported("a dict whose keys are known only at run time, and are tensors");
    keys.push_back(&key);
  }
  return Rows(heap, builder, keys);
}

Result<Value*> ValuesOf(Heap& heap, GraphBuilder& builder, const DictContents& dict) {
  if (dict.keys != nullptr) return dict.values;
  std::vector<const Abstract*> values;
  for (const auto& [key, value] : dict.items) values.push_back(&value);
  return Rows(heap, builder, values);
}

Result<Value*> NoEntries(GraphBuilder& builder, const Type& type) {
  const Shape* shape = type.shape();
  if (shape == nullptr || shape->empty() || type.dtype() == DType::kUnknown)
    return Unsupported("the type of a dict that starts empty is unknown");
  std::vector<std::int64_t> sizes = {0};
  for (const Dim& dim : std::span(*shape).subspan(1)) {
    if (!dim.known()) return NotAlike();
    sizes.push_back(dim.value());
  }
  const bool text = type.dtype() == DType::kString;
  DRAGOMAN_ASSIGN(Tensor none, text ? Tensor::MakeStrings(std::move(sizes), {})
                                    : Tensor::Full(type.dtype(), std::move(sizes), 0));
  return builder.Constant(std::move(none));
}

std::optional<Number::Kind> KindOfValues(const DictContents& dict) {
  if (dict.keys != nullptr || dict.items.empty()) return dict.numbers;
  const auto* number = dict.items.front().second.As<Number>();
  return number != nullptr ? std::optional(number->kind) : std::nullopt;
}

Value* Contains(Composer& c, const DictContents& dict, Value* key) {
  return SearchFor(c, dict, key).found;
}

Value* ValueUnder(Composer& c, const DictContents& dict, Value* key, Value* otherwise) {
  if (c.failed()) return nullptr;
  if (!IsAlike(otherwise, true, dict.values)) return c.Fail(NotAlike());
  Value* values = c.Concat({dict.values, c.Unsqueeze(otherwise, {0})}, 0);
  return c.Gather(values, SearchFor(c, dict, key).place, 0);
}

Value* ValueUnder(Composer& c, const DictContents& dict, Value* key) {
  const Search search = SearchFor(c, dict, key);
  c.Assert(search.found, "the dict has no such key");
  return c.Gather(dict.values, search.place, 0);
}

Value* NoValue(Composer& c, const DictContents& dict) {
  const int rank = c.Rank(dict.values);
  return c.failed() ? nullptr
                    : c.Full(c.SizeVector(dict.values, 1, rank - 1), 0, c.dtype(dict.values));
}

DictContents WithEntry(Composer& c, const DictContents& dict, Value* key, Value* value) {
  DictContents changed = dict;
  if (c.failed()) return changed;
  if (!IsAlike(value, true, dict.values)) {
    c.Fail(NotAlike());
    return changed;
  }
  const int rank = c.Rank(dict.values);
  const Search search = SearchFor(c, dict, key);
  Value* hits = rank > 1 ? AlongAxis(c, search.hits, 0, rank) : search.hits;
  Value* added = c.Vector(c.Not(search.found));
  Value* values = c.Where(hits, value, dict.values);
  changed.keys = c.Concat({dict.keys, Compress(c, c.Unsqueeze(key, {0}), added)}, 0);
  changed.values = c.Concat({values, Compress(c, c.Unsqueeze(value, {0}), added)}, 0);
  return changed;
}

// An element of `same` says whether a key of `dict` (rows) and one of `other` (columns) are equal.
DictContents WithEntries(Composer& c, const DictContents& dict, const DictContents& other) {
  DictContents changed = dict;
  if (c.failed()) return changed;
  if (!IsAlike(other.values, false, dict.values)) {
    c.Fail(NotAlike());
    return changed;
  }
  Value* same = c.Cast(c.Equal(c.Unsqueeze(dict.keys, {1}), other.keys), DType::kI64);
  Value* count = c.Size(other.keys, 0);
  Value* others = c.Iota(count);
  Value* own = c.Add(c.Iota(c.Size(dict.keys, 0)), count);
  Value* is_replaced = c.Greater(c.ReduceSum(same, {1}), 0);
  Value* chosen = c.Where(is_replaced, c.ReduceSum(c.Mul(same, others), {1}), own);
  Value* is_new = c.Equal(c.ReduceSum(same, {0}), 0);
  Value* places = c.Concat({chosen, Compress(c, others, is_new)}, 0);
  changed.values = c.Gather(c.Concat({other.values, dict.values}, 0), places, 0);
  changed.keys = c.Concat({dict.keys, Compress(c, other.keys, is_new)}, 0);
  return changed;
}

DictContents WithoutEntry(Composer& c, const DictContents& dict, Value* key) {
  DictContents changed = dict;
  Value* kept = c.Not(c.Equal(dict.keys, key));
  changed.keys = Compress(c, dict.keys, kept);
  changed.values = Compress(c, dict.values, kept);
  return changed;
}

DictContents Sorted(Composer& c, const DictContents& dict) {
  DictContents sorted = dict;
  const std::vector<Value*> keys = c.Ops("Unique", {dict.keys}, {}, 2);
  sorted.keys = keys[0];
  sorted.values = c.Gather(dict.values, keys[1], 0);
  return sorted;
}

}  // namespace dragoman

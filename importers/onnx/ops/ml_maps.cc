// SPDX-License-Identifier: Apache-2.0
// Operators that read and make maps. A map is two operands, its keys and its values, by ascending
// keys; of a list of maps the values are (maps, entries). See map_values.cc in the folder above.
#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "importers/onnx/ops/ml.h"

namespace dragoman {
namespace {

// The labels without repetition, ascending, and which column of the scores each has: the last one
// where several have it.
struct Columns {
  Tensor keys;
  std::vector<std::int64_t> places;
};

template <class K, class MakeKeys>
Columns SortColumns(std::span<const K> labels, MakeKeys&& make_keys) {
  std::map<K, std::int64_t> places;
  for (std::size_t i = 0; i < labels.size(); ++i) places[labels[i]] = static_cast<std::int64_t>(i);
  Columns columns;
  std::vector<K> keys;
  for (const auto& [key, place] : places) {
    keys.push_back(key);
    columns.places.push_back(place);
  }
  columns.keys = make_keys(std::move(keys));
  return columns;
}

Columns SortColumns(const Tensor& labels) {
  if (labels.dtype() == DType::kI64)
    return SortColumns(labels.data<std::int64_t>(),
                       [](std::vector<std::int64_t> keys) { return Tensor::Ints(keys); });
  return SortColumns(labels.strings(), [](std::vector<std::string> keys) {
    const auto count = static_cast<std::int64_t>(keys.size());
    return *Tensor::MakeStrings({count}, std::move(keys));
  });
}

bool Ascends(const std::vector<std::int64_t>& places, std::int64_t count) {
  return static_cast<std::int64_t>(places.size()) == count && std::ranges::is_sorted(places);
}

// What `map` (entries) has at `wanted` (rank 1), and `absent` where it has no such key.
Value* LookUp(OpComposer& f, Value* keys, Value* values, Value* wanted, Value* absent) {
  Value* equal = f.Equal(f.Unsqueeze(wanted, {1}), f.Unsqueeze(keys, {0}));
  Value* always = f.Greater(f.Unsqueeze(f.Iota(f.Size(wanted, 0)), {1}), -1);
  Value* hits = f.Concat({equal, always}, 1);
  const std::int64_t last = 1, drop = 0;
  Value* place = f.Op("ArgMax", {f.Cast(hits, DType::kI32)}, {{"axis", last}, {"keepdims", drop}});
  return f.Gather(f.Concat({values, f.Unsqueeze(absent, {0})}, 0), place, 0);
}

Result<Value*> Nothing(OpLowering& op, DType dtype) {
  if (dtype != DType::kString) {
    DRAGOMAN_ASSIGN(Tensor zero, Tensor::Full(dtype, {}, 0));
    return op.builder.Constant(std::move(zero));
  }
  DRAGOMAN_ASSIGN(Tensor empty, Tensor::MakeStrings({}, {""}));
  return op.builder.Constant(std::move(empty));
}

Status RequireMap(const OpLowering& op) {
  if (op.operands.size() == 2) return {};
  return op.Unsupported("its operand is not a map of the graph's inputs");
}

}  // namespace

// Results: values (examples, classes), keys (classes).
LoweredResults LowerZipMap(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<Tensor> labels,
                  TakeVector(op, {"classlabels_int64s", "classlabels_strings", ""}));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  if (!labels) return op.Invalid("has no class labels");
  if (rank != 1 && rank != 2)
    return op.Invalid("operand 0 has rank " + std::to_string(rank) + ", expected 1 or 2");
  const Dim columns = op.operand(0)->type().shape()->back();
  const std::int64_t count = labels->size();
  if (Equal(columns, Dim(count)) == Truth::kNo)
    return op.Invalid("has " + std::to_string(count) + " class labels for " + columns.ToString() +
                      " scores");
  OpComposer f(op);
  Value* scores = f.Cast(op.operand(0), DType::kF32);
  if (!columns.known())
    f.Assert(f.Equal(f.Size(scores, rank - 1), f.Int(count)),
             "ZipMap has another number of class labels than scores");
  const Columns sorted = SortColumns(*labels);
  if (rank == 1) scores = f.Reshape(scores, {1, count});
  if (!Ascends(sorted.places, count)) scores = f.Gather(scores, f.Ints(sorted.places), 1);
  if (scores == op.operand(0)) scores = f.Op("Identity", {scores});
  if (!f.status().ok()) return f.status().error();
  return std::vector<Value*>{scores, op.builder.Constant(sorted.keys)};
}

// The values of the words of a vocabulary; zeros, or empty strings, of those that the map lacks.
LoweredResults LowerDictVectorizer(OpLowering& op) {
  DRAGOMAN_TRY(RequireMap(op));
  DRAGOMAN_ASSIGN(const std::optional<Tensor> words,
                  TakeVector(op, {"int64_vocabulary", "string_vocabulary", ""}));
  Value* keys = op.operand(0);
  Value* values = op.operand(1);
  if (!words || words->dtype() != keys->type().dtype())
    return op.Invalid("has no vocabulary of the map's keys");
  DRAGOMAN_ASSIGN(Value * nothing, Nothing(op, values->type().dtype()));
  OpComposer f(op);
  Value* found = LookUp(f, keys, values, op.builder.Constant(*words), nothing);
  return f.Finish({f.Op("Unsqueeze", {found, f.Ints({0})}, {}, op.ResultName(0))});
}

namespace {

Result<DType> TakeCastTo(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::string> given, op.TakeString("cast_to"));
  const std::string name = given.value_or("TO_FLOAT");
  if (name == "TO_FLOAT") return DType::kF32;
  if (name == "TO_INT64") return DType::kI64;
  if (name == "TO_STRING") return DType::kString;
  return op.Invalid("cast_to is " + name);
}

}  // namespace

namespace {

Value* TextConstant(OpLowering& op, const std::string& text) {
  return op.builder.Constant(*Tensor::MakeStrings({}, {text}));
}

Value* Joined(OpComposer& f, Value* a, Value* b) { return f.Op("StringConcat", {a, b}); }

// Floats (rank 1) with six digits after the point, as ONNX Runtime's std::to_string writes them.
// The product with a million is exact in f64, and floats from 2^23 on are integers.
Value* WithSixDigits(OpLowering& op, OpComposer& f, Value* x) {
  constexpr int kMillion = 1000000;
  Value* wide = f.Cast(x, DType::kF64);
  Value* size = f.Abs(wide);
  Value* finite = f.Less(size, std::numeric_limits<double>::infinity());
  Value* bounded = f.Where(finite, size, 0);
  Value* with_zero = f.Concat({bounded, f.Full(f.Ints({1}), 0, DType::kF64)}, 0);
  f.Assert(f.Less(f.ReduceAll("ReduceMax", with_zero), 9223372036854775808.0),
           "CastMap writes no numbers of more than 63 bits as text");
  Value* large = f.GreaterOrEqual(bounded, 8388608);
  Value* scaled = f.Op("Round", {f.Mul(f.Where(large, 0, bounded), 1e6)});
  Value* units = f.Cast(scaled, DType::kI64);
  Value* quotient = f.Div(units, kMillion);
  Value* whole = f.Add(quotient, f.Cast(f.Where(large, bounded, 0), DType::kI64));
  Value* part = f.Sub(units, f.Mul(quotient, kMillion));
  Value* text = Joined(f, f.Cast(whole, DType::kString), TextConstant(op, "."));
  for (int power = kMillion / 10; power > 0; power /= 10) {
    Value* upper = f.Div(part, power);
    Value* digit = f.Sub(upper, f.Mul(f.Div(upper, 10), 10));
    text = Joined(f, text, f.Cast(digit, DType::kString));
  }
  Value* is_nan = f.Op("IsNaN", {wide});
  text = f.Op("Where", {finite, text,
                        f.Op("Where", {is_nan, TextConstant(op, "nan"), TextConstant(op, "inf")})});
  Value* negative = f.Less(f.Div(1, wide), 0);
  negative = f.Or(negative, f.Less(wide, 0));
  return f.Op("Where", {negative, Joined(f, TextConstant(op, "-"), text), text});
}

}  // namespace

// All values by ascending keys (DENSE), or those of keys 0 to max_map - 1 (SPARSE). Strings of keys
// that are not there are "0.f", as ONNX Runtime has them.
LoweredResults LowerCastMap(OpLowering& op) {
  DRAGOMAN_TRY(RequireMap(op));
  DRAGOMAN_ASSIGN(const DType dtype, TakeCastTo(op));
  DRAGOMAN_ASSIGN(const std::optional<std::string> given_form, op.TakeString("map_form"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> most, op.TakeInt("max_map"));
  const std::string form = given_form.value_or("DENSE");
  const bool sparse = form == "SPARSE";
  if (!sparse && form != "DENSE") return op.Invalid("map_form is " + form);
  if (sparse && most.value_or(1) < 1) return op.Invalid("max_map is not positive");
  Value* keys = op.operand(0);
  if (keys->type().dtype() != DType::kI64) return op.Invalid("the map's keys are not integers");
  const DType from = op.operand(1)->type().dtype();
  if (dtype == DType::kString && from != dtype && from != DType::kF32)
    return op.Unsupported("strings of " + std::string(Name(from)) +
                          ", which CastMap does not take");
  OpComposer f(op);
  const bool writes = dtype == DType::kString && from != dtype;
  Value* values = writes ? WithSixDigits(op, f, op.operand(1)) : f.Cast(op.operand(1), dtype);
  if (sparse) {
    DRAGOMAN_ASSIGN(Value * nothing, Nothing(op, dtype));
    if (dtype == DType::kString) {
      DRAGOMAN_ASSIGN(Tensor text, Tensor::MakeStrings({}, {"0.f"}));
      nothing = op.builder.Constant(std::move(text));
    }
    Value* with_zero = f.Concat({keys, f.Ints({0})}, 0);
    f.Assert(f.GreaterOrEqual(f.ReduceAll("ReduceMin", with_zero), 0),
             "CastMap takes no negative keys");
    values = LookUp(f, keys, values, f.Iota(f.Int(most.value_or(1))), nothing);
  }
  return f.Finish({f.Op("Unsqueeze", {values, f.Ints({0})}, {}, op.ResultName(0))});
}

}  // namespace dragoman

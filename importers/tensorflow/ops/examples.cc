// SPDX-License-Identifier: Apache-2.0
// Records of type tensorflow.Example, one text each, taken apart into tensors: features with as
// many elements in all records (dense), and others as sparse or ragged tensors.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/ops/ragged_form.h"

namespace dragoman::tf {
namespace {

// One feature of all records.
struct Feature {
  Value* values = nullptr;  // (records, the most elements)
  Value* counts = nullptr;  // (records), negative where a record lacks the feature
};

// A parser's operands. `records` is a vector; `is_single`: of one record, whose results have no
// axis for it.
struct ExampleParser {
  Value* records = nullptr;
  bool is_single = false;
  std::vector<Value*> sparse_keys;
  std::vector<Value*> dense_keys;
  std::vector<Value*> ragged_keys;
  std::size_t first_default = 0;
};

ExampleParser TakeRecords(Call& c) {
  ExampleParser parser;
  parser.records = c.Tensor(0);
  const int rank = c.Rank(parser.records);
  parser.is_single = rank == 0;
  if (rank == 0) parser.records = c.Unsqueeze(parser.records, {0});
  if (rank > 1) c.Fail(InvalidInput("records of rank " + std::to_string(rank)));
  return parser;
}

Attribute::Types TypesAttribute(Call& c, std::string_view name) {
  const Attribute* attribute = c.attribute(name);
  std::optional<Attribute::Types> types = attribute != nullptr ? AsTypes(*attribute) : std::nullopt;
  if (!types) c.Fail(InvalidInput("attribute " + std::string(name) + " is missing"));
  return types.value_or(Attribute::Types());
}

// The elements of operand `i`, a vector of known length.
std::vector<Value*> KeysIn(Call& c, std::size_t i) {
  Value* keys = c.Tensor(i);
  const std::optional<std::int64_t> count =
      c.MaybeRank(keys) == 1 ? c.KnownSize(keys, 0) : std::nullopt;
  std::vector<Value*> each;
  if (!count && !c.failed()) c.Fail("keys whose number is known only at run time");
  for (std::int64_t k = 0; count && k < *count && !c.failed(); ++k)
    each.push_back(c.Select(keys, 0, k));
  return each;
}

Value* Filler(Call& c, DType dtype) {
  return dtype == DType::kString ? TextConstant(c, "") : c.Number(0, dtype);
}

Feature FeatureOf(Call& c, const ExampleParser& parser, Value* key, Value* filler) {
  const std::vector<Value*> results =
      c.Ops("dragoman.ExampleFeature", {parser.records, key, filler}, {}, 2);
  return {results[0], results[1]};
}

// Features of `shape`, by records: what is stated, else `standard`, the default.
Value* FixedFeature(Call& c, const ExampleParser& parser, Value* key, Value* standard,
                    const dragoman::Shape& shape) {
  Ints sizes;
  std::int64_t count = 1;
  for (const Dim& size : shape) {
    if (!size.known() || __builtin_mul_overflow(count, size.value(), &count)) {
      c.Fail(InvalidInput("the shape of a feature is not known"));
      return nullptr;
    }
    sizes.push_back(size.value());
  }
  const DType dtype = c.dtype(standard);
  const Feature feature = FeatureOf(c, parser, key, Filler(c, dtype));
  const std::optional<Ints> of_default = c.KnownSizes(standard);
  if (!of_default && !c.failed()) c.Fail("a default whose sizes are known only at run time");
  if (c.failed()) return nullptr;
  const bool is_required =
      std::find(of_default->begin(), of_default->end(), 0) != of_default->end();
  Value* missing = c.Less(feature.counts, 0);
  Value* fits = c.Equal(feature.counts, c.Int(count));
  c.Assert(c.Equal(c.ReduceAll("ReduceMin",
                               c.Cast(is_required ? fits : c.Or(fits, missing), DType::kI64)),
                   1),
           "'" + c.node().name() + "': a record lacks a feature, or has too few or too many of it");
  Value* number = c.Size(parser.records, 0);
  Value* rest = c.Full(c.ConcatSizes({c.Vector(number), c.Ints({count})}), 0, dtype);
  Value* values = c.Slice(c.Concat({feature.values, rest}, 1), 1, 0, count);
  if (!is_required)
    values = c.Where(c.Unsqueeze(missing, {1}), c.Reshape(standard, {1, count}), values);
  return c.Reshape(
      values, parser.is_single ? c.Ints(sizes) : c.ConcatSizes({c.Vector(number), c.Ints(sizes)}));
}

// Features whose first axis is as long as that of the longest, with `standard` after the others.
Value* PaddedFeature(Call& c, const ExampleParser& parser, Value* key, Value* standard,
                     const dragoman::Shape& shape) {
  Ints rest;
  std::int64_t stride = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (!shape[i].known() || __builtin_mul_overflow(stride, shape[i].value(), &stride) ||
        stride == 0) {
      c.Fail(InvalidInput("the shape of a feature is not known"));
      return nullptr;
    }
    rest.push_back(shape[i].value());
  }
  const std::optional<Ints> sizes = c.KnownSizes(standard);
  const bool is_number = sizes && std::all_of(sizes->begin(), sizes->end(),
                                              [](std::int64_t size) { return size == 1; });
  const bool is_empty = sizes && std::find(sizes->begin(), sizes->end(), 0) != sizes->end();
  if (c.failed()) return nullptr;
  if (!is_number && !is_empty) {
    c.Fail(InvalidInput("the default of a feature of any length is not one element"));
    return nullptr;
  }
  Value* filler = is_empty ? Filler(c, c.dtype(standard)) : c.Reshape(standard, Ints());
  const Feature feature = FeatureOf(c, parser, key, filler);
  Value* counts = c.Max(feature.counts, 0);
  if (stride > 1) {
    Value* left_over = c.Sub(counts, c.Mul(c.Div(counts, c.Int(stride)), c.Int(stride)));
    c.Assert(c.Equal(c.ReduceAll("ReduceSum", left_over), 0),
             "'" + c.node().name() + "': the last part of a feature is not whole");
  }
  Value* length = c.Div(c.Size(feature.values, 1), c.Int(stride));
  Value* whole = c.ConcatSizes({c.Vector(length), c.Ints(rest)});
  if (!parser.is_single) whole = c.ConcatSizes({c.Vector(c.Size(parser.records, 0)), whole});
  return c.Reshape(feature.values, whole);
}

// Which of the values of `feature` a record has.
Value* PresentValues(Call& c, const Feature& feature) {
  return c.Less(c.Unsqueeze(c.Iota(c.Size(feature.values, 1)), {0}),
                c.Unsqueeze(feature.counts, {1}));
}

Value* ValuesWhere(Call& c, Value* values, Value* present) {
  return c.Op("Compress", {c.Flatten(values), c.Flatten(present)}, {{"axis", std::int64_t{0}}});
}

std::vector<Value*> ParseFeatures(Call& c, const ExampleParser& parser) {
  const Attribute::Types sparse_types = TypesAttribute(c, "sparse_types");
  const Attribute::Types shapes = TypesAttribute(c, "dense_shapes");
  const std::size_t num_dense = parser.dense_keys.size();
  if (c.failed()) return {};
  if (sparse_types.size() != parser.sparse_keys.size() || shapes.size() != num_dense ||
      c.num_operands() != parser.first_default + num_dense) {
    c.Fail(InvalidInput("there are not as many types, shapes and defaults as keys"));
    return {};
  }
  std::vector<Value*> indices;
  std::vector<Value*> values;
  std::vector<Value*> sizes;
  for (std::size_t i = 0; i < sparse_types.size(); ++i) {
    const Feature feature =
        FeatureOf(c, parser, parser.sparse_keys[i], Filler(c, sparse_types[i].dtype()));
    Value* present = PresentValues(c, feature);
    Value* places = c.Transpose(c.Op("NonZero", {present}), {1, 0});
    indices.push_back(parser.is_single ? c.Slice(places, 1, 1, 2) : places);
    values.push_back(ValuesWhere(c, feature.values, present));
    Value* both = c.Shape(feature.values);
    sizes.push_back(parser.is_single ? c.Slice(both, 0, 1, 2) : both);
  }
  std::vector<Value*> results = std::move(indices);
  results.insert(results.end(), values.begin(), values.end());
  results.insert(results.end(), sizes.begin(), sizes.end());
  for (std::size_t i = 0; i < num_dense; ++i) {
    Value* standard = c.Tensor(parser.first_default + i);
    const dragoman::Shape* shape = shapes[i].shape();
    if (shape == nullptr && !c.failed()) c.Fail(InvalidInput("the rank of a feature is unknown"));
    if (c.failed()) return {};
    const bool is_padded = !shape->empty() && !shape->front().known();
    results.push_back(is_padded ? PaddedFeature(c, parser, parser.dense_keys[i], standard, *shape)
                                : FixedFeature(c, parser, parser.dense_keys[i], standard, *shape));
  }
  return results;
}

// Operands: records, their names, keys of sparse, dense and ragged features, defaults. Results:
// indices, values, sizes of sparse features, dense ones, values and row splits of ragged ones.
std::vector<Value*> LowerParseExampleV2(Call& c) {
  ExampleParser parser = TakeRecords(c);
  parser.sparse_keys = KeysIn(c, 2);
  parser.dense_keys = KeysIn(c, 3);
  parser.ragged_keys = KeysIn(c, 4);
  parser.first_default = 5;
  std::vector<Value*> results = ParseFeatures(c, parser);
  const Attribute::Types types = TypesAttribute(c, "ragged_value_types");
  const Attribute::Types split_types = TypesAttribute(c, "ragged_split_types");
  if (c.failed()) return {};
  if (types.size() != parser.ragged_keys.size() || split_types.size() != types.size()) {
    c.Fail(InvalidInput("there are not as many types as keys of ragged features"));
    return {};
  }
  if (parser.is_single && !types.empty()) {
    c.Fail("a ragged feature of one record");
    return {};
  }
  std::vector<Value*> splits;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Feature feature =
        FeatureOf(c, parser, parser.ragged_keys[i], Filler(c, types[i].dtype()));
    results.push_back(ValuesWhere(c, feature.values, PresentValues(c, feature)));
    splits.push_back(c.Cast(SplitsOf(c, c.Max(feature.counts, 0)), split_types[i].dtype()));
  }
  results.insert(results.end(), splits.begin(), splits.end());
  return results;
}

// The same with an operand a key, and without ragged features.
std::vector<Value*> LowerParseExample(Call& c) {
  ExampleParser parser = TakeRecords(c);
  const auto sparse =
      static_cast<std::size_t>(std::max<std::int64_t>(c.IntAttribute("Nsparse"), 0));
  const auto dense = static_cast<std::size_t>(std::max<std::int64_t>(c.IntAttribute("Ndense"), 0));
  if (c.failed()) return {};
  if (sparse > c.num_operands() || dense > c.num_operands()) {
    c.Fail(InvalidInput("there are fewer operands than keys"));
    return {};
  }
  parser.sparse_keys = c.Tensors(2, sparse);
  parser.dense_keys = c.Tensors(2 + sparse, dense);
  parser.first_default = 2 + sparse + dense;
  return ParseFeatures(c, parser);
}

// One record; attributes have the keys.
std::vector<Value*> LowerParseSingleExample(Call& c) {
  ExampleParser parser = TakeRecords(c);
  const auto keys = [&](std::string_view name) {
    const Attribute* attribute = c.attribute(name);
    std::vector<Value*> constants;
    const std::optional<Attribute::Strings> texts =
        attribute != nullptr ? AsStrings(*attribute) : std::nullopt;
    for (const std::string& text : texts.value_or(Attribute::Strings()))
      constants.push_back(TextConstant(c, text));
    return constants;
  };
  if (!c.failed() && !parser.is_single) c.Fail(InvalidInput("more than one record"));
  parser.sparse_keys = keys("sparse_keys");
  parser.dense_keys = keys("dense_keys");
  parser.first_default = 1;
  return ParseFeatures(c, parser);
}

}  // namespace

std::span<const OpRow> ExamplesRows() {
  static constexpr OpRow kRows[] = {
      {"ParseExample", LowerParseExample},
      {"ParseExampleV2", LowerParseExampleV2},
      {"ParseSingleExample", LowerParseSingleExample},
  };
  return kRows;
}

}  // namespace dragoman::tf

// SPDX-License-Identifier: Apache-2.0
// Preparation of features: scaling, gaps, categories.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "importers/onnx/ops/ml.h"

namespace dragoman {

// (x - offset) * scale, each for all features or for one.
LoweredResults LowerScaler(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::vector<float> offset, TakeFloatList(op, "offset"));
  DRAGOMAN_ASSIGN(const std::vector<float> scale, TakeFloatList(op, "scale"));
  if (offset.empty() || scale.empty()) return op.Invalid("has no offset or no scale");
  OpComposer f(op);
  Value* x = f.Cast(op.operand(0), DType::kF32);
  Value* centred = f.Op("Sub", {x, op.builder.Constant(FloatVector(offset))});
  Value* factor = op.builder.Constant(FloatVector(scale));
  return f.Finish({f.Op("Mul", {centred, factor}, {}, op.ResultName(0))});
}

// Rows over their largest element, the sum of absolute values, or the length; rows of 0 stay.
LoweredResults LowerNormalizer(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::string> given, op.TakeString("norm"));
  const std::string norm = given.value_or("MAX");
  const bool known = norm == "MAX" || norm == "L1" || norm == "L2";
  if (!known) return op.Invalid("norm is " + norm + ", expected MAX, L1 or L2");
  OpComposer f(op);
  Value* x = f.Cast(op.operand(0), DType::kF32);
  const char* reduction = norm == "MAX" ? "ReduceMax" : norm == "L1" ? "ReduceL1" : "ReduceL2";
  Value* size = f.Op(reduction, {x, f.Ints({-1})});
  Value* is_zero = f.Op("Equal", {size, op.builder.Float(0)});
  Value* divisor = f.Op("Where", {is_zero, op.builder.Float(1), size});
  return f.Finish({f.Op("Div", {x, divisor}, {}, op.ResultName(0))});
}

LoweredResults LowerBinarizer(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<float> threshold, op.TakeFloat("threshold"));
  DRAGOMAN_TRY(op.Require({0}));
  OpComposer f(op);
  const Value* x = op.operand(0);
  Value* above = f.Op("Greater", {op.operand(0), f.Number(threshold.value_or(0), x)});
  return f.Finish({f.NamedCast(above, x->type().dtype(), op.ResultName(0))});
}

// Elements equal to replaced_value, or NaN where that is NaN, take the value of their feature.
LoweredResults LowerImputer(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<Tensor> imputed,
                  TakeVector(op, {"imputed_value_int64s", "", "imputed_value_floats"}));
  DRAGOMAN_ASSIGN(const std::optional<Tensor> replaced,
                  TakeValue(op, {"replaced_value_int64", "", "replaced_value_float"}));
  if (!imputed) return op.Invalid("has no imputed values");
  OpComposer f(op);
  Value* x = op.operand(0);
  const bool nan = replaced && replaced->dtype() == DType::kF32 && std::isnan(replaced->FloatAt(0));
  Value* gap = nan ? f.Op("IsNaN", {x})
                   : f.Op("Equal", {x, f.Number(replaced ? replaced->FloatAt(0) : 0, x)});
  Value* filling = f.CastLike(op.builder.Constant(*imputed), x);
  return f.Finish({f.Op("Where", {gap, filling, x}, {}, op.ResultName(0))});
}

// Columns of the last axis. A vector is seen as one row.
LoweredResults LowerArrayFeatureExtractor(OpLowering& op) {
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  DRAGOMAN_TRY(op.Require({1}));
  OpComposer f(op);
  Value* x = rank < 2 ? f.Op("Reshape", {op.operand(0), f.Ints({1, -1})}) : op.operand(0);
  Value* columns = f.Op("Reshape", {op.operand(1), f.Ints({-1})});
  return f.Finish({f.Op("Gather", {x, columns}, {{"axis", std::int64_t{-1}}}, op.ResultName(0))});
}

namespace {

// `part` with as many columns as were declared: further ones are cut off, missing ones are 0.
Result<Value*> OfWidth(OpLowering& op, OpComposer& f, Value* part, std::int64_t width) {
  const Shape* shape = part != nullptr ? part->type().shape() : nullptr;
  if (shape == nullptr) return part;
  if (shape->size() != 2 || !shape->back().known())
    return op.Unsupported(
        "the number of columns is not known; state the inputs' sizes with --shape");
  const std::int64_t columns = shape->back().value();
  if (columns > width) return f.Op("Slice", {part, f.Ints({0}), f.Ints({width}), f.Ints({1})});
  if (columns < width) return f.Op("Pad", {part, f.Ints({0, 0, 0, width - columns})});
  return part;
}

}  // namespace

// Columns of all operands, each as wide as inputdimensions says. A vector is one row.
LoweredResults LowerFeatureVectorizer(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::vector<std::int64_t> widths, TakeIntList(op, "inputdimensions"));
  if (!widths.empty() && widths.size() != op.operands.size())
    return op.Invalid("has " + std::to_string(widths.size()) + " inputdimensions for " +
                      std::to_string(op.operands.size()) + " operands");
  OpComposer f(op);
  std::vector<Value*> parts;
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    DRAGOMAN_ASSIGN(const int rank, op.Rank(i));
    Value* part = f.Cast(op.operand(i), DType::kF32);
    if (rank < 2) part = f.Op("Reshape", {part, f.Ints({1, -1})});
    if (!widths.empty()) {
      DRAGOMAN_ASSIGN(part, OfWidth(op, f, part, widths[i]));
    }
    parts.push_back(part);
  }
  return f.Finish({f.Op("Concat", parts, {{"axis", std::int64_t{1}}}, op.ResultName(0))});
}

namespace {

bool HoldsNaN(const Tensor& keys) {
  if (!IsFloating(keys.dtype())) return false;
  for (std::int64_t i = 0; i < keys.size(); ++i)
    if (std::isnan(keys.FloatAt(i))) return true;
  return false;
}

// Which of `keys` each element equals, on an axis after all others. A NaN among keys is that of
// elements, as the standard has it.
Value* EqualKeys(OpComposer& f, OpLowering& op, const Tensor& keys) {
  Value* x = op.operand(0);
  if (x->type().dtype() != keys.dtype() && keys.dtype() != DType::kString)
    x = f.Cast(x, keys.dtype());
  Value* column = f.Op("Unsqueeze", {x, f.Ints({-1})});
  Value* known = op.builder.Constant(keys);
  Value* equal = f.Op("Equal", {column, known});
  if (!HoldsNaN(keys)) return equal;
  return f.Or(equal, f.And(f.Op("IsNaN", {column}), f.Op("IsNaN", {known})));
}

}  // namespace

// An element that is not a category has zeros only, or is an error where `zeros` = 0.
LoweredResults LowerMlOneHotEncoder(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> zeros, op.TakeInt("zeros"));
  DRAGOMAN_ASSIGN(const std::optional<Tensor> keys,
                  TakeVector(op, {"cats_int64s", "cats_strings", ""}));
  if (!keys || op.operand(0) == nullptr) return op.Invalid("has no categories");
  OpComposer f(op);
  Value* hits = f.NamedCast(EqualKeys(f, op, *keys), DType::kF32, op.ResultName(0));
  if (zeros.value_or(1) == 0) {
    const std::int64_t drop = 0;
    Value* known = f.Op("ReduceSum", {hits, f.Ints({-1})}, {{"keepdims", drop}});
    Value* least = f.Op("ReduceMin", {known}, {{"keepdims", drop}});
    f.Assert(f.Cast(least, DType::kBool), "an element is none of the categories");
  }
  return f.Finish({hits});
}

namespace {

struct Encoding {
  Tensor keys;
  Tensor values;
  Tensor fallback;
};

// Opset 1: strings are given by their number, numbers by their string. Of equal strings the last
// one counts, as in ONNX Runtime.
Result<std::optional<Encoding>> TakeClasses(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<Tensor> classes, TakeVector(op, {"", "classes_strings", ""}));
  if (!classes) return std::optional<Encoding>();
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> number, op.TakeInt("default_int64"));
  DRAGOMAN_ASSIGN(const std::optional<std::string> text, op.TakeString("default_string"));
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(classes->size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int64_t>(i);
  if (op.operand(0)->type().dtype() == DType::kString) {
    std::vector<std::string> backwards(classes->strings().rbegin(), classes->strings().rend());
    std::ranges::reverse(numbers);
    DRAGOMAN_ASSIGN(Tensor keys, Tensor::MakeStrings(classes->sizes(), std::move(backwards)));
    return std::optional<Encoding>(
        {std::move(keys), Tensor::Ints(numbers), Tensor::Int(number.value_or(-1))});
  }
  Tensor indices = Tensor::Ints(numbers);
  DRAGOMAN_ASSIGN(Tensor fallback, Tensor::MakeStrings({}, {text.value_or("_Unused")}));
  return std::optional<Encoding>({indices, *classes, std::move(fallback)});
}

Result<Tensor> FallbackOf(OpLowering& op, DType dtype) {
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> number, op.TakeInt("default_int64"));
  DRAGOMAN_ASSIGN(const std::optional<std::string> text, op.TakeString("default_string"));
  DRAGOMAN_ASSIGN(const std::optional<float> real, op.TakeFloat("default_float"));
  if (dtype == DType::kI64) return Tensor::Int(number.value_or(-1));
  if (dtype == DType::kString) return Tensor::MakeStrings({}, {text.value_or("_Unused")});
  return Tensor::Full(dtype, {}, IsInteger(dtype) ? -1.0 : real.value_or(-0.0f));
}

// Opset 4: in place of a list of one of three types.
std::optional<Tensor> TakeTensor(OpLowering& op, std::string_view name) {
  const Attribute* attribute = Find(op.attributes, name);
  const Tensor* tensor = attribute != nullptr ? attribute->tensor() : nullptr;
  if (tensor == nullptr) return std::nullopt;
  Tensor taken = *tensor;
  op.Drop(name);
  return taken;
}

Result<Encoding> TakeEncoding(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::optional<Encoding> classes, TakeClasses(op));
  if (classes) return std::move(*classes);
  std::optional<Tensor> keys = TakeTensor(op, "keys_tensor");
  if (!keys) {
    DRAGOMAN_ASSIGN(keys, TakeVector(op, {"keys_int64s", "keys_strings", "keys_floats"}));
  }
  std::optional<Tensor> values = TakeTensor(op, "values_tensor");
  if (!values) {
    DRAGOMAN_ASSIGN(values, TakeVector(op, {"values_int64s", "values_strings", "values_floats"}));
  }
  if (!keys || !values || keys->size() != values->size())
    return op.Invalid("needs as many keys as values");
  const std::optional<Tensor> other = TakeTensor(op, "default_tensor");
  if (!other) {
    DRAGOMAN_ASSIGN(Tensor fallback, FallbackOf(op, values->dtype()));
    return Encoding{std::move(*keys), std::move(*values), std::move(fallback)};
  }
  if (other->size() != 1 || other->dtype() != values->dtype())
    return op.Invalid("attribute 'default_tensor' is not one value of the values' type");
  return Encoding{std::move(*keys), std::move(*values), other->Reshaped({})};
}

}  // namespace

namespace {

// The value of the first key that an element equals.
LoweredResults Encoded(OpLowering& op, const Encoding& encoding) {
  OpComposer f(op);
  Value* hits = f.Cast(EqualKeys(f, op, encoding.keys), DType::kI32);
  const std::int64_t last = -1, drop = 0;
  Value* index = f.Op("ArgMax", {hits}, {{"axis", last}, {"keepdims", drop}});
  Value* found =
      f.Cast(f.Op("ReduceMax", {hits, f.Ints({-1})}, {{"keepdims", drop}}), DType::kBool);
  Value* value = f.Op("Gather", {op.builder.Constant(encoding.values), index});
  Value* fallback = op.builder.Constant(encoding.fallback);
  return f.Finish({f.Op("Where", {found, value, fallback}, {}, op.ResultName(0))});
}

}  // namespace

LoweredResults LowerLabelEncoder(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(const Encoding encoding, TakeEncoding(op));
  return Encoded(op, encoding);
}

// Strings become numbers, numbers strings.
LoweredResults LowerCategoryMapper(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(const std::optional<Tensor> strings, TakeVector(op, {"", "cats_strings", ""}));
  DRAGOMAN_ASSIGN(const std::optional<Tensor> numbers, TakeVector(op, {"cats_int64s", "", ""}));
  if (!strings || !numbers || strings->size() != numbers->size())
    return op.Invalid("needs as many strings as numbers");
  const bool of_strings = op.operand(0)->type().dtype() == DType::kString;
  const Tensor& values = of_strings ? *numbers : *strings;
  DRAGOMAN_ASSIGN(Tensor fallback, FallbackOf(op, values.dtype()));
  return Encoded(op, {of_strings ? *strings : *numbers, values, std::move(fallback)});
}

}  // namespace dragoman

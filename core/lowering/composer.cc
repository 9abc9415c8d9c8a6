// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/composer.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "core/ir/dtype_kinds.h"
#include "core/lowering/complex.h"
#include "core/support/count_elements.h"

namespace dragoman {
namespace {

// 0-d; of a complex type too.
Result<Tensor> ScalarTensor(double value, DType dtype) {
  if (!IsComplex(dtype)) return Tensor::Full(dtype, {}, value);
  const double wide[] = {value, 0};
  const float narrow[] = {static_cast<float>(value), 0};
  const std::span<const std::byte> bytes = dtype == DType::kC128
                                               ? std::as_bytes(std::span<const double>(wide))
                                               : std::as_bytes(std::span<const float>(narrow));
  return Tensor::Make(dtype, {}, Buffer::Copy(bytes));
}

bool HasComplex(const Composer& c, const std::vector<Value*>& operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [&](const Value* operand) { return IsComplex(c.dtype(operand)); });
}

}  // namespace

Result<int> RankOf(const Value* value) {
  if (const std::optional<int> rank = value->type().rank()) return *rank;
  return Unsupported("the rank of '" + value->name() +
                     "' is not known; state the inputs' sizes with --shape");
}

Result<int> AxisFromFront(std::int64_t axis, int rank) {
  const int count = std::max(rank, 1);
  if (axis < -count || axis >= count) {
    return InvalidInput("dimension " + std::to_string(axis) + " is out of range for rank " +
                        std::to_string(rank));
  }
  return static_cast<int>(axis < 0 ? axis + count : axis);
}

std::vector<std::int64_t> AllAxes(int rank) {
  std::vector<std::int64_t> axes(static_cast<std::size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

Value* Composer::Fail(Error error) {
  if (!error_) error_ = std::move(error);
  return nullptr;
}

Result<Value*> Composer::Done(Value* value) const {
  if (error_) return *error_;
  return value;
}

Value* Composer::Op(std::string_view type, std::vector<Value*> operands,
                    std::vector<NamedAttribute> attributes, std::string_view name) {
  if (failed()) return nullptr;
  if (HasComplex(*this, operands)) {
    Value* value = ComplexOp(*this, type, operands, attributes);
    if (value != nullptr || failed()) return value;
  }
  return Take(builder_->Add(type, std::move(operands), std::move(attributes), name));
}

std::vector<Value*> Composer::Ops(std::string_view type, std::vector<Value*> operands,
                                  std::vector<NamedAttribute> attributes, std::size_t count) {
  if (failed()) return std::vector<Value*>(count);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(builder_->UniqueName(""));
  return Ops(type, std::move(operands), std::move(attributes), names);
}

std::vector<Value*> Composer::Ops(std::string_view type, std::vector<Value*> operands,
                                  std::vector<NamedAttribute> attributes,
                                  const std::vector<std::string>& names) {
  std::vector<Value*> results(names.size());
  if (failed()) return results;
  const Node* node = Take(builder_->Append(type, operands, std::move(attributes), names));
  for (std::size_t i = 0; node != nullptr && i < names.size(); ++i) results[i] = node->result(i);
  return results;
}

void Composer::Assert(Value* condition, std::string_view message) {
  Ops("dragoman.Assert", {condition}, {{"message", Attribute(std::string(message))}},
      std::vector<std::string>());
}

DType Composer::dtype(const Value* value) const {
  return value != nullptr ? value->type().dtype() : DType::kUnknown;
}

std::optional<int> Composer::MaybeRank(const Value* value) const {
  if (value == nullptr) return std::nullopt;
  return value->type().rank();
}

int Composer::Rank(const Value* value) {
  if (failed() || value == nullptr) return 0;
  return Take(RankOf(value));
}

std::optional<std::int64_t> Composer::KnownSize(const Value* value, int axis) const {
  if (value == nullptr || value->type().shape() == nullptr) return std::nullopt;
  const dragoman::Shape& shape = *value->type().shape();
  if (axis < 0 || axis >= static_cast<int>(shape.size())) return std::nullopt;
  const Dim& size = shape[static_cast<std::size_t>(axis)];
  if (!size.known()) return std::nullopt;
  return size.value();
}

std::optional<std::vector<std::int64_t>> Composer::KnownSizes(const Value* value) const {
  if (value == nullptr || value->type().shape() == nullptr) return std::nullopt;
  return KnownShape(*value->type().shape());
}

int Composer::AxisOf(std::int64_t axis, const Value* value) {
  const std::optional<int> rank = MaybeRank(value);
  return rank ? Axis(axis, *rank) : static_cast<int>(axis);
}

Value* Composer::Ints(std::vector<std::int64_t> values) {
  return failed() ? nullptr : builder_->Ints(values);
}

Value* Composer::Int(std::int64_t value) { return failed() ? nullptr : builder_->Int(value); }

Value* Composer::Number(double value, DType dtype) {
  if (failed()) return nullptr;
  Tensor tensor = Take(ScalarTensor(value, dtype));
  return failed() ? nullptr : builder_->Constant(std::move(tensor));
}

Value* Composer::BoolConstant(bool value) { return Number(value ? 1 : 0, DType::kBool); }

Value* Composer::Cast(Value* value, DType to) {
  if (failed() || dtype(value) == to) return value;
  if (IsComplex(to) && !IsComplex(dtype(value)))
    return FromPairs(*this, PairsOf(*this, Cast(value, RealPart(to))));
  return Op("Cast", {value}, {{"to", static_cast<std::int64_t>(to)}});
}

Value* Composer::Widen(Value* value) {
  return IsHalf(dtype(value)) ? Cast(value, DType::kF32) : value;
}

Value* Composer::Where(Value* condition, Term a, Term b) {
  Value* first = Resolve(a, b.value);
  return Op("Where", {condition, first, Resolve(b, first)});
}

Value* Composer::Shape(Value* value) {
  if (failed()) return nullptr;
  if (std::optional<std::vector<std::int64_t>> sizes = KnownSizes(value)) return Ints(*sizes);
  return Op("Shape", {value});
}

Value* Composer::SizeVector(Value* value, int first, int count) {
  if (failed()) return nullptr;
  std::vector<std::int64_t> sizes;
  for (int axis = first; axis < first + count; ++axis) {
    if (std::optional<std::int64_t> size = KnownSize(value, axis)) sizes.push_back(*size);
  }
  if (sizes.size() == static_cast<std::size_t>(count)) return Ints(std::move(sizes));
  return Op("Shape", {value},
            {{"start", std::int64_t{first}}, {"end", std::int64_t{first + count}}});
}

Value* Composer::Size(Value* value, int axis) {
  if (failed()) return nullptr;
  if (axis < 0) {
    const std::optional<int> rank = MaybeRank(value);
    if (!rank) return Gather(Op("Shape", {value}), Int(axis), 0);
    axis += *rank;
  }
  if (std::optional<std::int64_t> size = KnownSize(value, axis)) return Int(*size);
  return Squeeze(SizeVector(value, axis, 1), {0});
}

Value* Composer::NumElements(Value* value) {
  if (failed()) return nullptr;
  if (std::optional<std::vector<std::int64_t>> sizes = KnownSizes(value)) {
    if (const std::optional<std::int64_t> count = CountElements(*sizes)) return Int(*count);
    return Fail("a tensor has more elements than 64 bits count");
  }
  return Op("Size", {value});
}

Value* Composer::ConcatSizes(std::vector<Value*> parts) {
  if (failed()) return nullptr;
  std::vector<std::int64_t> known;
  for (const Value* part : parts) {
    const std::optional<std::vector<std::int64_t>> sizes = builder_->KnownInts(part);
    if (!sizes) return Concat(std::move(parts), 0);
    known.insert(known.end(), sizes->begin(), sizes->end());
  }
  return Ints(std::move(known));
}

Value* Composer::Reshape(Value* value, Value* shape) {
  if (failed()) return nullptr;
  const std::optional<std::vector<std::int64_t>> sizes = builder_->KnownInts(shape);
  if (sizes && std::find(sizes->begin(), sizes->end(), 0) == sizes->end())
    return Op("Reshape", {value, shape});
  return Op("Reshape", {value, shape}, {{"allowzero", std::int64_t{1}}});
}

Value* Composer::Transpose(Value* value, std::vector<std::int64_t> permutation) {
  bool moves = false;
  for (std::size_t i = 0; i < permutation.size(); ++i)
    moves = moves || permutation[i] != static_cast<std::int64_t>(i);
  return moves ? Op("Transpose", {value}, {{"perm", std::move(permutation)}}) : value;
}

Value* Composer::SwapAxes(Value* value, int a, int b) {
  const int rank = Rank(value);
  if (failed() || a == b) return value;
  if (std::min(a, b) < 0 || std::max(a, b) >= rank)
    return Fail(InvalidInput("axes " + std::to_string(a) + " and " + std::to_string(b) +
                             " of a tensor of rank " + std::to_string(rank)));
  std::vector<std::int64_t> permutation = AllAxes(rank);
  std::swap(permutation[static_cast<std::size_t>(a)], permutation[static_cast<std::size_t>(b)]);
  return Transpose(value, std::move(permutation));
}

Value* Composer::Unsqueeze(Value* value, std::vector<std::int64_t> axes) {
  return axes.empty() ? value : Op("Unsqueeze", {value, Ints(std::move(axes))});
}

Value* Composer::Squeeze(Value* value, std::vector<std::int64_t> axes) {
  return axes.empty() ? value : Op("Squeeze", {value, Ints(std::move(axes))});
}

Value* Composer::Concat(std::vector<Value*> values, std::int64_t axis) {
  if (values.size() == 1) return values[0];
  return Op("Concat", std::move(values), {{"axis", axis}});
}

Value* Composer::Slice(Value* value, int axis, std::int64_t start, std::int64_t end,
                       std::int64_t step) {
  return Op("Slice", {value, Ints({start}), Ints({end}), Ints({axis}), Ints({step})});
}

Value* Composer::Slice(Value* value, int axis, Value* start, Value* end, Value* step) {
  return Op("Slice", {value, start, end, Ints({axis}), step});
}

Value* Composer::Gather(Value* value, Value* indices, int axis) {
  return Op("Gather", {value, indices}, {{"axis", std::int64_t{axis}}});
}

Value* Composer::Reduce(std::string_view type, Value* value, std::vector<std::int64_t> axes,
                        bool keep) {
  if (axes.empty()) return value;
  return Op(type, {value, Ints(std::move(axes))}, {{"keepdims", std::int64_t{keep ? 1 : 0}}});
}

Value* Composer::ReduceAll(std::string_view type, Value* value) {
  if (MaybeRank(value) == 0) return value;
  return Op(type, {value}, {{"keepdims", std::int64_t{0}}});
}

Value* Composer::Iota(Value* count) { return Op("Range", {Int(0), count, Int(1)}); }

Value* Composer::Full(Value* shape, double value, DType dtype) {
  if (failed()) return nullptr;
  if (IsComplex(dtype)) return Expand(Number(value, dtype), shape);
  const bool text = dtype == DType::kString;
  Tensor tensor = Take(text ? Tensor::MakeStrings({}, {""}) : Tensor::Full(dtype, {1}, value));
  if (failed()) return nullptr;
  if (text) return Expand(builder_->Constant(std::move(tensor)), shape);
  return Op("ConstantOfShape", {shape}, {{"value", std::move(tensor)}});
}

Value* Composer::Binary(std::string_view type, Term a, Term b) {
  Value* first = Resolve(a, b.value);
  return Op(type, {first, Resolve(b, first)});
}

Value* Composer::Resolve(const Term& term, const Value* like) {
  return term.is_number ? Number(term.number, like) : term.value;
}

}  // namespace dragoman

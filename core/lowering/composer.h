// SPDX-License-Identifier: Apache-2.0
// Writes a part of a common graph as an expression:
//
//     Composer c(builder);
//     return c.Done(c.Mul(x, c.Sigmoid(x)));
//
// The first error sticks: from then on every call gives nullptr (or 0, or nothing) and appends
// nothing, and Done() reports it. So a lowering checks once, at its end. It needs care only where a
// loop or an index depends on what an operand is.
#ifndef DRAGOMAN_CORE_LOWERING_COMPOSER_H_
#define DRAGOMAN_CORE_LOWERING_COMPOSER_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/builder.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// As an end of Slice: after the last element of any axis.
inline constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

// An operand: a value, or a number that becomes a 0-d constant of the other operand's element type.
struct Term {
  Term(Value* v) : value(v), is_number(false) {}
  Term(double v) : number(v), is_number(true) {}
  Term(int v) : number(v), is_number(true) {}

  Value* value = nullptr;
  double number = 0;
  bool is_number;
};

// Errors: it is unknown, with the hint to give --shape.
Result<int> RankOf(const Value* value);
// `axis` of a tensor of rank `rank`, counted from the front; rank 0 counts as one axis. Errors: it
// is out of range.
Result<int> AxisFromFront(std::int64_t axis, int rank);
// All axes of a tensor of `rank`.
std::vector<std::int64_t> AllAxes(int rank);

// The type of the parts of a complex number; `dtype` itself if it is not complex.
inline DType RealPart(DType dtype) {
  if (dtype == DType::kC64) return DType::kF32;
  return dtype == DType::kC128 ? DType::kF64 : dtype;
}

class Composer {
 public:
  explicit Composer(GraphBuilder& builder) : builder_(&builder) {}

  GraphBuilder& builder() { return *builder_; }
  bool failed() const { return error_.has_value(); }
  // Keeps the first of several errors. Gives nullptr, so that it can be returned.
  Value* Fail(Error error);
  Value* Fail(std::string unsupported) { return Fail(Unsupported(std::move(unsupported))); }
  Result<Value*> Done(Value* value) const;
  Status status() const { return error_ ? Status(*error_) : Status(); }

  // Takes a result apart, keeping its error.
  template <class T>
  T Take(Result<T> result) {
    if (result.ok()) return std::move(result).value();
    Fail(std::move(result).error());
    return T();
  }
  void Check(Status status) {
    if (!status.ok()) Fail(std::move(status).error());
  }

  // Appends an operator, whose result is called `name` if that is given; nullptr among the operands
  // is an optional one that is omitted.
  Value* Op(std::string_view type, std::vector<Value*> operands,
            std::vector<NamedAttribute> attributes = {}, std::string_view name = "");
  // With `count` results, which are nullptr after an error.
  std::vector<Value*> Ops(std::string_view type, std::vector<Value*> operands,
                          std::vector<NamedAttribute> attributes, std::size_t count);
  // With a result for each of `names`; an empty name omits the result unless it is the first.
  std::vector<Value*> Ops(std::string_view type, std::vector<Value*> operands,
                          std::vector<NamedAttribute> attributes,
                          const std::vector<std::string>& names);
  // Appends dragoman.Assert: a run in which `condition` (bool, rank 0) is false ends with
  // `message`.
  void Assert(Value* condition, std::string_view message);

  // What is known of a value.
  DType dtype(const Value* value) const;
  std::optional<int> MaybeRank(const Value* value) const;
  // Fails if it is unknown, with the hint to state sizes.
  int Rank(const Value* value);
  // The size of `axis` if it is known as a number.
  std::optional<std::int64_t> KnownSize(const Value* value, int axis) const;
  std::optional<std::vector<std::int64_t>> KnownSizes(const Value* value) const;
  // AxisFromFront. Fails if it is out of range.
  int Axis(std::int64_t axis, int rank) { return Take(AxisFromFront(axis, rank)); }
  // The same for a tensor whose rank may be unknown: where operators count from the end too, that
  // stays as it is.
  int AxisOf(std::int64_t axis, const Value* value);

  // Constants.
  Value* Ints(std::vector<std::int64_t> values);
  Value* Int(std::int64_t value);
  Value* Number(double value, DType dtype);
  Value* Number(double value, const Value* like) { return Number(value, dtype(like)); }
  Value* BoolConstant(bool value);

  // The element type becomes `to`; the value itself if it is that already.
  Value* Cast(Value* value, DType to);
  Value* CastLike(Value* value, const Value* like) { return Cast(value, dtype(like)); }
  // Halves become float32: an operator rounds once at its end, a composition at each step.
  Value* Widen(Value* value);

  Value* Add(Term a, Term b) { return Binary("Add", a, b); }
  Value* Sub(Term a, Term b) { return Binary("Sub", a, b); }
  Value* Mul(Term a, Term b) { return Binary("Mul", a, b); }
  Value* Div(Term a, Term b) { return Binary("Div", a, b); }
  Value* Pow(Term a, Term b) { return Binary("Pow", a, b); }
  Value* Max(Term a, Term b) { return Binary("Max", a, b); }
  Value* Min(Term a, Term b) { return Binary("Min", a, b); }
  Value* Equal(Term a, Term b) { return Binary("Equal", a, b); }
  Value* NotEqual(Term a, Term b) { return Not(Equal(a, b)); }
  Value* Less(Term a, Term b) { return Binary("Less", a, b); }
  Value* LessOrEqual(Term a, Term b) { return Binary("LessOrEqual", a, b); }
  Value* Greater(Term a, Term b) { return Binary("Greater", a, b); }
  Value* GreaterOrEqual(Term a, Term b) { return Binary("GreaterOrEqual", a, b); }
  Value* And(Value* a, Value* b) { return Op("And", {a, b}); }
  Value* Or(Value* a, Value* b) { return Op("Or", {a, b}); }
  Value* Not(Value* a) { return Op("Not", {a}); }
  Value* Where(Value* condition, Term a, Term b);
  Value* Neg(Value* a) { return Op("Neg", {a}); }
  Value* Abs(Value* a) { return Op("Abs", {a}); }
  Value* Exp(Value* a) { return Op("Exp", {a}); }
  Value* Log(Value* a) { return Op("Log", {a}); }
  Value* Sqrt(Value* a) { return Op("Sqrt", {a}); }
  Value* Floor(Value* a) { return Op("Floor", {a}); }
  Value* Sigmoid(Value* a) { return Op("Sigmoid", {a}); }
  Value* Tanh(Value* a) { return Op("Tanh", {a}); }

  // Sizes, as int64 tensors: all of them (rank 1), one of them (rank 0; the axis may be counted
  // from the end), some that lie side by side (rank 1), their product.
  Value* Shape(Value* value);
  Value* Size(Value* value, int axis);
  Value* SizeVector(Value* value, int first, int count);
  Value* NumElements(Value* value);
  // Lists of sizes, one after the other; a constant if they are.
  Value* ConcatSizes(std::vector<Value*> parts);

  // Movement. Axes are counted from the front.
  Value* Reshape(Value* value, Value* shape);
  Value* Reshape(Value* value, std::vector<std::int64_t> shape) {
    return Reshape(value, Ints(std::move(shape)));
  }
  Value* Flatten(Value* value) { return Reshape(value, {-1}); }
  Value* Expand(Value* value, Value* shape) { return Op("Expand", {value, shape}); }
  Value* Transpose(Value* value, std::vector<std::int64_t> permutation);
  Value* SwapAxes(Value* value, int a, int b);
  Value* Unsqueeze(Value* value, std::vector<std::int64_t> axes);
  Value* Squeeze(Value* value, std::vector<std::int64_t> axes);
  Value* Concat(std::vector<Value*> values, std::int64_t axis);
  // Elements [start, end) of `axis`, every `step`th.
  Value* Slice(Value* value, int axis, std::int64_t start, std::int64_t end, std::int64_t step = 1);
  Value* Slice(Value* value, int axis, Value* start, Value* end, Value* step);
  Value* Gather(Value* value, Value* indices, int axis);
  // Element `index` of `axis`, which vanishes.
  Value* Select(Value* value, int axis, std::int64_t index) {
    return Gather(value, Int(index), axis);
  }

  // Reductions over `axes`, counted from the front; no axes at all give the value itself.
  Value* Reduce(std::string_view type, Value* value, std::vector<std::int64_t> axes, bool keep);
  Value* ReduceAll(std::string_view type, Value* value);
  Value* ReduceSum(Value* value, std::vector<std::int64_t> axes, bool keep = false) {
    return Reduce("ReduceSum", value, std::move(axes), keep);
  }
  Value* ReduceMean(Value* value, std::vector<std::int64_t> axes, bool keep = false) {
    return Reduce("ReduceMean", value, std::move(axes), keep);
  }

  // A number as int64 of rank 1.
  Value* Vector(Value* number) { return Reshape(number, {1}); }
  // 0, 1, … count - 1, of int64; `count` is 0-d.
  Value* Iota(Value* count);
  // A tensor of `shape` (int64, rank 1) whose elements are all `value`; of strings, all empty.
  Value* Full(Value* shape, double value, DType dtype);

 private:
  Value* Binary(std::string_view type, Term a, Term b);
  Value* Resolve(const Term& term, const Value* like);

  GraphBuilder* builder_;
  std::optional<Error> error_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_COMPOSER_H_

// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/range.h"

#include "core/ops/elements.h"
#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// The number of elements of a constant floating range; nullopt if an operand is not a constant.
Result<std::optional<Dim>> FloatCount(const InferContext& context) {
  double bounds[3];
  for (std::size_t i = 0; i < 3; ++i) {
    const Tensor* tensor = context.tensor(i);
    if (tensor == nullptr || !IsFloating(tensor->dtype())) return std::optional<Dim>();
    bounds[i] = tensor->FloatAt(0);
  }
  rt::Shape shape;
  DRAGOMAN_TRY(context.Check(rt::RangeShape(bounds[0], bounds[1], bounds[2], &shape)));
  return std::optional<Dim>(shape[0]);
}

// Of start, limit and delta; unknown if it cannot be determined.
Result<Dim> IntCount(const InferContext& context, const Dim& start, const Dim& limit,
                     const Dim& delta) {
  if (start.known() && limit.known() && delta.known()) {
    rt::Shape shape;
    DRAGOMAN_TRY(
        context.Check(rt::RangeShape(start.value(), limit.value(), delta.value(), &shape)));
    return Dim(shape[0]);
  }
  if (delta == Dim(0)) return context.Fail("the delta of a range is 0");
  if (Less(Dim(0), delta) == Truth::kYes) return Max(CeilDiv(limit - start, delta), Dim(0));
  if (Less(delta, Dim(0)) == Truth::kYes)
    return Max(CeilDiv(start - limit, Dim(0) - delta), Dim(0));
  return Dim::Unknown();
}

Status InferRange(InferContext& context) {
  DRAGOMAN_ASSIGN(const Dim start, ScalarOperand(context, 0));
  DRAGOMAN_ASSIGN(const Dim limit, ScalarOperand(context, 1));
  DRAGOMAN_ASSIGN(const Dim delta, ScalarOperand(context, 2));
  Dim count;
  if (IsInteger(context.result_dtype(0))) {
    DRAGOMAN_ASSIGN(count, IntCount(context, start, limit, delta));
  } else {
    DRAGOMAN_ASSIGN(std::optional<Dim> floats, FloatCount(context));
    if (floats) count = *floats;
  }
  context.SetShape(0, Shape{count.unknown() ? context.FreshDim(0) : count});
  if (!IsInteger(context.result_dtype(0)) || !count.known() || count.value() > kMaxElements)
    return {};
  Elements elements;
  for (std::int64_t i = 0; i < count.value(); ++i) {
    const Dim element = start + Dim(i) * delta;
    elements.push_back(FitElement(context.result_dtype(0), element));
  }
  context.SetElements(0, std::move(elements));
  return {};
}

}  // namespace

std::vector<OpDef> RangeOps() {
  return {Op("Range", {11, 11}, "(start: T#, limit: T#, delta: T#) -> (output: T)",
             "T: f32 f64 i16 i32 i64")
              .Infer(InferRange)
              .Sizes({.function = "RangeSizes",
                      .header = "runtime/program/range_sizes.h",
                      .arguments = "x0 x1 x2",
                      .types = "T"})
              .Kernel({.header = "runtime/kernels/range.h", .types = "T"})};
}

}  // namespace dragoman

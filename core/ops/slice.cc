// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/slice.h"

#include <string>

#include "core/ops/movement.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

bool IsNegative(const Dim& d) { return Less(d, Dim(0)) == Truth::kYes; }
bool IsNatural(const Dim& d) { return LessEqual(Dim(0), d) == Truth::kYes; }

// A bound counted from the front; unknown if its sign is not known.
Dim FromFront(const Dim& bound, const Dim& size) {
  if (bound.unknown()) return bound;
  if (IsNegative(bound)) return size + bound;
  return IsNatural(bound) ? bound : Dim::Unknown();
}

// How many elements a slice takes of an axis; unknown if that cannot be determined.
Dim SlicedSize(const Dim& size, const Dim& start, const Dim& end, std::int64_t step) {
  if (step < 0) {
    const bool from_end = start == Dim(-1) || LessEqual(size, start) == Truth::kYes ||
                          (start.known() && start.value() >= INT32_MAX);
    const bool to_front = end.known() && end.value() <= -INT32_MAX;
    if (from_end && to_front && step > -INT32_MAX) return CeilDiv(size, Dim(-step));
    return Dim::Unknown();
  }
  // Exporters write the largest integers for "to the end".
  const bool to_end = end == size || (end.known() && end.value() >= INT32_MAX);
  Dim length;
  if (to_end && IsNegative(start)) {
    length = Min(size, Dim(0) - start);
  } else {
    const Dim last = to_end ? size : Min(FromFront(end, size), size);
    const Dim first = FromFront(start, size);
    const Dim natural_first = IsNegative(start) ? Max(first, Dim(0)) : first;
    length = last - natural_first;
  }
  return Max(CeilDiv(length, Dim(step)), Dim(0));
}

// Each of starts, ends, axes and steps is a vector, all have one length, at most `rank`. Lengths
// that are not known yet are checked by the rule of the runtime.
Status CheckLengths(InferContext& context, std::size_t rank) {
  Dim length;
  for (std::size_t i = 1; i < context.num_operands(); ++i) {
    const Shape* shape = context.shape(i);
    if (shape == nullptr) continue;
    if (shape->size() != 1 || Equal(shape->front(), length) == Truth::kNo)
      return CheckVector(context, i, length);
    if (length.unknown()) length = shape->front();
  }
  if (Less(Dim(static_cast<std::int64_t>(rank)), length) != Truth::kYes) return {};
  return context.Fail("it slices " + length.ToString() + " axes of a tensor of rank " +
                      std::to_string(rank));
}

// The sizes where the ints of an operand, or sizes, are not all known.
Status InferSymbolicSlice(InferContext& context, const Shape& data) {
  const std::size_t rank = data.size();
  const IntsOperand axes(context, 3);
  const std::optional<Elements> starts = ElementsOrUnknown(context, 1);
  const std::optional<Elements> ends = ElementsOrUnknown(context, 2);
  if (!axes.known() || !starts || !ends) {
    context.SetShape(0, FreshShape(context, 0, rank));
    return {};
  }
  std::optional<Elements> steps;
  if (context.has(4)) steps = ElementsOrUnknown(context, 4);
  Shape sliced = data;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    int axis = static_cast<int>(i);
    if (axes.present()) {
      DRAGOMAN_ASSIGN(axis, NormalizeAxis(context, axes[i], static_cast<int>(rank)));
    }
    const Dim step = steps ? (*steps)[i] : (context.has(4) ? Dim::Unknown() : Dim(1));
    if (step == Dim(0)) return context.Fail("a step of a slice is 0");
    const auto at = static_cast<std::size_t>(axis);
    Dim size;
    if (step.known()) size = SlicedSize(data[at], (*starts)[i], (*ends)[i], step.value());
    sliced[at] = size.unknown() ? context.FreshDim(0) : size;
  }
  context.SetShape(0, std::move(sliced));
  return {};
}

void SliceElements(InferContext& context, const rt::SliceRegion& region) {
  const std::optional<SmallTensor> data = SmallOperand(context, 0);
  if (!data) return;
  SetMovedElements(context, 0, region.sizes, [&](rt::Shape position) {
    for (int i = 0; i < position.size(); ++i)
      position[i] = region.starts[i] + position[i] * region.steps[i];
    return data->At(position);
  });
}

Status InferSlice(InferContext& context) {
  const Shape* data = context.shape(0);
  if (data == nullptr) return {};
  DRAGOMAN_TRY(CheckLengths(context, data->size()));
  const std::optional<rt::Shape> known = ToRuntimeShape(data);
  const IntsOperand starts(context, 1), ends(context, 2), axes(context, 3), steps(context, 4);
  if (!known || !starts.known() || !ends.known() || !axes.known() || !steps.known())
    return InferSymbolicSlice(context, *data);
  rt::SliceRegion region;
  DRAGOMAN_TRY(context.Check(
      rt::ResolveSlice(*known, starts.span(), ends.span(), axes.span(), steps.span(), &region)));
  context.SetShape(0, region.sizes);
  SliceElements(context, region);
  return {};
}

}  // namespace

std::vector<OpDef> SliceOps() {
  return {
      Op("Slice", {1, 13},
         "(data: T, starts: Tind#, ends: Tind#, axes: Tind?#, steps: Tind?#) -> (output: T)",
         "T: basic bf16; Tind: index")
          .Infer(InferSlice)
          .Class(OpClass::kMovement)
          .Sizes({.function = "SliceShape",
                  .header = "runtime/params/slice.h",
                  .arguments = "s0 v1 v2 v3 v4"})
          .Kernel(
              {.header = "runtime/kernels/slice.h", .types = "bits(T) Tind", .fallible = true})};
}

}  // namespace dragoman

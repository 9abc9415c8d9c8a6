// SPDX-License-Identifier: Apache-2.0
#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// The positions, row by row, if all elements are known numbers.
std::optional<std::vector<Elements>> Positions(const InferContext& context) {
  const std::optional<SmallTensor> x = SmallOperand(context, 0);
  if (!x) return std::nullopt;
  std::vector<Elements> rows(static_cast<std::size_t>(x->shape.size()));
  for (std::size_t flat = 0; flat < x->elements.size(); ++flat) {
    const Truth zero = Equal(x->elements[flat], Dim(0));
    if (zero == Truth::kUnknown) return std::nullopt;
    auto rest = static_cast<std::int64_t>(flat);
    for (int axis = x->shape.size() - 1; axis >= 0 && zero == Truth::kNo; --axis) {
      rows[static_cast<std::size_t>(axis)].push_back(rest % x->shape[axis]);
      rest /= x->shape[axis];
    }
  }
  return rows;
}

Status InferNonZero(InferContext& context) {
  const Shape* x = context.shape(0);
  Shape shape(2);
  if (x != nullptr) shape[0] = Dim(static_cast<std::int64_t>(x->size()));
  const std::optional<std::vector<Elements>> rows = Positions(context);
  if (!rows || rows->empty()) {
    shape[1] = context.FreshDim(0);
    context.SetShape(0, std::move(shape));
    return {};
  }
  shape[1] = Dim(static_cast<std::int64_t>(rows->front().size()));
  context.SetShape(0, std::move(shape));
  Elements elements;
  for (const Elements& row : *rows) elements.insert(elements.end(), row.begin(), row.end());
  context.SetElements(0, std::move(elements));
  return {};
}

}  // namespace

std::vector<OpDef> NonZeroOps() {
  return {Op("NonZero", {9, 13}, "(X: T) -> (Y: i64)", "T: basic bf16")
              .Infer(InferNonZero)
              .Sizes({.function = "NonZeroSizes",
                      .header = "runtime/program/non_zero_sizes.h",
                      .arguments = "x0",
                      .types = "T"})
              .Kernel({.header = "runtime/kernels/non_zero.h", .types = "T"})};
}

}  // namespace dragoman

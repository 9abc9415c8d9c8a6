// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/squeeze.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// Which of `rank` axes the operand of axes names, `once` or more often.
Result<std::vector<bool>> ChosenAxes(const InferContext& context, rt::IntSpan axes,
                                     std::size_t rank, bool once) {
  std::vector<bool> chosen(rank);
  for (std::int64_t i = 0; i < axes.size; ++i) {
    DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, axes[i], static_cast<int>(rank)));
    const auto at = static_cast<std::size_t>(axis);
    if (once && chosen[at]) return context.Fail("axis " + std::to_string(axis) + " is repeated");
    chosen[at] = true;
  }
  return chosen;
}

Status InferSqueeze(InferContext& context) {
  if (context.elements(0)) context.SetElements(0, *context.elements(0));
  const Shape* data = context.shape(0);
  const IntsOperand axes(context, 1);
  if (data == nullptr || !axes.known()) return {};
  std::vector<bool> chosen;
  if (axes.present()) {
    DRAGOMAN_ASSIGN(chosen, ChosenAxes(context, axes.span(), data->size(), false));
  } else {
    for (const Dim& dim : *data) {
      const Truth one = Equal(dim, Dim(1));
      if (one == Truth::kUnknown) return {};
      chosen.push_back(one == Truth::kYes);
    }
  }
  Shape squeezed;
  for (std::size_t i = 0; i < data->size(); ++i) {
    const Dim& dim = (*data)[i];
    if (!chosen[i]) {
      squeezed.push_back(dim);
    } else if (dim.known() && dim.value() != 1) {
      return context.Fail("axis " + std::to_string(i) + " has size " + dim.ToString() + ", not 1");
    }
  }
  context.SetShape(0, std::move(squeezed));
  return {};
}

Status InferUnsqueeze(InferContext& context) {
  if (context.elements(0)) context.SetElements(0, *context.elements(0));
  const Shape* data = context.shape(0);
  const IntsOperand axes(context, 1);
  if (data == nullptr || !axes.known()) return {};
  const std::size_t rank = data->size() + static_cast<std::size_t>(axes.span().size);
  if (rank > static_cast<std::size_t>(kMaxElements)) return context.Fail("the rank is too high");
  DRAGOMAN_ASSIGN(std::vector<bool> chosen, ChosenAxes(context, axes.span(), rank, true));
  Shape expanded;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) expanded.push_back(chosen[i] ? Dim(1) : (*data)[next++]);
  context.SetShape(0, std::move(expanded));
  return {};
}

constexpr KernelBinding kCopy = {
    .header = "runtime/kernels/copy.h", .types = "bits(T)", .function = "Copy", .copies = true};

}  // namespace

std::vector<OpDef> SqueezeOps() {
  return {Op("Squeeze", {1, 21}, "(data: T, axes: i64?#) -> (squeezed: T)", "T: any")
              .Infer(InferSqueeze)
              .Sizes({.function = "SqueezeShape",
                      .header = "runtime/params/squeeze.h",
                      .arguments = "s0 v1"})
              .Kernel(kCopy),
          Op("Unsqueeze", {1, 21}, "(data: T, axes: i64#) -> (expanded: T)", "T: any")
              .Infer(InferUnsqueeze)
              .Sizes({.function = "UnsqueezeShape",
                      .header = "runtime/params/squeeze.h",
                      .arguments = "s0 v1"})
              .Kernel(kCopy)};
}

}  // namespace dragoman

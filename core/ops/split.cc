// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/split.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

void SplitElements(InferContext& context, int axis, const std::vector<rt::Shape>& parts) {
  const std::optional<SmallTensor> data = SmallOperand(context, 0);
  if (!data) return;
  std::int64_t start = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    SetMovedElements(context, k, parts[k], [&](rt::Shape position) {
      position[axis] += start;
      return data->At(position);
    });
    start += parts[k][axis];
  }
}

// The sizes along the axis where something is not known.
Result<Elements> PartSizes(InferContext& context, const Dim& size, const IntsOperand& split) {
  const std::size_t count = context.num_results();
  Elements sizes;
  if (split.present()) {
    std::optional<Elements> stated = ElementsOrUnknown(context, 1);
    if (split.known()) stated = Elements(split.span().data, split.span().data + split.span().size);
    if (!stated) stated = Elements(count);
    if (stated->size() != count) return context.Fail("split does not fit the number of results");
    for (std::size_t i = 0; i < count; ++i) {
      DRAGOMAN_ASSIGN(Dim part, StatedSize(context, i, (*stated)[i]));
      sizes.push_back(std::move(part));
    }
    return sizes;
  }
  const Dim part = CeilDiv(size, Dim(static_cast<std::int64_t>(count)));
  for (std::size_t i = 0; i < count; ++i) {
    const Dim left = size - part * Dim(static_cast<std::int64_t>(i));
    sizes.push_back(i == 0 ? part : Max(Min(part, left), Dim(0)));
  }
  return sizes;
}

Status InferSplit(InferContext& context) {
  const auto& params = context.params<rt::SplitParams>();
  const std::size_t count = context.num_results();
  const auto results = static_cast<std::int64_t>(count);
  if (params.num_outputs != 0 && params.num_outputs != results)
    return context.Fail("num_outputs is " + std::to_string(params.num_outputs) + ", but it has " +
                        std::to_string(count) + " results");
  const Shape* input = context.shape(0);
  if (input == nullptr) return {};
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, params.axis, static_cast<int>(input->size())));
  const IntsOperand split(context, 1);
  const std::optional<rt::Shape> known = ToRuntimeShape(input);
  if (known && split.known()) {
    std::vector<rt::Shape> parts(count);
    DRAGOMAN_TRY(
        context.Check(rt::SplitShape(params, *known, split.span(), parts.data(), results)));
    for (std::size_t i = 0; i < count; ++i) context.SetShape(i, parts[i]);
    SplitElements(context, axis, parts);
    return {};
  }
  const auto along = static_cast<std::size_t>(axis);
  DRAGOMAN_ASSIGN(Elements sizes, PartSizes(context, (*input)[along], split));
  for (std::size_t i = 0; i < count; ++i) {
    Shape part = *input;
    part[along] = sizes[i];
    context.SetShape(i, std::move(part));
  }
  return {};
}

}  // namespace

std::vector<OpDef> SplitOps() {
  return {Op("Split", {1, 18}, "(input: T, split: i64?#) -> (outputs: T*)", "T: basic bf16")
              .Attributes<rt::SplitParams>()
              .Axis(AxisUse::kAlong)
              .Infer(InferSplit)
              .Class(OpClass::kMovement)
              .Sizes({.function = "SplitShape",
                      .header = "runtime/params/split.h",
                      .arguments = "p s0 v1 R"})
              .Kernel({.header = "runtime/kernels/split.h", .types = "bits(T)"})};
}

}  // namespace dragoman

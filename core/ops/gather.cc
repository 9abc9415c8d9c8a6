// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/gather.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// The position in the data of an index; nullopt if it is not known or out of range.
std::optional<std::int64_t> Position(const Dim& index, std::int64_t size) {
  if (!index.known() || index.value() < -size || index.value() >= size) return std::nullopt;
  return index.value() < 0 ? index.value() + size : index.value();
}

void GatherSmall(InferContext& context, int axis) {
  const std::optional<SmallTensor> data = SmallOperand(context, 0);
  const std::optional<SmallTensor> indices = SmallOperand(context, 1);
  const std::optional<rt::Shape> shape = ToRuntimeShape(context.results()[0].type.shape());
  if (!data || !indices || !shape) return;
  SetMovedElements(context, 0, *shape, [&](const rt::Shape& position) {
    rt::Shape index, from;
    for (int i = 0; i < indices->shape.size(); ++i) index.push_back(position[axis + i]);
    const std::optional<std::int64_t> at = Position(indices->At(index), data->shape[axis]);
    if (!at) return Dim::Unknown();
    for (int i = 0; i < axis; ++i) from.push_back(position[i]);
    from.push_back(*at);
    for (int i = axis + 1; i < data->shape.size(); ++i)
      from.push_back(position[i + indices->shape.size() - 1]);
    return data->At(from);
  });
}

Status InferGather(InferContext& context) {
  const Shape* data = context.shape(0);
  const Shape* indices = context.shape(1);
  if (data == nullptr || indices == nullptr) return {};
  const auto& params = context.params<rt::GatherParams>();
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, params.axis, static_cast<int>(data->size())));
  Shape output(data->begin(), data->begin() + axis);
  output.insert(output.end(), indices->begin(), indices->end());
  output.insert(output.end(), data->begin() + axis + 1, data->end());
  context.SetShape(0, std::move(output));
  GatherSmall(context, axis);
  return {};
}

Status InferGatherElements(InferContext& context) {
  const Shape* data = context.shape(0);
  const Shape* indices = context.shape(1);
  const auto& params = context.params<rt::GatherParams>();
  if (data != nullptr && indices != nullptr) {
    DRAGOMAN_TRY(NormalizeAxis(context, params.axis, static_cast<int>(data->size())));
    if (data->size() != indices->size()) return context.Fail("the ranks differ");
    if (auto known = RuntimeShapes(context)) {
      rt::Shape output;
      DRAGOMAN_TRY(
          context.Check(rt::GatherElementsShape(params, (*known)[0], (*known)[1], &output)));
    }
  }
  if (indices != nullptr) context.SetShape(0, *indices);
  return {};
}

Status InferGatherNd(InferContext& context) {
  const Shape* data = context.shape(0);
  const Shape* indices = context.shape(1);
  if (data == nullptr || indices == nullptr) return {};
  const auto& params = context.params<rt::GatherNdParams>();
  if (auto known = RuntimeShapes(context)) {
    rt::Shape output;
    DRAGOMAN_TRY(context.Check(rt::GatherNdShape(params, (*known)[0], (*known)[1], &output)));
    context.SetShape(0, output);
    return {};
  }
  if (data->empty() || indices->empty()) return context.Fail("an operand is of rank 0");
  const Dim& width = indices->back();
  const auto last = static_cast<std::int64_t>(indices->size()) - 1;
  const auto rank = static_cast<std::int64_t>(data->size());
  if (params.batch_dims < 0 || params.batch_dims > last || params.batch_dims >= rank)
    return context.Fail("batch_dims is out of range");
  if (!width.known()) return {};
  if (width.value() < 0 || width.value() > rank - params.batch_dims)
    return context.Fail("an index has too many entries");
  Shape output(indices->begin(), indices->end() - 1);
  output.insert(output.end(), data->begin() + params.batch_dims + width.value(), data->end());
  context.SetShape(0, std::move(output));
  return {};
}

}  // namespace

std::vector<OpDef> GatherOps() {
  return {
      Op("Gather", {1, 13}, "(data: T, indices: Tind) -> (output: T)", "T: basic bf16; Tind: index")
          .Attributes<rt::GatherParams>()
          .Axis(AxisUse::kOfFirst)
          .Infer(InferGather)
          .Class(OpClass::kMovement)
          .Sizes({.function = "GatherShape",
                  .header = "runtime/params/gather.h",
                  .arguments = "p s0 s1"})
          .Kernel(
              {.header = "runtime/kernels/gather.h", .types = "bits(T) Tind", .fallible = true}),
      Op("GatherElements", {11, 13}, "(data: T, indices: Tind) -> (output: T)",
         "T: basic bf16; Tind: index")
          .Attributes<rt::GatherParams>()
          .Axis(AxisUse::kOfFirst)
          .Infer(InferGatherElements)
          .Class(OpClass::kMovement)
          .Sizes({.function = "GatherElementsShape",
                  .header = "runtime/params/gather.h",
                  .arguments = "p s0 s1"})
          .Kernel({.header = "runtime/kernels/gather_elements.h",
                   .types = "bits(T) Tind",
                   .fallible = true}),
      Op("GatherND", {11, 13}, "(data: T, indices: i64) -> (output: T)", "T: basic bf16")
          .Attributes<rt::GatherNdParams>()
          .Infer(InferGatherNd)
          .Class(OpClass::kMovement)
          .Sizes({.function = "GatherNdShape",
                  .header = "runtime/params/gather.h",
                  .arguments = "p s0 s1"})
          .Kernel({.header = "runtime/kernels/gather_nd.h", .types = "bits(T)", .fallible = true})};
}

}  // namespace dragoman

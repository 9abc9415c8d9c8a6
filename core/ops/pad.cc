// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/pad.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

Status InferSymbolicPad(InferContext& context, const Shape& data) {
  const std::optional<Elements> pads = ElementsOrUnknown(context, 1);
  const IntsOperand axes(context, 3);
  if (!pads || !axes.known()) {
    context.SetShape(0, FreshShape(context, 0, data.size()));
    return {};
  }
  const std::size_t count =
      axes.present() ? static_cast<std::size_t>(axes.span().size) : data.size();
  if (pads->size() != 2 * count) return context.Fail("pads does not hold two entries an axis");
  Shape output = data;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t axis = static_cast<std::int64_t>(i);
    if (axes.present()) {
      DRAGOMAN_ASSIGN(axis, NormalizeAxis(context, axes[i], static_cast<int>(data.size())));
    }
    Dim& size = output[static_cast<std::size_t>(axis)];
    size = size + (*pads)[i] + (*pads)[count + i];
    if (size.known() && size.value() < 0) return context.Fail("a size is negative");
    if (size.unknown()) size = context.FreshDim(0);
  }
  context.SetShape(0, std::move(output));
  return {};
}

Status InferPad(InferContext& context) {
  const Shape* data = context.shape(0);
  if (data == nullptr) return {};
  if (const Shape* value = context.shape(2);
      value != nullptr && NumElements(*value).known() && NumElements(*value) != Dim(1)) {
    return context.Fail("constant_value is not a scalar");
  }
  const IntsOperand pads(context, 1), axes(context, 3);
  const std::optional<rt::Shape> known = ToRuntimeShape(data);
  if (!known || !pads.known() || !axes.known()) return InferSymbolicPad(context, *data);
  rt::Shape output;
  DRAGOMAN_TRY(context.Check(
      rt::PadShape(context.params<rt::PadParams>(), *known, pads.span(), axes.span(), &output)));
  context.SetShape(0, output);
  return {};
}

}  // namespace

std::vector<OpDef> PadOps() {
  return {
      Op("Pad", {1, 21}, "(data: T, pads: i64#, constant_value: T?, axes: Tind?#) -> (output: T)",
         "T: any; Tind: index")
          .Attributes<rt::PadParams>()
          .Infer(InferPad)
          .Sizes(
              {.function = "PadShape", .header = "runtime/params/pad.h", .arguments = "p s0 v1 v3"})
          .Kernel(
              {.header = "runtime/kernels/pad.h", .types = "bits(T) Tind=i64", .fallible = true})};
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/reshape.h"

#include "core/ops/infer_context.h"
#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// The new sizes, of which at most one is -1; zeros copy the old size unless allowzero is set.
Result<Shape> ReshapedShape(InferContext& context, const Elements& shape) {
  const bool allowzero = context.params<rt::ReshapeParams>().allowzero;
  const Shape* data = context.shape(0);
  Shape reshaped;
  std::optional<std::size_t> inferred;
  Dim known(1);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    Dim size = shape[i].unknown() ? context.FreshDim(0) : shape[i];
    if (size.known() && size.value() == 0 && !allowzero) {
      if (data != nullptr && i >= data->size())
        return context.Fail("0 in the new shape has no size to copy");
      size = data != nullptr ? (*data)[i] : Dim::Unknown();
    }
    if (size.known() && size.value() < -1)
      return context.Fail("the new shape holds " + size.ToString());
    if (size.known() && size.value() == -1) {
      if (inferred) return context.Fail("the new shape holds -1 twice");
      inferred = i;
    } else {
      known = known * size;
    }
    reshaped.push_back(std::move(size));
  }
  if (inferred) {
    reshaped[*inferred] = data != nullptr ? FloorDiv(NumElements(*data), known) : Dim::Unknown();
  }
  return reshaped;
}

Status InferReshape(InferContext& context) {
  // The elements are the same ones in the same order.
  if (context.operand(0).elements) context.SetElements(0, *context.operand(0).elements);
  const std::optional<Elements>& shape = context.elements(1);
  if (!shape) {
    const Shape* sizes = context.shape(1);
    if (sizes == nullptr || sizes->size() != 1 || !(*sizes)[0].known()) return {};
    if ((*sizes)[0].value() > kMaxElements) return context.Fail("the new rank is too high");
    context.SetShape(0, FreshShape(context, 0, static_cast<std::size_t>((*sizes)[0].value())));
    return {};
  }
  const std::optional<rt::Shape> data = ToRuntimeShape(context.shape(0));
  const std::optional<std::vector<std::int64_t>> ints = context.ints(1);
  if (data && ints) {
    rt::Shape reshaped;
    const rt::IntSpan span = {ints->data(), static_cast<std::int64_t>(ints->size())};
    DRAGOMAN_TRY(context.Check(
        rt::ReshapeShape(context.params<rt::ReshapeParams>(), *data, span, &reshaped)));
    context.SetShape(0, reshaped);
    return {};
  }
  DRAGOMAN_ASSIGN(Shape reshaped, ReshapedShape(context, *shape));
  context.SetShape(0, std::move(reshaped));
  return {};
}

}  // namespace

std::vector<OpDef> ReshapeOps() {
  return {Op("Reshape", {1, 21}, "(data: T, shape: i64#) -> (reshaped: T)", "T: any")
              .Attributes<rt::ReshapeParams>()
              .Infer(InferReshape)
              .Sizes({.function = "ReshapeShape",
                      .header = "runtime/params/reshape.h",
                      .arguments = "p s0 v1"})
              .Kernel({.header = "runtime/kernels/copy.h",
                       .types = "bits(T)",
                       .function = "Copy",
                       .copies = true})};
}

}  // namespace dragoman

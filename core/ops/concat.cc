// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/concat.h"

#include "core/ops/movement.h"
#include "core/ops/op_list.h"

namespace dragoman {
namespace {

// Of rank-1 tensors what is known stays known, whatever is not known of the others.
void JoinLists(InferContext& context) {
  Elements joined;
  for (std::size_t i = 0; i < context.num_operands(); ++i) {
    const std::optional<Elements> part = ElementsOrUnknown(context, i);
    if (!part) return;
    joined.insert(joined.end(), part->begin(), part->end());
  }
  context.SetElements(0, std::move(joined));
}

void JoinElements(InferContext& context, int axis) {
  std::vector<SmallTensor> parts;
  for (std::size_t i = 0; i < context.num_operands(); ++i) {
    std::optional<SmallTensor> part = SmallOperand(context, i);
    if (!part) return;
    parts.push_back(std::move(*part));
  }
  const std::optional<rt::Shape> shape = ToRuntimeShape(context.results()[0].type.shape());
  if (!shape) return;
  SetMovedElements(context, 0, *shape, [&](rt::Shape position) {
    std::size_t part = 0;
    for (; position[axis] >= parts[part].shape[axis]; ++part)
      position[axis] -= parts[part].shape[axis];
    return parts[part].At(position);
  });
}

bool IsIntegral(DType dtype) { return IsInteger(dtype) || dtype == DType::kBool; }

// The sum along the axis, and what all operands with elements together say of the other sizes.
Result<Shape> ConcatenatedShape(const InferContext& context, std::size_t axis) {
  Shape result = *context.shape(0);
  for (std::size_t k = 1; k < context.num_operands(); ++k) {
    const Shape& next = *context.shape(k);
    if (next.size() != result.size()) return context.Fail("the ranks differ");
    if (next[axis] == Dim(0)) continue;
    if (result[axis] == Dim(0)) {
      result = next;
      continue;
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (i == axis) {
        result[i] = result[i] + next[i];
      } else {
        DRAGOMAN_ASSIGN(result[i], SameSize(context, result[i], next[i]));
      }
    }
  }
  return result;
}

Status InferConcat(InferContext& context) {
  const auto& params = context.params<rt::ConcatParams>();
  bool are_known = true;
  for (std::size_t i = 0; i < context.num_operands(); ++i) {
    const Shape* shape = context.shape(i);
    are_known = are_known && shape != nullptr;
    if (shape != nullptr)
      DRAGOMAN_TRY(NormalizeAxis(context, params.axis, static_cast<int>(shape->size())));
  }
  if (!are_known) return {};
  const auto rank = static_cast<int>(context.shape(0)->size());
  DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, params.axis, rank));
  if (const std::optional<std::vector<rt::Shape>> known = RuntimeShapes(context)) {
    rt::Shape result;
    DRAGOMAN_TRY(context.Check(
        rt::ConcatShape(params, known->data(), static_cast<std::int64_t>(known->size()), &result)));
    context.SetShape(0, result);
  } else {
    DRAGOMAN_ASSIGN(Shape result, ConcatenatedShape(context, static_cast<std::size_t>(axis)));
    context.SetShape(0, std::move(result));
  }
  if (!IsIntegral(context.result_dtype(0))) return {};
  if (rank == 1) {
    JoinLists(context);
  } else {
    JoinElements(context, axis);
  }
  return {};
}

}  // namespace

std::vector<OpDef> ConcatOps() {
  return {
      Op("Concat", {1, 13}, "(inputs: T*) -> (concat_result: T)", "T: basic bf16")
          .Attributes<rt::ConcatParams>()
          .Required("axis")
          .Axis(AxisUse::kOfFirst)
          .Infer(InferConcat)
          .Class(OpClass::kMovement)
          .Sizes(
              {.function = "ConcatShape", .header = "runtime/params/concat.h", .arguments = "p S"})
          .Kernel({.header = "runtime/kernels/concat.h", .types = "bits(T)"})};
}

}  // namespace dragoman

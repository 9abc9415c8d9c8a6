// SPDX-License-Identifier: Apache-2.0
// Writes to tensors that are not an operator's in-place form.
#include "core/lowering/heap.h"
#include "core/support/find_by_key.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

// `value`, with the element type and the sizes of `like`: leading axes of size 1 are dropped.
Result<Value*> Fit(Call& call, Value* value, Value* like) {
  DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOf(like));
  DRAGOMAN_ASSIGN(value, call.Cast(value, dtype));
  Composer c(call.builder());
  if (HasSizesOf(value, like)) return value;
  const std::optional<int> rank = c.MaybeRank(value);
  const std::optional<int> wanted = c.MaybeRank(like);
  if (rank && wanted && *rank > *wanted) return c.Done(c.Reshape(value, c.Shape(like)));
  return c.Done(WithSizesOf(c, c.Expand(value, c.Shape(like)), like));
}

Result<Results> Overwrite(Call& call, Value* value) {
  DRAGOMAN_ASSIGN(Value * self, call.Tensor("self"));
  DRAGOMAN_ASSIGN(value, Fit(call, value, self));
  DRAGOMAN_TRY(call.Write("self", value));
  return Results{call.arguments().front()};
}

Result<Results> LowerCopy(Call& call) {
  DRAGOMAN_ASSIGN(Value * source, call.Tensor(call.Declares("src") ? "src" : "other"));
  return Overwrite(call, source);
}

Result<Results> LowerFill(Call& call) {
  DRAGOMAN_ASSIGN(Value * value, call.Tensor("value"));
  return Overwrite(call, value);
}

Result<Results> LowerZero(Call& call) {
  DRAGOMAN_ASSIGN(Value * self, call.Tensor("self"));
  DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOf(self));
  DRAGOMAN_ASSIGN(Value * zero, call.NumberValue(Number::Int(0), dtype));
  return Overwrite(call, zero);
}

constexpr ScriptRow kRows[] = {
    {"aten.copy_", LowerCopy},
    {"aten.fill_", LowerFill},
    {"aten.zero_", LowerZero},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

}  // namespace

std::span<const ScriptRow> MutationRows() { return kRows; }

}  // namespace dragoman::torch

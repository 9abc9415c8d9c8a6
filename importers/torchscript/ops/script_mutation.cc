// Writes to tensors that are no operator's in-place form.
#include "importers/torchscript/heap.h"
#include "importers/torchscript/ops/script_lowerings.h"

namespace dragoman::torchscript {
namespace {

// `value`, with the element type and the sizes of `like`.
Result<Value*> Fit(Call& call, Value* value, Value* like) {
  DRAGOMAN_ASSIGN(const DType dtype, call.DTypeOf(like));
  DRAGOMAN_ASSIGN(value, call.Cast(value, dtype));
  const Shape* from = value->type().shape();
  const Shape* to = like->type().shape();
  bool same = from != nullptr && to != nullptr && from->size() == to->size();
  for (std::size_t i = 0; same && i < from->size(); ++i)
    same = Equal((*from)[i], (*to)[i]) == Truth::kYes;
  if (same) return value;
  if (from != nullptr && to != nullptr && from->size() > to->size()) {
    // Leading axes of size 1 are dropped.
    DRAGOMAN_ASSIGN(Value * shape, call.ShapeOf(like));
    return call.Add("Reshape", {value, shape});
  }
  DRAGOMAN_ASSIGN(Value * shape, call.ShapeOf(like));
  return call.Add("Expand", {value, shape});
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
  DRAGOMAN_ASSIGN(Value * zero, call.Constant(0, dtype));
  return Overwrite(call, zero);
}

constexpr ScriptRow kRows[] = {
    {"aten.copy_", LowerCopy},
    {"aten.fill_", LowerFill},
    {"aten.zero_", LowerZero},
};

}  // namespace

std::span<const ScriptRow> MutationRows() { return kRows; }

}  // namespace dragoman::torchscript

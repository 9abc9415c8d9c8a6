#include "importers/torch/ops/math.h"

#include "core/lowering/complex.h"

namespace dragoman::torch {

std::string_view FunctionalName(const OpName& op) {
  std::string_view name = op.type;
  const bool dunder = name.size() > 1 && name.substr(name.size() - 2) == "__";
  if (!dunder && !name.empty() && name.back() == '_') name.remove_suffix(1);
  return name;
}

Value* LogSumExpOfComplex(Composer& c, Value* x, const std::vector<std::int64_t>& axes, bool keep) {
  Value* largest = c.Reduce("ReduceMax", PartsOf(c, x).re, axes, true);
  Value* scale = c.Where(IsInf(c, largest, true, true), 0, largest);
  Value* sum = c.Log(c.ReduceSum(c.Exp(c.Sub(x, scale)), axes, true));
  Value* y = c.Add(sum, scale);
  return keep || axes.empty() ? y : c.Squeeze(y, axes);
}

Value* XLogY(Composer& c, Value* x, Value* y) {
  Value* zero = c.And(c.Equal(x, 0), c.Not(IsNaN(c, y)));
  return c.Where(zero, 0, c.Mul(x, c.Log(y)));
}

}  // namespace dragoman::torch

// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/math.h"

#include <cmath>
#include <optional>

#include "core/lowering/complex.h"
#include "core/lowering/math.h"
#include "core/support/count_elements.h"

namespace dragoman::torch {

std::string_view FunctionalName(const OpName& op) {
  std::string_view name = op.type;
  const bool dunder = name.size() > 1 && name.substr(name.size() - 2) == "__";
  if (!dunder && !name.empty() && name.back() == '_') name.remove_suffix(1);
  return name;
}

Value* MergedSize(Composer& c, Value* value, int first, int count, std::int64_t parts) {
  if (c.failed()) return nullptr;
  std::vector<std::int64_t> sizes;
  for (int axis = first; axis < first + count; ++axis) {
    const std::optional<std::int64_t> size = c.KnownSize(value, axis);
    if (!size) return c.Ints({-1});
    sizes.push_back(*size);
  }
  const std::optional<std::int64_t> product = CountElements(sizes);
  const bool is_known = product && parts > 0 && *product % parts == 0;
  return c.Ints({is_known ? *product / parts : -1});
}

Value* LogSumExpOfComplex(Composer& c, Value* x, const std::vector<std::int64_t>& axes, bool keep) {
  Value* largest = c.Reduce("ReduceMax", PartsOf(c, x).re, axes, true);
  Value* scale = c.Where(IsInf(c, largest, true, true), 0, largest);
  Value* sum = c.Log(c.ReduceSum(c.Exp(c.Sub(x, scale)), axes, true));
  Value* y = c.Add(sum, scale);
  return keep || axes.empty() ? y : c.Squeeze(y, axes);
}

Value* SafeSoftmax(Composer& c, Value* x, int axis) {
  Value* hidden = c.Equal(c.Reduce("ReduceMax", x, {axis}, true), -INFINITY);
  return c.Where(hidden, 0, c.Op("Softmax", {x}, {{"axis", std::int64_t{axis}}}));
}

Value* LogSigmoid(Composer& c, Value* x) {
  return c.Sub(c.Min(x, 0), Log1p(c, c.Exp(c.Neg(c.Abs(x)))));
}

Value* Sign(Composer& c, Value* x) {
  Value* sign = c.Op("Sign", {x});
  return IsFloating(c.dtype(x)) ? c.Where(IsNaN(c, x), 0, sign) : sign;
}

Value* XLogY(Composer& c, Value* x, Value* y) {
  Value* product = c.Where(c.Equal(x, 0), 0, c.Mul(x, c.Log(y)));
  return c.Where(IsNaN(c, y), NAN, product);
}

}  // namespace dragoman::torch

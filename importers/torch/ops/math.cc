#include "importers/torch/ops/math.h"

namespace dragoman::torch {

std::string_view FunctionalName(const OpName& op) {
  std::string_view name = op.type;
  const bool dunder = name.size() > 1 && name.substr(name.size() - 2) == "__";
  if (!dunder && !name.empty() && name.back() == '_') name.remove_suffix(1);
  return name;
}

Value* XLogY(Composer& c, Value* x, Value* y) {
  Value* zero = c.And(c.Equal(x, 0), c.Not(IsNaN(c, y)));
  return c.Where(zero, 0, c.Mul(x, c.Log(y)));
}

}  // namespace dragoman::torch

// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/relax_op.h"

#include <fmt/format.h>

namespace dragoman::relax {

Result<std::string> RelaxOp::shape_text(const Shape& shape) const {
  std::optional<std::string> text = ShapeText(shape, symbols);
  if (!text) return Refuse("a size is known at run time only");
  return *text;
}

std::string ConstOf(double value, DType dtype) {
  const std::string number =
      IsFloating(dtype) ? PythonFloat(value, dtype == DType::kF64) : fmt::format("{:.0f}", value);
  return fmt::format("R.const({}, \"{}\")", number, RelaxDType(dtype));
}

std::string RelaxOp::Const(double value, std::size_t like) const {
  return ConstOf(value, dtype(like));
}

std::string RelaxOp::FloatArgument(double value) const {
  return PythonFloat(value, dtype() == DType::kF64);
}

std::string RelaxOp::Astype(const std::string& x, DType from, DType to) const {
  if (from == to) return x;
  return BindPlain(fmt::format("R.astype({}, dtype=\"{}\")", x, RelaxDType(to)));
}

Result<std::string> RelaxOp::ShapeValue(const Shape& shape) const {
  std::optional<std::string> text = ShapeValueText(shape, symbols);
  if (!text) return Refuse("a size is known at run time only");
  return *text;
}

}  // namespace dragoman::relax

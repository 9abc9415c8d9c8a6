// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/relax_op.h"

#include <fmt/format.h>

#include "core/ir/node_attributes.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::relax {
namespace {

Result<Shape> SizesOf(const RelaxOp& op, const Type& type) {
  if (type.shape() == nullptr)
    return op.Refuse("a rank is not known; state the inputs' sizes with --shape");
  return *type.shape();
}

}  // namespace

Result<Shape> RelaxOp::shape(std::size_t i) const { return SizesOf(*this, type(i)); }

Result<Shape> RelaxOp::result_shape(std::size_t i) const { return SizesOf(*this, result_type(i)); }

Result<std::string> RelaxOp::shape_text(const Shape& shape) const {
  std::optional<std::string> text = ShapeText(shape, symbols);
  if (!text) return Refuse("a size is known at run time only");
  return *text;
}

std::int64_t RelaxOp::Int(std::string_view name) const { return IntAttribute(node, name); }

float RelaxOp::Float(std::string_view name) const { return FloatAttribute(node, name); }

std::string RelaxOp::String(std::string_view name, std::string_view value) const {
  return TextAttribute(node, name, value);
}

std::vector<std::int64_t> RelaxOp::Ints(std::string_view name) const {
  const Attribute::Ints* found = IntsAttribute(node, name);
  return found != nullptr ? *found : Attribute::Ints();
}

Result<std::vector<std::int64_t>> RelaxOp::KnownInts(std::size_t i) const {
  std::optional<std::vector<std::int64_t>> ints = inference.KnownInts(node.operand(i));
  if (!ints) return Refuse(fmt::format("operand {} is known at run time only", i));
  return *ints;
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

Result<std::int64_t> RelaxOp::Axis(std::string_view name) const {
  DRAGOMAN_ASSIGN(Shape sizes, shape(0));
  const std::int64_t axis = Int(name);
  return axis < 0 ? axis + static_cast<std::int64_t>(sizes.size()) : axis;
}

Error RelaxOp::Refuse(std::string_view why) const {
  return Unsupported("Relax cannot express it: " + std::string(why)).At(node.Describe());
}

}  // namespace dragoman::relax

// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/relay_op.h"

#include <fmt/format.h>

#include "codegen/relay/nd_array.h"
#include "core/ir/node_attributes.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::relay::emit {
namespace {

Result<Shape> SizesOf(const RelayOp& op, const Type& type) {
  if (type.shape() == nullptr)
    return op.Refuse("a rank is not known; state the inputs' sizes with --shape");
  return *type.shape();
}

}  // namespace

Values RelayOp::args() const {
  Values all;
  for (std::size_t i = 0; i < node.num_operands(); ++i) all.push_back(arg(i));
  return all;
}

Result<Shape> RelayOp::shape(std::size_t i) const { return SizesOf(*this, type(i)); }

Result<Shape> RelayOp::result_shape(std::size_t i) const { return SizesOf(*this, result_type(i)); }

Result<std::int64_t> RelayOp::rank(std::size_t i) const {
  DRAGOMAN_ASSIGN(const Shape sizes, shape(i));
  return static_cast<std::int64_t>(sizes.size());
}

Result<Ints> RelayOp::KnownSizes(const Shape& shape) const {
  std::optional<std::vector<std::int64_t>> known = KnownShape(shape);
  if (!known) return Refuse("a size is known at run time only");
  return *std::move(known);
}

std::int64_t RelayOp::Int(std::string_view name) const { return IntAttribute(node, name); }

float RelayOp::Float(std::string_view name) const { return FloatAttribute(node, name); }

std::string RelayOp::String(std::string_view name, std::string_view value) const {
  return TextAttribute(node, name, value);
}

Ints RelayOp::Ints(std::string_view name) const {
  const Attribute::Ints* found = IntsAttribute(node, name);
  return found != nullptr ? *found : Attribute::Ints();
}

std::optional<Ints> RelayOp::MaybeInts(std::size_t i) const {
  return inference.KnownInts(node.operand(i));
}

Result<Ints> RelayOp::KnownInts(std::size_t i) const {
  std::optional<std::vector<std::int64_t>> ints = MaybeInts(i);
  if (!ints) return Refuse(fmt::format("operand {} is known at run time only", i));
  return *std::move(ints);
}

Result<std::int64_t> RelayOp::Axis(std::string_view name) const {
  DRAGOMAN_ASSIGN(const std::int64_t count, rank(0));
  const std::int64_t axis = Int(name);
  return axis < 0 ? axis + count : axis;
}

Value* RelayOp::Number(double value, DType dtype) const {
  return builder.Constant(*Tensor::Full(dtype, {}, value));
}

Value* RelayOp::Int64(std::int64_t value) const { return builder.Constant(Tensor::Int(value)); }

Value* RelayOp::IntVector(const emit::Ints& values) const {
  return builder.Constant(Tensor::Ints(values));
}

Value* RelayOp::Cast(Value* x, DType from, DType to) const {
  if (from == to) return x;
  // In one step TVM 0.19 makes zeros of all numbers.
  if (from == DType::kF64 && to == DType::kF16)
    return Cast(Cast(x, from, DType::kF32), DType::kF32, to);
  return Do("cast", {x}, {{"dtype", std::string(RelayDType(to))}});
}

Error RelayOp::Refuse(std::string_view why) const {
  return Unsupported("Relay cannot express it: " + std::string(why)).At(node.Describe());
}

}  // namespace dragoman::relay::emit

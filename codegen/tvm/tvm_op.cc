// SPDX-License-Identifier: Apache-2.0
#include "codegen/tvm/tvm_op.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/size_advice.h"
#include "core/ir/node_attributes.h"
#include "core/ir/wide_float.h"
#include "core/ops/declared_attributes.h"

namespace dragoman::tvm {
namespace {

Result<Shape> SizesOf(const TvmOp& op, const Type& type) {
  if (type.shape() == nullptr)
    return op.Refuse("a rank is not known; state the inputs' sizes with --shape");
  return *type.shape();
}

// The number of an iteration of a Loop.
bool IsIteration(const Value& value) {
  const Node* loop = value.graph()->parent();
  return value.kind() == Value::Kind::kInput && value.index() == 0 && loop != nullptr &&
         loop->Is("Loop");
}

}  // namespace

Result<Shape> TvmOp::shape(std::size_t i) const { return SizesOf(*this, type(i)); }

Result<Shape> TvmOp::result_shape(std::size_t i) const { return SizesOf(*this, result_type(i)); }

Result<std::int64_t> TvmOp::rank(std::size_t i) const {
  DRAGOMAN_ASSIGN(const Shape sizes, shape(i));
  return static_cast<std::int64_t>(sizes.size());
}

Result<std::vector<std::int64_t>> TvmOp::KnownSizes(const Shape& shape) const {
  std::optional<std::vector<std::int64_t>> known = KnownShape(shape);
  if (!known) return Refuse("a size is known at run time only");
  return *std::move(known);
}

std::int64_t TvmOp::Int(std::string_view name) const { return IntAttribute(node, name); }

float TvmOp::Float(std::string_view name) const { return FloatAttribute(node, name); }

std::string TvmOp::String(std::string_view name, std::string_view value) const {
  return TextAttribute(node, name, value);
}

std::vector<std::int64_t> TvmOp::Ints(std::string_view name) const {
  const Attribute::Ints* found = IntsAttribute(node, name);
  return found != nullptr ? *found : Attribute::Ints();
}

std::optional<std::vector<std::int64_t>> TvmOp::MaybeInts(std::size_t i) const {
  return inference.KnownInts(node.operand(i));
}

Result<std::vector<std::int64_t>> TvmOp::KnownInts(std::size_t i) const {
  std::optional<std::vector<std::int64_t>> ints = MaybeInts(i);
  if (!ints) return Refuse(fmt::format("operand {} is known at run time only", i));
  return *std::move(ints);
}

std::optional<std::vector<std::int64_t>> TvmOp::Contents(std::size_t i) const {
  const Tensor* tensor = node.operand(i)->tensor();
  if (tensor != nullptr && IsInteger(tensor->dtype())) return tensor->ToInts();
  return MaybeInts(i);
}

bool TvmOp::KnownNotNegative(std::size_t i) const {
  if (IsIteration(*node.operand(i))) return true;
  const std::optional<std::vector<std::int64_t>> known = Contents(i);
  return known && std::ranges::all_of(*known, [](std::int64_t index) { return index >= 0; });
}

bool TvmOp::MayBeMinusInfinity() const {
  return tvm::MayBeMinusInfinity(*node.operand(0), bounded);
}

Result<std::int64_t> TvmOp::Axis(std::string_view name) const {
  DRAGOMAN_ASSIGN(const std::int64_t count, rank(0));
  const std::int64_t axis = Int(name);
  return axis < 0 ? axis + count : axis;
}

Status TvmOp::EqualElementTypes() const {
  for (std::size_t i = 1; i < node.num_operands(); ++i) {
    if (has(i) && dtype(i) != dtype()) return Refuse("scale and bias have another element type");
  }
  return {};
}

Error TvmOp::Refuse(std::string_view why) const {
  return Unsupported(fmt::format("{} cannot express it: {}", writes, WithSizeAdvice(why, node)))
      .At(node.Describe());
}

bool IsOfFloats(const Node& node) { return IsFloating(node.operand(0)->type().dtype()); }

bool IsOfWideFloats(const Node& node) {
  const DType dtype = node.operand(0)->type().dtype();
  return WideFloat(dtype) == dtype;
}

bool HasPlainAffine(const Node& node) {
  const Type& x = node.operand(0)->type();
  if (x.shape() == nullptr || node.result(1) != nullptr || node.result(2) != nullptr) return false;
  const std::int64_t axis = IntAttribute(node, "axis");
  const auto first = axis < 0 ? x.shape()->end() + axis : x.shape()->begin() + axis;
  const Type normalized = x.WithShape(Shape(first, x.shape()->end()));
  return std::ranges::all_of(node.operands().subspan(1), [&](const Use& use) {
    return use.value() == nullptr || use.value()->type() == normalized;
  });
}

}  // namespace dragoman::tvm

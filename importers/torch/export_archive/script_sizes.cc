// SPDX-License-Identifier: Apache-2.0
// Operators whose number of results, or of axes, depends on sizes: exporting a program has settled
// it, and the file states it also where sizes are known at run time only.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "importers/torch/export_archive/script_writer.h"

namespace dragoman::torch {
namespace {

Type IntType() { return Type::Opaque("torch", "int"); }
Type BoolType() { return Type::Opaque("torch", "bool"); }
Type PartType() { return Type::Tensor(DType::kUnknown); }

// An argument that is a known number; `otherwise` where it is not given.
std::optional<std::int64_t> NumberOf(const Node& node, const std::string& name,
                                     std::size_t position, std::int64_t otherwise) {
  const Attribute* argument = node.attribute(name);
  if (argument == nullptr) argument = node.attribute(std::to_string(position));
  if (argument == nullptr) return otherwise;
  const auto* number = argument->As<std::int64_t>();
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

// An axis of the first operand, from the front.
std::optional<std::int64_t> FromFront(std::optional<std::int64_t> axis, const Shape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (!axis || *axis < -rank || *axis >= rank) return std::nullopt;
  return *axis < 0 ? *axis + rank : *axis;
}

const Shape* SizesOf(const Node& node) {
  const Value* x = node.num_operands() > 0 ? node.operand(0) : nullptr;
  return x != nullptr && x->type().is_tensor() ? x->type().shape() : nullptr;
}

bool IsSqueeze(const OpName& op) {
  return (op.type == "squeeze" || op.type == "squeeze_") &&
         (op.overload == "default" || op.overload == "dim");
}

bool IsChunk(const OpName& op) { return op.type == "chunk" || op.type == "unsafe_chunk"; }
bool IsSplit(const OpName& op) {
  return (op.type == "split" || op.type == "unsafe_split") && op.overload == "Tensor";
}

// The axes of size 1 that go; nullopt: the file's types give another number.
std::optional<std::vector<std::int64_t>> SqueezedAxes(const Node& node) {
  const Shape& shape = *SizesOf(node);
  std::vector<std::int64_t> axes;
  std::optional<std::int64_t> only;
  if (node.op().overload == "dim") {
    only = FromFront(NumberOf(node, "dim", 1, 0), shape);
    if (!only) return std::nullopt;
  }
  for (std::int64_t axis = 0; axis < std::ssize(shape); ++axis) {
    if ((!only || *only == axis) && shape[static_cast<std::size_t>(axis)] == Dim(1))
      axes.push_back(axis);
  }
  const auto rank = node.result() != nullptr ? node.result()->type().rank() : std::nullopt;
  return rank && std::size_t(*rank) + axes.size() == shape.size() ? std::optional(axes)
                                                                  : std::nullopt;
}

}  // namespace

bool ScriptWriter::DependsOnSizes(const Node& node) const {
  const OpName& op = node.op();
  const Shape* shape = SizesOf(node);
  if (op.dialect != "aten" || shape == nullptr) return false;
  if (IsSqueeze(op)) {
    return std::ranges::any_of(*shape, [](const Dim& size) { return !size.known(); }) &&
           SqueezedAxes(node).has_value();
  }
  if (!IsChunk(op) && !IsSplit(op)) return false;
  const auto axis = FromFront(NumberOf(node, "dim", 2, 0), *shape);
  return axis && node.num_results() > 0 && !(*shape)[static_cast<std::size_t>(*axis)].known();
}

Status ScriptWriter::WriteBySizes(const Node& node) {
  return IsSqueeze(node.op()) ? WriteSqueeze(node) : WriteParts(node);
}

Status ScriptWriter::WriteSqueeze(const Node& node) {
  DRAGOMAN_ASSIGN(Value * x, Mapped(node.operand(0)));
  Value* axes =
      Constant(Attribute(Attribute::Ints(*SqueezedAxes(node))), Type::Sequence(IntType()));
  Bind(*node.result(),
       Append({"aten", "squeeze", "dims"}, {x, axes}, PartType(), node.result()->name()));
  return {};
}

Value* ScriptWriter::SizeOf(Value* tensor, std::int64_t axis) {
  return Append({"aten", "size", "int"}, {tensor, Int(axis)}, IntType());
}

Value* ScriptWriter::OfInts(std::string_view name, Value* a, Value* b, std::string_view overload) {
  const bool compares = name == "gt" || name == "le" || overload == "bool";
  return Append({"aten", name, overload}, {a, b}, compares ? BoolType() : IntType());
}

// chunk, split: as many slices as the file has results, which together are the whole.
Status ScriptWriter::WriteParts(const Node& node) {
  const std::int64_t axis = *FromFront(NumberOf(node, "dim", 2, 0), *SizesOf(node));
  if (node.attributes().size() < 2)
    return InvalidInput("operator " + node.op().ToString() + " lacks an argument");
  DRAGOMAN_ASSIGN(Value * x, Mapped(node.operand(0)));
  DRAGOMAN_ASSIGN(Value * part, Argument(node.attributes()[1].value, OperandValues(node)));
  Value* size = SizeOf(x, axis);
  if (IsChunk(node.op())) {
    Value* above = OfInts("add", size, OfInts("sub", part, Int(1)));
    part = OfInts("floordiv", above, part);
  }
  const auto count = static_cast<std::int64_t>(node.num_results());
  Value* holds = OfInts("le", size, OfInts("mul", part, Int(count)));
  if (count > 1) {
    Value* needs_all = OfInts("gt", size, OfInts("mul", part, Int(count - 1)));
    holds = OfInts("__and__", holds, needs_all, "bool");
  }
  DRAGOMAN_TRY(
      WriteRaiseUnless(holds, "the program was exported for " + std::to_string(count) + " parts"));
  for (std::int64_t i = 0; i < count; ++i) {
    Value* begin = OfInts("mul", part, Int(i));
    Value* slice = Append({"aten", "slice", "Tensor"},
                          {x, Int(axis), begin, OfInts("add", begin, part), Int(1)}, PartType());
    if (const Value* result = node.result(static_cast<std::size_t>(i))) Bind(*result, slice);
  }
  return {};
}

}  // namespace dragoman::torch

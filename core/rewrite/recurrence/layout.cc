// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/layout.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace dragoman {
namespace {

// Whether the steps come before the batch in a tensor of `shape`; nullopt if they come within, or
// after the features.
std::optional<bool> StepsComeFirst(const Shape& shape, std::size_t step_axis, std::size_t axis) {
  if (step_axis > axis) return std::nullopt;
  bool before = false;
  bool after = false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i == step_axis || shape[i] == Dim(1)) continue;
    if (i > axis) return std::nullopt;
    if (i == axis) continue;
    (i < step_axis ? before : after) = true;
  }
  if (before && after) return std::nullopt;
  return !before;
}

// Of two shapes with equally many elements: equal if at most one size is not known to be.
bool AreSame(const Shape* a, const Shape& b) {
  if (a == nullptr || a->size() != b.size()) return false;
  int open = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Truth equal = Equal((*a)[i], b[i]);
    if (equal == Truth::kNo) return false;
    open += equal == Truth::kUnknown ? 1 : 0;
  }
  return open <= 1;
}

}  // namespace

Dim BatchOf(const Value& value, int axis, int step_axis) {
  const Shape* shape = value.type().shape();
  if (shape == nullptr) return Dim::Unknown();
  Dim batch(1);
  for (int i = 0; i < static_cast<int>(shape->size()); ++i) {
    if (i != axis && i != step_axis) batch = batch * (*shape)[static_cast<std::size_t>(i)];
  }
  return batch;
}

Value* LayoutBuilder::Ints(std::vector<std::int64_t> values) {
  return context_.AddConstant(*position_.graph(), Tensor::Ints(values), "sizes",
                              position_.origin());
}

Result<Value*> LayoutBuilder::Zero(DType dtype) {
  DRAGOMAN_ASSIGN(Tensor zero, Tensor::Full(dtype, {}, 0));
  return context_.AddConstant(*position_.graph(), std::move(zero), "zero", {});
}

Result<Value*> LayoutBuilder::Transpose(Value* value, std::vector<std::int64_t> perm) {
  if (std::is_sorted(perm.begin(), perm.end())) return value;
  return context_.Insert(position_, "Transpose", {{value}}, {{"perm", std::move(perm)}});
}

Result<Value*> LayoutBuilder::Reshape(Value* value, const Shape& shape) {
  if (AreSame(value->type().shape(), shape)) return value;
  std::vector<std::int64_t> sizes;
  bool open = false, empty = false;
  for (const Dim& dim : shape) {
    if (!dim.known() && open) return static_cast<Value*>(nullptr);
    open = open || !dim.known();
    empty = empty || dim == Dim(0);
    sizes.push_back(dim.known() ? dim.value() : -1);
  }
  // Where there are no elements, their number does not give an open size.
  if (empty && open) return static_cast<Value*>(nullptr);
  std::vector<NamedAttribute> attributes;
  if (empty) attributes.push_back({"allowzero", std::int64_t{1}});
  return context_.Insert(position_, "Reshape", {{value, Ints(std::move(sizes))}},
                         std::move(attributes));
}

Result<Value*> LayoutBuilder::Slice(Value* value, std::int64_t axis, std::int64_t begin,
                                    std::int64_t end, std::int64_t step) {
  return context_.Insert(position_, "Slice",
                         {{value, Ints({begin}), Ints({end}), Ints({axis}), Ints({step})}});
}

Result<Value*> LayoutBuilder::Gather(Value* value, std::int64_t axis, const Tensor& indices) {
  Value* constant =
      context_.AddConstant(*position_.graph(), indices, "indices", position_.origin());
  return context_.Insert(position_, "Gather", {{value, constant}}, {{"axis", axis}});
}

Result<Value*> LayoutBuilder::Concat(const std::vector<Value*>& parts, std::int64_t axis) {
  if (parts.size() == 1) return parts.front();
  return context_.Insert(position_, "Concat", parts, {{"axis", axis}});
}

Result<Value*> LayoutBuilder::Squeeze(Value* value, std::int64_t axis) {
  return context_.Insert(position_, "Squeeze", {{value, Ints({axis})}});
}

Result<Value*> LayoutBuilder::Unsqueeze(Value* value, std::vector<std::int64_t> axes) {
  return context_.Insert(position_, "Unsqueeze", {{value, Ints(std::move(axes))}});
}

Result<Value*> LayoutBuilder::Expand(Value* value, const std::vector<std::int64_t>& sizes) {
  return context_.Insert(position_, "Expand", {{value, Ints(sizes)}});
}

Result<Value*> LayoutBuilder::Size(Value* value, std::int64_t axis) {
  const Shape* shape = value->type().shape();
  const Dim size = shape != nullptr ? (*shape)[static_cast<std::size_t>(axis)] : Dim::Unknown();
  if (size.known()) {
    return context_.AddConstant(*position_.graph(), Tensor::Int(size.value()), "size",
                                position_.origin());
  }
  DRAGOMAN_ASSIGN(Value * sizes, context_.Insert(position_, "Shape", {{value}},
                                                 {{"end", axis + 1}, {"start", axis}}));
  return Squeeze(sizes, 0);
}

Result<Value*> LayoutBuilder::Reduce(Value* value, std::string_view type) {
  return context_.Insert(position_, type, {{value, Ints({0})}}, {{"keepdims", std::int64_t{0}}});
}

Result<Value*> LayoutBuilder::Reverse(Value* value) {
  return Slice(value, 0, INT64_MAX, INT64_MIN, -1);
}

Result<Value*> LayoutBuilder::StepsFirst(Value* value, int axis) {
  std::vector<std::int64_t> perm = {axis};
  for (int i = 0; i < value->type().rank().value_or(0); ++i) {
    if (i != axis) perm.push_back(i);
  }
  return Transpose(value, std::move(perm));
}

Result<Value*> LayoutBuilder::Stacked(Value* value, int axis, const Shape& shape) {
  std::vector<std::int64_t> perm;
  for (int i = 1; i < value->type().rank().value_or(0); ++i) perm.push_back(i);
  perm.insert(perm.begin() + axis, 0);
  const Shape own = *value->type().shape();
  DRAGOMAN_ASSIGN(value, Transpose(value, std::move(perm)));
  if (own.size() == shape.size()) return value;
  if (own[static_cast<std::size_t>(axis) + 1] == Dim(1)) return Squeeze(value, axis + 1);
  return Reshape(value, shape);
}

Result<Value*> LayoutBuilder::ToSequence(Value* value, int step_axis, int axis) {
  const Shape shape = *value->type().shape();
  std::vector<std::int64_t> perm = {step_axis};
  for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
    if (i != step_axis && i != axis) perm.push_back(i);
  }
  perm.push_back(axis);
  DRAGOMAN_ASSIGN(value, Transpose(value, std::move(perm)));
  if (shape.size() == 3) return value;
  if (shape.size() == 2) return Unsqueeze(value, {1});
  return Reshape(value, {shape[static_cast<std::size_t>(step_axis)],
                         BatchOf(*value, static_cast<int>(shape.size()) - 1, 0),
                         shape[static_cast<std::size_t>(axis)]});
}

Result<Value*> LayoutBuilder::ToState(Value* value, int axis) {
  const Shape shape = *value->type().shape();
  std::vector<std::int64_t> perm;
  for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
    if (i != axis) perm.push_back(i);
  }
  perm.push_back(axis);
  const Dim batch = BatchOf(*value, axis);
  DRAGOMAN_ASSIGN(value, Transpose(value, std::move(perm)));
  if (shape.size() == 2) return Unsqueeze(value, {0});
  return Reshape(value, {Dim(1), batch, shape[static_cast<std::size_t>(axis)]});
}

Result<Value*> LayoutBuilder::FromState(Value* value, const Shape& shape, int axis) {
  const int rank = static_cast<int>(shape.size());
  if (axis == rank - 1) return Reshape(value, shape);
  Shape moved;
  std::vector<std::int64_t> perm;
  for (int i = 0; i < rank; ++i) {
    if (i != axis) moved.push_back(shape[static_cast<std::size_t>(i)]);
    perm.push_back(i < axis ? i : i == axis ? rank - 1 : i - 1);
  }
  moved.push_back(shape[static_cast<std::size_t>(axis)]);
  DRAGOMAN_ASSIGN(value, Reshape(value, moved));
  if (value == nullptr) return value;
  return Transpose(value, std::move(perm));
}

Result<Value*> LayoutBuilder::Spread(Value* value, const Shape& shape, int step_axis, int axis) {
  Shape moved = {shape[static_cast<std::size_t>(step_axis)]};
  std::vector<std::int64_t> perm;
  for (int i = 0; i < static_cast<int>(shape.size()); ++i) {
    if (i == step_axis || i == axis) {
      perm.push_back(i == axis ? static_cast<std::int64_t>(shape.size()) - 1 : 0);
      continue;
    }
    perm.push_back(static_cast<std::int64_t>(moved.size()));
    moved.push_back(shape[static_cast<std::size_t>(i)]);
  }
  moved.push_back(shape[static_cast<std::size_t>(axis)]);
  DRAGOMAN_ASSIGN(value, Reshape(value, moved));
  return value == nullptr ? Result<Value*>(value) : Transpose(value, std::move(perm));
}

Result<Value*> LayoutBuilder::FromSequence(Value* value, const Shape& shape, int step_axis,
                                           int axis) {
  if (step_axis == axis) {
    DRAGOMAN_ASSIGN(value, Transpose(value, {1, 0, 2}));
    return FromState(value, shape, axis);
  }
  const auto steps_first =
      StepsComeFirst(shape, static_cast<std::size_t>(step_axis), static_cast<std::size_t>(axis));
  if (!steps_first) return Spread(value, shape, step_axis, axis);
  if (!*steps_first) {
    DRAGOMAN_ASSIGN(value, Transpose(value, {1, 0, 2}));
  }
  return Reshape(value, shape);
}

}  // namespace dragoman

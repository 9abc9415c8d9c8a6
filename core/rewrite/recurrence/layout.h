// SPDX-License-Identifier: Apache-2.0
// Brings sequences and states into the layout of ONNX's recurrent operators, and back.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_LAYOUT_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_LAYOUT_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/rewrite/pass_context.h"

namespace dragoman {

// Inserts nodes before `position`. A function gives nullptr where sizes that it needs are not
// known; then nothing that is read has been inserted.
class LayoutBuilder {
 public:
  LayoutBuilder(PassContext& context, Node& position) : context_(context), position_(position) {}

  Result<Value*> Transpose(Value* value, std::vector<std::int64_t> perm);
  // Of a known size along all axes but one at most, and if that is open, none of size 0.
  Result<Value*> Reshape(Value* value, const Shape& shape);
  Result<Value*> Slice(Value* value, std::int64_t axis, std::int64_t begin, std::int64_t end,
                       std::int64_t step = 1);
  Result<Value*> Gather(Value* value, std::int64_t axis, const Tensor& indices);
  Result<Value*> Concat(const std::vector<Value*>& parts, std::int64_t axis);
  Result<Value*> Squeeze(Value* value, std::int64_t axis);
  Result<Value*> Unsqueeze(Value* value, std::vector<std::int64_t> axes);
  Result<Value*> Expand(Value* value, const std::vector<std::int64_t>& sizes);

  // The number 0, without axes.
  Result<Value*> Zero(DType dtype);
  // i64[]: how many elements lie along `axis`.
  Result<Value*> Size(Value* value, std::int64_t axis);
  // The sum or the like over axis 0, by an operator as ReduceSum.
  Result<Value*> Reduce(Value* value, std::string_view type);

  // The same from the last to the first along axis 0.
  Result<Value*> Reverse(Value* value);
  // With `axis` in front of the others.
  Result<Value*> StepsFirst(Value* value, int axis);
  // A (steps, sizes of a step) value as a tensor of `shape` with the steps along `axis`: an axis of
  // their own, or one along which the steps' values lie side by side.
  Result<Value*> Stacked(Value* value, int axis, const Shape& shape);

  // (steps, batch, features) of a value whose steps lie along `step_axis` and features along
  // `axis`; the others, in order, are the batch.
  Result<Value*> ToSequence(Value* value, int step_axis, int axis);
  // (1, batch, features) of a value with features along `axis`.
  Result<Value*> ToState(Value* value, int axis);
  // A (steps, batch, features) value as a tensor of `shape` with steps along `step_axis` and
  // features along `axis`; if these are the same axis, the features of all steps lie side by side.
  Result<Value*> FromSequence(Value* value, const Shape& shape, int step_axis, int axis);
  // A (batch, features) value, or one of as many elements in that order, as a tensor of `shape`
  // with its features along `axis`.
  Result<Value*> FromState(Value* value, const Shape& shape, int axis);

 private:
  // The same as FromSequence for features or steps that lie between other axes.
  Result<Value*> Spread(Value* value, const Shape& shape, int step_axis, int axis);
  Value* Ints(std::vector<std::int64_t> values);

  PassContext& context_;
  Node& position_;
};

// The number of elements of `value` over its size along `axis`.
Dim BatchOf(const Value& value, int axis, int step_axis = -1);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_LAYOUT_H_

// SPDX-License-Identifier: Apache-2.0
// Values that are not tensors: sequences and optionals.
#include <utility>

#include "core/interpreter/handlers.h"
#include "core/interpreter/operands.h"
#include "core/interpreter/pieces.h"
#include "core/ops/declared_attributes.h"

namespace dragoman {
namespace {

using Values = std::vector<RuntimeValue>;

Result<Values> One(RuntimeValue value) {
  Values values;
  values.push_back(std::move(value));
  return values;
}

RuntimeValue SequenceOf(std::vector<Array> arrays, DType dtype) {
  RuntimeValue sequence;
  sequence.kind = RuntimeValue::Kind::kSequence;
  sequence.sequence_dtype = dtype;
  for (Array& array : arrays) sequence.sequence.push_back(RuntimeValue::Of(std::move(array)));
  return sequence;
}

// The place that operand `i` names in a sequence with `count` places; negative from the end.
Result<std::ptrdiff_t> Place(std::span<const RuntimeValue> operands, std::size_t i,
                             std::size_t length, std::int64_t count, std::int64_t absent) {
  DRAGOMAN_ASSIGN(std::int64_t place, IntOperandOr(operands, i, absent));
  const auto size = static_cast<std::int64_t>(length);
  if (place < -size || place >= count) {
    return InvalidInput("position " + std::to_string(place) + " is out of range for " +
                        std::to_string(length) + " elements");
  }
  return static_cast<std::ptrdiff_t>(place < 0 ? place + size : place);
}

// Sizes of the parts of SplitToSequence: all equal to a scalar but the last, or as listed.
Result<std::vector<std::int64_t>> PartSizes(std::span<const RuntimeValue> operands,
                                            std::int64_t size) {
  if (!HasOperand(operands, 1)) return std::vector<std::int64_t>(static_cast<std::size_t>(size), 1);
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> split, IntsOperand(operands, 1));
  if (operands[1].array.shape().size() > 0) return split;
  const std::int64_t part = split.front();
  if (part < 1) return InvalidInput("split is " + std::to_string(part) + ", expected 1 or more");
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(size / part), part);
  if (size % part != 0) sizes.push_back(size % part);
  return sizes;
}

}  // namespace

Result<Values> RunIdentity(const Node&, std::span<const RuntimeValue> operands, const Execution&,
                           const Frame&) {
  if (operands.empty()) return InvalidInput("operand 0 is missing");
  return One(operands[0]);
}

Result<Values> RunSequenceConstruct(const Node&, std::span<const RuntimeValue> operands,
                                    const Execution&, const Frame&) {
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    DRAGOMAN_ASSIGN(const Array* array, TensorOperand(operands, i));
    if (array->dtype() != operands[0].array.dtype())
      return InvalidInput("the element types of the operands differ");
    arrays.push_back(*array);
  }
  const DType dtype = arrays.empty() ? DType::kUnknown : arrays.front().dtype();
  return One(SequenceOf(std::move(arrays), dtype));
}

Result<Values> RunSequenceEmpty(const Node& node, std::span<const RuntimeValue>, const Execution&,
                                const Frame&) {
  const std::int64_t number = IntAttribute(node, "dtype");
  if (!IsDTypeNumber(number)) return InvalidInput("dtype is not an element type");
  return One(SequenceOf({}, static_cast<DType>(number)));
}

Result<Values> RunSequenceInsert(const Node&, std::span<const RuntimeValue> operands,
                                 const Execution&, const Frame&) {
  DRAGOMAN_ASSIGN(const RuntimeValue* sequence, SequenceOperand(operands, 0));
  DRAGOMAN_ASSIGN(const Array* array, TensorOperand(operands, 1));
  const std::size_t length = sequence->sequence.size();
  const auto end = static_cast<std::int64_t>(length);
  DRAGOMAN_ASSIGN(std::ptrdiff_t place, Place(operands, 2, length, end + 1, end));
  RuntimeValue longer = *sequence;
  longer.sequence.insert(longer.sequence.begin() + place, RuntimeValue::Of(*array));
  return One(std::move(longer));
}

Result<Values> RunSequenceErase(const Node&, std::span<const RuntimeValue> operands,
                                const Execution&, const Frame&) {
  DRAGOMAN_ASSIGN(const RuntimeValue* sequence, SequenceOperand(operands, 0));
  const std::size_t length = sequence->sequence.size();
  const auto end = static_cast<std::int64_t>(length);
  DRAGOMAN_ASSIGN(std::ptrdiff_t place, Place(operands, 1, length, end, end - 1));
  RuntimeValue shorter = *sequence;
  shorter.sequence.erase(shorter.sequence.begin() + place);
  return One(std::move(shorter));
}

Result<Values> RunSequenceAt(const Node&, std::span<const RuntimeValue> operands, const Execution&,
                             const Frame&) {
  DRAGOMAN_ASSIGN(const RuntimeValue* sequence, SequenceOperand(operands, 0));
  const std::size_t length = sequence->sequence.size();
  DRAGOMAN_ASSIGN(std::ptrdiff_t place,
                  Place(operands, 1, length, static_cast<std::int64_t>(length), 0));
  return One(sequence->sequence[static_cast<std::size_t>(place)]);
}

Result<Values> RunSequenceLength(const Node&, std::span<const RuntimeValue> operands,
                                 const Execution&, const Frame&) {
  DRAGOMAN_ASSIGN(const RuntimeValue* sequence, SequenceOperand(operands, 0));
  DRAGOMAN_ASSIGN(RuntimeValue length,
                  ScalarOf(DType::kI64, static_cast<std::int64_t>(sequence->sequence.size())));
  return One(std::move(length));
}

Result<Values> RunConcatFromSequence(const Node& node, std::span<const RuntimeValue> operands,
                                     const Execution&, const Frame&) {
  DRAGOMAN_ASSIGN(const RuntimeValue* sequence, SequenceOperand(operands, 0));
  if (sequence->sequence.empty()) return InvalidInput("the sequence is empty");
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < sequence->sequence.size(); ++i) {
    DRAGOMAN_ASSIGN(const Array* array, TensorOperand(sequence->sequence, i));
    arrays.push_back(*array);
  }
  const bool new_axis = IntAttribute(node, "new_axis") != 0;
  DRAGOMAN_ASSIGN(int axis, ResolveAxis(IntAttribute(node, "axis"),
                                        arrays.front().shape().size() + (new_axis ? 1 : 0)));
  DRAGOMAN_ASSIGN(Array joined, new_axis ? Stack(arrays, axis) : Concatenate(arrays, axis));
  return One(RuntimeValue::Of(std::move(joined)));
}

Result<Values> RunSplitToSequence(const Node& node, std::span<const RuntimeValue> operands,
                                  const Execution&, const Frame&) {
  DRAGOMAN_ASSIGN(const Array* array, TensorOperand(operands, 0));
  DRAGOMAN_ASSIGN(int axis, ResolveAxis(IntAttribute(node, "axis"), array->shape().size()));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> sizes, PartSizes(operands, array->shape()[axis]));
  const bool drop_axis = !HasOperand(operands, 1) && IntAttribute(node, "keepdims") == 0;
  DRAGOMAN_ASSIGN(std::vector<Array> parts,
                  drop_axis ? Slices(*array, axis) : SplitAlong(*array, axis, sizes));
  return One(SequenceOf(std::move(parts), array->dtype()));
}

Result<Values> RunOptional(const Node&, std::span<const RuntimeValue> operands, const Execution&,
                           const Frame&) {
  return One(operands.empty() ? RuntimeValue() : operands[0]);
}

Result<Values> RunOptionalHasElement(const Node&, std::span<const RuntimeValue> operands,
                                     const Execution&, const Frame&) {
  DRAGOMAN_ASSIGN(RuntimeValue has, ScalarOf(DType::kBool, HasOperand(operands, 0) ? 1 : 0));
  return One(std::move(has));
}

Result<Values> RunOptionalGetElement(const Node&, std::span<const RuntimeValue> operands,
                                     const Execution&, const Frame&) {
  if (!HasOperand(operands, 0)) return InvalidInput("the optional is empty");
  return One(operands[0]);
}

}  // namespace dragoman

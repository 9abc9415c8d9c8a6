// SPDX-License-Identifier: Apache-2.0
#include "core/interpreter/operands.h"

#include <string>
#include <utility>

namespace dragoman {
namespace {

Error Wrong(std::size_t i, std::string_view expected) {
  return InvalidInput("operand " + std::to_string(i) + " is not " + std::string(expected));
}

}  // namespace

bool HasOperand(std::span<const RuntimeValue> operands, std::size_t i) {
  return i < operands.size() && operands[i].kind != RuntimeValue::Kind::kNone;
}

Result<const Array*> TensorOperand(std::span<const RuntimeValue> operands, std::size_t i) {
  if (i >= operands.size() || operands[i].kind != RuntimeValue::Kind::kTensor)
    return Wrong(i, "a tensor");
  return &operands[i].array;
}

Result<const RuntimeValue*> SequenceOperand(std::span<const RuntimeValue> operands, std::size_t i) {
  if (i >= operands.size() || operands[i].kind != RuntimeValue::Kind::kSequence)
    return Wrong(i, "a sequence");
  return &operands[i];
}

Result<std::vector<std::int64_t>> IntsOperand(std::span<const RuntimeValue> operands,
                                              std::size_t i) {
  DRAGOMAN_ASSIGN(const Array* array, TensorOperand(operands, i));
  const DType dtype = array->dtype();
  if (dtype != DType::kBool && dtype != DType::kI32 && dtype != DType::kI64)
    return Wrong(i, "of integers");
  return array->ToTensor().ToInts();
}

Result<std::int64_t> IntOperand(std::span<const RuntimeValue> operands, std::size_t i) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> ints, IntsOperand(operands, i));
  if (ints.size() != 1) return Wrong(i, "a scalar");
  return ints.front();
}

Result<std::int64_t> IntOperandOr(std::span<const RuntimeValue> operands, std::size_t i,
                                  std::int64_t absent) {
  return HasOperand(operands, i) ? IntOperand(operands, i) : Result<std::int64_t>(absent);
}

Result<RuntimeValue> ScalarOf(DType dtype, std::int64_t value) {
  DRAGOMAN_ASSIGN(Array array, Array::Make(dtype, {}));
  if (dtype == DType::kBool) {
    *static_cast<bool*>(array.data()) = value != 0;
  } else {
    *static_cast<std::int64_t*>(array.data()) = value;
  }
  return RuntimeValue::Of(std::move(array));
}

}  // namespace dragoman

// SPDX-License-Identifier: Apache-2.0
// What handlers read of their operands, and make of numbers.
#ifndef DRAGOMAN_CORE_INTERPRETER_OPERANDS_H_
#define DRAGOMAN_CORE_INTERPRETER_OPERANDS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interpreter/array.h"
#include "core/support/result.h"

namespace dragoman {

bool HasOperand(std::span<const RuntimeValue> operands, std::size_t i);

// Errors of all: operand `i` is missing, or something else.
Result<const Array*> TensorOperand(std::span<const RuntimeValue> operands, std::size_t i);
Result<const RuntimeValue*> SequenceOperand(std::span<const RuntimeValue> operands, std::size_t i);
// The integers of an i32, i64 or bool tensor.
Result<std::vector<std::int64_t>> IntsOperand(std::span<const RuntimeValue> operands,
                                              std::size_t i);
// The only one of them.
Result<std::int64_t> IntOperand(std::span<const RuntimeValue> operands, std::size_t i);
// `absent` if the operand is missing.
Result<std::int64_t> IntOperandOr(std::span<const RuntimeValue> operands, std::size_t i,
                                  std::int64_t absent);

// A tensor of rank 0, i64 or bool.
Result<RuntimeValue> ScalarOf(DType dtype, std::int64_t value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_OPERANDS_H_

// SPDX-License-Identifier: Apache-2.0
// Every operator of torch that is lowered, and what is known of it: one row, overloads together.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_OP_TABLE_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_OP_TABLE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

// Where torch's kernel for a quantised operand rounds the result to.
struct GridRule {
  enum class Kind : std::uint8_t {
    kNone,      // it does not round
    kOperand,   // the operand's grid
    kIntegers,  // the same; it computes with the stored integers, which shows where a sum is halved
    kSteps,     // 1 / steps from a zero point
  };

  Kind kind = Kind::kNone;
  int steps = 0;
  int zero_u8 = 0;  // the zero point where unsigned, and signed, bytes are stored
  int zero_i8 = 0;
};

// Where the elements of the results of torch's kernel lie, unless they are views.
enum class ResultOrder : std::uint8_t {
  kByOperands,  // row-major if those of all operands do, else not known
  kStated,      // as the lowering says
  kUnknown,
};

struct OpFacts {
  bool complex = false;  // the lowering is right for complex tensors too
  int index = -1;        // the operand that is read as indices; -1: none
  GridRule grid = {};
  ResultOrder order = ResultOrder::kByOperands;
};

struct OpRow {
  std::string_view name;  // "aten.add", "torchvision.nms"
  OpLowering lower;
  OpFacts facts = {};
};

// All of them, sorted by name.
std::span<const OpRow> OpRows();
// The in-place form has a row of its own only where it is not derived. nullptr: there is none.
const OpRow* FindOpRow(std::string_view name);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_OP_TABLE_H_

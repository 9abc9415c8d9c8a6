// SPDX-License-Identifier: Apache-2.0
// The rows of op_table.h, which are too many for one file. Each part is sorted by name, and all
// names of the first come before those of the second.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_OP_ROWS_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_OP_ROWS_H_

#include <span>

#include "importers/torch/ops/op_table.h"

namespace dragoman::torch {

inline constexpr GridRule kOperandGrid = {.kind = GridRule::Kind::kOperand};
inline constexpr GridRule kIntegerGrid = {.kind = GridRule::Kind::kIntegers};
// Of results in [0, 1] and in [-1, 1].
inline constexpr GridRule kUnitGrid = {GridRule::Kind::kSteps, 256, 0, -128};
inline constexpr GridRule kSymmetricGrid = {GridRule::Kind::kSteps, 128, 128, 0};

std::span<const OpRow> OpRowsAToL();
std::span<const OpRow> OpRowsMToZ();

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_OP_ROWS_H_

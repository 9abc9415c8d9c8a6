// SPDX-License-Identifier: Apache-2.0
// Regions under torch.autocast in scripted programs. PyTorch casts operands there when it compiles
// the program (torch/csrc/jit/passes/autocast.cpp), by lists that are not those of Python.
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_SCRIPTED_AUTOCAST_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_SCRIPTED_AUTOCAST_H_

#include <optional>

#include "core/ir/dtype.h"
#include "core/ir/graph.h"
#include "core/lowering/abstract.h"
#include "core/support/result.h"

namespace dragoman::torch {

bool IsAutocast(const ObjectContents& object);

// The type that a region of `object`, an instance of torch.autocast, gives to what runs on a CPU,
// within one of `outer`; nullopt: none. Errors (unsupported): another type than bfloat16 and
// float16, or one that is not known.
Result<std::optional<DType>> RegionType(const ObjectContents& object, std::optional<DType> outer);

// The type that the tensors among the operands of `node` are cast to in a region of type `region`;
// nullopt: none is. `states_type`: an argument says of which type the result is.
std::optional<DType> OperandType(const Node& node, bool states_type, DType region);

// Whether a tensor of type `from` is cast where OperandType gave `to`: only floats of 32 bits are
// made smaller, and only those that are smaller are made floats of 32 bits.
bool IsCast(DType from, DType to);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_SCRIPTED_AUTOCAST_H_

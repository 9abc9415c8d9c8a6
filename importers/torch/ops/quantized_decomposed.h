// SPDX-License-Identifier: Apache-2.0
// The operators quantized_decomposed::… and torchao::…, which only programs of torch.export have.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_QUANTIZED_DECOMPOSED_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_QUANTIZED_DECOMPOSED_H_

#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

Result<Value*> LowerQuantizeToIntegers(Call& call);
Result<Value*> LowerDequantizeIntegers(Call& call);
Result<Results> LowerChooseGrid(Call& call);

// Grids of their own for groups of a row's elements, and for the elements along the last axis.
Result<Value*> LowerQuantizeGroups(Call& call);
Result<Value*> LowerDequantizeGroups(Call& call);
Result<Value*> LowerQuantizeTokens(Call& call);
Result<Value*> LowerDequantizeTokens(Call& call);
Result<Results> LowerChooseTokenGrid(Call& call);

// Grids of their own for blocks of elements.
Result<Value*> LowerQuantizeBlocks(Call& call);
Result<Value*> LowerDequantizeBlocks(Call& call);
Result<Results> LowerChooseBlockGrid(Call& call);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_QUANTIZED_DECOMPOSED_H_

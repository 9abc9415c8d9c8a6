// The operators quantized_decomposed::…, which only programs of torch.export have.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_QUANTIZED_DECOMPOSED_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_QUANTIZED_DECOMPOSED_H_

#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

Result<Value*> LowerQuantizeToIntegers(Call& call);
Result<Value*> LowerDequantizeIntegers(Call& call);
Result<Results> LowerChooseGrid(Call& call);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_QUANTIZED_DECOMPOSED_H_

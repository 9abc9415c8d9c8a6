// SPDX-License-Identifier: Apache-2.0
// Where the elements of the tensors that an operator makes lie.
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_RESULT_STRIDES_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_RESULT_STRIDES_H_

#include <cstdint>
#include <string_view>

#include "importers/torch/ops/op_table.h"

namespace dragoman::torch {

// The attribute in the extra of a result that states its steps, as a source without storages of its
// own records them: integers, one per axis.
inline constexpr std::string_view kStatedSteps = "torch.steps";

// Says it of those among `results` of `call` whose storages are younger than number `last_cell`.
Status SetResultStrides(Call& call, ResultOrder order, std::uint64_t last_cell,
                        const Results& results);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_RESULT_STRIDES_H_

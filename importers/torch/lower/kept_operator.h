// SPDX-License-Identifier: Apache-2.0
// An operator of a library that is not known, as a program of torch.export calls it: it stands in
// the common graph as a foreign node, mine::special as onnx:mine.special.
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_KEPT_OPERATOR_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_KEPT_OPERATOR_H_

#include <span>
#include <string_view>

#include "core/analysis/builder.h"
#include "core/lowering/heap.h"
#include "core/support/result.h"
#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

// The dialect of such a node of the program: its operands are tensors, its attributes those of the
// foreign node, its results have their types.
inline constexpr std::string_view kKeptDialect = "kept";

Result<Results> LowerKept(const Node& node, std::span<const Abstract> arguments, Heap& heap,
                          GraphBuilder& builder);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_KEPT_OPERATOR_H_

// SPDX-License-Identifier: Apache-2.0
// What torch.autocast makes of the operands of an operator on a CPU: the lists of
// aten/src/ATen/autocast_mode.cpp, AutocastCPU.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_AUTOCAST_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_AUTOCAST_H_

#include <cstdint>
#include <optional>

#include "core/ir/dtype.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::torch {

// The type that the tensors among the operands of `node` are converted to in a region whose type is
// `region`, those of them that are float32, float16 or bfloat16 (IsCastable); nullopt: none is.
// Errors: the file states another type of a result than follows, as of operators that are made of
// others.
Result<std::optional<DType>> AutocastType(const Node& node, DType region);

bool IsCastable(DType dtype);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_AUTOCAST_H_

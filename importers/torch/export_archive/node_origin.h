// SPDX-License-Identifier: Apache-2.0
// Where a node of torch.export came from: the metadata nn_module_stack, stack_trace and torch_fn.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_NODE_ORIGIN_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_NODE_ORIGIN_H_

#include "core/ir/graph.h"
#include "core/ir/origin.h"
#include "importers/torch/export_archive/json.h"

namespace dragoman::torch {

// A leaf: its scope is the innermost module ("layer1.0"), its location the innermost line of the
// user's source ("policy.py:87"), with the attributes of README.md, "Origins", and torch_fn.
OriginPtr OriginOfNode(const Json& node, const OpName& op);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_NODE_ORIGIN_H_

// SPDX-License-Identifier: Apache-2.0
// Groups of nodes that our writer wrote in line (proto/onnx/extra.h).
#ifndef DRAGOMAN_IMPORTERS_ONNX_RESTORE_GROUPS_H_
#define DRAGOMAN_IMPORTERS_ONNX_RESTORE_GROUPS_H_

#include "core/ir/model.h"

namespace dragoman {

// Whether nodes of `source` have such metadata.
bool RecordsGroups(const Model& source);

// Makes functions dragoman.Fused_N of the groups of `source`, and calls of their nodes, which lower
// to dragoman.Fused. Nodes that other programs have put apart, or that are not in the order in
// which they are computed, stay as they are.
void RestoreGroups(Model& source);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_RESTORE_GROUPS_H_

// SPDX-License-Identifier: Apache-2.0
// Writes dragoman.Fused as the nodes of its body.
#ifndef DRAGOMAN_EXPORTERS_ONNX_INLINE_GROUPS_H_
#define DRAGOMAN_EXPORTERS_ONNX_INLINE_GROUPS_H_

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Every node dragoman.Fused of `model` becomes the nodes of its body, with metadata from which our
// reader makes the group again (proto/onnx/extra.h). Errors: internal.
Status InlineGroups(Model& model);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_INLINE_GROUPS_H_

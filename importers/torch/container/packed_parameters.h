// SPDX-License-Identifier: Apache-2.0
// The states of torch's own packed parameters.
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_PACKED_PARAMETERS_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_PACKED_PARAMETERS_H_

#include "core/support/result.h"
#include "importers/torch/container/restore_object.h"

namespace dragoman::torch {

// The attributes of an object of `__torch__.torch.classes.…`, as restore_object.h lists them.
Result<StoredAttributes> PackedParameters(const StoredObject& object, StoredHeap& heap);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_PACKED_PARAMETERS_H_

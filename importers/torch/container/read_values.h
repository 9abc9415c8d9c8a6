// SPDX-License-Identifier: Apache-2.0
// All values that an archive stores: the root object, the constants, the traced inputs.
#ifndef DRAGOMAN_IMPORTERS_TORCH_CONTAINER_READ_VALUES_H_
#define DRAGOMAN_IMPORTERS_TORCH_CONTAINER_READ_VALUES_H_

#include <string>
#include <utility>
#include <vector>

#include "core/support/result.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/container/value.h"

namespace dragoman::torch {

struct StoredProgram {
  StoredHeap heap;                // owns all that follows
  Stored root;                    // data.pkl: the module object
  std::vector<Stored> constants;  // CONSTANTS.c0, c1, …
  // By method, the example inputs that it was traced with; tensors have sizes and element type but
  // no data. Empty if the archive has none.
  std::vector<std::pair<std::string, Stored>> traced_inputs;
};

// Errors: those of ReadPickle; a root that is not an object; constants that are not a tuple.
Result<StoredProgram> ReadValues(const Archive& archive);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_CONTAINER_READ_VALUES_H_

// SPDX-License-Identifier: Apache-2.0
// What torch.save writes of a dictionary of tensors.
#ifndef DRAGOMAN_EXPORTERS_PT2_SAVED_TENSORS_H_
#define DRAGOMAN_EXPORTERS_PT2_SAVED_TENSORS_H_

#include <string>
#include <vector>

#include "core/support/result.h"
#include "exporters/pt2/weights.h"

namespace dragoman::pt2 {

// The archive, by the paths of the weights. Errors: unsupported, an element type of which
// PyTorch 2.6 has no storage.
Result<std::string> SavedTensors(const std::vector<const Weight*>& weights);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_SAVED_TENSORS_H_

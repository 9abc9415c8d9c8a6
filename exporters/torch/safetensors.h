// SPDX-License-Identifier: Apache-2.0
// Files of safetensors: tensors by name.
#ifndef DRAGOMAN_EXPORTERS_TORCH_SAFETENSORS_H_
#define DRAGOMAN_EXPORTERS_TORCH_SAFETENSORS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/output_file.h"
#include "core/support/result.h"

namespace dragoman::pytorch {

using NamedTensors = std::vector<std::pair<std::string, dragoman::Tensor>>;

// Names differ. Errors: an element type that the format lacks.
Status WriteSafetensors(const NamedTensors& tensors,
                        const std::map<std::string, std::string>& metadata, OutputFile file);

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_SAFETENSORS_H_

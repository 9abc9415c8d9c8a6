// SPDX-License-Identifier: Apache-2.0
// The source of a model's classes.
#ifndef DRAGOMAN_EXPORTERS_TORCH_MODEL_TEXT_H_
#define DRAGOMAN_EXPORTERS_TORCH_MODEL_TEXT_H_

#include <string>
#include <vector>

#include "exporters/torch/classes.h"

namespace dragoman::pytorch {

// A further method of the model: another entry.
struct ModelMethod {
  std::string name;
  Function function;
};

// model.py.
std::string ModelText(const ProgramCalls& program, const ModuleTree& tree, const Regions& regions,
                      const Classes& classes, const std::vector<ModelMethod>& methods);

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_MODEL_TEXT_H_

// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/lower/argument_names.h"

namespace dragoman::torch {

std::vector<DeclaredArgument> ArgumentsOf(const Graph& method) {
  std::vector<DeclaredArgument> arguments;
  for (std::size_t i = 1; i < method.num_inputs(); ++i)
    arguments.push_back({method.input(i)->name(), method.input(i)->type()});
  return arguments;
}

}  // namespace dragoman::torch

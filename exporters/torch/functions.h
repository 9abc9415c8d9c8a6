// SPDX-License-Identifier: Apache-2.0
// What the forward of a module does, as statements of Python.
#ifndef DRAGOMAN_EXPORTERS_TORCH_FUNCTIONS_H_
#define DRAGOMAN_EXPORTERS_TORCH_FUNCTIONS_H_

#include <set>
#include <string>

#include "exporters/torch/expression.h"
#include "exporters/torch/regions.h"

namespace dragoman::pytorch {

struct Function {
  std::vector<std::string> inputs;  // values
  Statements statements;            // each value is made once; the last returns
  bool takes_any = false;           // the only input is a list of any number of tensors
};

// Of the module, or with `program.states` of the root. Weights that are read are added to `read`,
// by their paths.
Function MakeFunction(const ProgramCalls& program, const ModuleTree& tree, const Regions& regions,
                      const Module& module, std::set<std::string>& read);

// How the module at `path` calls what is at the longer `to`.
std::string PathFrom(const Module& module, const ModulePath& to);

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_FUNCTIONS_H_

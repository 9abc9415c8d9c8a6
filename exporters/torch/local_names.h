// SPDX-License-Identifier: Apache-2.0
// A function as a person would write it: loops over lists of modules, short-lived values within the
// statements that read them, and names for the others.
#ifndef DRAGOMAN_EXPORTERS_TORCH_LOCAL_NAMES_H_
#define DRAGOMAN_EXPORTERS_TORCH_LOCAL_NAMES_H_

#include <map>
#include <string>
#include <vector>

#include "exporters/torch/functions.h"

namespace dragoman::pytorch {

// Equal calls of all modules of a list, each with what the one before gives, as a loop.
void FoldModuleLoops(Function& function, const Module& module);

// Puts values that one statement makes and only the next one reads into that, as far as the line
// stays short.
void InlineValues(Statements& statements);

// Replaces values by names of Python, which it returns. `hints`: names for inputs.
std::map<std::string, std::string> NameValues(Function& function,
                                              const std::vector<std::string>& hints);

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_LOCAL_NAMES_H_
